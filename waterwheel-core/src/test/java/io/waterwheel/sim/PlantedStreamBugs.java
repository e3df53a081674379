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
    private static final String INCOMING = "ingest/indexer/IncomingChannels";

    private PlantedStreamBugs() {}

    private static PlantedBug bug(String name, Kind kind, String what) {
        return new PlantedBug(name, RULE, kind, what).in(World.STREAMS);
    }

    static final List<PlantedBug> ALL = List.of(
            bug("late reading", LIVENESS, "a partition whose log does not answer keeps its turn of reading again")
                    .with("ingest/dispatch/CatchUp", "takeBack.run();", ""),
            bug("aside share", MEMORY, "an indexer that is set aside may hold as much as any other")
                    .with(TASK, "limit = more == 0 ? 0 : Math.min(half, core.takenBytes() + more);", ""),
            bug("aside together", MEMORY, "each indexer that is set aside may hold half of the pool, not all together")
                    .with(
                            TASK,
                            "limit = more == 0 ? 0 : Math.min(half, core.takenBytes() + more);",
                            "limit = more == 0 ? half : Math.min(half, core.takenBytes() + more);"),
            bug("one share", MEMORY, "an indexer that is well may hold more than half of the pool")
                    .with(TASK, "long limit = half;", "long limit = window.poolBytes();"),
            bug("own part", LIVENESS, "no indexer has a part of the pool of its own")
                    .with("ingest/indexer/CreditWindow", "Math.min(ownLeft, poolBytes - taken)", "0"),
            bug("abandoned trees", MEMORY, "trees of a stream that was dropped wait until they could be written")
                    .with("ingest/indexer/FlushSequence", "if (sealed.isAbandoned()) {", "if (sealed.flush() < 0) {"),
            bug("oldest in turn", LIVENESS, "always the largest tree goes when the pool is used up")
                    .with(TASK, "oldestIsNext = !oldestIsNext;", ""),
            bug("aside waits", LIVENESS, "while a flush fails, no other tree is sealed when the pool is used up")
                    .with(TASK, "if (core.isSetAside()) { // It", "if (cores.isEmpty()) { // It"));

    /** Guards whose absence alone was never seen to matter here. */
    static final List<PlantedBug> SECOND_GUARDS = List.of(
            // Every indexer has a part of its own, which others' credit does not take.
            bug("credit of the stopped", NONE, "what was under way to an indexer that stops counts for ever")
                    .with(
                            INCOMING,
                            "underWayChanged(-Math.max(0, channel.granted - channel.consumed));"
                                    + " if (channel.active) {",
                            "if (channel.active) {"),
            // The sum of the parts rarely comes that far; SharedPoolTest shows it.
            bug("own part in the pool", NONE, "an indexer is granted its own part though the pool is full")
                    .with("ingest/indexer/CreditWindow", "Math.min(ownLeft, poolBytes - taken)", "ownLeft"),
            // Each of them gives its turn back all the same; CatchUpBudgetTest shows what others wait.
            bug("slow readers", NONE, "partitions whose logs are slow may have all turns of reading again")
                    .with(
                            "ingest/dispatch/CatchUpBudget",
                            "slowUsed + turnBytes <= bytes / 2;",
                            "slowUsed + turnBytes <= bytes;")
                    .with("ingest/dispatch/CatchUpBudget", "slowUsed > bytes / 2;", "slowUsed > bytes;"),
            // Each tick counts again, and what else is shared is used up before.
            bug("more for each", NONE, "what those that are set aside may have more, each may have")
                    .with(TASK, "asideLimit - asideBytes) / aside", "asideLimit - asideBytes)"),
            // The pool is used up before, and the largest tree goes.
            bug("seal at limit", NONE, "an indexer that may be given nothing more is not sealed")
                    .with(
                            TASK,
                            "if (core.unflushedTrees() == 0 && core.activeTuples() > 0 && core.isAtLimit()) {",
                            "if (core.isAtLimit() && core.activeTuples() < 0) {"));
}
