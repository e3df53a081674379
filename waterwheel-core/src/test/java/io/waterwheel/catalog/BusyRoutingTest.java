package io.waterwheel.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Changes of the routing while every partition raises its limit twice a second. */
final class BusyRoutingTest {
    private static final int PARTITIONS = 1_024;
    private static final int INDEXERS = 16;
    private static final long ROUND_TRIP_NANOS = 1_000_000;
    private static final long RAISE_NANOS = 500_000_000;
    private static final Schema SCHEMA =
            new Schema(List.of(new Field("t", FieldType.TIMESTAMP, false)), new KeySpec.Ordered("t"), "t");

    private final CatalogStore store = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
    private final StreamInfo stream =
            new Namespace(store).create("s", SCHEMA, RecordFormat.CSV, "s", new long[PARTITIONS], INDEXERS);
    private final StreamCatalog dispatchers = new StreamCatalog(store, stream);

    /** Each call takes a round trip, while partitions raise their limits in turn, twice a second each. */
    private final class Busy extends ForwardingCatalogStore {
        /** Whether somebody's edit comes before each of ours. */
        private final boolean edited;

        private final StreamCatalog edits = new StreamCatalog(BusyRoutingTest.this.store, stream);
        private final List<Integer> pauses = new ArrayList<>();
        private long now;
        private long raised;

        Busy(boolean edited) {
            super(BusyRoutingTest.this.store);
            this.edited = edited;
        }

        private void roundTrip() {
            now += ROUND_TRIP_NANOS;
            long each = RAISE_NANOS / PARTITIONS;
            while ((raised + 1) * each <= now) {
                int p = (int) (raised++ % PARTITIONS);
                dispatchers.raiseLimit(p, dispatchers.route(p).route().limit() + 1, LogIdentity.ANY);
            }
        }

        @Override
        public Optional<Node> read(String path) {
            roundTrip();
            return super.read(path);
        }

        @Override
        public List<Optional<Node>> readAll(List<String> paths) {
            roundTrip();
            return store.readAll(paths);
        }

        @Override
        public List<String> children(String path) {
            roundTrip();
            return super.children(path);
        }

        @Override
        public void commit(List<Op> ops) throws ConflictException, UnknownOutcomeException {
            if (edited && ops.stream().anyMatch(op -> op.path().contains("/edits/"))) {
                edits.startIndexer(0);
            }
            roundTrip();
            super.commit(ops);
        }

        @Override
        public void pause(int tries) {
            pauses.add(tries);
            // Not in step with the raises.
            now += 3_333_333L * tries;
        }
    }

    @Test
    void aChangeOfTheRoutingSucceedsInAFewTries() {
        Busy busy = new Busy(false);
        StreamCatalog balancer = new StreamCatalog(busy, stream);
        for (int change = 0; change < 5; change++) {
            long before = busy.now;
            RoutingTable table = balancer.changeRouting(new long[] {change}, new int[] {change % INDEXERS, 16});
            assertThat(busy.pauses).as("change %d", change).isEmpty();
            assertThat(balancer.newestTable()).isEqualTo(table);
            for (int p = 0; p < PARTITIONS; p++) {
                assertThat(balancer.route(p).route().newestVersion()).isEqualTo(table.version());
            }
            assertThat(busy.now - before)
                    .as("round trips, about two for four partitions")
                    .isLessThan(5 * PARTITIONS * ROUND_TRIP_NANOS);
        }
    }

    @Test
    void whoMeetsEditsAgainAndAgainPausesLongerAndLongerAndIsTold() {
        Busy busy = new Busy(true);
        StreamCatalog balancer = new StreamCatalog(busy, stream);
        assertThatThrownBy(() -> balancer.changeRouting(new long[0], new int[] {0}))
                .isInstanceOfSatisfying(WaterwheelException.class, e -> {
                    assertThat(e.kind()).isEqualTo(WaterwheelException.Kind.TEMPORARY);
                    assertThat(e.code()).isEqualTo("ROUTING_BUSY");
                });
        assertThat(busy.pauses).hasSize(99).isSorted().startsWith(1, 2, 3);
    }
}
