package io.waterwheel.sql.duckdb;

import io.waterwheel.decode.BlockCodec;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
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
 * Rows of this process as a table function of DuckDB: {@code SELECT c0 FROM ww_rows(7)} has those that were opened
 * under the number 7. It never waits for rows. One for all sessions of a database; thread-safe.
 */
final class RowFunction implements DuckDBTableFunction<TableRows, TableRows, TableRows> {
    private static final String NAME = "ww_rows";
    private static final List<Field> PROBED = List.of(new Field("n", FieldType.LONG, true));
    private static final int PROBED_ROWS = 70;

    private final Map<Long, TableRows> opened = new ConcurrentHashMap<>();
    private final AtomicLong ids = new AtomicLong();
    /** Known once the function is there. */
    private volatile boolean copies;

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
        function.copies = VectorMemory.isKnown() && function.copiesRight(connection);
        return function;
    }

    /** Whether columns of numbers are copied whole. */
    boolean copiesColumns() {
        return copies;
    }

    /** Gives rows a number. */
    long open(TableRows rows) {
        long id = ids.getAndIncrement();
        opened.put(id, rows);
        return id;
    }

    /** The SELECT of the rows that were opened under a number. */
    String select(long id, TableRows rows) {
        return "SELECT " + rows.columns() + " FROM " + NAME + "(" + id + ")";
    }

    void close(long id) {
        opened.remove(id);
    }

    /**
     * Whether rows that are copied are those that DuckDB has: a release may keep something else in the memory of its
     * vectors. Of 70 rows each third is null.
     */
    private boolean copiesRight(DuckDBConnection connection) throws SQLException {
        TupleBlock block = new TupleBlock(RowLayout.ofFields(PROBED), PROBED_ROWS);
        long sum = 0;
        long count = 0;
        for (int row = 0; row < PROBED_ROWS; row++) {
            LittleEndian.putLong(block.column(block.layout().columnOf(0)), row * 8, 1L << row % 50);
            boolean isNull = row % 3 == 0;
            block.setNullMask(row, isNull ? 1L << block.layout().nullBit(0) : 0);
            sum += isNull ? 0 : 1L << row % 50;
            count += isNull ? 0 : 1;
        }
        block.setSize(PROBED_ROWS);
        TableRows rows = new TableRows(PROBED, new int[] {0}, true);
        rows.add(BlockCodec.encode(block, false));
        long id = open(rows);
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(
                        "SELECT CAST(sum(c0) AS BIGINT), count(c0), count(*) FROM (" + select(id, rows) + ")")) {
            return result.next()
                    && result.getLong(1) == sum
                    && result.getLong(2) == count
                    && result.getLong(3) == PROBED_ROWS;
        } finally {
            close(id);
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
    public long apply(DuckDBTableFunctionCallInfo info, DuckDBDataChunkWriter chunk) {
        TableRows rows = info.getBindData();
        return rows.fill(chunk);
    }
}
