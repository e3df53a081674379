package io.waterwheel.sql.duckdb;

import io.waterwheel.geo.Box;
import io.waterwheel.geo.Circle;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.List;
import org.duckdb.DuckDBColumnType;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBDataChunkReader;
import org.duckdb.DuckDBFunctions;
import org.duckdb.DuckDBReadableVector;
import org.duckdb.DuckDBScalarFunction;
import org.duckdb.DuckDBScalarFunctionBuilder;
import org.duckdb.DuckDBWritableVector;

/**
 * Functions on positions that DuckDB's process adds to DuckDB: the geometry of the engine itself, so that a condition
 * means the same wherever it is evaluated. All yield null for a null argument. DuckDB calls them on threads of its own.
 */
final class SpatialFunctions {
    private static final DuckDBColumnType NUMBER = DuckDBColumnType.DOUBLE;
    private static final DuckDBColumnType TEXT = DuckDBColumnType.VARCHAR;

    /** Of a vector, which has 2,048 positions: some 30 bytes each. */
    private static final long MOST_PAIRS = 1_000_000;

    private final ShapeTexts shapes = new ShapeTexts();
    private final RegionTables regions;

    private SpatialFunctions(RegionTables regions) {
        this.regions = regions;
    }

    /** A vector of rows, to read and to write. */
    private interface Rows {
        void apply(DuckDBReadableVector[] in, int row, DuckDBWritableVector out);
    }

    /** Adds the functions to a database. */
    static void register(DuckDBConnection connection, RegionTables regions) throws SQLException {
        SpatialFunctions functions = new SpatialFunctions(regions);
        // Metres between two positions; null where either is none.
        add(connection, "ww_distance", NUMBER, SpatialFunctions::distance, NUMBER, NUMBER, NUMBER, NUMBER);
        // Whether a position lies in the shape of a text.
        add(connection, "ww_inside", DuckDBColumnType.BOOLEAN, () -> functions.new Inside(), NUMBER, NUMBER, TEXT);
        // Whether a position lies in any region of a table.
        add(
                connection,
                "ww_holds",
                DuckDBColumnType.BOOLEAN,
                functions::holds,
                DuckDBColumnType.BIGINT,
                NUMBER,
                NUMBER);
        // The numbers of the regions that a position lies in, with commas between; null for none.
        add(connection, "ww_regions", TEXT, () -> functions.new Found(), DuckDBColumnType.BIGINT, NUMBER, NUMBER);
        add(connection, "ww_box", TEXT, SpatialFunctions::box, NUMBER, NUMBER, NUMBER, NUMBER);
        add(connection, "ww_circle", TEXT, SpatialFunctions::circle, NUMBER, NUMBER, NUMBER);
        // A position as a text and back, exactly.
        add(connection, "ww_position", TEXT, SpatialFunctions::position, NUMBER, NUMBER);
        add(connection, "ww_longitude", NUMBER, (in, row, out) -> coordinate(in, row, out, 0), TEXT);
        add(connection, "ww_latitude", NUMBER, (in, row, out) -> coordinate(in, row, out, 1), TEXT);
        // As well-known text.
        add(connection, "ww_point", TEXT, SpatialFunctions::point, NUMBER, NUMBER);
        add(connection, "ww_envelope", TEXT, SpatialFunctions::envelope, NUMBER, NUMBER, NUMBER, NUMBER);
    }

    private interface Maker {
        Rows make();
    }

    private static void add(
            DuckDBConnection connection, String name, DuckDBColumnType yields, Rows rows, DuckDBColumnType... takes)
            throws SQLException {
        add(connection, name, yields, () -> rows, takes);
    }

    /** @param maker of what computes one vector; it may remember something from row to row */
    private static void add(
            DuckDBConnection connection, String name, DuckDBColumnType yields, Maker maker, DuckDBColumnType... takes)
            throws SQLException {
        DuckDBScalarFunction function = (in, out) -> apply(in, out, maker.make(), takes.length);
        try (DuckDBScalarFunctionBuilder builder = DuckDBFunctions.scalarFunction()) {
            builder.withName(name)
                    .withParameters(takes)
                    .withReturnType(yields)
                    .withVectorizedFunction(function)
                    .register(connection);
        }
    }

    private static void apply(DuckDBDataChunkReader in, DuckDBWritableVector out, Rows rows, int columns) {
        DuckDBReadableVector[] arguments = new DuckDBReadableVector[columns];
        for (int c = 0; c < columns; c++) {
            arguments[c] = in.vector(c);
        }
        int count = (int) in.rowCount();
        for (int row = 0; row < count; row++) {
            if (anyNull(arguments, row)) {
                out.setNull(row);
            } else {
                rows.apply(arguments, row, out);
            }
        }
    }

    private static boolean anyNull(DuckDBReadableVector[] arguments, int row) {
        for (DuckDBReadableVector argument : arguments) {
            if (argument.isNull(row)) {
                return true;
            }
        }
        return false;
    }

