package io.waterwheel.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.gateway.Gateway;
import io.waterwheel.gateway.GatewaySettings;
import io.waterwheel.query.Query;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * Points that a real Telegraf writes, as it does for InfluxDB 1 and 2. Needs the program {@code telegraf}, on the path
 * or by {@code -Dwaterwheel.telegraf=FILE}.
 */
final class WrittenByTelegraf {
    private static final int POINTS = 500;

    private WrittenByTelegraf() {}

    private static Path telegraf() {
        Optional<Path> found = Stream.concat(
                        Stream.of(System.getProperty("waterwheel.telegraf", "")),
                        Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
                                .map(place -> place + "/telegraf"))
                .filter(name -> !name.isEmpty())
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst();
        if (found.isEmpty()) {
            System.err.println("SKIPPED: there is no telegraf; -Dwaterwheel.telegraf=FILE names one");
        }
        Assumptions.assumeTrue(found.isPresent(), "no telegraf");
        return found.orElseThrow();
    }

    static void write(WaterwheelClient client, Path root, Path folder) throws Exception {
        Path telegraf = telegraf();
        StreamDefinition points = SchemaFile.read(root.resolve("conf/schemas/points.yaml"));
        try (Gateway gateway = Gateway.start(GatewaySettings.DEFAULT.withPort(0))) {
            gateway.serve(client);
            for (String output : List.of("influxdb", "influxdb_v2")) {
                String stream = "by_" + output;
                client.createStream(
                        new StreamDefinition(stream, stream, points.format(), points.partitions(), points.schema()));
                StringBuilder lines = new StringBuilder();
                for (int i = 0; i < POINTS; i++) {
                    lines.append(stream)
                            .append(",sensor=t")
                            .append(i % 7)
                            .append(" value=")
                            .append(i)
                            .append(' ')
                            .append(1_633_608_003_000_000_000L + i)
                            .append('\n');
                }
                Path file = Files.writeString(folder.resolve(stream + ".lines"), lines);
                String conf = "[agent]\n  omit_hostname = true\n[[inputs.file]]\n  files = [\"" + file
                        + "\"]\n  data_format = \"influx\"\n[[outputs." + output + "]]\n  urls = [\"" + gateway.url()
                        + "\"]\n"
                        + (output.equals("influxdb")
                                ? ""
                                : "  token = \"any\"\n  organization = \"any\"\n  bucket = \"any\"\n");
                run(
                        telegraf,
                        Files.writeString(folder.resolve(stream + ".conf"), conf),
                        folder.resolve(stream + ".log"));
                Waiting.until("all points are visible", () -> client.count(Query.of(stream)) >= POINTS);
                try (var rows = client.query(stream)
                        .aggregate("count(*) AS n", "count(DISTINCT value) AS different", "sum(value) AS sum")
                        .rows()) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getLong("n")).isEqualTo(POINTS);
                    assertThat(rows.getLong("different")).isEqualTo(POINTS);
                    assertThat(rows.getDouble("sum")).isEqualTo(POINTS * (POINTS - 1) / 2.0);
                }
                client.drop(stream);
            }
        }
    }

    private static void run(Path telegraf, Path conf, Path log) throws Exception {
        Process process = new ProcessBuilder(telegraf.toString(), "--config", conf.toString(), "--once")
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
            assertThat(process.exitValue()).as(Files.readString(log)).isZero();
        } finally {
            process.destroyForcibly();
        }
    }
}
