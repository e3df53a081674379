package io.waterwheel.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random schedules of the whole protocol on the shipped classes. A failing seed is run again with {@code -Dseed=N
 * -Dseeds=1}.
 */
@Tag("simulation")
final class SimulationTest {
    private static final int STEPS = 2_000;

    @Test
    void everyCompleteAnswerHoldsEveryTupleOnce() throws Exception {
        long first = Long.getLong("seed", 1);
        int seeds = Integer.getInteger("seeds", 1_000);
        long answers = 0;
        for (long seed = first; seed < first + seeds; seed++) {
            answers += new Simulation(seed).run(STEPS);
        }
        System.out.printf("simulation: %d seeds from %d, %d complete answers checked%n", seeds, first, answers);
        assertThat(answers).as("complete answers").isGreaterThan(seeds);
    }
}
