package io.waterwheel.embedded.faults;

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
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rows and records that cannot be decoded arrive at a rate and questions are asked all along while processes are
 * killed, stopped, and starved. The seed is printed; {@code -Dseed=N} repeats its choices, {@code -Dkills=N} runs
 * random faults of all kinds until so many processes were killed.
 */
@Tag("embedded")
final class FaultsTest {
    /** Of the long form; the short one, with given faults, is 0. */
    private static final int KILLS = Rounds.of("kills", 0, 50);

    private static final int ROWS_A_SECOND = KILLS == 0 ? 1_000 : 4_000;
    /** A tree is sealed every few seconds, so that faults meet flushes. */
    private static final String SEALS = "indexer.seal-size=" + (KILLS == 0 ? 64 : 256) + " KiB";

    /** The long form appends for an hour and more, and nothing of it is removed. */
    private static final int SMALL_DISK_MEGABYTES = KILLS == 0 ? 192 : 2_048;

    private static final Duration QUESTION = Duration.ofSeconds(15);
    /** Between questions beside a fault: what was killed wants the processors to come up. */
    private static final Duration REST = Duration.ofMillis(KILLS == 0 ? 50 : 20);
    /** How long after a fault a complete answer may take; what is usual is in the printed report. */
    private static final Duration PATIENCE = KILLS == 0 ? Duration.ofMinutes(5) : Duration.ofSeconds(90);

    @TempDir
    Path folder;

    private final long seed = Long.getLong("seed", System.nanoTime());
    private final Random random = new Random(seed);

    @Test
    void oneProcessIsKilled() throws Exception {
        run(false, KILLS == 0 ? List.of(Fault.KILL_SERVER) : List.of());
    }

    @Test
    void processesOfTheirOwnAreKilledAndStopped() throws Exception {
        run(
                true,
                KILLS == 0
                        ? List.of(
                                Fault.KILL_KAFKA,
                                Fault.FILL_DISK,
                                Fault.EXPIRE_SESSIONS,
                                Fault.KILL_ZOOKEEPER,
                                Fault.FLIPPED_BIT)
                        : List.of());
    }

    /** @param given the faults in their order, or none for random ones until the wanted number of kills is reached */
    private void run(boolean split, List<Fault> given) throws Exception {
        System.err.println("faults: seed " + seed);
        SmallDisk disk = SmallDisk.mount(folder.resolve("chunks"), SMALL_DISK_MEGABYTES);
        try (disk;
                Installation installation = new Installation(
                        folder,
                        folder.resolve("chunks"),
                        split,
                        SEALS,
                        "indexer.memory-pool=8 MiB",
                        "zookeeper.session-timeout=" + Fault.SESSION_MILLIS + " ms")) {
            installation.startAll();
            try (WaterwheelClient client = WaterwheelClient.connect(installation.url())) {
                client.createStream(KnownRows.definition());
                try (Feed feed = new Feed(client.describe(KnownRows.STREAM), ROWS_A_SECOND);
                        LetterFeed letters = LetterFeed.start(client, seed)) {
                    strikeAll(installation, client, feed, letters, faults(given, installation, disk != null));
                } catch (Exception | AssertionError e) {
                    installation.keepLog();
                    throw new AssertionError(
                            "seed " + seed + ": " + e + "\nserver: "
                                    + installation
                                            .part(Installation.Part.SERVER)
                                            .logTail(),
                            e);
                }
            }
        }
    }

    private List<Fault> faults(List<Fault> given, Installation installation, boolean smallDisk) {
        if (!given.isEmpty()) {
            return given.stream()
                    .filter(fault -> fault.fits(installation.parts(), smallDisk))
                    .toList();
        }
        List<Fault> fitting = Arrays.stream(Fault.values())
                .filter(fault -> fault.fits(installation.parts(), smallDisk))
                .toList();
        List<Fault> chosen = new ArrayList<>();
        int kills = 0;
        while (kills < KILLS) {
            Fault fault = fitting.get(random.nextInt(fitting.size()));
            chosen.add(fault);
            kills += fault.isKill() ? 1 : 0;
        }
        return chosen;
    }

    private void strikeAll(
            Installation installation, WaterwheelClient client, Feed feed, LetterFeed letters, List<Fault> faults)
            throws Exception {
        AnswerCheck check = new AnswerCheck(client, random);
        Map<Fault, Integer> struck = new EnumMap<>(Fault.class);
        List<Long> recoveries = new ArrayList<>();
        recover(check, feed);
        for (Fault fault : faults) {
            long begin = System.nanoTime();
            try (QueryLoop asking = new QueryLoop(check, feed, QUESTION, REST)) {
                String what = fault.strike(installation, random);
                struck.merge(fault, 1, Integer::sum);
                System.err.println("faults: " + fault + " " + what);
                asking.checkFailure();
            }
            // Sometimes the next one strikes before this one is overcome.
            if (random.nextInt(4) != 0) {
                recover(check, feed);
                letters.awaitAnswered(client, PATIENCE);
                recoveries.add((System.nanoTime() - begin) / 1_000_000);
                for (int i = random.nextInt(40); i >= 0; i--) {
                    check.askOne(feed, QUESTION);
                }
            }
        }
        recover(check, feed);
        Feed.Acknowledged all = feed.end();
        letters.end();
        letters.awaitAnswered(client, PATIENCE);
        everything(client, check, feed, all);
        letters.check(client, PATIENCE);
        Verification verification = Waiting.answered(() -> client.verify(KnownRows.STREAM, PATIENCE));
        assertThat(verification.differences()).isEmpty();
        assertThat(verification.topicTuples()).isEqualTo(all.rows());
        everything(client, check, feed, all);
        // In the short form, where all are one process, that was the fault.
        if (KILLS > 0 || installation.parts().size() > 1) {
            installation.part(Installation.Part.SERVER).kill();
            installation.start(Installation.Part.SERVER);
            recover(check, feed);
            everything(client, check, feed, all);
            letters.awaitAnswered(client, PATIENCE);
            letters.check(client, PATIENCE);
        }
        recoveries.sort(null);
        System.err.printf(
                Locale.ROOT,
                "faults: seed %d: %s; %d rows appended, each once in every answer; %d complete answers right (%d rows),"
                        + " %d refused; %d dead letters, each once; complete again p50 %d ms, at most %d ms after the fault began%n",
                seed,
                struck,
                all.rows(),
                check.complete(),
                check.rows(),
                check.refused(),
                letters.letters(),
                recoveries.isEmpty() ? 0 : recoveries.get(recoveries.size() / 2),
                recoveries.isEmpty() ? 0 : recoveries.get(recoveries.size() - 1));
    }

    /** Asks until an answer is complete and holds all that is acknowledged. */
    private static void recover(AnswerCheck check, Feed feed) {
        long begin = System.nanoTime();
        while (!check.askOne(feed, QUESTION)) {
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
}
