package io.waterwheel.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random schedules of the whole protocol on the shipped classes: {@code -Dseed=} the first, {@code -Dseeds=} how many,
 * {@code -Dthreads=} at once (as many as there are processors), {@code -Dsteps=} in each.
 */
@Tag("simulation")
final class SimulationTest {
    private static final long FIRST = Long.getLong("seed", 1);
    private static final int MAX_FAILURES = 5;

    /**
     * Trees that only readers hold took memory beside those that the indexers show; a file was replaced while the
     * collector read the catalog, and its grace time began before; the numbers of refused rows were left out of what a
     * ring may hold; a report from before what an answer had shown left its indexer out of the next; a partition whose
     * log was slow waited for another such, while a third had turn after turn, as it may.
     */
    private static final long[] PINNED = {4626, 17111, 78882, 2390, 1061, 2447};

    /**
     * A spout began while the route still named a topic that another had left, and believed its deposed leader; one
     * heard of a later leader before it asked what others knew of the two that it had believed; one look from before
     * moved a cut that the consumer had found; one answer of a deposed leader moved a cut that two later ones agreed
     * on. With an even mix of events.
     */
    private static final long[] PINNED_EVEN_LOGS = {9608, 27171, 43394, 48067, 90003};

    /**
     * A deposed leader said less, then more, and a topic was made anew between; a spout left the newest topic for one
     * that the route had come to name meanwhile, twice. Each with a mix of its own.
     */
    private static final long[] PINNED_LOGS = {41898, 80639, 89896};

    @Test
    void seedsThatFoundSomethingHold() {
        for (long seed : PINNED) {
            assertThat(Simulation.run(seed, Simulation.STEPS).failure()).isEmpty();
        }
        for (long seed : PINNED_EVEN_LOGS) {
            assertThat(LogSimulation.run(seed, LogSimulation.Mix.EVEN)).isEmpty();
        }
        for (long seed : PINNED_LOGS) {
            assertThat(LogSimulation.run(seed)).isEmpty();
        }
    }

    @Test
    void noAnswerFromThePastIsTakenForALoss() throws Exception {
        check(Rounds.of(500, 20_000), LogSimulation::run);
    }

    @Test
    void everyCompleteAnswerHoldsEveryTupleOnce() throws Exception {
        int seeds = Rounds.of(120, 20_000);
        int steps = Integer.getInteger("steps", Simulation.STEPS);
        assertThat(answers("", seeds, seed -> Simulation.run(seed, steps)))
                .as("complete answers")
                .isGreaterThan(seeds - 1);
    }

    /** {@code -Dstreams=} how many seeds. */
    @Test
    void noStreamsTroubleStopsAnother() throws Exception {
        check(Rounds.of("streams", 8, 300), StreamsSimulation::run);
    }

    /** {@code -Dwide=} how many seeds. Small worlds find more in the same time; these find what comes with number. */
    @Test
    void soItIsWithManyPartitionsAndIndexers() throws Exception {
        String world = Settings.WIDE_PARTITIONS + " partitions and " + Settings.WIDE_INDEXERS + " indexers, ";
        int seeds = Rounds.of("wide", 16, 400);
        assertThat(answers(world, seeds, seed -> Simulation.runWide(seed, Simulation.STEPS)))
                .as("complete answers")
                .isPositive();
    }

    /** {@code -Dscaled=} how many seeds. */
    @Test
    void soItIsThroughChangesOfTheScales() throws Exception {
        int seeds = Rounds.of("scaled", 32, 3_000);
        assertThat(answers("scales, ", seeds, seed -> Simulation.runScaled(seed, Simulation.STEPS)))
                .as("complete answers")
                .isPositive();
    }

    /** Runs a simulation with each seed, says what was compared, and returns the number of complete answers. */
    private static long answers(String world, int seeds, LongFunction<Simulation.Result> simulation) throws Exception {
        long begun = System.nanoTime();
        AtomicLong answers = new AtomicLong();
        AtomicLong tuples = new AtomicLong();
        check(seeds, seed -> {
            Simulation.Result result = simulation.apply(seed);
            answers.addAndGet(result.completeAnswers());
            tuples.addAndGet(result.tuples());
            return result.failure();
        });
        System.out.printf(
                "simulation: %sseeds %d to %d, %d complete answers compared, %d tuples produced, in %.1f s%n",
                world, FIRST, FIRST + seeds - 1, answers.get(), tuples.get(), (System.nanoTime() - begun) / 1e9);
        return answers.get();
    }

    /** Runs a simulation with each seed, several at once; an empty text is a success. Fails with the first failures. */
    private static void check(int seeds, LongFunction<String> simulation) throws Exception {
        AtomicLong next = new AtomicLong(FIRST);
        List<String> failures = Collections.synchronizedList(new ArrayList<>());
        int threads = Integer.getInteger("threads", Runtime.getRuntime().availableProcessors());
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> workers = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                workers.add(executor.submit(() -> {
                    long seed;
                    while (failures.size() < MAX_FAILURES && (seed = next.getAndIncrement()) < FIRST + seeds) {
                        String failure = simulation.apply(seed);
                        if (!failure.isEmpty()) {
                            failures.add(failure);
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
        assertThat(failures).as("seeds that failed").isEmpty();
    }
}
