package io.waterwheel.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.sim.PlantedBug.Kind;
import io.waterwheel.sim.PlantedBug.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
 * <p>Any change of the simulator moves the seeds that find a bug ({@link PlantedSeeds}), and each build would search
 * for others. So it fails when the searches together grow long; {@code -Dwaterwheel.regenerate=true} writes the seeds
 * anew.
 */
@Tag("simulation")
final class PlantedBugTest {
    private static final int SEEDS = 5_000;
    /**
     * What all hunts of a build may try beyond the seeds that they begin with: some ten seconds. The log's do not
     * count.
     */
    private static final long SEARCHED = 300;

    private static final long HUNT_SECONDS = 600;
    /** The longest seed takes a second, and a machine may be busy. */
    private static final long STUCK_SECONDS = 120;

    private record Found(long seed, long searched, String how) {
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
        List<PlantedBug> guards = new ArrayList<>(PlantedBugs.SECOND_GUARDS);
        guards.addAll(PlantedLogBugs.SECOND_GUARDS);
        guards.addAll(PlantedStreamBugs.SECOND_GUARDS);
        List<PlantedBug> every = new ArrayList<>(bugs);
        every.addAll(guards);
        if (Boolean.getBoolean("planted.guards")) {
            bugs.addAll(guards);
        }
        List<String> holes = new ArrayList<>();
        List<String> outOfDate = new ArrayList<>();
        PlantedSeeds seeds = new PlantedSeeds();
        long searched = 0;
        if (PlantedSeeds.REGENERATE) {
            seeds.retain(bugs);
        }
        assertThat(seeds.withoutBug(every))
                .as("planted-seeds.txt has seeds of bugs that are no longer planted; take these lines out")
                .isEmpty();
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
            List<Hunt> hunts = bugs.stream()
                    .map(bug -> new Hunt(bug, seeds.of(bug), !alone.isEmpty()))
                    .toList();
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
                }
                long known = seeds.of(bug);
                seeds.found(bug, found.seed());
                if (seeds.of(bug) != known) {
                    outOfDate.add(found.seed() + " " + bug.name());
                }
                searched += bug.world() == World.LOG ? 0 : found.searched();
            }
        } finally {
            threads.shutdownNow();
        }
        if (PlantedSeeds.REGENERATE) {
            seeds.write();
        }
        assertThat(holes)
                .as("planted bugs that the simulator does not find; -Dplanted.seeds=90000 tries more seeds")
                .isEmpty();
        if (!PlantedSeeds.REGENERATE && alone.isEmpty() && !Boolean.getBoolean("planted.fresh")) {
            String advice = "seeds tried in vain, as planted-seeds.txt is out of date: %s; write it anew with"
                    + " ./waterwheel test PlantedBugTest -Dwaterwheel.regenerate=true";
            assertThat(searched).as(advice, outOfDate).isLessThanOrEqualTo(SEARCHED);
        }
    }

    /** The search for one bug. It ends by its seeds or by its time; only a seed that never ends goes on after that. */
    private static final class Hunt implements Callable<Found> {
        private final PlantedBug bug;
        private final long known;
        private final boolean whole;
        private volatile @Nullable Thread thread;
        private volatile long begun;

        Hunt(PlantedBug bug, long known, boolean whole) {
            this.bug = bug;
            this.known = Boolean.getBoolean("planted.fresh") ? 0 : known;
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
            int seeds = Integer.getInteger("planted.seeds", SEEDS);
            for (long next = known != 0 ? 0 : 1; next <= seeds && seconds() < HUNT_SECONDS; next++) {
                long seed = next == 0 ? known : next;
                String failure = simulation.apply(seed);
                if (failure.isEmpty() && next != 0 && bug.world() == World.LOG) {
                    seed = -next;
                    failure = simulation.apply(seed);
                }
                if (!failure.isEmpty()) {
                    if (whole) {
                        System.out.println(failure);
                    }
                    String first = failure.lines().findFirst().orElse("");
                    String how = first.replaceFirst("^seed.*?steps: ", "").replace("java.lang.AssertionError: ", "");
                    return new Found(
                            seed,
                            Math.max(0, next - PlantedSeeds.FEW),
                            how.length() > 100 ? how.substring(0, 100) + "..." : how);
                }
            }
            return new Found(0, 0, "");
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
