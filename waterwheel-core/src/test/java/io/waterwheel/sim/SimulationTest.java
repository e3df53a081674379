package io.waterwheel.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random schedules of the whole protocol on the shipped classes: {@code -Dseed=} the first, {@code -Dseeds=} how many,
 * {@code -Dthreads=} at once, {@code -Dsteps=} in each.
 */
@Tag("simulation")
final class SimulationTest {
    private static final int SEEDS = 2_000;
    private static final int WIDE_SEEDS = 40;
    private static final int STREAMS_SEEDS = 15;
    private static final int MAX_FAILURES = 5;

    /**
     * Trees that only readers hold took memory beside those that the indexers show; a file was replaced while the
     * collector read the catalog, and its grace time began before; the numbers of refused rows were left out of what a
     * ring may hold.
     */
    private static final long[] PINNED = {4626, 17111, 78882, 2390};

    /**
     * A spout began while the route still named a topic that another had left, and believed its deposed leader; one
     * heard of a later leader before it asked what others knew of the two that it had believed; one look from before
     * moved a cut that the consumer had found; one answer of a deposed leader moved a cut that two later ones agreed
     * on. With an even mix of events.
     */
    private static final long[] PINNED_LOGS = {9608, 27171, 43394, 48067, 90003};

    @Test
    void seedsThatFoundSomethingHold() {
        for (long seed : PINNED) {
            assertThat(Simulation.run(seed, Simulation.STEPS).failure()).isEmpty();
        }
        for (long seed : PINNED_LOGS) {
            assertThat(LogSimulation.run(seed, LogSimulation.Mix.EVEN)).isEmpty();
        }
    }

    @Test
    void noAnswerFromThePastIsTakenForALoss() {
        long first = Long.getLong("seed", 1);
        for (long seed = first; seed < first + Integer.getInteger("seeds", SEEDS); seed++) {
            assertThat(LogSimulation.run(seed)).isEmpty();
        }
    }

    @Test
    void everyCompleteAnswerHoldsEveryTupleOnce() throws Exception {
        long first = Long.getLong("seed", 1);
        long last = first + Integer.getInteger("seeds", SEEDS) - 1;
        int steps = Integer.getInteger("steps", Simulation.STEPS);
        int threads = Integer.getInteger("threads", 1);
        long begun = System.nanoTime();
        AtomicLong next = new AtomicLong(first);
        AtomicLong answers = new AtomicLong();
        AtomicLong tuples = new AtomicLong();
        List<String> failures = java.util.Collections.synchronizedList(new ArrayList<>());
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> workers = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                workers.add(executor.submit(() -> {
                    long seed;
                    while (failures.size() < MAX_FAILURES && (seed = next.getAndIncrement()) <= last) {
                        Simulation.Result result = Simulation.run(seed, steps);
                        answers.addAndGet(result.completeAnswers());
                        tuples.addAndGet(result.tuples());
                        if (!result.failure().isEmpty()) {
                            failures.add(result.failure());
                        }
                    }
                }));
            }
            for (Future<?> worker : workers) {
                worker.get();
            }
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        } finally {
            executor.shutdownNow();
        }
        System.out.printf(
                "simulation: seeds %d to %d, %d complete answers compared, %d tuples produced, in %.1f s%n",
                first, last, answers.get(), tuples.get(), (System.nanoTime() - begun) / 1e9);
        assertThat(failures).as("seeds that failed").isEmpty();
        assertThat(answers.get()).as("complete answers").isGreaterThan(last - first);
    }

    /** {@code -Dstreams=} how many seeds. */
    @Test
    void noStreamsTroubleStopsAnother() {
        long first = Long.getLong("seed", 1);
        int seeds = Integer.getInteger("streams", STREAMS_SEEDS);
        for (long seed = first; seed < first + seeds; seed++) {
            assertThat(StreamsSimulation.run(seed)).isEmpty();
        }
    }

    /** {@code -Dwide=} how many seeds. Small worlds find more in the same time; these find what comes with number. */
    @Test
    void soItIsWithManyPartitionsAndIndexers() {
        long first = Long.getLong("seed", 1);
        int seeds = Integer.getInteger("wide", WIDE_SEEDS);
        long begun = System.nanoTime();
        long answers = 0;
        for (long seed = first; seed < first + seeds; seed++) {
            Simulation.Result result = Simulation.runWide(seed, Simulation.STEPS);
            assertThat(result.failure()).as("wide").isEmpty();
            answers += result.completeAnswers();
        }
        System.out.printf(
                "simulation: %d partitions and %d indexers, seeds %d to %d, %d complete answers compared, in %.1f s%n",
                Settings.WIDE_PARTITIONS,
                Settings.WIDE_INDEXERS,
                first,
                first + seeds - 1,
                answers,
                (System.nanoTime() - begun) / 1e9);
        assertThat(answers).as("complete answers").isPositive();
    }
}
