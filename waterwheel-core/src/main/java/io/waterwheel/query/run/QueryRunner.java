package io.waterwheel.query.run;

import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Explain;
import io.waterwheel.query.Query;
import io.waterwheel.query.admission.Admission;
import io.waterwheel.query.admission.Lane;
import io.waterwheel.query.memory.QueryMemory;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.plan.Endpoints;
import io.waterwheel.query.plan.PreparedShapes;
import io.waterwheel.query.plan.SnapshotSource;
import io.waterwheel.query.scan.QueryClock;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * Answers queries: plans on a snapshot, asks the indexers, and once all of them have accepted the snapshot reads their
 * tuples and the chunks' and merges (protocol rules 8 to 10). A query runs on its caller's thread, parts of it on the
 * executor's. Thread-safe.
 *
 * <p>What is held per query: the matching tuples of each chunk that is being read, 32 MiB of an indexer's, 8 MiB that
 * wait to be merged; and what its order, limit or groups keep, see the gathering. All of it is reserved from the
 * {@link QueryMemory}.
 */
public final class QueryRunner {
    /**
     * What every query is answered by.
     *
     * @param snapshots of the catalog
     * @param endpoints by stream, who answers subqueries
     * @param executors by lane
     * @param shapes of the process
     * @param questions takes the shapes of the questions that are answered
     */
    record Means(
            SnapshotSource snapshots,
            IntFunction<Endpoints> endpoints,
            Function<Lane, ExecutorService> executors,
            QueryClock clock,
            PreparedShapes shapes,
            QuestionLog questions) {
        /** The same for questions that do not count: their subqueries do not either, and no one reads their shapes. */
        Means uncounted() {
            return new Means(
                    snapshots,
                    stream -> endpoints.apply(stream).uncounted(),
                    executors,
                    clock,
                    shapes,
                    new QuestionLog());
        }
    }

    private final Means means;
    private final Means uncounted;
    private final Admission admission;
    private final QueryMemory memory;

    /** A runner in which no query waits. */
    public QueryRunner(SnapshotSource snapshots, IntFunction<Endpoints> endpoints, ExecutorService executor) {
        this(snapshots, endpoints, executor, QueryClock.SYSTEM, QueryMemory.unlimited());
    }

    /**
     * A runner.
     *
     * @param executors by lane, what runs a task for each indexer and each reader of a running query; must refuse none,
     *     for admission bounds their number
     * @param admission gives queries their turns
     * @param memory what queries hold is reserved from it
     * @param shapes of the process; of the same memory
     */
    public QueryRunner(
            SnapshotSource snapshots,
            IntFunction<Endpoints> endpoints,
            Function<Lane, ExecutorService> executors,
            Admission admission,
            QueryMemory memory,
            PreparedShapes shapes) {
        this(snapshots, endpoints, executors, QueryClock.SYSTEM, admission, memory, shapes);
    }

    /**
     * One in which no query waits, by another clock and within this memory; the executor may run what it is given at
     * once, on the thread that submits it.
     */
    public QueryRunner(
            SnapshotSource snapshots,
            IntFunction<Endpoints> endpoints,
            ExecutorService executor,
            QueryClock clock,
            QueryMemory memory) {
        this(snapshots, endpoints, lane -> executor, clock, Admission.unlimited(), memory, new PreparedShapes(memory));
    }

    private QueryRunner(
            SnapshotSource snapshots,
            IntFunction<Endpoints> endpoints,
            Function<Lane, ExecutorService> executors,
            QueryClock clock,
            Admission admission,
            QueryMemory memory,
            PreparedShapes shapes) {
        this.means = new Means(snapshots, endpoints, executors, clock, shapes, new QuestionLog());
        this.uncounted = means.uncounted();
        this.admission = admission;
        this.memory = memory;
    }

    /** The shapes of the questions that it has answered. */
    public QuestionLog questions() {
        return means.questions();
    }

    /** Answers a query; every outcome, failures too, reaches the sink. Returns when the answer has ended. */
    public void run(Query query, AnswerSink sink) throws InterruptedException {
        StepClock steps = new StepClock(QueryRun.timer(query, means.clock()));
        Admission.OpenQuery open;
        try {
            open = admission.open(query, sink.client(), sink.trace(), sink.counts());
        } catch (WaterwheelException e) {
            sink.fail(e);
            return;
        }
        try (open) {
            AnswerSink admitted = new AdmittedSink(sink, open);
            run(admitted, reservation -> {
                Means asked = sink.counts() ? means : uncounted;
                try (QueryRun running = new QueryRun(asked, query, admitted, open, reservation, steps)) {
                    running.answer();
                }
            });
        }
    }

    /**
     * Answers a query from these chunks alone; otherwise as {@link #run}. What is not in chunks is not asked for, and
     * the verdict's positions say nothing.
     *
     * @param query without an explanation
     * @param chunks of the snapshot
     */
    public void runOnChunks(Query query, StreamSnapshot snapshot, List<ChunkDescriptor> chunks, AnswerSink sink)
            throws InterruptedException {
        if (query.explain() != Explain.NONE) {
            throw new IllegalArgumentException("a query of given chunks is not explained: they are no plan's choice");
        }
        run(sink, reservation -> {
            // Not admitted: of these there is one at a time.
            try (QueryRun running = new QueryRun(
                    means, query, sink, null, reservation, new StepClock(QueryRun.timer(query, means.clock())))) {
                running.answerFrom(snapshot, chunks);
            }
        });
    }

    private interface Answering {
        void answer(Reservation memory) throws IOException, InterruptedException;
    }

    private void run(AnswerSink sink, Answering answering) throws InterruptedException {
        try (Reservation reservation = memory.open()) {
            answering.answer(reservation);
        } catch (OutOfMemoryError e) {
            sink.fail(failed(e));
        } catch (WaterwheelException e) {
            sink.fail(e);
        } catch (IOException e) {
            sink.fail(new WaterwheelException(
                    ErrorCode.ANSWER_CUT_OFF,
                    "a part of the answer was cut off: " + e.getMessage() + "; ask again",
                    e));
        }
    }

    static <T> T get(Future<T> future, long nanos) throws InterruptedException, IOException, TimeoutException {
        try {
            return future.get(nanos, TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw causeOf(e);
        }
    }

    /** What a task that has ended came to. */
    static <T> T result(Future<T> ended) throws InterruptedException, IOException {
        try {
            return ended.get();
        } catch (ExecutionException e) {
            throw causeOf(e);
        }
    }

    private static IOException causeOf(ExecutionException failure) {
        Throwable cause = failure.getCause();
        if (cause instanceof IOException io) {
            return io;
        }
        if (cause instanceof RuntimeException runtime) {
            throw runtime;
        }
        if (cause instanceof Error error) {
            throw failed(error);
        }
        return new IOException(cause);
    }

    /**
     * The failure that the client gets for an Error on the way. It never says to ask again, because the same query
     * would bring down the next server too.
     */
    public static WaterwheelException failed(Error error) {
        if (error instanceof OutOfMemoryError) {
            return new WaterwheelException(
                    ErrorCode.QUERY_MEMORY,
                    "query: the server's memory did not suffice to answer it; ask for fewer fields, groups or rows at a"
                            + " time, or give the server more memory",
                    error);
        }
        return new WaterwheelException(ErrorCode.BUG, "a defect of the server: " + error, error);
    }
}
