package io.waterwheel.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.Waiting;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.Verification;
import io.waterwheel.client.known.AnswerCheck;
import io.waterwheel.client.known.Feed;
import io.waterwheel.client.known.KnownRows;
import io.waterwheel.client.known.QueryLoop;
import io.waterwheel.query.Query;
import io.waterwheel.tuple.KeyInterval;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * Known rows arrive at a rate and questions are asked all along while a cluster is struck. Every complete answer is
 * compared; questions on rows that are all in chunks are answered throughout. For one run, by one thread.
 */
final class FaultRun {
    private static final int ROWS_A_SECOND = Rounds.of("rows", 1_000, 2_000);
    /** So many are in chunks before the first strike. */
    private static final int FIRST_ROWS = Rounds.ALL ? 20_000 : 8_000;

    private static final int STRIKES_A_FLUSH = 8;
    /** Between two questions: what is struck needs the processor to come back. */
    private static final Duration REST = Duration.ofMillis(100);

    private static final Duration QUESTION = Duration.ofSeconds(5);
    /** Longer, so that on a busy machine one of them is answered. */
    private static final Duration RECOVERY_QUESTION = Duration.ofSeconds(30);

    /** A question on old data, the client's repetitions included. */
    private static final Duration OLD_QUESTION = Duration.ofMinutes(5);
    /** How long after a fault a complete answer may take; what is usual is in the printed report. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final String name;
    private final long seed;
    private final Random random;
    private final boolean overlapping;
    private final Map<String, List<Long>> recoveries = new LinkedHashMap<>();
    private final Map<String, Long> slowest = new LinkedHashMap<>();
    private long old;

    /** @param overlapping whether a strike sometimes comes before the last one is overcome */
    FaultRun(String name, long seed, Random random, boolean overlapping) {
        this.name = name;
        this.seed = seed;
        this.random = random;
        this.overlapping = overlapping;
    }

    void run(SharedCluster.Running running, List<? extends InjectedFault> strikes) throws Exception {
        System.out.println(name + ": seed " + seed);
        try (WaterwheelClient client = running.client();
                WaterwheelClient second = running.client()) {
            client.createStream(KnownRows.definition());
            try (Feed feed = new Feed(client.describe(KnownRows.STREAM), ROWS_A_SECOND)) {
                strikeAll(running.cluster(), client, second, feed, strikes);
            }
            client.drop(KnownRows.STREAM);
        } catch (Exception | AssertionError e) {
            System.out.println(running.cluster().tails());
            throw new AssertionError("seed " + seed + ": " + e, e);
        }
    }

    private void strikeAll(
            RealCluster cluster,
            WaterwheelClient client,
            WaterwheelClient second,
            Feed feed,
            List<? extends InjectedFault> strikes)
            throws Exception {
        AnswerCheck check = new AnswerCheck(client, random);
        recover(cluster, check, feed);
        Waiting.until(
                "there are rows for the first chunks",
                PATIENCE,
                () -> feed.acknowledged().rows() >= FIRST_ROWS);
        Feed.Acknowledged flushed = feed.acknowledged();
        client.flush(KnownRows.STREAM, PATIENCE, flushed.positions());
        int done = 0;
        for (InjectedFault fault : strikes) {
            strike(cluster, second, feed, check, fault, flushed.rows());
            if (++done % STRIKES_A_FLUSH == 0) {
                recover(cluster, check, feed);
                flushed = feed.acknowledged();
                client.flush(KnownRows.STREAM, PATIENCE, flushed.positions());
            }
        }
        recover(cluster, check, feed);
        Feed.Acknowledged all = feed.end();
        everything(client, check, feed, all);
        Verification verification = Waiting.answered(() -> client.verify(KnownRows.STREAM, PATIENCE));
        assertThat(verification.differences()).isEmpty();
        assertThat(verification.topicTuples()).isEqualTo(all.rows());
        everything(client, check, feed, all);
        report(check, all);
    }

