package io.waterwheel.gateway.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** How many lanes are used follows from the rates that are seen, and from nothing else that changes meanwhile. */
final class LaneCountTest {
    private static final int MOST = 16;
    private static final double SECOND = 1e9;

    /** Rows a second, by lanes and time. */
    private interface Rate {
        double of(int lanes, double seconds);
    }

    /** What became of a run. */
    private static final class Run {
        private final List<String> trials = new ArrayList<>();
        private final LaneCount count = new LaneCount(
                MOST,
                (lanes, before, after, tried, rate, kept) -> trials.add(String.format(
                        Locale.ROOT, "%d: %.0f and %.0f; %d: %.0f; %d", lanes, before, after, tried, rate, kept)),
                0);
        private final double[] secondsAt = new double[MOST + 1];
        private int lanes = 1;
        private int most = 1;
        private int changes;
        private long now;

        /** Stores ten batches a second, or as few as it takes to come to that time. */
        Run until(double seconds, boolean waits, Rate rate) {
            return until(seconds, 0.1, waits, rate);
        }

        /** Stores a batch each so many seconds. */
        Run until(double seconds, double each, boolean waits, Rate rate) {
            while (now < seconds * SECOND) {
                long step = (long) (SECOND * each);
                double rows = rate.of(lanes, now / SECOND) * each;
                secondsAt[lanes] += step / SECOND;
                now += step;
                int next = count.stored((int) rows, waits, now);
                changes += next == lanes ? 0 : 1;
                lanes = next;
                most = Math.max(most, lanes);
            }
            return this;
        }

        double share(int lanes) {
            double all = 0;
            for (double seconds : secondsAt) {
                all += seconds;
            }
            return secondsAt[lanes] / all;
        }
    }

    /** Twice the lanes store twice as much, up to the best; beyond it less. */
    private static Rate best(int best) {
        return (lanes, seconds) -> 10_000.0 * (lanes <= best ? lanes : best / 2.0);
    }

    @Test
    void lanesAreKeptWhileTheyRaiseTheRate() {
        for (int best : new int[] {1, 2, 8, 16}) {
            Run run = new Run().until(5_000, true, best(best));
            assertThat(run.most).isLessThanOrEqualTo(2 * best);
            assertThat(run.share(best)).as("%s lanes", best).isGreaterThan(0.9);
            run.until(5_200, false, (lanes, seconds) -> 10);
            assertThat(run.lanes).isEqualTo(1);
        }
    }

    /** What the log says of each trial: lanes, rows a second before and after; those tried and theirs; what is kept. */
    @Test
    void trialsAreTold() {
        Run run = new Run().until(40, true, best(2));
        assertThat(run.trials).containsExactly("1: 10000 and 10000; 2: 20000; 2", "2: 20000 and 20000; 4: 10000; 2");
        run.until(80, true, best(2));
        assertThat(run.trials).element(2).isEqualTo("2: 20000 and 20000; 1: 10000; 2");
        // Fewer are tried, and rows no longer wait: they are enough, without another look at more.
        run = new Run();
        for (int second = 1; second < 200; second++) {
            Run at = run;
            run.until(
                    second,
                    run.lanes > 1 || run.trials.isEmpty(),
                    (lanes, seconds) -> at.trials.isEmpty() ? 10_000 * lanes : 5_000);
        }
        assertThat(run.trials.get(run.trials.size() - 1)).isEqualTo("2: 5000 and NaN; 1: 5000; 1");
    }

    /** Whatever a window measures is a tenth too much or too little; which, follows from a seed. */
    @Test
    void noiseChangesLittle() {
        for (int seed = 1; seed <= 20; seed++) {
            int best = 1 << seed % 4;
            int of = seed;
            Rate clean = best(best);
            Rate noisy = (lanes, seconds) -> {
                Random random = new Random(of * 1_000_003L + (long) (seconds / 2));
                random.nextInt();
                return clean.of(lanes, seconds) * (0.9 + 0.2 * random.nextDouble());
            };
            Run run = new Run().until(10_000, true, noisy);
            assertThat(run.share(best)).as("seed %s, %s lanes", seed, best).isGreaterThan(0.85);
        }
    }

