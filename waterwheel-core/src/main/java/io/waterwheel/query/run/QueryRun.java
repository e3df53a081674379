package io.waterwheel.query.run;

import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Explain;
import io.waterwheel.query.Explanation;
import io.waterwheel.query.IndexerHeader;
import io.waterwheel.query.Query;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.Statistics;
import io.waterwheel.query.Subquery;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.admission.Admission;
import io.waterwheel.query.admission.Lane;
import io.waterwheel.query.admission.QueryCost;
import io.waterwheel.query.admission.QueryState;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.plan.Endpoints;
import io.waterwheel.query.plan.IndexerReports;
import io.waterwheel.query.plan.PlanExplanation;
import io.waterwheel.query.plan.Planning;
import io.waterwheel.query.plan.QueryPlan;
import io.waterwheel.query.plan.ResolvedQuery;
import io.waterwheel.query.plan.SnapshotSource;
import io.waterwheel.query.result.Gather;
import io.waterwheel.query.scan.IndexerReply;
import io.waterwheel.query.scan.QueryClock;
import io.waterwheel.tuple.LostRange;
import io.waterwheel.tuple.WantedCells;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One query: plans until all indexers take the snapshot, reads and merges, and says what came of it (protocol rules 8
 * to 10). Runs on its caller's thread, parts of it on the executor's. One thread calls.
 */
final class QueryRun implements AutoCloseable {
    /* Nothing reaches the client before every indexer has accepted the snapshot, so planning again never repeats a
     * tuple. A chunk's tuples reach the client only when the attempt that read them ended whole, so attempts never
     * mix. An indexer that breaks off after its header fails the query: what it held cannot be asked for again under
     * the same snapshot. */

    /** Pause before asking again when the catalog and an indexer disagree, or no task hosts it. */
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final long MAX_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** How long a query keeps its turn while an indexer does not answer. */
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** A plan older than this is made anew: what it says of fresh tuples may be refused. */
    private static final long OLD_PLAN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /**
     * Tuples up to which a question is small, by an estimate that may be far too low: it is read on its own thread
     * where they are in memory. A few leaves.
     */
    private static final long SMALL = 16 << 10;

    /** Chunks read at once when older ones may turn out not to be needed. */
    private static final int MAX_CHUNKS_AT_ONCE = 16;

    private final QueryRunner.Means means;
    private final QueryClock clock;
    private final SnapshotSource snapshots;
    private final Query query;
    private final AnswerSink sink;
    private final Reservation memory;
    private final long deadline;
    private final QueryPlanner planner;
    /** Null for one that takes no turns. */
    private final Admission.@Nullable OpenQuery turn;

    private final StepClock steps;

    private Lane lane = Lane.HEAVY;
    /** Of the plan that is carried out. */
    private long expectedTuples;

    private final CachedReads.Allowance allowance = new CachedReads.Allowance();

    /** When the indexers were asked last; written before they are. */
    private volatile long askedAt;

    /**
     * A query that is not planned yet.
     *
     * @param memory what it holds is reserved from it; its creator closes it
     * @param steps at the first one
     */
    QueryRun(
            QueryRunner.Means means,
            Query query,
            AnswerSink sink,
            Admission.@Nullable OpenQuery turn,
            Reservation memory,
            StepClock steps) {
        this.means = means;
        this.clock = means.clock();
        this.snapshots = means.snapshots();
        this.memory = memory;
        this.steps = steps;
        this.query = query;
        this.sink = sink;
        this.turn = turn;
        this.deadline = clock.nanos() + query.timeout().toNanos();
        this.planner = new QueryPlanner(
                query, snapshots, new Planning(means.shapes(), memory, clock, deadline, sink::cancelled), memory);
    }

    /** The clock by which the steps of a query are measured: it stands where the query does not ask what they took. */
    static LongSupplier timer(Query query, QueryClock clock) {
        return query.explain() == Explain.ANALYZE ? clock::nanos : () -> 0;
    }

    @Override
    public void close() {
        planner.close();
    }

    /** Answers from these chunks alone; otherwise as {@link #answer}. */
    void answerFrom(StreamSnapshot snapshot, List<ChunkDescriptor> chunks) throws IOException, InterruptedException {
        QueryPlan plan = planner.ofChunks(snapshot, chunks);
        try (IndexerReplies none = replies(plan)) {
            deliver(plan, none, List.of());
        }
    }

