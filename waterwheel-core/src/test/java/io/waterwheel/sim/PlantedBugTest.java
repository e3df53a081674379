package io.waterwheel.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.sim.PlantedBug.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The simulator finds every rule that is taken out: {@code -Dplanted=NAME} one alone, {@code -Dplanted.seeds=} how many
 * seeds it may take, {@code -Dplanted.fresh=true} seeds are counted from 1 instead of beginning with the one that found
 * it last, {@code -Dplanted.guards=true} the second guards too, for information.
 *
 * <p>A seed below 0 is that one of the log with an even mix ({@link LogSimulation.Mix}).
 */
@Tag("simulation")
final class PlantedBugTest {
    private static final int SEEDS = 5_000;
    /** So many are no search. */
    private static final int FEW_SEEDS = 3;

    private static final long HUNT_SECONDS = 600;
    /** The longest seed takes a second, and a machine may be busy. */
    private static final long STUCK_SECONDS = 120;

    private record Found(long seed, String how) {
        @Override
        public String toString() {
            return seed == 0 ? "not found" : String.valueOf(seed);
        }
    }

    @Test
    void everyRuleThatIsTakenOutIsMissed() throws Exception {
        String alone = System.getProperty("planted", "");
        List<PlantedBug> bugs = new ArrayList<>(PlantedBugs.ALL);
        bugs.addAll(PlantedLogBugs.ALL);
        bugs.addAll(PlantedStreamBugs.ALL);
        bugs.addAll(PlantedScaleBugs.ALL);
        if (Boolean.getBoolean("planted.guards")) {
            bugs.addAll(PlantedBugs.SECOND_GUARDS);
            bugs.addAll(PlantedLogBugs.SECOND_GUARDS);
            bugs.addAll(PlantedStreamBugs.SECOND_GUARDS);
        }
        List<String> holes = new ArrayList<>();
        List<String> outOfDate = new ArrayList<>();
        System.out.printf("| planted bug | rule | kind | taken out | seeds | found as |%n|---|---|---|---|---|---|%n");
        bugs.removeIf(bug -> !alone.isEmpty() && !alone.equals(bug.name()));
        ExecutorService threads =
                Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors(), task -> {
                    Thread thread = new Thread(task, "hunt");
                    thread.setDaemon(true);
                    return thread;
                });
        try {
            List<Future<Found>> searches = new ArrayList<>();
            List<Hunt> hunts =
                    bugs.stream().map(bug -> new Hunt(bug, !alone.isEmpty())).toList();
            hunts.forEach(hunt -> searches.add(threads.submit(hunt)));
            for (int i = 0; i < bugs.size(); i++) {
                PlantedBug bug = bugs.get(i);
                Found found = await(searches.get(i), hunts);
                String kind = bug.kind().name().toLowerCase(Locale.ROOT);
                System.out.printf(
                        "| %s | %d | %s | %s | %s | %s |%n",
                        bug.name(), bug.rule(), kind, bug.what(), found, found.how());
                if (found.seed() == 0 && bug.kind() != Kind.NONE) {
                    holes.add(bug.name());
                } else if (found.seed() > FEW_SEEDS && found.seed() != Hunt.foundBy(bug)) {
                    outOfDate.add("\"" + bug.name() + "\", " + found.seed());
                }
            }
        } finally {
            threads.shutdownNow();
        }
        if (!outOfDate.isEmpty()) {
            System.out.println("planted bugs: FOUND_BY is out of date, each build looks for them anew: " + outOfDate);
        }
        assertThat(holes).as("planted bugs that the simulator does not find").isEmpty();
    }

    /** The search for one bug. It ends by its seeds or by its time; only a seed that never ends goes on after that. */
    private static final class Hunt implements Callable<Found> {
        private final PlantedBug bug;
        private final boolean whole;
        private volatile @Nullable Thread thread;
        private volatile long begun;

        Hunt(PlantedBug bug, boolean whole) {
            this.bug = bug;
            this.whole = whole;
        }

        @Override
        public Found call() throws Exception {
            begun = System.nanoTime();
            thread = Thread.currentThread();
            try {
                return find();
            } finally {
                thread = null;
            }
        }

        private Found find() throws Exception {
            LongFunction<String> simulation = Mutant.simulation(bug);
            int known = Boolean.getBoolean("planted.fresh") ? 0 : foundBy(bug);
            int seeds = Integer.getInteger("planted.seeds", SEEDS);
            for (long next = known != 0 ? 0 : 1; next <= seeds && seconds() < HUNT_SECONDS; next++) {
                long seed = next == 0 ? known : next;
                String failure = simulation.apply(seed);
                if (!failure.isEmpty()) {
                    if (whole) {
                        System.out.println(failure);
                    }
                    String first = failure.lines().findFirst().orElse("");
                    String how = first.replaceFirst("^seed.*?steps: ", "").replace("java.lang.AssertionError: ", "");
                    return new Found(seed, how.length() > 100 ? how.substring(0, 100) + "..." : how);
                }
            }
            return new Found(0, "");
        }

        private static int foundBy(PlantedBug bug) {
            Map<String, Integer> foundBy =
                    switch (bug.world()) {
                        case ALL -> PlantedBugs.FOUND_BY;
                        case LOG -> PlantedLogBugs.FOUND_BY;
                        case SCALES -> PlantedScaleBugs.FOUND_BY;
                        case STREAMS -> PlantedStreamBugs.FOUND_BY;
                    };
            return foundBy.getOrDefault(bug.name(), 0);
        }

        private long seconds() {
            return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun);
        }

        /** Fails when one seed takes so long that it will not end. */
        void checkGoesOn() {
            Thread busy = thread;
            if (busy != null && seconds() > HUNT_SECONDS + STUCK_SECONDS) {
                AssertionError error = new AssertionError("the hunt for '" + bug.name() + "' hangs in one seed");
                error.setStackTrace(busy.getStackTrace());
                throw error;
            }
        }
    }

    private static Found await(Future<Found> search, List<Hunt> hunts) throws Exception {
        while (true) {
            try {
                return search.get(1, TimeUnit.SECONDS);
            } catch (TimeoutException e) {
                hunts.forEach(Hunt::checkGoesOn);
            }
        }
    }
}
