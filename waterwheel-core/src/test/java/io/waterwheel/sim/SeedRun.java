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
        return switch (world) {
            case LOG -> LogSimulation.run(seed);
            case STREAMS -> StreamsSimulation.run(seed);
            case SCALES -> Simulation.runScaled(seed, Simulation.STEPS).failure();
            case ALL -> {
                String failure = LogSimulation.run(seed);
                yield failure.isEmpty() ? Simulation.run(seed, Simulation.STEPS).failure() : failure;
            }
        };
    }
}
