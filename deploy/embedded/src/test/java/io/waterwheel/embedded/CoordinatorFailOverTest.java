package io.waterwheel.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.client.Appender;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.known.KnownRows;
import io.waterwheel.embedded.server.WaterwheelServer;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.topology.Tasks;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two coordinators of a running server; the one that answers dies at any byte of its answer. Whoever asks for a whole
 * answer gets it, from the other one, each row once; whoever has been handed out rows is told that they are not all.
 */
@Tag("embedded")
@Timeout(900)
final class CoordinatorFailOverTest {
    private static final int ROWS = Rounds.of("rows", 20_000, 40_000);
    private static final int ROUNDS = Rounds.of("rounds", 24, 240);

    @TempDir
    Path folder;

    record Known(long id) {}

    private final long seed = Long.getLong("seed", 7);
    private final Random random = new Random(seed);
    private int whole;
    private int cut;
    private int told;

    @Test
    void aUserSeesOneAnswer() throws Exception {
        WaterwheelConfig config =
                WaterwheelConfig.parse("test", "", List.of("query-server.cache-size=64 MiB", "query.warm-up=0 s"));
        try (WaterwheelServer server = WaterwheelServer.start(folder, config, Set.of(), inForce -> new Tasks());
                CutRelay first = new CutRelay(ServedProcess.url(server, 0));
                CutRelay second = new CutRelay(ServedProcess.url(server, 1));
                WaterwheelClient client = WaterwheelClient.connect(first.url(), second.url())) {
            client.createStream(KnownRows.definition());
            Map<Integer, Long> positions;
            try (Appender appender = client.appender(KnownRows.STREAM)) {
                for (long id = 0; id < ROWS; id++) {
                    appender.append(KnownRows.row(id));
                }
                positions = appender.flush();
            }
            Query all = Query.of(KnownRows.STREAM).withAtLeast(positions).withTimeout(Duration.ofMinutes(5));
            long before = first.passed() + second.passed();
            assertThat(list(client, positions)).hasSize(ROWS);
            long size = first.passed() + second.passed() - before;
            for (int round = 0; round < ROUNDS; round++) {
                String where = "seed " + seed + " round " + round;
                CutRelay victim = random.nextBoolean() ? first : second;
                CutRelay other = victim == first ? second : first;
                int kind = round % 3;
                victim.dieAfter(kind == 1 ? random.nextInt(1_000) : random.nextLong(size));
                try (WaterwheelClient asking = WaterwheelClient.connect(victim.url(), other.url())) {
                    switch (kind) {
                        case 0 -> eachOnce(where, list(asking, positions));
                        case 1 -> assertThat(asking.count(all)).as(where).isEqualTo(ROWS);
                        default -> read(where, asking, all);
                    }
                }
                cut += victim.dead() ? 1 : 0;
                victim.revive();
            }
        }
        System.err.printf(
                Locale.ROOT,
                "fail-over: %d questions, the coordinator died in %d; %d answers whole, %d cursors told%n",
                ROUNDS,
                cut,
                whole,
                told);
        assertThat(cut).as("seed %s", seed).isGreaterThan(ROUNDS / 3);
        assertThat(told).as("seed %s", seed).isPositive();
    }

    private static List<Known> list(WaterwheelClient client, Map<Integer, Long> positions) {
        return client.query(KnownRows.STREAM)
                .atLeast(positions)
                .timeout(Duration.ofMinutes(5))
                .list(Known.class);
    }

    private void eachOnce(String where, List<Known> rows) {
        boolean[] seen = new boolean[ROWS];
        for (Known row : rows) {
            assertThat(seen[(int) row.id()]).as("%s: row %s twice", where, row).isFalse();
            seen[(int) row.id()] = true;
        }
        assertThat(rows).as(where).hasSize(ROWS);
        whole++;
    }

    /** Rows as they come: all, or fewer and the word that they are not all. */
    private void read(String where, WaterwheelClient client, Query all) {
        List<Known> rows = new ArrayList<>();
        boolean[] seen = new boolean[ROWS];
        try (Cursor cursor = client.query(all)) {
            while (cursor.next()) {
                Known row = new Known(cursor.getLong("id"));
                assertThat(seen[(int) row.id()])
                        .as("%s: row %s twice", where, row)
                        .isFalse();
                seen[(int) row.id()] = true;
                rows.add(row);
            }
            eachOnce(where, rows);
        } catch (WaterwheelException e) {
            assertThat(e.code()).as("%s: %s", where, e.getMessage()).isEqualTo("ANSWER_CUT_OFF");
            assertThat(rows).as(where).isNotEmpty();
            told++;
        }
    }
}
