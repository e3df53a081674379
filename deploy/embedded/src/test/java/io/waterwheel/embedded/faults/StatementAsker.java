package io.waterwheel.embedded.faults;

import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TimeStampVector;

/** Asks statements by one of two drivers; values come as texts, times as milliseconds. */
interface StatementAsker extends AutoCloseable {
    List<List<String>> rows(String statement) throws Exception;

    @Override
    void close();

    /**
     * One that asks a server.
     *
     * @param jdbc by the published driver as it is, else by Arrow's client for Flight SQL
     */
    static StatementAsker of(String url, boolean jdbc) throws SQLException {
        URI server = URI.create(url);
        return jdbc ? new ByJdbc(server) : new ByFlightSql(server);
    }

    /** Values of a JDBC answer as texts. */
    static List<List<String>> texts(ResultSet answer) throws SQLException {
        Calendar utc = Calendar.getInstance(TimeZone.getTimeZone("UTC"), Locale.ROOT);
        List<List<String>> rows = new ArrayList<>();
        int columns = answer.getMetaData().getColumnCount();
        while (answer.next()) {
            List<String> row = new ArrayList<>();
            for (int c = 1; c <= columns; c++) {
                boolean time = answer.getMetaData().getColumnTypeName(c).startsWith("TIMESTAMP");
                Timestamp moment = time ? answer.getTimestamp(c, utc) : null;
                row.add(moment == null ? String.valueOf(answer.getObject(c)) : String.valueOf(moment.getTime()));
            }
            rows.add(row);
        }
        return rows;
    }

    /** One connection. */
    final class ByJdbc implements StatementAsker {
        private final Connection connection;

        ByJdbc(URI server) throws SQLException {
            connection = DriverManager.getConnection("jdbc:arrow-flight-sql://" + server.getHost() + ":"
                    + server.getPort() + "/?useEncryption=false&x-waterwheel-timeout=60");
        }

        @Override
        public List<List<String>> rows(String statement) throws SQLException {
            try (Statement asked = connection.createStatement();
                    ResultSet answer = asked.executeQuery(statement)) {
                return texts(answer);
            }
        }

        @Override
        public void close() {
            try {
                connection.close();
            } catch (SQLException e) {
                // Of a server that was killed it cannot end the session.
                System.err.println("statements: " + e.getMessage());
            }
        }
    }

    /** One client. */
    final class ByFlightSql implements StatementAsker {
        private final BufferAllocator memory = new RootAllocator();
        private final FlightSqlClient client;

        ByFlightSql(URI server) {
            client = new FlightSqlClient(
                    FlightClient.builder(memory, Location.forGrpcInsecure(server.getHost(), server.getPort()))
                            .build());
        }

        @Override
        public List<List<String>> rows(String statement) throws Exception {
            List<List<String>> rows = new ArrayList<>();
            FlightInfo info = client.execute(statement);
            try (FlightStream stream =
                    client.getStream(info.getEndpoints().get(0).getTicket())) {
                while (stream.next()) {
                    for (int r = 0; r < stream.getRoot().getRowCount(); r++) {
                        List<String> row = new ArrayList<>();
                        for (FieldVector column : stream.getRoot().getFieldVectors()) {
                            row.add(text(column, r));
                        }
                        rows.add(row);
                    }
                }
            }
            return rows;
        }

        private static String text(FieldVector column, int row) {
            return column instanceof TimeStampVector times && !times.isNull(row)
                    ? String.valueOf(times.get(row))
                    : String.valueOf(column.getObject(row));
        }

        @Override
        public void close() {
            try {
                client.close();
            } catch (Exception e) {
                System.err.println("statements: " + e.getMessage());
            }
            memory.close();
        }
    }
}
