package io.waterwheel.sim;

import io.waterwheel.ingest.indexer.SealedTree;
import io.waterwheel.tuple.TimeInterval;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * One run of the whole protocol under one seed: first everything goes wrong, then nothing any more, and within a
 * bounded time everything that was ever produced must be in one complete answer, and no file be left that is nobody's.
 */
final class Simulation {
    /** Steps of a run in which things go wrong. */
    static final int STEPS = 1_500;

    /** Rounds of 10 ms without faults after which everything must be there. */
    private static final int CALM_ROUNDS = 2700;

    /**
     * How a run ended.
     *
     * @param failure empty when all held; else what did not, and the last events
     * @param completeAnswers answers that claimed to be complete, each compared
     * @param tuples produced
     */
    record Result(String failure, int completeAnswers, int tuples) {}

    private Simulation() {}

    /** Runs a seed. */
    static Result run(long seed, int steps) {
        return run(new World(seed), seed, steps);
    }

    /** Runs a seed with {@value Settings#WIDE_PARTITIONS} partitions and {@value Settings#WIDE_INDEXERS} indexers. */
    static Result runWide(long seed, int steps) {
        return run(new World(seed, true), seed, steps);
    }

    /** Runs a seed with a key of dimensions, whose scales are changed. */
    static Result runScaled(long seed, int steps) {
        return run(new World(seed, false, Topic.SCALED), seed, steps);
    }

    private static Result run(World world, long seed, int steps) {
        Events events = new Events(world);
        try {
            for (HostRole host : world.hosts) {
                host.launch();
            }
            world.live(events);
            while (events.steps() < steps) {
                events.step();
            }
            settle(world, events);
            return new Result(
                    "", events.completeAnswers(), world.topic.produced().size());
        } catch (RuntimeException | AssertionError e) {
            return new Result(
                    String.format(
                            Locale.ROOT,
                            "seed %d, after %d steps: %s%n%s%n  last events: %s%n  alone: ./waterwheel test SimulationTest -Dseed=%d -Dseeds=1",
                            seed,
                            events.steps(),
                            e,
                            firstFrames(e),
                            world.trace,
                            seed),
                    events.completeAnswers(),
                    world.topic.produced().size());
        }
    }

    private static String firstFrames(Throwable e) {
        StringBuilder frames = new StringBuilder("  " + world(e));
        for (int i = 0; i < Math.min(8, e.getStackTrace().length); i++) {
            frames.append(String.format("%n    at %s", e.getStackTrace()[i]));
        }
        return frames.toString();
    }

    private static String world(Throwable e) {
        return e.getCause() == null ? "" : "caused by " + e.getCause();
    }

    /** No more faults: it ends, with everything there. */
    private static void settle(World world, Events events) {
        world.endZombies();
        world.calm(true);
        world.note("everyone", "faults end; the log ends at %s", java.util.Arrays.toString(world.topic.ends()));
        answerAll(world, events);
        checkRejected(world);
        checkCheckpoints(world);
        checkFinished(world);
        // Those who start now find everything again; what they replace can commit nothing any more.
        for (HostRole host : world.hosts) {
            world.crashHost(host.number, false);
        }
        answerAll(world, events);
        // What rollers that died have left is nobody's once the next has rolled up.
        for (int step = 0; step < 8; step++) {
            world.rollers[0].step();
        }
        world.rollers[0].rollUpNow();
        collectAll(world);
        for (int c = 0; c < world.coordinators.length; c++) {
            world.coordinators[c] = new CoordinatorRole(world, c);
        }
        answerAll(world, events);
    }

    private static void answerAll(World world, Events events) {
        Map<Integer, Long> demand = new HashMap<>();
        for (int p = 0; p < world.topic.partitions(); p++) {
            demand.put(p, world.topic.end(p));
        }
        Answer last = null;
        for (int round = 0; round < CALM_ROUNDS; round++) {
            round(world, events, round);
            if (round % 4 == 3) {
                last = events.ask(TimeInterval.ALL, demand, Duration.ofMillis(1), false);
                if (last.verdict != null) {
                    long kept = world.oracle.kept(last.verdict.edit());
                    Oracle.check(last.ids.size() == kept, "the last answer has %d tuples of %d", last.ids.size(), kept);
                    return;
                }
            }
        }
        Oracle.check(false, "it does not end: %s", last == null || last.failure == null ? "" : last.failure);
    }

    private static void round(World world, Events events, int round) {
        for (HostRole host : world.hosts) {
            host.pausedUntil = 0;
            host.launch();
        }
        for (DispatcherRole dispatcher : world.dispatchers) {
            if (dispatcher != null) {
                dispatcher.pausedUntil = 0;
            }
        }
        for (SpoutRole spout : world.spouts) {
            spout.read();
        }
        for (int messages = world.network.size(); messages > 0; messages--) {
            world.network.deliverOne();
        }
        for (HostRole host : world.hosts) {
            for (HostRole.Instance instance : java.util.List.copyOf(host.hosted.values())) {
                instance.flushStep();
            }
        }
        world.now += 10_000_000;
        if (round % 3 == 0) {
            events.tick();
            world.finisher.step();
        }
        for (CoordinatorRole coordinator : world.coordinators) {
            coordinator.advance();
        }
    }

    /** Whatever a balancer has begun is finished by somebody. */
    private static void checkFinished(World world) {
        world.finisher.step();
        Oracle.check(
                world.oracle.truth().announced().isEmpty(),
                "partitions %s have not adopted a routing table that was announced: %s",
                world.oracle.truth().notAdopted(),
                world.oracle.truth().announced());
    }

    /** What the edits make of each checkpoint is what stands in its node. */
    private static void checkCheckpoints(World world) {
        world.oracle
                .truth()
                .checkpoints()
                .forEach((indexer, checkpoint) -> Oracle.check(
                        checkpoint.equals(world.truth.checkpoint(indexer)),
                        "indexer %d: the edits have it at %s, its node at %s",
                        indexer,
                        java.util.Arrays.toString(checkpoint.watermarks()),
                        java.util.Arrays.toString(
                                world.truth.checkpoint(indexer).watermarks())));
    }

    /** Every refused record is counted once, by whoever took it, and the dead letter of each is stored. */
    private static void checkRejected(World world) {
        long counted = 0;
        for (HostRole host : world.hosts) {
            for (HostRole.Instance instance : java.util.List.copyOf(host.hosted.values())) {
                instance.core.onSealRequest(SealedTree.Reason.REQUEST, world.now);
                while (instance.flushes.next() != null) {
                    instance.flushStep();
                }
            }
        }
        for (int indexer : world.indexerIds()) {
            counted += world.truth.checkpoint(indexer).rejected();
        }
        Oracle.check(
                counted == world.topic.badCount(),
                "%d refused records were counted, %d produced",
                counted,
                world.topic.badCount());
        long letters = 0;
        for (int p = 0; p < world.topic.partitions(); p++) {
            letters += world.topic.letters(p).size();
        }
        Oracle.check(
                letters == world.topic.badCount(), "%d letters of %d refused records", letters, world.topic.badCount());
    }

    /** After the grace time there is no file that the catalog does not name, and every file that it names. */
    private static void collectAll(World world) {
        for (int look = 0; look < 8; look++) {
            world.collector.step();
            world.now += Settings.GRACE_NANOS / 2;
        }
        Set<String> left = new TreeSet<>(world.files.names());
        left.removeAll(world.oracle.namedFiles());
        Oracle.check(left.isEmpty(), "files that are nobody's are left: %s", left);
        world.oracle.checkFiles();
    }
}
