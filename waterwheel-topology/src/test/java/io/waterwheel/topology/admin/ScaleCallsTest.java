package io.waterwheel.topology.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.ForwardingCatalogStore;
import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.key.sample.ScaleChange;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Changes of the scales whose outcome nobody knows at first. */
final class ScaleCallsTest {
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("a", FieldType.LONG, false),
                    new Field("b", FieldType.LONG, false),
                    new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Dimensions(dimensions("10"), List.of()),
            "t");

    private final InMemoryCatalogStore store = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
    private final StreamInfo stream =
            new Namespace(store).create("s", SCHEMA, RecordFormat.CSV, "s", new long[] {0, 0}, 2);

    private static List<Dimension> dimensions(String cut) {
        return List.of(
                new Dimension("a", 2, List.of(), List.of(cut)), new Dimension("b", 2, List.of("0", "100"), List.of()));
    }

    private static ScaleChange change(String cut) {
        return ScaleChange.of(SCHEMA, dimensions(cut), new TupleBlock(RowLayout.of(SCHEMA), 0));
    }

    /**
     * The connection is lost behind the first transaction. What was sent arrives when the author has found no table of
     * it and reads which is the newest, to try again: as if it came by another server of ZooKeeper.
     */
    private static final class Late extends ForwardingCatalogStore {
        private List<Op> sent = List.of();
        private boolean lost;

        Late(InMemoryCatalogStore store) {
            super(store);
        }

        @Override
        public void commit(List<Op> ops) throws ConflictException, UnknownOutcomeException {
            if (!lost) {
                lost = true;
                sent = ops;
                throw new UnknownOutcomeException("planted", new IOException("connection lost"));
            }
            super.commit(ops);
        }

        @Override
        public List<String> children(String path) {
            if (path.endsWith("/tables") && !sent.isEmpty()) {
                try {
                    super.commit(sent);
                } catch (ConflictException | UnknownOutcomeException e) {
                    throw new AssertionError(e);
                }
                sent = List.of();
            }
            return super.children(path);
        }
    }

    @Test
    void aChangeThatArrivesLateIsDoneOnce() {
        Late late = new Late(store);
        RoutingTable table = ScaleCalls.putInForce(late, stream, 1, change("30"));
        assertThat(late.lost).isTrue();
        assertThat(late.sent).as("what is still under way").isEmpty();
        assertThat(table.scales()).isEqualTo(2);
        StreamCatalog catalog = new StreamCatalog(store, stream);
        assertThat(catalog.newestTable()).isEqualTo(table);
        assertThat(table.version()).isEqualTo(2);
        assertThat(catalog.scaled(2).schema().key().dimensional())
                .satisfies(key -> assertThat(key.dimensions(2)).isEqualTo(dimensions("30")));
    }

    @Test
    void aChangeByAnotherIsNoneOfOurs() {
        ScaleCalls.putInForce(store, stream, 1, change("30"));
        // The same scales, but this author has not tried yet.
        assertThatThrownBy(() -> ScaleCalls.putInForce(store, stream, 1, change("30")))
                .hasMessage("stream s: its scales were changed meanwhile; look at them, then ask again");
        assertThat(new StreamCatalog(store, stream).newestTable().version()).isEqualTo(2);
    }
}
