package io.waterwheel.sim;

import static io.waterwheel.sim.PlantedBug.Kind.LIVENESS;
import static io.waterwheel.sim.PlantedBug.Kind.MEMORY;
import static io.waterwheel.sim.PlantedBug.Kind.NONE;

import io.waterwheel.sim.PlantedBug.Kind;
import io.waterwheel.sim.PlantedBug.World;
import java.util.List;

/** Rules by which streams share an indexer task's memory; {@link StreamsSimulation} must miss each. */
final class PlantedStreamBugs {
    private static final int RULE = 6;
    private static final String TASK = "ingest/indexer/IndexerTask";
    private static final String INDEXER = "ingest/indexer/IndexerCore";

    private PlantedStreamBugs() {}

    private static PlantedBug bug(String name, Kind kind, String what) {
        return new PlantedBug(name, RULE, kind, what).in(World.STREAMS);
    }

    static final List<PlantedBug> ALL = List.of(
            bug("late reading", LIVENESS, "a partition whose log does not answer keeps its turn of reading again")
                    .with("ingest/dispatch/CatchUp", "takeBack.run();", ""),
            bug("aside share", MEMORY, "an indexer that is set aside may hold as much as any other")
                    .with(TASK, "core.isSetAside() ? asideShare / aside : ONE_SHARE", "ONE_SHARE"),
            bug("aside together", MEMORY, "each indexer that is set aside may hold half of the pool, not all together")
                    .with(TASK, "? asideShare / aside : ONE_SHARE", "? asideShare : ONE_SHARE"),
            bug("aside waits", LIVENESS, "while a flush fails, no other tree is sealed when the pool is used up")
                    .with(TASK, "if (core.isSetAside()) { // It", "if (cores.isEmpty()) { // It"),
            bug("credit of the stopped", LIVENESS, "what was under way to an indexer that stops counts for ever")
                    .with(
                            INDEXER,
                            "underWayChanged(-Math.max(0, channel.granted - channel.consumed));"
                                    + " if (channel.active) {",
                            "if (channel.active) {"));

    /** Guards whose absence alone was never seen to matter here. */
    static final List<PlantedBug> SECOND_GUARDS = List.of(
            // Each of them gives its turn back all the same; CatchUpBudgetTest shows what others wait.
            bug("slow readers", NONE, "partitions whose logs are slow may have all turns of reading again")
                    .with(
                            "ingest/dispatch/CatchUpBudget",
                            "slowUsed + turnBytes <= bytes / 2;",
                            "slowUsed + turnBytes <= bytes;")
                    .with("ingest/dispatch/CatchUpBudget", "slowUsed > bytes / 2;", "slowUsed > bytes;"),
            // The pool is used up before, and the largest tree goes.
            bug("seal at limit", NONE, "an indexer that may be given nothing more is not sealed")
                    .with(
                            TASK,
                            "if (core.unflushedTrees() == 0 && core.activeTuples() > 0 && core.isAtLimit()) {",
                            "if (core.isAtLimit() && core.activeTuples() < 0) {"),
            bug("one share", NONE, "one indexer may hold the whole pool")
                    .with(TASK, "ONE_SHARE = 0.75", "ONE_SHARE = 1.5"));
}
