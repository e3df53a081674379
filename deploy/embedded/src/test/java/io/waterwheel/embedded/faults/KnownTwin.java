package io.waterwheel.embedded.faults;

import io.waterwheel.client.known.KnownRows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;

/** DuckDB with known rows. Thread-safe: one statement at a time. */
final class KnownTwin implements AutoCloseable {
    private final DuckDBConnection duckdb;
    private long rows;

    KnownTwin() throws SQLException {
        duckdb = DuckDBConnection.newConnection("jdbc:duckdb:", false, null, new Properties());
        try (Statement setting = duckdb.createStatement()) {
            setting.execute("SET default_null_order='nulls_first_on_asc_last_on_desc'");
            setting.execute("SET threads=1");
            setting.execute("CREATE TABLE known (id BIGINT, k BIGINT, t TIMESTAMP_MS, v BIGINT)");
        }
    }

    /**
     * The answer of a statement.
     *
     * @param below how many rows there must be; there may be more
     */
    synchronized List<List<String>> rows(String statement, long below) throws SQLException {
        try (DuckDBAppender appender = duckdb.createAppender("known")) {
            for (; rows < below; rows++) {
                appender.beginRow();
                appender.append(rows);
                appender.append(KnownRows.key(rows));
                appender.appendEpochMillis(KnownRows.time(rows));
                appender.append(KnownRows.value(rows));
                appender.endRow();
            }
        }
        try (Statement asked = duckdb.createStatement();
                ResultSet answer = asked.executeQuery(statement)) {
            return StatementAsker.texts(answer);
        }
    }

    @Override
    public synchronized void close() throws SQLException {
        duckdb.close();
    }
}