    /** More rows come, and lanes have nothing to do with it: however fast it rises, more lanes are not kept. */
    @Test
    void aRateThatRisesByItselfKeepsNoLanes() {
        for (double growth : new double[] {0.01, 0.03, 0.1, -0.03}) {
            Run run = new Run().until(600, true, (lanes, seconds) -> 20_000 * Math.pow(1 + growth, seconds % 60));
            assertThat(run.most).isEqualTo(2);
            assertThat(run.share(1)).as("growth %s", growth).isGreaterThan(0.9);
        }
        // It doubles once, at any moment of a trial.
        for (int at = 1; at < 20; at++) {
            int jump = at;
            Run run = new Run().until(60, true, (lanes, seconds) -> seconds < jump ? 20_000 : 40_000);
            assertThat(run.lanes).as("after a jump at %s s", at).isEqualTo(1);
        }
    }

    /** Lanes that were worth it are questioned while rows wait, and given up once they no longer are. */
    @Test
    void aNumberThatWasKeptIsQuestionedAgain() {
        Run run = new Run().until(300, true, best(4));
        assertThat(run.lanes).isEqualTo(4);
        // The brokers have become slower: one lane takes all that they can.
        run.until(2_000, true, (lanes, seconds) -> 8_000);
        assertThat(run.lanes).isEqualTo(1);
        run.until(6_000, true, best(4));
        assertThat(run.lanes).isEqualTo(4);
        // Also while it becomes slower: it is not that there are fewer lanes.
        run = new Run().until(100, true, best(4));
        run.until(1_000, true, (lanes, seconds) -> 40_000 * Math.pow(0.97, seconds % 100));
        assertThat(run.lanes).isEqualTo(1);
    }

    /** Also where so little comes that nothing is measured: each lane holds a producer at the brokers. */
    @Test
    void lanesThatABurstOpenedAreGivenUp() {
        Run run = new Run().until(300, true, best(4));
        assertThat(run.lanes).isEqualTo(4);
        run.until(600, 10, false, (lanes, seconds) -> 10);
        assertThat(run.lanes).isEqualTo(1);
    }

    /** Keys whose bodies have no rows wait for each other too: none are stored faster by more lanes. */
    @Test
    void keysWithoutRowsOpenNoLanes() {
        Run run = new Run().until(600, true, (lanes, seconds) -> 0);
        assertThat(run.most).isEqualTo(2);
        assertThat(run.share(1)).isGreaterThan(0.9);
        run = new Run().until(300, true, best(4));
        assertThat(run.lanes).isEqualTo(4);
        run.until(2_000, true, (lanes, seconds) -> 0);
        assertThat(run.lanes).isEqualTo(1);
    }

    /** While nothing changes, trials become rare: each costs a claim of the lanes. */
    @Test
    void trialsInVainBecomeRare() {
        Run run = new Run().until(100, true, best(2));
        int before = run.changes;
        run.until(36_100, true, best(2));
        // Of ten hours: both kinds, at 1, 2, 4 minutes and so on up to an hour; two changes each.
        assertThat(run.changes - before).isBetween(20, 70);
    }

    /** What was measured before a pause says nothing of what comes behind it. */
    @Test
    void aTrialEndsWhereNothingComes() {
        int questioned = 0;
        for (int at = 60; at < 140; at++) {
            Run run = new Run().until(at, true, best(4));
            questioned += run.lanes == 2 ? 1 : 0;
            run.now += (long) (3_600 * SECOND);
            run.until(3_600 + at + 12, true, best(4));
            assertThat(run.lanes).as("after a pause at %s s", at).isEqualTo(4);
        }
        assertThat(questioned).as("pauses while fewer were tried").isPositive();
    }
}
