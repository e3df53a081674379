package io.waterwheel.sql.duckdb;

import java.io.IOException;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.duckdb.DuckDBColumnType;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBDataChunkWriter;
import org.duckdb.DuckDBFunctions;
import org.duckdb.DuckDBTableFunction;
import org.duckdb.DuckDBTableFunctionBindInfo;
import org.duckdb.DuckDBTableFunctionBuilder;
import org.duckdb.DuckDBTableFunctionCallInfo;
import org.duckdb.DuckDBTableFunctionInitInfo;

/**
 * The rows that come from the other process as a table function of DuckDB: {@code SELECT c0 FROM ww_rows(7)} has those
 * that were opened under the number 7. A row costs a sixth of what DuckDB's appender takes, whose every value is a call
 * that looks whether it may be made. One for all sessions of a database; thread-safe.
 */
final class RowFunction implements DuckDBTableFunction<TableRows, TableRows, TableRows> {
    private static final String NAME = "ww_rows";

    private final Map<Long, TableRows> opened = new ConcurrentHashMap<>();
    private final AtomicLong ids = new AtomicLong();

    private RowFunction() {}

    /** Adds the function to a database. */
    static RowFunction register(DuckDBConnection connection) throws SQLException {
        RowFunction function = new RowFunction();
        try (DuckDBTableFunctionBuilder builder = DuckDBFunctions.tableFunction()) {
            builder.withName(NAME)
                    .withParameter(DuckDBColumnType.BIGINT)
                    .withFunction(function)
                    .register(connection);
        }
        return function;
    }

    /** Makes a table of the rows, in place of one of that name. */
    void make(DuckDBConnection connection, String table, TableRows rows) throws IOException, SQLException {
        long id = ids.getAndIncrement();
        opened.put(id, rows);
        try (var statement = connection.createStatement()) {
            statement.execute("CREATE OR REPLACE TEMP TABLE " + table + " AS SELECT " + rows.columns() + " FROM " + NAME
                    + "(" + id + ")");
        } catch (SQLException e) {
            rows.requireRows();
            throw e;
        } finally {
            opened.remove(id);
        }
    }

    @Override
    public TableRows bind(DuckDBTableFunctionBindInfo info) throws SQLException {
        long id = info.getParameter(0).getLong();
        TableRows rows = opened.get(id);
        if (rows == null) {
            throw new IllegalStateException("there are no rows of number " + id);
        }
        rows.describe(info);
        return rows;
    }

    @Override
    public TableRows init(DuckDBTableFunctionInitInfo info) {
        info.setMaxThreads(1);
        return info.getBindData();
    }

    @Override
    public long apply(DuckDBTableFunctionCallInfo info, DuckDBDataChunkWriter chunk) throws IOException {
        TableRows rows = info.getBindData();
        return rows.fill(chunk);
    }
}