    /** Answers from all that the stream has. */
    void answer() throws IOException, InterruptedException {
        StreamSnapshot snapshot = planner.first();
        long pause = RETRY_NANOS;
        Map<Integer, String> trouble;
        Set<Integer> failed = new HashSet<>();
        AwaitedPartitions awaited;
        while (true) {
            steps.enter(StepClock.Step.PLANNING);
            Map<Integer, IndexerReports> reports =
                    snapshots.reports(snapshot.stream().id());
            QueryPlan plan = planner.plan(snapshot, reports, failed);
            if (query.explain() == Explain.PLAN) {
                explain(plan, reports);
                return;
            }
            if (turn != null && admit(turn, plan, reports)) {
                // What the plan was made on is old.
                steps.enter(StepClock.Step.PLANNING);
                snapshot = planner.known();
                continue;
            }
            steps.enter(StepClock.Step.ASKING);
            try (IndexerReplies replies = replies(plan)) {
                askedAt = clock.nanos();
                replies.ask(means.executors().apply(lane));
                trouble = replies.trouble();
                awaited = replies.awaited();
                if (trouble.isEmpty() || (query.allowPartial() && pause > RETRY_NANOS)) {
                    resume();
                    log(plan);
                    deliver(plan, replies, List.copyOf(trouble.values()));
                    return;
                }
            }
            failed.addAll(trouble.keySet());
            if (deadline - clock.nanos() <= pause || sink.cancelled()) {
                throw new WaterwheelException(
                        ErrorCode.INCOMPLETE,
                        "no complete answer within " + query.timeout().toMillis() + " ms: " + trouble.values()
                                + whatToDo(standing(snapshot, awaited)));
            }
            pauseTurn();
            clock.sleep(pause);
            pause = Math.min(pause * 2, MAX_RETRY_NANOS);
            steps.enter(StepClock.Step.PLANNING);
            snapshot = planner.refreshed();
        }
    }

    private List<String> standing(StreamSnapshot snapshot, AwaitedPartitions awaited) {
        return awaited.isEmpty()
                ? List.of()
                : snapshots.standing(snapshot.stream().id(), snapshot.stream().name(), awaited);
    }

    /** More time helps, unless a partition that is waited for stands still until somebody decides. */
    private static String whatToDo(List<String> standing) {
        return standing.isEmpty()
                ? "; ask again, allow more time, or allow a partial answer"
                : "; " + String.join("; ", standing)
                        + ". More time helps only once it goes on; a partial answer can be allowed meanwhile";
    }

    /** Questions that bound no dimension tell nothing of their order. */
    private void log(QueryPlan plan) {
        WantedCells cells = plan.resolved().spec().cells();
        if (cells != null) {
            means.questions().add(plan.snapshot().stream().id(), cells.shape());
        }
    }

    private IndexerReplies replies(QueryPlan plan) {
        return new IndexerReplies(plan, means.endpoints(), clock, deadline, this::givenUp);
    }

    /** A turn is for work, and not for waiting. */
    private void pauseTurn() {
        if (turn != null) {
            turn.pause(QueryState.Stage.ASKING);
        }
    }

    private void resume() throws InterruptedException {
        steps.enter(StepClock.Step.WAITING);
        if (turn != null) {
            turn.resume(turn.deadlineNanos(), sink::cancelled);
        }
    }

    /** Asked now and then while the query waits for an indexer. */
    private boolean givenUp() {
        if (clock.nanos() - askedAt > PATIENCE_NANOS) {
            pauseTurn();
        }
        return sink.cancelled();
    }

    /** Waits for the query's turn; whether that took long enough to plan again. */
    private boolean admit(Admission.OpenQuery turn, QueryPlan plan, Map<Integer, IndexerReports> reports)
            throws InterruptedException {
        QueryCost cost = cost(plan, reports);
        expectedTuples = cost.tuples();
        steps.enter(StepClock.Step.WAITING);
        lane = turn.admit(cost, turn.deadlineNanos(), sink::cancelled);
        return turn.waitedNanos() > OLD_PLAN_NANOS;
    }

    private QueryCost cost(QueryPlan plan, Map<Integer, IndexerReports> reports) {
        int readers = 0;
        for (Endpoints.QueryServer server :
                means.endpoints().apply(plan.snapshot().stream().id()).queryServers()) {
            readers += server.readers();
        }
        return CostEstimate.of(plan, reports, Math.min(readers, ChunkReads.MOST_READERS));
    }

