package io.waterwheel.trino;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.trino.Session;
import io.trino.execution.QueryStats;
import io.trino.testing.DistributedQueryRunner;
import io.trino.testing.MaterializedResult;
import io.trino.testing.MaterializedRow;
import io.trino.testing.QueryRunner.MaterializedResultWithPlan;
import io.waterwheel.client.Appender;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.schema.SchemaFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What docs/trino.md types, over an hour of real flights, beside the same in Waterwheel's own SQL. */
final class TrinoPageTest {
    private static final DistributedQueryRunner TRINO = TrinoCluster.shared();
    private static final Path FLIGHTS =
            Path.of("../conf/examples/paris-flights.csv.gz");

    @BeforeAll
    static void flights() throws IOException {
        for (String stream : List.of("flights", "aircraft")) {
            WaterwheelClient client = ServerProcess.client();
            client.createStream(SchemaFile.read(Path.of("../conf/schemas/" + stream + ".yaml")));
            try (Appender appender = client.appender(stream);
                    BufferedReader lines = new BufferedReader(
                            new InputStreamReader(new GZIPInputStream(Files.newInputStream(FLIGHTS)), UTF_8))) {
                lines.readLine(); // names
                lines.lines().forEach(line -> appender.appendRecord(line.getBytes(UTF_8)));
                client.query(stream).atLeast(appender.flush()).count();
            }
            client.flush(stream);
        }
    }

    private static List<String> blocks() throws IOException {
        List<String> blocks = new ArrayList<>();
        String[] parts = Files.readString(Path.of("../docs/trino.md")).split("```", -1);
        for (int i = 1; i < parts.length; i += 2) {
            if (parts[i].startsWith("sql\n")) {
                blocks.add(parts[i].substring("sql\n".length()));
            }
        }
        return blocks;
    }

    @Test
    void joinsAreThoseOfWaterwheel() throws IOException {
        List<String> blocks = blocks();
        String first = blocks.get(0);
        assertThat(rows(TRINO.execute(first)))
                .isNotEmpty()
                .containsExactlyInAnyOrderElementsOf(
                        rows(first.replace("waterwheel.default.", "").replace(" UTC'", "Z'")));
        String last = blocks.get(blocks.size() - 1);
        String join = last.substring(last.indexOf("SELECT"), last.lastIndexOf(';'));
        assertThat(rows(TRINO.execute(join))).hasSize(10).isEqualTo(rows(join));
        assertThat(rows(TRINO.execute("SELECT count(*), max(time_ms), min(icao24) FROM flights")))
                .isEqualTo(List.of("95000|2021-10-07T13:02:59Z[UTC]|"
                        + rows("SELECT MIN(icao24) FROM flights").get(0)));
    }

    private static List<String> rows(MaterializedResult result) {
        return result.getMaterializedRows().stream()
                .map((MaterializedRow row) -> String.join(
                        "|", row.getFields().stream().map(String::valueOf).toList()))
                .toList();
    }

    /** Of Waterwheel's SQL. */
    private static List<String> rows(String statement) {
        List<String> rows = new ArrayList<>();
        try (Cursor cursor = ServerProcess.client().sql(statement)) {
            while (cursor.next()) {
                List<String> values = new ArrayList<>();
                for (int i = 0; i < cursor.fields().size(); i++) {
                    values.add(String.valueOf(cursor.value(i)));
                }
                rows.add(String.join("|", values));
            }
        }
        return rows;
    }

    /** What a limit leaves unread is cancelled: its query ends on the server, too. */
    @Test
    void whatIsNotWantedIsCancelled() {
        assertThat(TRINO.execute("SELECT * FROM flights LIMIT 3").getRowCount()).isEqualTo(3);
        assertThat(TRINO.execute("SELECT a.icao24 FROM flights a JOIN aircraft b ON a.icao24 = b.icao24 LIMIT 5")
                        .getRowCount())
                .isEqualTo(5);
        // A bound of minutes: queries end within milliseconds of the cancellation, on a machine that has time.
        long deadline = System.nanoTime() + java.time.Duration.ofMinutes(2).toNanos();
        while (!ServerProcess.client().queries().isEmpty() && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        assertThat(ServerProcess.client().queries()).isEmpty();
    }

    /** One aircraft of the other side: only its rows of this side are read. */
    @Test
    void keysOfAJoinNarrowTheOtherSide() {
        String join =
                "SELECT count(*) FROM aircraft a JOIN (SELECT icao24 FROM flights WHERE callsign = 'AFR9455' LIMIT"
                        + " 1) b ON a.icao24 = b.icao24";
        Session session = Session.builder(TRINO.getDefaultSession())
                .setCatalogSessionProperty(TrinoCluster.CATALOG, "dynamic_filtering_wait_timeout", "2m")
                .setSystemProperty("join_distribution_type", "BROADCAST")
                .setSystemProperty("join_reordering_strategy", "NONE")
                .build();
        MaterializedResultWithPlan result = TRINO.executeWithPlan(session, join);
        QueryStats statistics = TRINO.getCoordinator()
                .getQueryManager()
                .getFullQueryInfo(result.queryId())
                .getQueryStats();
        long matching = (Long) result.result().getOnlyValue();
        assertThat(matching).isPositive();
        assertThat(statistics.getPhysicalInputPositions()).isLessThan(50_000);
    }
}
