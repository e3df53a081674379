package io.waterwheel.sql.duckdb;

import io.waterwheel.query.expression.CanonicalText;
import java.sql.SQLException;
import org.duckdb.DuckDBColumnType;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBDataChunkReader;
import org.duckdb.DuckDBFunctions;
import org.duckdb.DuckDBScalarFunctionBuilder;
import org.duckdb.DuckDBWritableVector;

/**
 * What DuckDB's process adds to DuckDB to compare addresses: {@code ww_digits('10.0.0.9')} is {@code '0a000009'}, and
 * null for null and for what is no canonical text of an address or a UUID. DuckDB calls it on threads of its own.
 */
final class AddressFunction {
    private AddressFunction() {}

    /** Adds the function to a database. */
    static void register(DuckDBConnection connection) throws SQLException {
        try (DuckDBScalarFunctionBuilder builder = DuckDBFunctions.scalarFunction()) {
            builder.withName("ww_digits")
                    .withParameters(DuckDBColumnType.VARCHAR)
                    .withReturnType(DuckDBColumnType.VARCHAR)
                    .withVectorizedFunction(AddressFunction::apply)
                    .register(connection);
        }
    }

    private static void apply(DuckDBDataChunkReader in, DuckDBWritableVector out) throws SQLException {
        int count = Math.toIntExact(in.rowCount());
        for (int row = 0; row < count; row++) {
            String digits = in.vector(0).isNull(row)
                    ? null
                    : CanonicalText.digits(in.vector(0).getString(row));
            if (digits == null) {
                out.setNull(row);
            } else {
                out.setString(row, digits);
            }
        }
    }
}
