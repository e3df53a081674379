package io.waterwheel.benchmark.endtoend;

import io.waterwheel.benchmark.FetchedDriver;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Locale;
import java.util.Properties;

/**
 * Counts the positions in each polygon by DuckDB alone, in a process of its own that {@link RegionJoinTimes} starts.
 * Linux only.
 */
final class PlainRegionJoin {
    /** A position lies in a polygon when a ray from it crosses an odd number of edges. */
    private static final String COUNTS = """
        SELECT zone, COUNT(*) FILTER (WHERE crossed % 2 = 1) AS n FROM (
          SELECT c.id, c.zone, COUNT(*) FILTER (
            WHERE (e.y1 > c.lat) <> (e.y2 > c.lat)
              AND c.lon < (e.x2 - e.x1) * (c.lat - e.y1) / (e.y2 - e.y1) + e.x1) AS crossed
          FROM (SELECT p.id, p.lon, p.lat, b.zone FROM positions p JOIN bounds b
            ON p.lon >= b.west AND p.lon <= b.east AND p.lat >= b.south AND p.lat <= b.north) c
          JOIN edges e ON c.zone = e.zone GROUP BY c.id, c.zone) GROUP BY zone
        """;

    private PlainRegionJoin() {}

    /**
     * Prints of each polygon its number and its count, then what that took.
     *
     * @param arguments the driver's jar, the positions and the edges as CSV, the rounds
     */
    public static void main(String[] arguments) throws Exception {
        try (Connection connection =
                        FetchedDriver.DUCKDB.load(Path.of(arguments[0])).connect("jdbc:duckdb:", new Properties());
                Statement statement = connection.createStatement()) {
            statement.execute("SET threads=" + Runtime.getRuntime().availableProcessors());
            statement.execute("CREATE TABLE positions AS SELECT row_number() OVER () AS id, lon, lat FROM read_csv('"
                    + arguments[1] + "')");
            statement.execute("CREATE TABLE edges AS SELECT * FROM read_csv('" + arguments[2] + "')");
            statement.execute("CREATE TABLE bounds AS SELECT zone, MIN(x1) AS west, MAX(x1) AS east, MIN(y1) AS south,"
                    + " MAX(y1) AS north FROM edges GROUP BY zone");
            int rounds = Integer.parseInt(arguments[3]);
            double[] took = new double[rounds];
            long before = LaunchedServer.ownCpuMillis();
            StringBuilder counts = new StringBuilder();
            for (int round = 0; round < rounds; round++) {
                counts.setLength(0);
                long begin = System.nanoTime();
                try (ResultSet result =
                        statement.executeQuery("SELECT b.zone, COALESCE(c.n, 0) FROM bounds b LEFT JOIN (" + COUNTS
                                + ") c ON b.zone = c.zone ORDER BY b.zone")) {
                    while (result.next()) {
                        counts.append(result.getLong(1))
                                .append(' ')
                                .append(result.getLong(2))
                                .append('\n');
                    }
                }
                took[round] = (System.nanoTime() - begin) / 1e6;
            }
            double processor = (LaunchedServer.ownCpuMillis() - before) / (double) rounds;
            System.out.print(counts);
            Arrays.sort(took);
            System.out.printf(
                    Locale.ROOT,
                    "%.0f ms (%.0f to %.0f), processor time %.0f ms, memory %,d MB at most%n",
                    took[rounds / 2],
                    took[0],
                    took[rounds - 1],
                    processor,
                    JdbcRows.peakKilobytes(Path.of("/proc/self/status")) >> 10);
        }
    }
}
