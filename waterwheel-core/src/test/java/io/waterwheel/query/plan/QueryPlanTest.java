package io.waterwheel.query.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.SnapshotReader;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.protocol.Control;
import io.waterwheel.query.Explanation;
import io.waterwheel.query.Query;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Who is asked, and whom a report excuses: a stream of one indexer, in its second life, with one flush of its first.
 */
class QueryPlanTest {
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
    private static final StreamSnapshot SNAPSHOT = StreamSnapshot.before(STREAM)
            .apply(1, new Edit.Created(RoutingTable.even(1, KeyInterval.ALL, 1), List.of(0L)))
            .apply(2, new Edit.Started(0, 1))
            .apply(3, new Edit.Flushed(0, new IndexerCheckpoint(1, 1, new long[] {10}, 0), List.of()))
            .apply(4, new Edit.Started(0, 2));

    private static final Query OLD = Query.of("s").withTimes(new TimeInterval(0, 99));
    private static final Region NEW = Region.of(0, 9, 100_000, 200_000);

    private static Control.Report report(int epoch, long flushed, long watermark, int version, boolean recovering) {
        return new Control.Report(
                STREAM.id(),
                0,
                new Control.Progress(epoch, flushed, new long[] {watermark}, version, recovering),
                new Control.Unflushed(NEW, 5),
                0,
                new Control.Memory(0, 0, 0),
                Control.Templates.NONE);
    }

    private static QueryPlan plan(Query query, IndexerReports reported, Integer... failed) {
        return QueryPlan.of(query, SNAPSHOT, Map.of(0, reported), Set.of(failed), Planning.unbounded());
    }

    private static IndexerReports now(Control.Report report) {
        return new IndexerReports(
                report,
                Duration.ZERO,
                report.recovering() ? null : report,
                Duration.ZERO,
                IndexerReports.newest(report));
    }

    private static IndexerReports old(Control.Report report, int seconds) {
        return new IndexerReports(report, Duration.ofSeconds(seconds), report, Duration.ofSeconds(seconds), 200_000);
    }

    private static void assertAsked(QueryPlan plan) {
        assertThat(plan.indexers()).hasSize(1);
        assertThat(plan.excused()).isEmpty();
        assertThat(plan.stale()).isEmpty();
    }

    private static void assertExcused(QueryPlan plan, long watermark, String... stale) {
        assertThat(plan.indexers()).isEmpty();
        assertThat(plan.excused()).containsExactly(new long[] {watermark});
        assertThat(plan.stale()).containsExactly(stale);
    }

    /** Intervals of keys share chunks, which are sorted by no bound of theirs. */
    @Test
    void eachChunkIsInThePlanOnceHoweverManyKeysItMeets() {
        long seed = Long.getLong("seed", ThreadLocalRandom.current().nextLong());
        Random random = new Random(seed);
        List<ChunkDescriptor> all = new ArrayList<>();
        for (int part = 0; part < 60; part++) {
            long low = random.nextInt(1000);
            Region region = Region.of(low, low + random.nextInt(300), 0, 99);
            all.add(new ChunkDescriptor(
                    ChunkDescriptor.fileName("s", 1, 0, 1, 2, part), 0, 1, 2, part, 5, 100, region));
        }
        StreamSnapshot snapshot =
                SNAPSHOT.apply(5, new Edit.Flushed(0, new IndexerCheckpoint(2, 2, new long[] {20}, 0), all));
        for (int round = 0; round < 50; round++) {
            List<KeyInterval> keys = new ArrayList<>();
            for (int i = random.nextInt(40); i >= 0; i--) {
                long low = random.nextInt(1300);
                keys.add(new KeyInterval(low, low + random.nextInt(round + 1)));
            }
            QueryPlan plan = QueryPlan.of(OLD.withKeys(keys), snapshot, Map.of(), Set.of(), Planning.unbounded());
            assertThat(plan.chunks())
                    .as("-Dseed=%s round %s", seed, round)
                    .containsExactlyElementsOf(all.stream()
                            .filter(chunk ->
                                    keys.stream().anyMatch(chunk.region().keys()::overlaps))
                            .sorted(Comparator.comparingInt(ChunkDescriptor::part))
                            .toList());
        }
    }

    @Test
    void aFreshReportExcusesFromWhatItDoesNotHold() {
        IndexerReports now = now(report(2, 1, 20, 1, false));
        assertExcused(plan(OLD, now), 20);
        assertAsked(plan(Query.of("s").withTimes(new TimeInterval(0, 100_000)), now));
        assertAsked(plan(OLD.withAtLeast(Map.of(0, 21L)), now));
        assertAsked(plan(OLD, now(report(2, 1, 20, 1, true))));
        assertAsked(plan(OLD, now(report(2, 2, 20, 1, false))));
        assertAsked(plan(OLD, now(report(2, 1, 20, 2, false))));
        assertAsked(plan(OLD, now(report(1, 1, 20, 1, false))));
        assertAsked(QueryPlan.of(OLD, SNAPSHOT, Map.of(), Set.of(0), Planning.unbounded()));
    }

