package io.waterwheel.benchmark.dimensions;

import io.waterwheel.benchmark.Options;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What does a writer lose while questions about several fields are asked? Half of a set's rows are in chunks, under a
 * key of dimensions. One thread inserts the other half and makes its chunks, alone, or while another thread asks the
 * set's questions one after the other without a pause. Both take turns. A turn inserts the same rows again and again
 * until it has lasted for a second: the system needs a tenth of one before it gives two new threads a processor each.
 * Said is the rate by the clock, and by the writer's processor time: the first has what the threads take from each
 * other by wanting the same processors, the second what they take by caches. Where the clock's time went says Linux
 * ({@code /proc/thread-self/schedstat}): on a processor, ready but waiting for one, and all else, which is the device,
 * pauses of the collector, and locks.
 *
 * <pre>
 * java -Xms3g -Xmx3g -XX:ThreadPriorityPolicy=1 --add-opens=java.base/java.nio=ALL-UNNAMED \
 *     -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.dimensions.IngestUnderQuestions
 * </pre>
 *
 * The thread that asks runs below the writer's, as in the server. Java heeds that by the option of priorities, which
 * the launcher sets for the server, and the topology for its workers.
 *
 * <p>Options (name=value): set (one of those of {@link DimensionQuestions}), rows (at most), rounds (of which the
 * median counts; two before are not counted), seconds (of a round, at least), questions (random ones), seed, data (the
 * folder of data sets).
 */
public final class IngestUnderQuestions {
    private static final int WARM_ROUNDS = 2;

    private IngestUnderQuestions() {}

    /** Rates of one kind of round, in million rows a second. */
    private static final class Rates {
        final double[] byClock;
        final double[] byProcessor;
        /** Of the clock's time. */
        final double[] waiting;

        long questions;

        Rates(int rounds) {
            byClock = new double[rounds];
            byProcessor = new double[rounds];
            waiting = new double[rounds];
        }

        static double median(double[] values) {
            double[] sorted = values.clone();
            Arrays.sort(sorted);
            return sorted[sorted.length / 2];
        }
    }

    public static void main(String[] arguments) throws Exception {
        Options options = new Options(
                arguments,
                "set",
                "ghcn-here",
                "rows",
                "1_000_000",
                "rounds",
                "9",
                "seconds",
                "1",
                "questions",
                "40",
                "seed",
                "1",
                "data",
                "../shared/data");
        options.printMachine();
        QuestionSet set = QuestionSet.of(options.text("set"), options);
        Schema schema = DimensionQuestions.learned(set, List.of());
        int rounds = options.integer("rounds");
        long least = TimeUnit.SECONDS.toNanos(options.integer("seconds"));
        Rates alone = new Rates(rounds);
        Rates asked = new Rates(rounds);
        for (int round = -WARM_ROUNDS; round < rounds; round++) {
            round(set, schema, alone, round, least, false);
            round(set, schema, asked, round, least, true);
        }
        System.out.println("| the writer | M rows a second | by its processor time | on a processor | waits for one"
                + " | else | questions answered, all rounds |");
        System.out.println("|---|---|---|---|---|---|---|");
        print("alone", alone);
        print("while questions are asked", asked);
        System.out.printf(
                Locale.ROOT,
                "loses %.1f %% by the clock, %.1f %% by processor time; load at the end %.2f%n",
                100 * (1 - Rates.median(asked.byClock) / Rates.median(alone.byClock)),
                100 * (1 - Rates.median(asked.byProcessor) / Rates.median(alone.byProcessor)),
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    private static void round(QuestionSet set, Schema schema, Rates rates, int round, long least, boolean asks)
            throws IOException, InterruptedException, ExecutionException {
        List<TupleBlock> blocks = set.rows().of(schema, null);
        List<TupleBlock> second = blocks.subList(blocks.size() / 2, blocks.size());
        long rows = 0;
        ExecutorService asker = Executors.newSingleThreadExecutor(IngestUnderQuestions::below);
        AtomicBoolean done = new AtomicBoolean();
        try (KeyedRun run = new KeyedRun(schema, blocks.subList(0, blocks.size() / 2))) {
            Callable<Long> asking = () -> {
                long answered = 0;
                for (int q = 0;
                        asks && !done.get();
                        q = (q + 1) % set.questions().size()) {
                    run.ask(set.questions().get(q));
                    answered++;
                }
                return answered;
            };
            Future<Long> answered = asker.submit(asking);
            long processor = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            long waited = waited();
            long clock = System.nanoTime();
            boolean ended = false;
            try {
                do {
                    run.insertMore(second);
                    rows += second.stream().mapToLong(TupleBlock::size).sum();
                } while (System.nanoTime() - clock < least);
            } finally {
                clock = System.nanoTime() - clock;
                waited = waited() - waited;
                processor = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - processor;
                done.set(true);
                // Also where the writer failed: what is still asked needs the stream.
                asker.shutdown();
                ended = asker.awaitTermination(1, TimeUnit.MINUTES);
            }
            if (!ended) {
                throw new IllegalStateException("a question is still being answered after a minute");
            }
            long questions = answered.get();
            if (round >= 0) {
                rates.byClock[round] = rows * 1e3 / clock;
                rates.byProcessor[round] = rows * 1e3 / processor;
                rates.waiting[round] = (double) waited / clock;
                rates.questions += questions;
            }
        } finally {
            asker.shutdownNow();
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // as light queries run in the server
    private static Thread below(Runnable task) {
        Thread thread = new Thread(task, "asker");
        thread.setPriority(Thread.NORM_PRIORITY - 1);
        return thread;
    }

    /** Nanoseconds that this thread was ready to work and had no processor; 0 where the system does not say. */
    private static long waited() throws IOException {
        Path file = Path.of("/proc/thread-self/schedstat");
        return Files.exists(file) ? Long.parseLong(Files.readString(file).split(" ", -1)[1]) : 0;
    }

    private static void print(String name, Rates rates) {
        double working = Rates.median(rates.byClock) / Rates.median(rates.byProcessor);
        double waiting = Rates.median(rates.waiting);
        System.out.printf(
                Locale.ROOT,
                "| %s | %.2f | %.2f | %.0f %% | %.0f %% | %.0f %% | %,d |%n",
                name,
                Rates.median(rates.byClock),
                Rates.median(rates.byProcessor),
                100 * working,
                100 * waiting,
                100 * Math.max(0, 1 - working - waiting),
                rates.questions);
    }
}
