package io.waterwheel.query.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.query.IndexerHeader;
import io.waterwheel.query.Query;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.Subquery;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.plan.Endpoints;
import io.waterwheel.query.plan.IndexerReports;
import io.waterwheel.query.plan.ResolvedQuery;
import io.waterwheel.query.plan.SnapshotSource;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.query.scan.IndexerReply;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TupleBlock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Which tuples above its positions an answer says that it shows, and what a session's next one is planned on. */
final class ShownTuplesTest {
    private static final StreamInfo STREAM = new StreamInfo(
            "s",
            1,
            new Schema(
                    List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
                    new KeySpec.Ordered("k"),
                    "t"),
            RecordFormat.BLOCK,
            "s",
            1,
            1);

    private static final StreamSnapshot FRESH = StreamSnapshot.before(STREAM)
            .apply(1, new Edit.Created(RoutingTable.even(1, KeyInterval.ALL, 2), List.of(0L)))
            .apply(2, new Edit.Started(0, 1))
            .apply(3, new Edit.Started(1, 1));

    /** Indexer 0 has written what it had below 30. */
    private static final StreamSnapshot FLUSHED = FRESH.apply(
            4,
            new Edit.Flushed(
                    0,
                    new IndexerCheckpoint(1, 1, new long[] {30}, 0),
                    List.of(new ChunkDescriptor("c", 0, 1, 1, 0, 3, 1, Region.of(-9, -1, 0, 99)))));

    /** By indexer, what the coordinator was told. */
    private final Map<Integer, long[]> told = new TreeMap<>();

    private int refreshed;

    /** An indexer with some rows; its tree grew to {@code shown} while it was read. */
    private record Rows(long watermark, long upTo, int found, RowsLayout layout) implements IndexerReply {
        private interface RowsLayout {
            TupleBlock rows(int count);
        }

        @Override
        public IndexerHeader header() {
            return new IndexerHeader(IndexerHeader.Outcome.ANSWER, "", 1, new long[] {watermark}, false, List.of());
        }

        @Override
        public long rows(RowSink sink) {
            if (found > 0) {
                sink.accept(layout.rows(found));
            }
            return found;
        }

        @Override
        public long[] shown() {
            return new long[] {upTo};
        }

        @Override
        public void close() {}
    }

    /** @param indexers of each the watermark, the offset up to which it shows, and how many rows it has */
    private Verdict ask(Query query, StreamSnapshot known, StreamSnapshot now, long[]... indexers) throws Exception {
        SnapshotSource snapshots = new SnapshotSource() {
            @Override
            public Optional<StreamSnapshot> snapshot(String stream) {
                return Optional.of(known);
            }

            @Override
            public Optional<StreamSnapshot> refreshed(String stream) {
                refreshed++;
                return Optional.of(now);
            }

            @Override
            public Map<Integer, IndexerReports> reports(int streamId) {
                return Map.of();
            }

            @Override
            public void shown(int streamId, int indexer, long[] watermarks) {
                told.put(indexer, watermarks);
            }
        };
        CollectedAnswer answer = new CollectedAnswer();
        new QueryRunner(snapshots, id -> new Parts(indexers), new CallerThread()).run(query, answer);
        assertThat(answer.failed()).isFalse();
        return answer.verdict();
    }

    /** Indexers, and a query server whose chunk has one row. */
    @SuppressWarnings("ArrayRecordComponent") // three numbers an indexer; never compared
    private record Parts(long[]... indexers) implements Endpoints {
        private static TupleBlock rows(ResolvedQuery resolved, int count) {
            TupleBlock rows = new TupleBlock(resolved.spec().partLayout(), count);
            rows.setSize(count);
            return rows;
        }

        @Override
        public Indexer indexer(int indexer) {
            long[] of = indexers[indexer];
            return (subquery, resolved, deadline, givenUp) ->
                    new Rows(of[0], of[1], (int) of[2], count -> rows(resolved, count));
        }

        @Override
        public List<QueryServer> queryServers() {
            return List.of(new QueryServer() {
                @Override
                public String name() {
                    return "q";
                }

                @Override
                public String host() {
                    return "h";
                }

                @Override
                public long scan(Subquery.OfChunk subquery, ResolvedQuery resolved, RowSink sink, long deadline) {
                    sink.accept(rows(resolved, 1));
                    return 1;
                }
            });
        }

        @Override
        public Map<String, List<String>> replicas(List<ChunkDescriptor> chunks) {
            return Map.of();
        }
    }

    @Test
    void whoIsAheadAndHasRowsIsToldToTheCoordinatorAndInTheVerdict() throws Exception {
        Verdict verdict = ask(Query.of("s"), FRESH, FRESH, new long[] {21, 22, 1}, new long[] {20, 20, 0});
        assertThat(verdict.positions()).isEqualTo(Map.of(0, 20L));
        assertThat(verdict.seen().ahead()).isEqualTo(Map.of(0, Map.of(0, 22L)));
        assertThat(verdict.seen().edit()).isEqualTo(3);
        assertThat(verdict.shown()).isEqualTo(Map.of(0, 22L));
        assertThat(told).containsOnlyKeys(0);
        assertThat(told.get(0)).containsExactly(22);
    }

    @Test
    void whoIsNotAheadOrHasNoRowsIsNot() throws Exception {
        for (long[] first : new long[][] {{20, 20, 1}, {21, 22, 0}}) {
            Verdict verdict = ask(Query.of("s"), FRESH, FRESH, first, new long[] {20, 20, 1});
            assertThat(verdict.positions()).isEqualTo(Map.of(0, 20L));
            assertThat(verdict.seen().ahead()).isEmpty();
            assertThat(verdict.shown()).isEqualTo(verdict.positions());
            assertThat(told).isEmpty();
        }
    }

    /** Another coordinator may not know of the chunk yet, and take the indexer's old report for enough. */
    @Test
    void rowsOfAChunkMayLieAboveThePositionsToo() throws Exception {
        Verdict verdict = ask(Query.of("s"), FLUSHED, FLUSHED, new long[] {31, 31, 0}, new long[] {20, 20, 0});
        assertThat(verdict.positions()).isEqualTo(Map.of(0, 20L));
        assertThat(verdict.seen().ahead()).isEqualTo(Map.of(0, Map.of(0, 30L)));
        assertThat(told).isEmpty();
    }

    @Test
    void aSessionsNextAnswerIsOfNoOlderEdit() throws Exception {
        long[][] indexers = {{31, 31, 0}, {31, 31, 0}};
        assertThat(ask(seen(3), FRESH, FLUSHED, indexers).edit()).isEqualTo(3);
        assertThat(refreshed).isZero();
        assertThat(ask(seen(4), FRESH, FLUSHED, indexers).edit()).isEqualTo(4);
        assertThat(refreshed).isEqualTo(1);
        assertThat(ask(seen(9), FRESH, FLUSHED, indexers).edit())
                .as("of a catalog that was restored to an earlier time")
                .isEqualTo(4);
    }

    private static Query seen(long edit) {
        return Query.of("s").withSeen(new SessionPositions(1, Map.of(0, 5L), edit, Map.of()));
    }
}
