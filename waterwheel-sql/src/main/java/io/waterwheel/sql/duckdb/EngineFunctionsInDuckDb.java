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
 * expression of an {@link EngineCall} by the engine's code, a vector at a time. The last argument, the call's text, is
 * the same in all rows. DuckDB calls them on threads of its own.
 */
final class EngineFunctionsInDuckDb {
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
        for (Column yields : Column.values()) {
            List<DuckDBColumnType> types = new ArrayList<>();
            takes.forEach(column -> types.add(type(column)));
            types.add(DuckDBColumnType.VARCHAR);
            try (DuckDBScalarFunctionBuilder builder = DuckDBFunctions.scalarFunction()) {
                builder.withName(EngineCall.function(yields, takes))
                        .withParameters(types.toArray(new DuckDBColumnType[0]))
                        .withReturnType(type(yields))
                        .withVectorizedFunction((in, out) -> apply(in, takes.size(), yields, out))
                        .register(connection);
            }
            if (takes.size() < EngineCall.MOST_ARGUMENTS && yields == Column.BIGINT) {
                for (Column next : Column.values()) {
                    List<Column> more = new ArrayList<>(takes);
                    more.add(next);
                    register(connection, more);
                }
            }
        }
    }

    private static DuckDBColumnType type(Column column) {
        return switch (column) {
            case BIGINT -> DuckDBColumnType.BIGINT;
            case DOUBLE -> DuckDBColumnType.DOUBLE;
            case VARCHAR -> DuckDBColumnType.VARCHAR;
        };
    }

    private static void apply(DuckDBDataChunkReader in, int arguments, Column yields, DuckDBWritableVector out)
            throws SQLException {
        int count = Math.toIntExact(in.rowCount());
        int first = 0;
        // Null for all rows alike where an argument is the constant null.
        while (first < count && in.vector(arguments).isNull(first)) {
            out.setNull(first);
            first++;
        }
        if (first == count) {
            return;
        }
        EngineCall call = EngineCall.of(in.vector(arguments).getString(first));
        try {
            if (arguments == 0) {
                TupleBlock rows = new TupleBlock(RowLayout.ofFields(List.of()), count);
                rows.setSize(count);
                evaluate(call, rows, 0, yields, out);
                return;
            }
            AnswerReader reader = new AnswerReader(call.fields());
            for (int row = 0; row < count; row += reader.block().size()) {
                evaluate(call, read(reader, in, row), row, yields, out);
            }
        } catch (WaterwheelException e) {
            throw new Refused(e);
        }
    }

    private static TupleBlock read(AnswerReader reader, DuckDBDataChunkReader in, int row) {
        try {
            return reader.read(in, row);
        } catch (SQLException e) {
            String message = String.valueOf(e.getMessage()).replace("Invalid Input Error: ", "");
            throw new WaterwheelException(ErrorCode.SQL_VALUE, message, e);
        }
    }

    /** @param row of the vector, the first of the block */
    private static void evaluate(EngineCall call, TupleBlock block, int row, Column yields, DuckDBWritableVector out) {
        ColumnNode node = new ExpressionCompiler(block.layout()).compile(ExpressionParser.parse(call.expression()));
        RowView view = RowView.of(block);
        int[] rows = new int[block.size()];
        for (int r = 0; r < rows.length; r++) {
            rows[r] = r;
        }
        node.evaluate(view, rows, rows.length);
        Values values = node.values();
        for (int r = 0; r < rows.length; r++) {
            if (values.isNull(r)) {
                out.setNull(row + r);
                continue;
            }
            switch (yields) {
                case BIGINT -> out.setLong(row + r, values.longs[r]);
                case DOUBLE -> out.setDouble(row + r, values.doubles[r]);
                case VARCHAR -> out.setString(row + r, text(values, values.longs[r]));
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
