package io.waterwheel.benchmark.endtoend;

import io.waterwheel.benchmark.FetchedDriver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Properties;

/** Reads all rows of a statement by JDBC, in a process of its own that {@link StatementTimes} starts. Linux only. */
final class JdbcRows {
    private JdbcRows() {}

    /**
     * Reads them, and prints their number, the sum of the first column, and the most memory in kilobytes.
     *
     * @param arguments the driver's jar, the address, the statement
     */
    public static void main(String[] arguments) throws Exception {
        try (Connection connection = FetchedDriver.FLIGHT_SQL
                        .load(Path.of(arguments[0]))
                        .connect(
                                "jdbc:arrow-flight-sql://" + arguments[1] + "/?useEncryption=false", new Properties());
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(arguments[2])) {
            long rows = 0;
            long sum = 0;
            while (result.next()) {
                sum += result.getLong(1);
                rows++;
            }
            System.out.println(rows + " " + sum + " " + peakKilobytes(Path.of("/proc/self/status")));
        }
    }

    /** The most memory that a process had at a time. */
    static long peakKilobytes(Path status) throws Exception {
        for (String line : Files.readAllLines(status)) {
            if (line.startsWith("VmHWM:")) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        throw new IllegalStateException(status + " has no VmHWM");
    }
}
