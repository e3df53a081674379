package io.waterwheel.sim;

import java.util.function.LongFunction;

/** A seed to what failed, empty when nothing did: how {@link Mutant} reaches a simulation in another class loader. */
final class SeedRun implements LongFunction<String> {
    private final PlantedBug.World world;

    /** @param world name of a {@link PlantedBug.World}, which is another class on either side of the loader */
    SeedRun(String world) {
        this.world = PlantedBug.World.valueOf(world);
    }

    @Override
    public String apply(long seed) {
        String failure = LogSimulation.run(seed);
        return failure.isEmpty() && world == PlantedBug.World.ALL
                ? Simulation.run(seed, Simulation.STEPS).failure()
                : failure;
    }
}
