package io.waterwheel.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.sim.PlantedBug.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The simulator finds every rule that is taken out: {@code -Dplanted=NAME} one alone, {@code -Dplanted.seeds=} how many
 * seeds it may take, {@code -Dplanted.fresh=true} seeds are counted from 1 instead of beginning with the one that found
 * it last, {@code -Dplanted.guards=true} the second guards too, for information.
 */
@Tag("simulation")
final class PlantedBugTest {
    private static final int SEEDS = 5_000;

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
        if (Boolean.getBoolean("planted.guards")) {
            bugs.addAll(PlantedBugs.SECOND_GUARDS);
        }
        List<String> holes = new ArrayList<>();
        System.out.printf("| planted bug | rule | kind | taken out | seeds | found as |%n|---|---|---|---|---|---|%n");
        bugs.removeIf(bug -> !alone.isEmpty() && !alone.equals(bug.name()));
        boolean fresh = Boolean.getBoolean("planted.fresh");
        int seeds = Integer.getInteger("planted.seeds", SEEDS);
        ExecutorService threads =
                Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
        try {
            List<Future<Found>> searches = new ArrayList<>();
            bugs.forEach(bug -> searches.add(threads.submit(() -> find(bug, fresh, seeds, !alone.isEmpty()))));
            for (int i = 0; i < bugs.size(); i++) {
                PlantedBug bug = bugs.get(i);
                Found found = searches.get(i).get();
                String kind = bug.kind().name().toLowerCase(Locale.ROOT);
                System.out.printf(
                        "| %s | %d | %s | %s | %s | %s |%n",
                        bug.name(), bug.rule(), kind, bug.what(), found, found.how());
                if (found.seed() == 0 && bug.kind() != Kind.NONE) {
                    holes.add(bug.name());
                }
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(holes).as("planted bugs that the simulator does not find").isEmpty();
    }

    private static Found find(PlantedBug bug, boolean fresh, int seeds, boolean whole) throws Exception {
        LongFunction<String> simulation = Mutant.simulation(bug);
        int known = fresh ? 0 : PlantedBugs.FOUND_BY.getOrDefault(bug.name(), 0);
        for (long next = known > 0 ? 0 : 1; next <= seeds; next++) {
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
}
