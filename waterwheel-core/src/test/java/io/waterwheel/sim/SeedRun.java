package io.waterwheel.sim;

import java.util.function.LongFunction;

/** A seed to what failed, empty when nothing did: how {@link Mutant} reaches a simulation in another class loader. */
final class SeedRun implements LongFunction<String> {
    @Override
    public String apply(long seed) {
        String failure = LogSimulation.run(seed);
        return failure.isEmpty() ? Simulation.run(seed, Simulation.STEPS).failure() : failure;
    }
}
