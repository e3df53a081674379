package io.waterwheel.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.maintenance.DroppedStreams;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.StreamGoneException;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A drop takes the stream that it found, all of it, and no other, whatever happens in between. */
final class DropTest {
    private static final long GRACE = 1_000;
    private static final int PARTITIONS = 20;
    private static final Schema SCHEMA =
            new Schema(List.of(new Field("t", FieldType.TIMESTAMP, false)), new KeySpec.Ordered("t"), "t");

    private final CatalogStore store = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
    private final Namespace namespace = new Namespace(store);
    private final StreamInfo stream = create("s");
    private final DroppedStreams dropped = new DroppedStreams(store, GRACE);

    private StreamInfo create(String name) {
        return namespace.create(name, SCHEMA, RecordFormat.CSV, name, new long[PARTITIONS], 2);
    }

    /** What becomes of a commit that deletes something. */
    private interface Deletion {
        void commit(CatalogStore store, List<CatalogStore.Op> ops)
                throws CatalogStore.ConflictException, CatalogStore.UnknownOutcomeException;
    }

    /** Hands deletions, numbered from 1, to a test. */
    private static final class Deleting extends ForwardingCatalogStore {
        private final List<Deletion> first;
        private int deletions;

        Deleting(CatalogStore store, Deletion... first) {
            super(store);
            this.first = List.of(first);
        }

        @Override
        public void commit(List<Op> ops) throws ConflictException, UnknownOutcomeException {
            boolean deletes = ops.stream().anyMatch(Op.Delete.class::isInstance);
            if (deletes && ++deletions <= first.size()) {
                first.get(deletions - 1).commit(store, ops);
            } else {
                super.commit(ops);
            }
        }
    }

    private static CatalogStore.UnknownOutcomeException unknown() {
        return new CatalogStore.UnknownOutcomeException("planted", new IOException("connection lost"));
    }

    private static void die() {
        throw new IllegalStateException("the process dies");
    }

    private List<Integer> ids() {
        return namespace.dataIds();
    }

    @Test
    void nothingIsLeft() {
        namespace.drop("s");
        assertThat(namespace.streams()).isEmpty();
        assertThat(ids()).isEmpty();
        namespace.drop("s");
    }

    @Test
    void aStreamOfThatNameThatIsCreatedMeanwhileStays() {
        StreamInfo[] next = new StreamInfo[1];
        new Namespace(new Deleting(store, (to, ops) -> {
                    to.commit(ops);
                    next[0] = create("s");
                    throw unknown();
                }))
                .drop("s");
        assertThat(namespace.find("s")).contains(next[0]);
        assertThat(ids()).containsExactly(next[0].id());
        assertThat(new StreamCatalog(store, next[0])
                        .startIndexer(0)
                        .checkpoint()
                        .epoch())
                .isEqualTo(1);
    }

    @Test
    void whatEndedUnknownIsGoneOnWith() {
        Deletion done = (to, ops) -> {
            to.commit(ops);
            throw unknown();
        };
        Deletion undone = (to, ops) -> {
            throw unknown();
        };
        new Namespace(new Deleting(store, undone, done, undone, done, undone)).drop("s");
        assertThat(namespace.streams()).isEmpty();
        assertThat(ids()).isEmpty();
    }

    @Test
    void twoAtOnceAreNotInEachOthersWay() {
        new Namespace(new Deleting(store, CatalogStore::commit, CatalogStore::commit, (to, ops) -> {
                    namespace.removeRemains(stream.id());
                    to.commit(ops);
                }))
                .drop("s");
        assertThat(ids()).isEmpty();
    }

    @Test
    void whatADeadProcessLeftIsRemovedOnceTheGraceTimeIsOver() {
        StreamInfo other = create("other");
        for (int step = 1; step <= 7; step++) {
            StreamInfo mortal = create("mortal");
            Deletion[] steps = new Deletion[step + 1];
            Arrays.fill(steps, (Deletion) CatalogStore::commit);
            steps[step] = (to, ops) -> die();
            assertThatThrownBy(() -> new Namespace(new Deleting(store, steps)).drop("mortal"))
                    .as("step %d", step)
                    .hasMessage("the process dies");
            assertThat(ids()).as("step %d", step).contains(mortal.id());
            long now = step * 10 * GRACE;
            assertThat(dropped.look(now)).isZero();
            assertThat(dropped.look(now + GRACE - 1)).isZero();
            assertThat(ids()).as("step %d", step).contains(mortal.id());
            assertThat(dropped.look(now + GRACE)).isEqualTo(1);
            assertThat(ids()).as("step %d", step).containsExactly(stream.id(), other.id());
        }
        assertThat(new StreamCatalog(store, other).startIndexer(0).checkpoint().epoch())
                .isEqualTo(1);
    }