    private static void distance(DuckDBReadableVector[] in, int row, DuckDBWritableVector out) {
        double longitude = in[0].getDouble(row);
        double latitude = in[1].getDouble(row);
        double otherLongitude = in[2].getDouble(row);
        double otherLatitude = in[3].getDouble(row);
        if (ShapeTexts.isPosition(longitude, latitude) && ShapeTexts.isPosition(otherLongitude, otherLatitude)) {
            out.setDouble(row, Circle.distance(longitude, latitude, otherLongitude, otherLatitude));
        } else {
            out.setNull(row);
        }
    }

    /** Most often one row after the other has the same shape. */
    private final class Inside implements Rows {
        private String last = "";
        private ShapeTexts.Region region = ShapeTexts.NOWHERE;

        @Override
        public void apply(DuckDBReadableVector[] in, int row, DuckDBWritableVector out) {
            String text = in[2].getString(row);
            if (!text.equals(last)) {
                region = shapes.region(text);
                last = text;
            }
            double longitude = in[0].getDouble(row);
            double latitude = in[1].getDouble(row);
            if (region.isUnknown(longitude, latitude)) {
                out.setNull(row);
            } else {
                out.setBoolean(row, region.contains(longitude, latitude));
            }
        }
    }

    private void holds(DuckDBReadableVector[] in, int row, DuckDBWritableVector out) {
        out.setBoolean(row, regions.get(in[0].getLong(row)).holds(in[1].getDouble(row), in[2].getDouble(row)));
    }

    /** What a vector of rows finds is held in memory that DuckDB does not count. */
    private final class Found implements Rows {
        private long pairs;

        @Override
        public void apply(DuckDBReadableVector[] in, int row, DuckDBWritableVector out) {
            List<Long> found = regions.get(in[0].getLong(row)).found(in[1].getDouble(row), in[2].getDouble(row));
            pairs += found.size();
            if (pairs > MOST_PAIRS) {
                throw new RegionTables.TooLarge(
                        "positions lie in more than " + MOST_PAIRS + " shapes together; join with fewer at a time");
            }
            if (found.isEmpty()) {
                out.setNull(row);
            } else {
                StringBuilder text = new StringBuilder();
                found.forEach(number -> text.append(text.isEmpty() ? "" : ",").append(number.longValue()));
                out.setString(row, text.toString());
            }
        }
    }

    private static void box(DuckDBReadableVector[] in, int row, DuckDBWritableVector out) {
        out.setString(
                row,
                ShapeTexts.text(new Box(
                        in[0].getDouble(row), in[1].getDouble(row), in[2].getDouble(row), in[3].getDouble(row))));
    }

    private static void circle(DuckDBReadableVector[] in, int row, DuckDBWritableVector out) {
        double longitude = in[0].getDouble(row);
        double latitude = in[1].getDouble(row);
        if (ShapeTexts.isPosition(longitude, latitude)) {
            out.setString(row, ShapeTexts.circle(longitude, latitude, in[2].getDouble(row)));
        } else {
            out.setNull(row);
        }
    }

    private static void position(DuckDBReadableVector[] in, int row, DuckDBWritableVector out) {
        out.setString(row, in[0].getDouble(row) + " " + in[1].getDouble(row));
    }

    private static void coordinate(DuckDBReadableVector[] in, int row, DuckDBWritableVector out, int number) {
        String[] both = in[0].getString(row).split(" ", -1);
        if (both.length != 2) {
            throw new IllegalArgumentException("expected a point, got the shape " + in[0].getString(row));
        }
        out.setDouble(row, Double.parseDouble(both[number]));
    }

    private static void point(DuckDBReadableVector[] in, int row, DuckDBWritableVector out) {
        double longitude = in[0].getDouble(row);
        double latitude = in[1].getDouble(row);
        if (Double.isFinite(longitude) && Double.isFinite(latitude)) {
            out.setString(row, "POINT (" + plain(longitude) + " " + plain(latitude) + ")");
        } else {
            out.setNull(row);
        }
    }

    private static String plain(double number) {
        BigDecimal exact = new BigDecimal(Double.toString(number));
        return exact.signum() == 0 ? "0" : exact.stripTrailingZeros().toPlainString();
    }

    private static void envelope(DuckDBReadableVector[] in, int row, DuckDBWritableVector out) {
        Box box = new Box(in[0].getDouble(row), in[1].getDouble(row), in[2].getDouble(row), in[3].getDouble(row));
        String west = plain(box.west());
        // Over the antimeridian a polygon goes by longitudes beyond 180.
        String east = plain(box.crossesAntimeridian() ? box.east() + 360 : box.east());
        String south = plain(box.south());
        String north = plain(box.north());
        out.setString(
                row,
                "POLYGON ((" + west + " " + south + ", " + east + " " + south + ", " + east + " " + north + ", " + west
                        + " " + north + ", " + west + " " + south + "))");
    }
}
