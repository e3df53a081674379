package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.gateway.Gateway;
import io.waterwheel.gateway.GatewaySettings;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.metrics.Scrape;
import io.waterwheel.query.Statement;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Statements that are ended before their time, by each way that there is: soon after, the server has nothing of them.
 * Of each kind that holds something: rows that wait for their reader, groups, rows that DuckDB joins, and a join that
 * has no row yet.
 */
final class StatementsThatEnd {
    /** Generous: a machine may be busy, and one that is not ended goes on for minutes. What was seen is printed. */
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** What a statement is, and whether it has rows long before it ends. */
    private record Kind(String name, boolean rowsCome, boolean executor, String sql) {}

    private final WaterwheelClient client;
    private final String address;
    private final Supplier<? extends Collection<Metrics>> metrics;
    private final List<Kind> kinds;
    private final Kind joined;
    private final Kind computed;
    private long idleAnswers;
    private long idleMemory;

    /** @param stream of 100,000 rows and more, with a number id and a text note that differs in each */
    StatementsThatEnd(
            WaterwheelClient client, String url, String stream, Supplier<? extends Collection<Metrics>> metrics) {
        this.client = client;
        this.address = url.replace("grpc://", "");
        this.metrics = metrics;
        this.joined = new Kind(
                "rows of a join",
                true,
                true,
                "SELECT a.note, b.note AS other FROM " + stream + " a JOIN " + stream
                        + " b ON MOD(a.id, 100) = MOD(b.id, 100)");
        this.computed = new Kind(
                "a long join",
                false,
                true,
                "SELECT COUNT(*) AS n FROM " + stream + " a JOIN " + stream + " b ON MOD(a.id * b.id, 1000003) = 7");
        this.kinds = List.of(
                new Kind("rows", true, false, "SELECT * FROM " + stream),
                new Kind("groups", true, false, "SELECT note, COUNT(*) AS n FROM " + stream + " GROUP BY note"),
                joined,
                computed);
    }

    private long value(String metric) {
        String page = new String(Scrape.of(metrics.get(), null).body(), UTF_8);
        double sum = Pattern.compile("(?m)^" + metric + "(\\{[^}]*})? ([0-9.eE+-]+)$")
                .matcher(page)
                .results()
                .mapToDouble(found -> Double.parseDouble(found.group(2)))
                .sum();
        assertThat(page).contains("# TYPE " + metric + " ");
        return (long) sum;
    }

    private long executing() {
        return value("waterwheel_sql_executor_statements");
    }

    /** Threads that answer a statement. */
    private static long answering() {
        return Thread.getAllStackTraces().values().stream()
                .filter(stack -> List.of(stack).stream()
                        .anyMatch(frame -> frame.getClassName().equals("io.waterwheel.topology.sql.Statements")
                                && frame.getMethodName().equals("answer")))
                .count();
    }

    private void begun(Kind kind) {
        Waiting.until(kind.name() + " is answered", () -> answering() > 0 && (!kind.executor() || executing() > 0));
    }

    /** Ends what was begun, and looks how long it takes until nothing is left. */
    private void ended(Kind kind, String how, long sinceNanos) {
        Waiting.until(
                how + " left of " + kind.name() + " nothing",
                () -> client.queries().isEmpty()
                        && executing() == 0
                        && answering() == 0
                        && value("waterwheel_answer_memory_bytes") <= idleAnswers
                        && value("waterwheel_query_memory_bytes") <= idleMemory);
        long nanos = System.nanoTime() - sinceNanos;
        System.err.printf(
                Locale.ROOT, "statements: %s: nothing is left of %s after %.0f ms%n", how, kind.name(), nanos / 1e6);
        assertThat(nanos).as("%s of %s", how, kind.name()).isLessThan(MOST_NANOS);
    }

    /** Nothing of others is open now. */
    void idle() {
        Waiting.until("nothing is open", () -> client.queries().isEmpty() && executing() == 0 && answering() == 0);
        idleAnswers = value("waterwheel_answer_memory_bytes");
        idleMemory = value("waterwheel_query_memory_bytes");
    }

    private Connection connect() throws SQLException {
        return connect("300");
    }