    @Test
    void anExplanationSaysWhoIsLeftOutByAReport() {
        Explanation excused = PlanExplanation.of(plan(OLD, now(report(2, 1, 20, 1, false))), 5, "light", () -> {});
        assertThat(excused.indexers()).isEqualTo(new Explanation.Indexers(1, 0, 1, List.of()));
        assertThat(excused.cost()).isEqualTo(new Explanation.Cost(5, "light"));
        Explanation asked = PlanExplanation.of(
                QueryPlan.of(OLD, SNAPSHOT, Map.of(), Set.of(), Planning.unbounded()), 5, "light", () -> {});
        assertThat(asked.indexers()).isEqualTo(new Explanation.Indexers(1, 0, 0, List.of(0)));
    }

    /** No tuple can match: yet the answer has positions, and those that were demanded. */
    @Test
    void aQueryThatNoTupleMatchesHasPositionsToo() {
        Query none = Query.of("s").withWhere("k > 5 and k < 3");
        assertThat(plan(none, old(report(2, 1, 20, 1, false), 2)).resolved().keys())
                .isEmpty();
        assertExcused(plan(none, now(report(2, 1, 20, 1, false))), 20);
        assertExcused(plan(none.withAtLeast(Map.of(0, 20L)), now(report(2, 1, 20, 1, false))), 20);
        QueryPlan asked = plan(none.withAtLeast(Map.of(0, 21L)), now(report(2, 1, 20, 1, false)));
        assertAsked(asked);
        assertThat(asked.indexers().get(0).demand()).containsExactly(21);
        assertThat(asked.chunks()).isEmpty();
    }

    /** It looks at every chunk of a stream that has many. */
    @Test
    void anExplanationEndsWithTheTimeOfItsQuery() {
        QueryPlan plan = QueryPlan.of(OLD, SNAPSHOT, Map.of(), Set.of(), Planning.unbounded());
        WaterwheelException late = new WaterwheelException(ErrorCode.INCOMPLETE, "late");
        assertThatThrownBy(() -> PlanExplanation.of(plan, 5, "light", () -> {
                    throw late;
                }))
                .isSameAs(late);
    }

    @Test
    void whomAnOldReportWouldExcuseIsNotWaitedForLong() {
        Control.Report report = report(2, 1, 10, 1, false);
        assertThat(plan(OLD, old(report, 2)).excusable()).containsExactly(0);
        assertThat(plan(OLD, old(report, 2), 0).excusable()).isEmpty();
        assertThat(plan(Query.of("s"), old(report, 2)).excusable()).isEmpty();
        assertThat(plan(OLD.withAtLeast(Map.of(0, 11L)), old(report, 2)).excusable())
                .isEmpty();
    }

    @Test
    void anOldReportExcusesWhoDoesNotAnswerAndIsSaid() {
        String stale = "indexer 0 does not answer: what it took in the last 2 s may be missing";
        IndexerReports old = old(report(2, 1, 20, 1, false), 2);
        assertAsked(plan(OLD, old));
        assertExcused(plan(OLD, old, 0), 20, stale);
        assertExcused(plan(OLD, old(report(2, 1, 20, 1, false), 4)), 20, stale.replace("2 s", "4 s"));

        assertAsked(plan(Query.of("s").withTimes(new TimeInterval(0, 100_000)), old, 0));
        assertAsked(plan(OLD.withAtLeast(Map.of(0, 21L)), old, 0));
        assertAsked(plan(OLD, old(report(2, 2, 20, 1, false), 4), 0));
        assertAsked(plan(OLD, old(report(2, 1, 20, 2, false), 4), 0));
        // Positions were given up since.
        assertAsked(plan(OLD, old(report(2, 1, 20, 0, false), 4), 0));
        // What is asked for may have come since: the report's newest is 190,000.
        Query news = Query.of("s").withTimes(new TimeInterval(201_000, 300_000));
        assertExcused(plan(news, now(report(2, 1, 20, 1, false))), 20);
        assertAsked(plan(news, old, 0));
    }

    @Test
    void anOldReportOfFewerPartitionsExcusesNobody() {
        StreamSnapshot grown = SNAPSHOT.apply(5, new Edit.Extended(1, List.of(0L), true));
        QueryPlan plan = QueryPlan.of(
                OLD, grown, Map.of(0, old(report(2, 1, 20, 1, false), 4)), Set.of(0), Planning.unbounded());
        assertAsked(plan);
    }

