package io.waterwheel.benchmark.dimensions;

import io.waterwheel.local.LocalSettings;
import io.waterwheel.local.LocalStream;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A stream with one kind of key, all of whose rows are in chunks, and what questions read of it. */
final class KeyedRun implements AutoCloseable {
    /** Of averages, whose sums are added up in another order. */
    private static final double TOLERANCE = 1e-9;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Path folder;
    private final LocalStream stream;
    private final double seconds;
    private final long bytes;
    private final long leaves;

    /**
     * Inserts the blocks and makes the chunks, on this thread.
     *
     * @param blocks of the schema's layout; keys are filled in
     */
    KeyedRun(Schema schema, List<TupleBlock> blocks) throws IOException, InterruptedException {
        this.folder = Files.createTempDirectory("waterwheel-dimensions");
        this.stream = LocalStream.open(folder, "s", schema, LocalSettings.DEFAULT);
        long begin = THREADS.getCurrentThreadCpuTime();
        for (TupleBlock block : blocks) {
            stream.insert(block);
        }
        stream.flush();
        this.seconds = (THREADS.getCurrentThreadCpuTime() - begin) / 1e9;
        try (Stream<Path> files = Files.walk(folder)) {
            this.bytes = files.filter(file -> file.toString().endsWith(".chunk"))
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
        this.leaves = stream.answer(stream.query().withCount(), rows -> true)
                .statistics()
                .inChunks()
                .leaves();
    }

    /** Inserts more blocks and makes their chunks, on this thread; other threads may ask meanwhile. */
    void insertMore(List<TupleBlock> blocks) throws IOException {
        for (TupleBlock block : blocks) {
            stream.insert(block);
        }
        stream.flush();
    }

    /** Processor time from the first block to the last synced chunk. */
    double seconds() {
        return seconds;
    }

    /** Of all chunks. */
    long bytes() {
        return bytes;
    }

    /**
     * Share of all leaves that were read.
     *
     * @param expected what a look at every row found
     * @throws AssertionError when the answer is another
     */
    double share(Question question, Rows.Found expected) throws InterruptedException {
        Query query = query(question);
        long rows = stream.answer(query.withCount(), block -> true).tuples();
        double[] answer = {Double.NaN};
        Verdict verdict = stream.answer(query.withResult(aggregate(question)), block -> {
            if (block.value(0, 0) instanceof Number number) {
                answer[0] = number.doubleValue();
            }
            return true;
        });
        double allowed = TOLERANCE * Math.max(1, Math.abs(expected.aggregate()));
        boolean same = Double.isNaN(expected.aggregate())
                ? Double.isNaN(answer[0])
                : Math.abs(answer[0] - expected.aggregate()) <= allowed;
        if (rows != expected.rows() || !same) {
            throw new AssertionError(question + ": expected " + expected + ", got " + rows + " rows and " + answer[0]);
        }
        return (double) verdict.statistics().inChunks().read() / leaves;
    }

    /** The aggregate of a question; NaN where there is no row. */
    double ask(Question question) throws InterruptedException {
        double[] answer = {Double.NaN};
        stream.answer(query(question).withResult(aggregate(question)), block -> {
            if (block.value(0, 0) instanceof Number number) {
                answer[0] = number.doubleValue();
            }
            return true;
        });
        return answer[0];
    }

    private Query query(Question question) {
        Query query = stream.query().withKeyRanges(question.ranges());
        return question.times().equals(TimeInterval.ALL) ? query : query.withTimes(question.times());
    }

    private static ResultSpec aggregate(Question question) {
        return new ResultSpec.Aggregates(
                List.of(Aggregate.parse(question.aggregate())), List.of(), null, null, null, List.of(), Query.NO_LIMIT);
    }

    @Override
    public void close() throws IOException {
        stream.close();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