    private void strike(
            RealCluster cluster,
            WaterwheelClient second,
            Feed feed,
            AnswerCheck check,
            InjectedFault fault,
            long flushed)
            throws Exception {
        History history = new History(second, flushed, OLD_QUESTION, random.nextLong());
        cluster.restartEndedSupervisors();
        long begun = System.nanoTime();
        String what;
        double lasted;
        long fresh = -1;
        try (history) {
            try (QueryLoop asking = new QueryLoop(check, feed, QUESTION, REST)) {
                what = fault.strike(cluster, random);
                asking.checkFailure();
            }
            lasted = (System.nanoTime() - begun) / 1e9;
            // Sometimes the next one strikes before this one is overcome.
            if (!overlapping || random.nextInt(5) != 0) {
                fresh = overcome(cluster, check, feed, fault);
            }
        }
        System.out.printf(
                Locale.ROOT,
                "%s: %s %s; lasted %.1f s, complete and fresh after %d ms more; %d questions on old data"
                        + " answered, %d not, the slowest took %d ms%n",
                name,
                fault.name(),
                what,
                lasted,
                fresh,
                history.answered(),
                history.refused(),
                history.slowestMillis());
        old += history.answered();
        slowest.merge(fault.name(), history.slowestMillis(), Math::max);
        if (fault.leavesHistory()) {
            assertThat(history.refused())
                    .as(
                            "questions on old data that were not answered while %s lasted; the last: %s",
                            fault.name(), history.lastRefusal())
                    .isZero();
        }
    }

    /** Waits for a complete answer with all that is acknowledged by now, and notes how long that took. */
    private long overcome(RealCluster cluster, AnswerCheck check, Feed feed, InjectedFault fault) throws IOException {
        long begin = System.nanoTime();
        recover(cluster, check, feed);
        long millis = (System.nanoTime() - begin) / 1_000_000;
        recoveries.computeIfAbsent(fault.name(), key -> new ArrayList<>()).add(millis);
        for (int i = random.nextInt(40); i >= 0; i--) {
            check.askOne(feed, QUESTION);
        }
        return millis;
    }

    private static void recover(RealCluster cluster, AnswerCheck check, Feed feed) throws IOException {
        long begin = System.nanoTime();
        while (!check.askOne(feed, RECOVERY_QUESTION)) {
            cluster.restartEndedSupervisors().forEach(name -> System.out.println("faults: " + name + " had ended"));
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .as("no complete answer; the last: " + check.lastRefusal())
                    .isLessThan(PATIENCE);
        }
    }

    private static void everything(WaterwheelClient client, AnswerCheck check, Feed feed, Feed.Acknowledged all) {
        Query query = Query.of(KnownRows.STREAM).withAtLeast(all.positions()).withTimeout(PATIENCE);
        // On a busy machine a session may still end now, and what it held is away for a moment.
        Boolean whole = Waiting.answered(() -> {
            check.checkSet(query, KeyInterval.ALL, all.rows(), feed);
            return true;
        });
        assertThat(whole).isTrue();
        long counted = Waiting.answered(() -> client.count(query));
        assertThat(counted).isEqualTo(all.rows());
        assertThat(feed.begun()).isEqualTo(all.rows());
    }

    private void report(AnswerCheck check, Feed.Acknowledged all) {
        String each = recoveries.entrySet().stream()
                .map(entry -> String.format(
                        Locale.ROOT,
                        "%s x%d: fresh again at most %d ms after its end, old data at most %d ms",
                        entry.getKey(),
                        entry.getValue().size(),
                        entry.getValue().stream()
                                .mapToLong(Long::longValue)
                                .max()
                                .orElse(0),
                        slowest.getOrDefault(entry.getKey(), 0L)))
                .collect(Collectors.joining("\n  "));
        System.out.printf(
                Locale.ROOT,
                "%s: seed %d: %d rows appended, each once in every answer; %d complete answers right (%d"
                        + " rows), %d refused; %d answers on old data right%n  %s%n",
                name,
                seed,
                all.rows(),
                check.complete(),
                check.rows(),
                check.refused(),
                old,
                each);
    }
}