    @Test
    void whenTheCatalogGoesAwayAfterwardsTheStreamIsDropped() {
        new Namespace(new Deleting(store, CatalogStore::commit, (to, ops) -> {
                    throw new WaterwheelException(ErrorCode.CATALOG_UNAVAILABLE, "away");
                }))
                .drop("s");
        assertThat(namespace.streams()).isEmpty();
        assertThat(ids()).containsExactly(stream.id());
        dropped.look(0);
        assertThat(dropped.look(GRACE)).isEqualTo(1);
        assertThat(ids()).isEmpty();
    }

    @Test
    void aLivingStreamWhoseEntryIsNotSeenStays() {
        DroppedStreams blind = new DroppedStreams(
                new ForwardingCatalogStore(store) {
                    @Override
                    public List<String> children(String path) {
                        return path.equals("/streams") ? List.of() : super.children(path);
                    }
                },
                GRACE);
        assertThat(blind.look(0)).isZero();
        assertThat(blind.look(GRACE)).isZero();
        assertThat(new StreamCatalog(store, stream).table(1).indexers()).hasSize(2);
    }

    @Test
    void partitionsThatAreBusyDoNotHoldItUp() {
        StreamCatalog dispatcher = new StreamCatalog(store, stream);
        CatalogStore busy = new ForwardingCatalogStore(store) {
            private int commits;

            @Override
            public void commit(List<Op> ops) throws ConflictException, UnknownOutcomeException {
                if (commits++ == 0) {
                    for (int p = 0; p < PARTITIONS; p++) {
                        dispatcher.raiseLimit(p, 10, LogIdentity.ANY);
                    }
                    dispatcher.startIndexer(1);
                }
                assertThat(commits)
                        .as("one for the entry, the rest for what is left")
                        .isLessThan(10);
                super.commit(ops);
            }
        };
        new Namespace(busy).drop("s");
        assertThat(ids()).isEmpty();
        for (int p = 0; p < PARTITIONS; p++) {
            int partition = p;
            assertThatThrownBy(() -> dispatcher.raiseLimit(partition, 100, LogIdentity.ANY))
                    .isInstanceOf(StreamGoneException.class);
        }
        assertThatThrownBy(() -> dispatcher.startIndexer(0)).isInstanceOf(StreamGoneException.class);
        assertThat(ids()).as("nothing has come back").isEmpty();
    }

    @Test
    void aPartitionThatComesMeanwhileIsDroppedToo() {
        CatalogStore growing = new ForwardingCatalogStore(store) {
            private Optional<StreamCatalog> grown = Optional.of(new StreamCatalog(store, stream));

            @Override
            public void commit(List<Op> ops) throws ConflictException, UnknownOutcomeException {
                Optional<StreamCatalog> grows = grown;
                grown = Optional.empty();
                grows.ifPresent(catalog -> catalog.extend(new long[PARTITIONS + 1], LogIdentity.ANY));
                super.commit(ops);
            }
        };
        new Namespace(growing).drop("s");
        assertThat(namespace.streams()).isEmpty();
        assertThat(ids()).isEmpty();
    }

    /** A client may name anything: what cannot be a stream is none, and no path of the catalog is made of it. */
    @Test
    void whatNoStreamCanBeCalledIsNone() {
        for (String name : List.of("", ".", "..", "a/b", "a\rb", "a\0b", "s/", "\uD800", "x".repeat(101))) {
            assertThat(namespace.find(name)).as(name).isEmpty();
            assertThatThrownBy(() -> namespace.changePolicy(name, policy -> policy))
                    .isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.is(ErrorCode.NO_SUCH_STREAM))
                            .as(name)
                            .isTrue());
        }
        assertThat(namespace.find("s")).contains(stream);
    }
}
