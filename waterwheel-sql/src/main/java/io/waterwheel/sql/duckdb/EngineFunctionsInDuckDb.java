package io.waterwheel.sql.duckdb;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.compile.ExpressionCompiler;
import io.waterwheel.query.expression.ExpressionParser;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.sql.EngineCall;
import io.waterwheel.sql.EngineCall.Column;
import io.waterwheel.tuple.TupleBlock;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.duckdb.DuckDBColumnType;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBDataChunkReader;
import org.duckdb.DuckDBFunctions;
import org.duckdb.DuckDBScalarFunctionBuilder;
import org.duckdb.DuckDBWritableVector;

/**
 * Functions that DuckDB's process adds to DuckDB: one for each kind of arguments and of value, which evaluates the
 * expression of an {@link EngineCall} by the engine's code, a vector at a time. The last argument, the expression, is
 * the same in all rows. DuckDB calls them on threads of its own.
 */
final class EngineFunctionsInDuckDb {
    /** Evaluated at a time: texts of as many rows have 4 MiB at most, which DuckDB does not count. */
    private static final int MOST_ROWS = 128;

    private EngineFunctionsInDuckDb() {}

    /** The engine refuses a value; the message begins with the error's code. */
    static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1;

        Refused(WaterwheelException reason) {
            super(reason.code() + " " + reason.getMessage(), reason);
        }
    }

    /** Adds the functions to a database. */
    static void register(DuckDBConnection connection) throws SQLException {
        register(connection, List.of());
    }

    private static void register(DuckDBConnection connection, List<Column> takes) throws SQLException {
        List<DuckDBColumnType> types = new ArrayList<>();
        takes.forEach(column -> types.add(type(column)));
        types.add(DuckDBColumnType.VARCHAR);
        // Functions of times take one alone.
        boolean times = takes.isEmpty() || takes.get(0).isTime();
        for (Column yields : Column.values()) {
            if (yields.isTime() && !times) {
                continue;
            }
            try (DuckDBScalarFunctionBuilder builder = DuckDBFunctions.scalarFunction()) {
                builder.withName(new EngineCall(takes, yields, "").function())
                        .withParameters(types.toArray(new DuckDBColumnType[0]))
                        .withReturnType(type(yields))
                        .withVectorizedFunction((in, out) -> apply(in, takes, yields, out))
                        .register(connection);
            }
        }
        for (Column next : Column.values()) {
            boolean alone = next.isTime() || (times && !takes.isEmpty());
            if (takes.size() < (alone ? 1 : EngineCall.MOST_ARGUMENTS)) {
                List<Column> more = new ArrayList<>(takes);
                more.add(next);
                register(connection, more);
            }
        }
    }

    private static DuckDBColumnType type(Column column) {
        return switch (column) {
            case BIGINT, MILLIS, MICROS, NANOS -> DuckDBColumnType.BIGINT;
            case DOUBLE -> DuckDBColumnType.DOUBLE;
            case VARCHAR -> DuckDBColumnType.VARCHAR;
        };
    }

    private static void apply(DuckDBDataChunkReader in, List<Column> takes, Column yields, DuckDBWritableVector out)
            throws SQLException {
        int count = Math.toIntExact(in.rowCount());
        if (count == 0) {
            return;
        }
        // The same in all rows.
        EngineCall call = new EngineCall(takes, yields, in.vector(takes.size()).getString(0));
        try {
            if (takes.isEmpty()) {
                TupleBlock rows = new TupleBlock(RowLayout.ofFields(List.of()), count);
                rows.setSize(count);
                evaluate(call, rows, 0, out);
                return;
            }
            AnswerReader reader = new AnswerReader(call.fields());
            for (int row = 0; row < count; row += reader.block().size()) {
                evaluate(call, read(call, reader, in, row), row, out);
            }
        } catch (WaterwheelException e) {
            throw new Refused(e);
        }
    }

    private static TupleBlock read(EngineCall call, AnswerReader reader, DuckDBDataChunkReader in, int row)
            throws SQLException {
        try {
            return reader.read(in, row);
        } catch (AnswerReader.TooLong e) {
            String function = call.expression().replaceAll("\\W.*", "");
            throw new WaterwheelException(
                    ErrorCode.SQL_VALUE,
                    function + " has an argument of " + e.bytes() + " bytes, expected at most "
                            + TupleBlock.MAX_VALUE_BYTES + "; take SUBSTRING of it first",
                    e);
        }
    }

    /** @param row of the vector, the first of the block */
    private static void evaluate(EngineCall call, TupleBlock block, int row, DuckDBWritableVector out) {
        ColumnNode node = new ExpressionCompiler(block.layout()).compile(ExpressionParser.parse(call.expression()));
        RowView view = RowView.of(block);
        for (int from = 0; from < block.size(); from += MOST_ROWS) {
            int[] rows = new int[Math.min(MOST_ROWS, block.size() - from)];
            for (int r = 0; r < rows.length; r++) {
                rows[r] = from + r;
            }
            node.evaluate(view, rows, rows.length);
            write(node.values(), rows, row, call.yields(), out);
            node.release(view);
        }
    }

    private static void write(Values values, int[] rows, int first, Column yields, DuckDBWritableVector out) {
        for (int row : rows) {
            if (values.isNull(row)) {
                out.setNull(first + row);
                continue;
            }
            switch (yields) {
                case BIGINT, MILLIS, MICROS, NANOS -> out.setLong(first + row, values.longs[row]);
                case DOUBLE -> out.setDouble(first + row, values.doubles[row]);
                case VARCHAR -> out.setString(first + row, text(values, values.longs[row]));
            }
        }
    }

    private static String text(Values values, long reference) {
        return new String(
                values.slab(reference),
                values.offset(reference),
                TupleBlock.referenceLength(reference),
                StandardCharsets.UTF_8);
    }
}
