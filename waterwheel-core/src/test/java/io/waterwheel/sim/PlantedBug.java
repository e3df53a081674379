package io.waterwheel.sim;

import java.util.ArrayList;
import java.util.List;

/**
 * One rule of the protocol taken out of the shipped source: a few texts of it replaced. The simulator must find that it
 * is missing; what it does not find, it does not prove.
 *
 * @param name short, to run it alone
 * @param rule number of the protocol's rule; 0 for what is our own
 * @param kind what goes wrong without it
 * @param what is taken out, in words
 * @param world that is searched for it
 */
public record PlantedBug(String name, int rule, Kind kind, String what, World world, List<Change> changes) {
    /** What goes wrong. */
    public enum Kind {
        /** An answer is wrong, or a file is lost. */
        SAFETY,
        /** Something stands still for ever. */
        LIVENESS,
        /** A bound on memory is broken. */
        MEMORY,
        /** Nothing, as far as was ever seen: a second guard. Run for information only. */
        NONE
    }

    /** Simulations that are run under each seed. */
    public enum World {
        /** The whole protocol, and the log alone. */
        ALL,
        /** The log alone, which is a thousand times quicker. */
        LOG,
        /** Streams that share tasks. */
        STREAMS,
        /** The whole protocol on a key of dimensions, whose scales are changed. */
        SCALES
    }

    /**
     * A text that must occur once in a source file, white space aside, and what stands there instead.
     *
     * @param file below {@code src/main/java/io/waterwheel}, without {@code .java}
     */
    public record Change(String file, String text, String replacement) {}

    public PlantedBug(String name, int rule, Kind kind, String what) {
        this(name, rule, kind, what, World.ALL, List.of());
    }

    public PlantedBug with(String file, String text, String replacement) {
        List<Change> more = new ArrayList<>(changes);
        more.add(new Change(file, text, replacement));
        return new PlantedBug(name, rule, kind, what, world, List.copyOf(more));
    }

    PlantedBug in(World where) {
        return new PlantedBug(name, rule, kind, what, where, changes);
    }

    /** The changes of another one too. */
    PlantedBug and(PlantedBug other) {
        List<Change> more = new ArrayList<>(changes);
        more.addAll(other.changes);
        return new PlantedBug(name, rule, kind, what, world, List.copyOf(more));
    }
}
