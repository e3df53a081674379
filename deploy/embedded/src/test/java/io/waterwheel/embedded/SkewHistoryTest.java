package io.waterwheel.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.KeyRanges;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.embedded.server.RunningServer;
import io.waterwheel.embedded.server.ServerCommand;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TimeInterval;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The keys of a stream jump, again and again, while it is asked: the balancer divides them anew, and no answer lacks a
 * tuple or has one twice. {@code -Dseconds=600 -Dflip=10} and {@code -Dflip=120} are the long forms, {@code -Dlate=10}
 * has that many per cent of the tuples up to 30 days late.
 */
@Tag("embedded")
final class SkewHistoryTest {
    private static final String STREAM = "skewed";
    private static final int SECONDS = Rounds.of("seconds", 16, 120);
    private static final int PATIENCE_SECONDS = Math.max(SECONDS, 300);
    private static final int FLIP_SECONDS = Integer.getInteger("flip", 7);
    private static final int LATE_PER_CENT = Integer.getInteger("late", 10);
    private static final int ROWS_A_SECOND = Integer.getInteger("rows", 3_000);
    private static final int PRODUCERS = 2;
    private static final int INDEXERS = 4;

    @TempDir
    static Path folder;

    private final long seed = Long.getLong("seed", System.nanoTime());
    private final Random random = new Random(seed);

    @Test
    void noAnswerIsWrongWhileTheKeysAreDividedAnew() throws Exception {
        System.err.println("history: seed " + seed);
        boolean brief = FLIP_SECONDS < 60;
        List<String> settings = new ArrayList<>(List.of("indexer.tasks=" + INDEXERS, "indexer.seal-size=256 KiB"));
        if (brief) {
            settings.addAll(List.of("balancer.patience=1 s", "balancer.min-interval=2 s"));
        }
        WaterwheelConfig config = WaterwheelConfig.parse("test", "", settings);
        try (RunningServer server =
                        QuickServer.start(folder.resolve("server"), ServerCommand.fitted(config, 0), Set.of());
                WaterwheelClient client = WaterwheelClient.connect(server.url())) {
            Schema schema = new Schema(
                    List.of(
                            new Field("t", FieldType.TIMESTAMP, false),
                            new Field("k", FieldType.LONG, false),
                            new Field("id", FieldType.LONG, false)),
                    new KeySpec.Ordered("k"),
                    "t");
            client.createStream(new StreamDefinition(STREAM, STREAM, RecordFormat.BLOCK, 3, schema));
            StreamDetails stream = client.describe(STREAM);
            List<HistoryProducer> producers = new ArrayList<>();
            try {
                for (int p = 0; p < PRODUCERS; p++) {
                    producers.add(new HistoryProducer(p, stream, seed + p, ROWS_A_SECOND, LATE_PER_CENT));
                }
                producers.forEach(HistoryProducer::start);
                run(client, producers);
            } finally {
                for (HistoryProducer producer : producers) {
                    producer.close();
                }
            }
            HistoryChecker last = new HistoryChecker(STREAM, producers, seed);
            last.ask(client, KeyInterval.ALL, TimeInterval.ALL);
            assertThat(client.flush(STREAM)).isNotEmpty();
            last.ask(client, KeyInterval.ALL, TimeInterval.ALL);
            assertThat(last.anomalies()).as("seed %s, at the end", seed).isEmpty();
            assertThat(client.verify(STREAM, Duration.ofMinutes(5)).differences())
                    .isEmpty();
        }
    }

    private void run(WaterwheelClient client, List<HistoryProducer> producers) {
        HistoryChecker checker = new HistoryChecker(STREAM, producers, seed);
        HistoryLoads loads = new HistoryLoads(producers);
        long begin = System.nanoTime();
        int flips = 0;
        KeyRanges keys = client.keyRanges(STREAM);
        // On a busy machine the balancer may need longer for its first division.
        while (System.nanoTime() - begin < (keys.version() > 1 ? SECONDS : PATIENCE_SECONDS) * 1_000_000_000L) {
            double second = (System.nanoTime() - begin) / 1e9;
            if (second >= flips * FLIP_SECONDS) {
                flips++;
                long hot = random.nextLong();
                producers.forEach(producer -> producer.flip(hot));
                loads.flipped(second);
            }
            checker.ask(client);
            keys = client.keyRanges(STREAM);
            loads.look(second, keys);
        }
        int lasted = (int) ((System.nanoTime() - begin) / 1_000_000_000L);
        System.err.printf(
                Locale.ROOT,
                "history: %d s, %d flips, %d routing versions, %d answers of %d tuples checked, %d anomalies; seconds"
                        + " until max/mean of the load was at most 1.2, by flip: %s%n",
                lasted,
                flips,
                keys.version(),
                checker.answers(),
                checker.tuples(),
                checker.anomalies().size(),
                loads.evenAfter());
        assertThat(checker.anomalies()).as("seed %s", seed).isEmpty();
        assertThat(checker.answers()).as("seed %s", seed).isPositive();
        assertThat(keys.version()).as("seed %s", seed).isGreaterThan(1);
        if (FLIP_SECONDS >= 60) {
            assertThat(loads.evenAfter()).as("seed %s", seed).allSatisfy(seconds -> assertThat(seconds)
                    .isBetween(0.0, 60.0));
        }
    }
}