    @Test
    void aPredecessorsLastReportExcusesASuccessorThatRecovers() {
        IndexerReports recovering = new IndexerReports(
                report(2, 1, 12, 1, true), Duration.ZERO, report(1, 0, 20, 1, false), Duration.ofSeconds(9), 200_000);
        assertExcused(
                plan(OLD, recovering), 20, "indexer 0 does not answer: what it took in the last 9 s may be missing");
        assertAsked(plan(OLD.withAtLeast(Map.of(0, 21L)), recovering));
    }

    @Test
    void theFollowerKeepsTheLastReportThatWasNotOfARecovery(@TempDir Path folder) throws Exception {
        StreamTracker follower = new StreamTracker(new SnapshotReader(
                new InMemoryCatalogStore(new InMemoryCatalogStore.Tree()), new LocalChunkStore(folder), STREAM));
        Control.Report first = report(1, 0, 20, 1, false);
        Control.Report second = report(2, 0, 12, 1, true);
        follower.onReport(first, 1_000);
        follower.onReport(second, 5_000);
        follower.onReport(first, 6_000);
        assertThat(follower.reports(7_000))
                .containsExactly(Map.entry(
                        0,
                        new IndexerReports(second, Duration.ofNanos(2_000), first, Duration.ofNanos(1_000), 200_000)));
    }

    /**
     * Two answers in a session: the first has a tuple above its positions, which another indexer held down; the second
     * must not rely on a report from before that tuple.
     */
    @Test
    void aReportDoesNotTakeBackWhatAnAnswerHasShown(@TempDir Path folder) throws Exception {
        StreamTracker follower = new StreamTracker(new SnapshotReader(
                new InMemoryCatalogStore(new InMemoryCatalogStore.Tree()), new LocalChunkStore(folder), STREAM));
        follower.onReport(report(2, 1, 20, 1, false), 0);
        assertExcused(plan(OLD, reported(follower)), 20);
        follower.onShown(0, new long[] {21});
        follower.onShown(0, new long[] {15});
        assertAsked(plan(OLD, reported(follower)));
        follower.onReport(report(2, 1, 20, 1, false), 0);
        assertAsked(plan(OLD, reported(follower)));
        follower.onReport(report(2, 1, 21, 1, false), 0);
        assertExcused(plan(OLD, reported(follower)), 21);
    }

    /** The same where another coordinator gave the first answer: the session says what that showed. */
    @Test
    void aReportDoesNotTakeBackWhatASessionWasShown() {
        Query query = OLD.withSeen(ahead(0, 21L));
        QueryPlan asked = plan(query, now(report(2, 1, 20, 1, false)));
        assertAsked(asked);
        assertThat(asked.indexers().get(0).demand()).containsExactly(21);
        assertExcused(plan(query, now(report(2, 1, 21, 1, false))), 21);
        assertAsked(plan(OLD.withSeen(ahead(SessionPositions.EVERY_INDEXER, 21L)), now(report(2, 1, 20, 1, false))));
        assertExcused(plan(OLD.withSeen(ahead(1, 21L)), now(report(2, 1, 20, 1, false))), 20);
        SessionPositions ofAnother = new SessionPositions(STREAM.id() + 1, Map.of(), 1, Map.of(0, Map.of(0, 21L)));
        assertExcused(plan(OLD.withSeen(ofAnother), now(report(2, 1, 20, 1, false))), 20);
        assertExcused(
                plan(query, old(report(2, 1, 20, 1, false), 4)),
                20,
                "indexer 0 does not answer: what it took in the last 4 s may be missing");
    }

    private static SessionPositions ahead(int indexer, long offset) {
        return new SessionPositions(STREAM.id(), Map.of(0, 20L), 1, Map.of(indexer, Map.of(0, offset)));
    }

    /** The instance that showed it may have had a successor since, which has to get there first. */
    @Test
    void whatACoordinatorHasShownItDemandsOfASuccessor(@TempDir Path folder) throws Exception {
        StreamTracker follower = new StreamTracker(new SnapshotReader(
                new InMemoryCatalogStore(new InMemoryCatalogStore.Tree()), new LocalChunkStore(folder), STREAM));
        follower.onShown(0, new long[] {25});
        follower.onReport(report(2, 1, 20, 1, false), 0);
        QueryPlan asked = plan(OLD, reported(follower));
        assertAsked(asked);
        assertThat(asked.indexers().get(0).demand()).containsExactly(25);
    }

    private static IndexerReports reported(StreamTracker follower) {
        return Objects.requireNonNull(follower.reports(0).get(0));
    }
}