    private Connection connect(String seconds) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:arrow-flight-sql://" + address + "/?useEncryption=false&x-waterwheel-timeout=" + seconds);
    }

    void byCancelOfJdbc() throws Exception {
        ExecutorService threads = Executors.newSingleThreadExecutor();
        for (Kind kind : kinds) {
            try (Connection connection = connect();
                    java.sql.Statement statement = connection.createStatement()) {
                long begin;
                if (kind.rowsCome()) {
                    try (ResultSet rows = statement.executeQuery(kind.sql())) {
                        assertThat(rows.next()).isTrue();
                        begun(kind);
                        begin = System.nanoTime();
                        statement.cancel();
                        assertThatThrownBy(() -> {
                            while (rows.next()) {
                                assertThat(rows.getString(1)).isNotNull();
                            }
                        });
                    }
                } else {
                    CompletableFuture<Boolean> answer =
                            CompletableFuture.supplyAsync(() -> hasRow(statement, kind.sql()), threads);
                    begun(kind);
                    begin = System.nanoTime();
                    statement.cancel();
                    assertThatThrownBy(answer::get).hasRootCauseInstanceOf(Exception.class);
                }
                ended(kind, "JDBC's cancel", begin);
            }
        }
        threads.shutdown();
    }

    private static boolean hasRow(java.sql.Statement statement, String sql) {
        try (ResultSet rows = statement.executeQuery(sql)) {
            return rows.next();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The driver tells the server nothing of its time-out: the statement ends there when it is closed. */
    void byTheTimeoutOfJdbc() throws Exception {
        try (Connection connection = connect()) {
            long ends;
            try (java.sql.Statement statement = connection.createStatement()) {
                statement.setQueryTimeout(1);
                long begin = System.nanoTime();
                assertThatThrownBy(() -> hasRow(statement, computed.sql()))
                        .hasRootCauseInstanceOf(SQLTimeoutException.class)
                        .hasStackTraceContaining("Query timed out after 1 SECONDS");
                ends = System.nanoTime();
                assertThat(ends - begin).isBetween(TimeUnit.MILLISECONDS.toNanos(900), MOST_NANOS);
            }
            ended(computed, "JDBC's time-out", ends);
        }
        try (Connection connection = connect("1");
                java.sql.Statement statement = connection.createStatement()) {
            long begin = System.nanoTime();
            assertThatThrownBy(() -> hasRow(statement, computed.sql())).hasStackTraceContaining("TIMEOUT: ");
            ended(computed, "the server's time-out", begin + TimeUnit.SECONDS.toNanos(1));
        }
    }

    /** One connection goes on, whose other statements have minutes. */
    void byTheTimeoutInTheirText() throws Exception {
        try (Connection connection = connect();
                java.sql.Statement statement = connection.createStatement()) {
            for (Kind kind : kinds) {
                String sql = kind.sql().replaceFirst("SELECT ", "SELECT /*+ timeout(1) */ ");
                long[] begin = {System.nanoTime()};
                assertThatThrownBy(() -> {
                            try (ResultSet rows = statement.executeQuery(sql)) {
                                begin[0] = System.nanoTime();
                                while (rows.next()) {
                                    if (System.nanoTime() - begin[0] < TimeUnit.SECONDS.toNanos(3)) {
                                        LockSupport.parkNanos(1_000_000);
                                    }
                                }
                            }
                        })
                        .as(kind.name())
                        // Of rows that wait for their reader it is the reader that took too long.
                        .satisfiesAnyOf(
                                failure -> assertThat(failure).hasStackTraceContaining("TIMEOUT: "),
                                failure -> assertThat(failure).hasStackTraceContaining("CLIENT_SLOW: "));
                ended(kind, "the time-out in the text", begin[0] + TimeUnit.SECONDS.toNanos(kind.rowsCome() ? 3 : 1));
                assertThat(hasRow(statement, "SELECT 1")).isTrue();
            }
        }
    }

    void byAClientOfOurs() throws Exception {
        ExecutorService threads = Executors.newSingleThreadExecutor();
        for (Kind kind : kinds) {
            CompletableFuture<Boolean> answer =
                    client.read(Statement.of(kind.sql()), threads, rows -> allOf(rows, kind.rowsCome()));
            begun(kind);
            long begin = System.nanoTime();
            assertThat(answer.cancel(true)).isTrue();
            ended(kind, "cancelling a future", begin);
        }
        threads.shutdown();
    }

    /** Reads slowly what comes. */
    private static boolean allOf(Cursor rows, boolean slowly) {
        boolean any = false;
        while (rows.next()) {
            any = true;
            if (slowly) {
                LockSupport.parkNanos(1_000_000);
            }
        }
        return any;
    }

    void byAClientOfHttpThatIsGone() throws Exception {
        try (Gateway gateway = Gateway.start(GatewaySettings.DEFAULT.withPort(0))) {
            gateway.serve(client);
            for (Kind kind : kinds) {
                long begin;
                try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.port())) {
                    socket.getOutputStream()
                            .write(("POST /v1/query?format=csv&timeout=300 HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                                            + "Content-Type: application/sql\r\nContent-Length: "
                                            + kind.sql().length() + "\r\n\r\n" + kind.sql())
                                    .getBytes(UTF_8));
                    if (kind.rowsCome()) {
                        InputStream in = socket.getInputStream();
                        assertThat(new String(in.readNBytes(1000), UTF_8)).startsWith("HTTP/1.1 200");
                    }
                    begun(kind);
                    begin = System.nanoTime();
                }
                ended(kind, "a client of HTTP that is gone", begin);
            }
        }
    }

    /** Those that come later are answered as ever. */
    void othersAreAnswered() {
        List<Long> counts = new ArrayList<>();
        try (Cursor rows = client.sql(joined.sql()
                .replace("SELECT a.note, b.note AS other", "SELECT COUNT(*) AS n")
                .replace("MOD(a.id, 100) = MOD(b.id, 100)", "a.id = b.id AND a.id < 1000"))) {
            while (rows.next()) {
                counts.add(rows.getLong("n"));
            }
        }
        assertThat(counts).containsExactly(1000L);
    }
}