    /** Says how the query would be answered, in place of an answer. */
    private void explain(QueryPlan plan, Map<Integer, IndexerReports> reports) {
        QueryCost cost = cost(plan, reports);
        Lane own = turn == null ? lane : turn.laneOf(cost);
        sink.start(plan.resolved().fields());
        sink.finish(new Verdict(
                Verdict.Completeness.WHOLE,
                new SessionPositions(plan.snapshot().stream().id(), Map.of()),
                new Verdict.Gone(List.of(), plan.snapshot().horizon()),
                plan.snapshot().edit(),
                0,
                new Verdict.Effort(0, 0, Statistics.NONE),
                null,
                PlanExplanation.of(plan, cost.tuples(), own.text(), this::checkTime)));
    }

    /** Throws when the time is over, or the client is gone. */
    private void checkTime() {
        if (sink.cancelled()) {
            throw new WaterwheelException(ErrorCode.CLIENT_GONE, "the receiver of the answer is gone");
        }
        if (clock.nanos() - deadline >= 0) {
            throw new WaterwheelException(
                    ErrorCode.INCOMPLETE,
                    "the query was not explained within " + query.timeout().toMillis()
                            + " ms; ask again, or allow more time");
        }
    }

    /** How the plan was carried out, if that is asked for. */
    private @Nullable Explanation analysis(QueryPlan plan, Delivery delivery) {
        if (query.explain() != Explain.ANALYZE) {
            return null;
        }
        // What goes with the verdict cannot be told in it.
        delivery.flush();
        return PlanExplanation.of(plan, expectedTuples, lane.text(), () -> {})
                .with(delivery.tally().analysis(plan, steps.steps()));
    }

    /** What is lost below the positions that the answer has seen; below what was demanded it is missing. */
    private List<LostRange> lost(StreamSnapshot snapshot, Map<Integer, Long> positions, Delivery delivery) {
        List<LostRange> below = new ArrayList<>();
        for (LostRange range : snapshot.lost()) {
            if (range.from() < query.atLeast().getOrDefault(range.partition(), Long.MIN_VALUE)) {
                delivery.miss("lost below what was demanded: " + range);
            }
            if (range.from() < positions.getOrDefault(range.partition(), Long.MAX_VALUE)) {
                below.add(range);
            }
        }
        return below;
    }

    private void deliver(QueryPlan plan, IndexerReplies replies, List<String> trouble)
            throws IOException, InterruptedException {
        planner.reserve(plan);
        Gather gather = plan.resolved().spec().gather();
        AnswerTally tally = new AnswerTally(timer(query, clock));
        try (Delivery delivery = new Delivery(sink, gather, query.allowPartial(), deadline, clock, tally, memory)) {
            deliver(plan, replies, trouble, delivery);
        }
    }

    private void deliver(QueryPlan plan, IndexerReplies replies, List<String> trouble, Delivery delivery)
            throws IOException, InterruptedException {
        trouble.forEach(delivery::miss);
        delivery.reserveRoom();
        sink.start(plan.resolved().fields());
        AnswerPositions positions = new AnswerPositions(plan.snapshot());
        plan.excused().forEach(positions::lower);
        // What the indexers hold may show that no chunk is needed.
        boolean settles = plan.resolved().spec().gather().readsNewestFirst()
                && delivery.canSettle(plan.resolved().keys());
        steps.enter(StepClock.Step.CHUNKS);
        ChunkReads chunks = reads(plan.resolved(), settles ? List.of() : inOrder(plan), delivery);
        steps.enter(StepClock.Step.FRESH);
        chunks.start();
        boolean whole = false;
        AwaitedPartitions awaited = new AwaitedPartitions();
        try {
            for (Subquery.OfIndexer subquery : plan.indexers()) {
                IndexerReply reply = replies.of(subquery.indexer());
                if (reply == null) {
                    // Nothing of it above its checkpoint is in the answer.
                    IndexerCheckpoint checkpoint = plan.snapshot().checkpoints().get(subquery.indexer());
                    if (checkpoint != null) {
                        positions.lower(checkpoint.watermarks());
                    }
                } else {
                    awaited.add(reply.header(), subquery);
                    deliver(plan, subquery, reply, positions, delivery);
                }
            }
            standing(plan.snapshot(), awaited).forEach(delivery::miss);
            whole = true;
        } finally {
            if (!whole) {
                delivery.giveUp();
            }
            steps.enter(StepClock.Step.CHUNKS);
            chunks.finish();
        }
        int chunksRead =
                settles ? readNewestFirst(plan, delivery) : plan.chunks().size();
        steps.enter(StepClock.Step.FINISHING);
        List<LostRange> lost = lost(plan.snapshot(), positions.positions(), delivery);
        long tuples = delivery.finish();
        positions.tell(snapshots);
        List<String> missing = delivery.missing();
        Verdict verdict = new Verdict(
                new Verdict.Completeness(missing.isEmpty(), missing, plan.stale()),
                positions.seen(chunksRead > 0),
                new Verdict.Gone(lost, plan.snapshot().horizon()),
                plan.snapshot().edit(),
                tuples,
                new Verdict.Effort(replies.count(), chunksRead, delivery.tally().statistics(plan)),
                delivery.next(),
                analysis(plan, delivery));
        if (!verdict.complete() && !query.allowPartial()) {
            throw Delivery.incomplete(missing);
        }
        sink.finish(verdict);
    }

