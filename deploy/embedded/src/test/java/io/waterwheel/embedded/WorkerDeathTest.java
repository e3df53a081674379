package io.waterwheel.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.Waiting;
import io.waterwheel.client.Appender;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.known.KnownRows;
import io.waterwheel.embedded.server.RunningServer;
import io.waterwheel.embedded.server.ServerCommand;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server whose tasks die under load, each in its turn: the process lives, all tasks are started again at the same
 * address, and every row is there once.
 */
@Tag("embedded")
@Timeout(900)
final class WorkerDeathTest {
    private static final int ROWS = 200_000;
    /** After so long a task is killed again. */
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(20);

    private static final int DEATHS = Rounds.of("deaths", 3, 10);
    /** Those that have a thread. What becomes of others that fail, a test of their host shows. */
    private static final List<String> VICTIMS = List.of("indexer", "spout", "dispatcher");

    record Known(long id) {}

    @TempDir
    Path folder;

    @Test
    void everyRowIsThereOnceThoughTasksDie() throws Exception {
        long seed = Long.getLong("seed", System.nanoTime());
        Random random = new Random(seed);
        WaterwheelConfig config = ServerCommand.fitted(WaterwheelConfig.defaults(), 0)
                .with(Keys.QUERY_SERVER_CACHE_SIZE, io.waterwheel.topology.config.DataSize.parse("64 MiB"));
        ExecutorService appending = Executors.newSingleThreadExecutor();
        long begin = System.nanoTime();
        try (RunningServer server = QuickServer.start(folder, config, Set.of());
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            long started = System.nanoTime();
            client.createStream(KnownRows.definition());
            Future<Map<Integer, Long>> appended;
            try (Appender appender = client.appender(KnownRows.STREAM)) {
                appended = appending.submit(() -> {
                    for (long id = 0; id < ROWS; id++) {
                        appender.append(KnownRows.row(id));
                    }
                    return appender.flush();
                });
                for (int death = 0; death < DEATHS; death++) {
                    String victim = VICTIMS.get((death + random.nextInt(2)) % VICTIMS.size());
                    int before = server.lives();
                    long[] killed = {System.nanoTime() - AGAIN_NANOS};
                    Waiting.until("another life after the death of a " + victim, () -> {
                        if (server.lives() == before && System.nanoTime() - killed[0] >= AGAIN_NANOS) {
                            killed[0] = System.nanoTime();
                            kill(victim);
                        }
                        return server.lives() > before;
                    });
                    // Its tasks work, or the next death would come before they do.
                    assertThat(Waiting.answered(() -> client.query(KnownRows.STREAM)
                                    .timeout(Duration.ofMinutes(5))
                                    .count()))
                            .as("seed %s", seed)
                            .isNotNegative();
                }
                Map<Integer, Long> positions = appended.get(5, TimeUnit.MINUTES);
                List<Known> rows = Waiting.answered(() -> client.query(KnownRows.STREAM)
                        .atLeast(positions)
                        .timeout(Duration.ofMinutes(5))
                        .list(Known.class));
                boolean[] seen = new boolean[ROWS];
                for (Known row : rows) {
                    assertThat(seen[(int) row.id()])
                            .as("seed %s: row %s twice", seed, row.id())
                            .isFalse();
                    seen[(int) row.id()] = true;
                }
                assertThat(rows).as("seed %s", seed).hasSize(ROWS);
            }
            System.err.printf(
                    Locale.ROOT,
                    "task deaths: seed %d, start %.1f s, %d deaths and all rows in %.1f s%n",
                    seed,
                    (started - begin) / 1e9,
                    DEATHS,
                    (System.nanoTime() - started) / 1e9);
        } finally {
            appending.shutdownNow();
        }
    }

    /**
     * An interrupt that it did not ask for ends the thread of a task without a word, unless what the task just does
     * takes it for its own.
     */
    private static void kill(String role) {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().matches(role + "-[0-9]+")) {
                thread.interrupt();
            }
        }
    }
}
