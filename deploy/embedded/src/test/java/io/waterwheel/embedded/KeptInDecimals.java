package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.client.Appender;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.gateway.Gateway;
import io.waterwheel.gateway.GatewaySettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.Channels;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Types;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;

/** A stream of prices on a whole server: rows come in every way, and are asked for in every way. */
final class KeptInDecimals implements AutoCloseable {
    private static final BigDecimal LARGE = new BigDecimal("12345678901234567890123456789012.123456");
    private static final String ALL = "SELECT price, total FROM kept WHERE price > -1e9 ORDER BY price";

    /** A command of the command line, and its standard input. */
    interface Command {
        CliResult run(String in, String... args);
    }

    private final WaterwheelClient client;
    private final String address;
    private final Command command;
    private final Gateway gateway;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    KeptInDecimals(WaterwheelClient client, String url, Command command) throws IOException {
        this.client = client;
        this.address = url.replace("grpc://", "");
        this.command = command;
        this.gateway = Gateway.start(GatewaySettings.DEFAULT.withPort(0));
        gateway.serve(client);
    }

    @Override
    public void close() {
        gateway.close();
        client.drop("kept");
    }

    private HttpResponse<String> send(String path, String type, byte[] body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(gateway.url() + path))
                .header("Content-Type", type)
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString(UTF_8));
    }

    private String pushed(String type, byte[] body, int status) throws Exception {
        HttpResponse<String> answer = send("/v1/streams/kept/rows?wait=visible", type, body);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        return answer.body();
    }

    private String asked(String format, String statement) throws Exception {
        HttpResponse<String> answer = send("/v1/query?format=" + format, "application/sql", statement.getBytes(UTF_8));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer.body();
    }

    private void change(String statement) {
        try (Cursor rows = client.sql(statement)) {
            while (rows.next()) {
                // The answer's one row has the positions.
            }
        }
    }

    void comeInAndGoOutAsTheyAre() throws Exception {
        change("CREATE STREAM kept (price DECIMAL(18, 2), at TIMESTAMP, total NUMERIC(38, 6) INDEXED)"
                + " KEY (price) TIME (at)");
        change("INSERT INTO kept VALUES (1.20, NOW(), DECIMAL '" + LARGE + "'), (-0.99, NOW(), 0.5), (7, NOW(), NULL),"
                + " (1000000000000000.01, NOW(), NULL)");
        assertThatThrownBy(() -> change("INSERT INTO kept VALUES (1.234, NOW(), NULL)"))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("price");
        assertThatThrownBy(() -> change("INSERT INTO kept VALUES (0.30000000000000001, NOW(), NULL)"))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("price");
        try (Appender appender = client.appender("kept")) {
            appender.append(new BigDecimal("10.05"), Instant.now(), new BigDecimal("-0.000001"));
            appender.append("11.5", Instant.now(), null);
            appender.flush();
        }
        pushed("text/csv", "20.10,1000,3.5\n".getBytes(UTF_8), 200);
        pushed("application/json", "{\"price\": 21.10, \"at\": 1000, \"total\": \"4.25\"}\n".getBytes(UTF_8), 200);
        assertThat(pushed("text/csv", "20.101,1000,\n".getBytes(UTF_8), 422)).contains("price");
        pushed("application/vnd.apache.arrow.stream", arrow(), 200);
        CliResult appended = command.run("price,at,total\n30.33,1000,9.9\n", "append", "kept", "--format", "csv", "-");
        assertThat(appended.code()).as(appended.err()).isZero();
        List<String> expected = List.of(
                "-0.99 0.500000",
                "1.20 " + LARGE,
                "7.00 null",
                "10.05 -0.000001",
                "11.50 null",
                "20.10 3.500000",
                "21.10 4.250000",
                "22.22 5.500000",
                "30.33 9.900000",
                "1000000000000000.01 null");
        // A question that names no positions may be answered without an indexer that has just got its first row.
        Waiting.until("all rows are seen", () -> client.query("kept").count() == expected.size());
        for (boolean chunks : new boolean[] {false, true}) {
            if (chunks) {
                assertThat(command.run("", "flush", "kept").code()).isZero();
            }
            List<String> rows = new ArrayList<>();
            try (Cursor cursor = client.sql(ALL)) {
                while (cursor.next()) {
                    rows.add(cursor.getDecimal("price") + " " + cursor.decimalOrNull("total"));
                }
            }
            assertThat(rows).isEqualTo(expected);
        }
        everyClientSeesThem();
        tellTheirType();
    }

    private static byte[] arrow() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (RootAllocator allocator = new RootAllocator();
                DecimalVector price = new DecimalVector("price", allocator, 10, 3);
                BigIntVector at = new BigIntVector("at", allocator);
                DecimalVector total = new DecimalVector("total", allocator, 38, 6)) {
            price.allocateNew(1);
            at.allocateNew(1);
            total.allocateNew(1);
            price.setSafe(0, new BigDecimal("22.220"));
            at.setSafe(0, 1000);
            total.setSafe(0, new BigDecimal("5.500000"));
            for (var vector : List.of(price, at, total)) {
                vector.setValueCount(1);
            }
            try (VectorSchemaRoot root = VectorSchemaRoot.of(price, at, total);
                    ArrowStreamWriter writer = new ArrowStreamWriter(root, null, Channels.newChannel(out))) {
                root.setRowCount(1);
                writer.start();
                writer.writeBatch();
                writer.end();
            }
        }
        return out.toByteArray();
    }

    private void everyClientSeesThem() throws Exception {
        assertThat(asked(
                        "csv",
                        "SELECT SUM(price) AS s, AVG(price) AS a, MAX(total) AS m FROM kept WHERE price < 10.05"))
                .isEqualTo("s,a,m\n7.21,2.4033333333333333," + LARGE + "\n");
        assertThat(asked("json", "SELECT price, total FROM kept WHERE total = 4.25"))
                .contains("21.10")
                .contains("4.250000");
        // Joined, and so answered by DuckDB.
        assertThat(asked(
                        "csv",
                        "SELECT a.price, b.total FROM kept a JOIN kept b ON a.price = b.price WHERE b.total > 1e30"
                                + " OR a.price IN (22.22, 1.2345) ORDER BY 1"))
                .isEqualTo("price,total\n1.20," + LARGE + "\n22.22,5.500000\n");
        assertThat(command.run(
                                "",
                                "sql",
                                "SELECT price FROM kept WHERE price BETWEEN 20 AND 22.22 ORDER BY price DESC",
                                "--format",
                                "csv")
                        .out())
                .isEqualTo("price\n22.22\n21.10\n20.10\n");
        assertThat(command.run(
                                "",
                                "query",
                                "kept",
                                "--key",
                                "7..10.05",
                                "--select",
                                "price",
                                "--order-by",
                                "price",
                                "--format",
                                "csv")
                        .out())
                .isEqualTo("price\n7.00\n10.05\n");
        assertThat(command.run("", "query", "kept", "--where", "total < 0", "--format", "json")
                        .out())
                .contains("-0.000001");
        HttpResponse<String> bound = send(
                "/v1/query?format=csv",
                "application/json",
                ("{\"sql\": \"SELECT price FROM kept WHERE total = ?\", \"parameters\": [{\"decimal\": \"" + LARGE
                                + "\"}]}")
                        .getBytes(UTF_8));
        assertThat(bound.body()).isEqualTo("price\n1.20\n");
        List<String> found = new ArrayList<>();
        try (Cursor cursor =
                client.sql("SELECT price FROM kept WHERE total = ? OR price = ?", LARGE, new BigDecimal("7.00"))) {
            while (cursor.next()) {
                found.add(cursor.getString("price"));
            }
        }
        assertThat(found).containsExactlyInAnyOrder("1.20", "7.00");
    }

    private void tellTheirType() throws Exception {
        assertThat(command.run("", "sql", "DESCRIBE kept", "--format", "csv").out())
                .contains("decimal(18, 2)");
        assertThat(
                        asked(
                                "csv",
                                "SELECT data_type FROM information_schema.columns WHERE table_name = 'kept' AND column_name = 'price'"))
                .isEqualTo("data_type\n\"DECIMAL(18, 2)\"\n");
        try (Connection connection =
                DriverManager.getConnection("jdbc:arrow-flight-sql://" + address + "/?useEncryption=false")) {
            try (ResultSet columns = connection.getMetaData().getColumns(null, "public", "kept", "price")) {
                assertThat(columns.next()).isTrue();
                assertThat(columns.getInt("DATA_TYPE")).isEqualTo(Types.DECIMAL);
                assertThat(columns.getString("TYPE_NAME")).startsWith("DECIMAL");
            }
            try (PreparedStatement asked =
                    connection.prepareStatement("SELECT price, total FROM kept WHERE price = ? AND total > ?")) {
                asked.setBigDecimal(1, new BigDecimal("1.20"));
                asked.setBigDecimal(2, new BigDecimal("12345678901234567890123456789012.123455"));
                try (ResultSet rows = asked.executeQuery()) {
                    assertThat(rows.getMetaData().getColumnType(1)).isEqualTo(Types.DECIMAL);
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getBigDecimal(1)).isEqualTo(new BigDecimal("1.20"));
                    assertThat(rows.getBigDecimal(2)).isEqualTo(LARGE);
                    assertThat(rows.next()).isFalse();
                }
            }
        }
    }
}