    /** The chunks in the order in which they are read: by the time they end, the newest first, where that helps. */
    private static List<ChunkDescriptor> inOrder(QueryPlan plan) {
        if (!plan.resolved().spec().gather().readsNewestFirst()) {
            return plan.chunks();
        }
        List<ChunkDescriptor> chunks = new ArrayList<>(plan.chunks());
        chunks.sort(Comparator.comparingLong(
                        (ChunkDescriptor chunk) -> chunk.region().times().to())
                .reversed());
        return chunks;
    }

    /**
     * Reads chunks, the newest first, a few at once, until no older one can change the answer. Returns how many it
     * read.
     */
    private int readNewestFirst(QueryPlan plan, Delivery delivery) throws IOException, InterruptedException {
        List<ChunkDescriptor> chunks = inOrder(plan);
        int read = 0;
        int atOnce = 1;
        while (read < chunks.size() && !delivery.done()) {
            long settled = delivery.settledBefore(plan.resolved().keys());
            int upTo = read;
            while (upTo < chunks.size()
                    && upTo < read + atOnce
                    && chunks.get(upTo).region().times().to() >= settled) {
                upTo++;
            }
            if (upTo == read) {
                return read;
            }
            ChunkReads reads = reads(planner.since(settled, plan), chunks.subList(read, upTo), delivery);
            reads.start();
            reads.finish();
            read = upTo;
            atOnce = Math.min(atOnce * 2, MAX_CHUNKS_AT_ONCE);
        }
        if (read < chunks.size() && !delivery.nobodyWaits()) {
            delivery.miss((chunks.size() - read) + " chunks were not read in time");
        }
        return read;
    }

    /** Reads some at once where that is quick, and returns the reading of the others. */
    private ChunkReads reads(ResolvedQuery asked, List<ChunkDescriptor> chunks, Delivery delivery) {
        Endpoints servers = means.endpoints().apply(asked.stream().id());
        List<ChunkDescriptor> left = lane == Lane.LIGHT && expectedTuples <= SMALL
                ? new CachedReads(asked, delivery, servers, memory, allowance).read(chunks)
                : chunks;
        return new ChunkReads(asked, left, delivery, servers, means.executors().apply(lane), clock, memory);
    }

    private void deliver(
            QueryPlan plan,
            Subquery.OfIndexer subquery,
            IndexerReply reply,
            AnswerPositions positions,
            Delivery delivery)
            throws IOException {
        IndexerHeader header = reply.header();
        positions.lower(header.watermarks());
        String name = "indexer " + subquery.indexer();
        if (header.recovering()) {
            delivery.miss(name + " is recovering");
        }
        if (!header.stale().isEmpty()) {
            delivery.miss(name + " hears nothing of partitions " + header.stale());
        }
        AwaitedPartitions.behind(header, subquery).forEach(what -> delivery.miss(name + " is " + what));
        if (plan.resolved().isOfNoRow()) {
            reply.close();
            return;
        }
        long found;
        FreshPart part = new FreshPart(subquery.indexer(), delivery, memory);
        long begin = delivery.tally().nanos();
        try (part) {
            found = reply.rows(part);
            if (found > 0) {
                positions.shows(subquery.indexer(), reply.shown());
            }
            reply.close();
            delivery.tally().readFresh(subquery.indexer(), delivery.tally().nanos() - begin - part.mergingNanos());
            part.ended(found);
        }
        if (part.isCut() && !delivery.nobodyWaits()) {
            delivery.miss(name + " was not read to its end in time");
        }
    }
}
