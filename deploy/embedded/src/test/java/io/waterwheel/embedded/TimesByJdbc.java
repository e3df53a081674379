package io.waterwheel.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.client.Appender;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** Times of each unit, bound by the published JDBC driver, against a list of the rows. */
final class TimesByJdbc {
    private static final Instant FIRST = Instant.parse("2018-03-24T17:30:00Z");
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("id", FieldType.LONG, false),
                    new Field("millis", FieldType.TIMESTAMP, false),
                    new Field("micros", FieldType.TIMESTAMP_US, true),
                    new Field("nanos", FieldType.TIMESTAMP_NS, true)),
            new KeySpec.Ordered("id"),
            "millis");

    private final WaterwheelClient client;
    private final String address;

    TimesByJdbc(WaterwheelClient client, String url) {
        this.client = client;
        this.address = url.replace("grpc://", "");
    }

    void areThoseOfAList() throws Exception {
        client.createStream(new StreamDefinition("bound_times", "bound_times", RecordFormat.BLOCK, 2, SCHEMA));
        List<Instant> times = new ArrayList<>();
        Map<Integer, Long> written;
        try (Appender appender = client.appender("bound_times")) {
            for (long id = 0; id < 100; id++) {
                Instant time = FIRST.plus(id * 250_007, ChronoUnit.MICROS).plusNanos(id % 3);
                times.add(time);
                appender.append(id, time.truncatedTo(ChronoUnit.MILLIS), time.truncatedTo(ChronoUnit.MICROS), time);
            }
            written = appender.flush();
        }
        try (Connection connection = connect(written)) {
            for (String column : List.of("millis", "micros", "nanos")) {
                isComparedAsTheList(connection, column, times);
            }
            finerCountsAreRefused(connection);
            areStored(connection);
        }
    }

    private Connection connect(Map<Integer, Long> written) throws SQLException {
        List<String> seen = new ArrayList<>();
        written.forEach((partition, offset) -> seen.add("bound_times:" + partition + ":" + offset));
        return DriverManager.getConnection("jdbc:arrow-flight-sql://" + address
                + "/?useEncryption=false&x-waterwheel-at-least=" + String.join(",", seen));
    }

    private static Calendar utc() {
        return Calendar.getInstance(TimeZone.getTimeZone("UTC"));
    }

    private static long asked(PreparedStatement statement, Instant... bounds) throws SQLException {
        for (int b = 0; b < bounds.length; b++) {
            statement.setTimestamp(b + 1, Timestamp.from(bounds[b]), utc());
        }
        try (ResultSet row = statement.executeQuery()) {
            assertThat(row.next()).isTrue();
            return row.getLong(1);
        }
    }

    private static long listed(IntPredicate holds, List<Instant> times) {
        return IntStream.range(0, times.size()).filter(holds).count();
    }

    private static void isComparedAsTheList(Connection connection, String column, List<Instant> times)
            throws SQLException {
        ChronoUnit unit = ChronoUnit.valueOf(column.toUpperCase(Locale.ROOT));
        List<Instant> values =
                times.stream().map(time -> time.truncatedTo(unit)).toList();
        String count = "SELECT COUNT(*) FROM bound_times WHERE ";
        try (PreparedStatement from = connection.prepareStatement(count + column + " >= ?");
                PreparedStatement between = connection.prepareStatement(count + column + " BETWEEN ? AND ?");
                PreparedStatement equal = connection.prepareStatement(count + column + " IN (?, ?)");
                PreparedStatement latest = connection.prepareStatement(
                        "SELECT COUNT(*) FROM (SELECT id FROM bound_times GROUP BY id HAVING MAX(" + column
                                + ") < ?) t")) {
            for (Instant bound : List.of(
                    FIRST.minusSeconds(1),
                    FIRST,
                    values.get(17).truncatedTo(ChronoUnit.MILLIS),
                    FIRST.plusMillis(12_345),
                    Instant.parse("2100-01-01T00:00:00Z"))) {
                Instant end = bound.plusSeconds(5);
                assertThat(asked(from, bound))
                        .as("%s from %s", column, bound)
                        .isEqualTo(listed(i -> !values.get(i).isBefore(bound), values));
                assertThat(asked(between, bound, end))
                        .as("%s between %s", column, bound)
                        .isEqualTo(listed(
                                i -> !values.get(i).isBefore(bound)
                                        && !values.get(i).isAfter(end),
                                values));
                assertThat(asked(equal, bound, end))
                        .as("%s at %s", column, bound)
                        .isEqualTo(listed(
                                i -> values.get(i).equals(bound)
                                        || values.get(i).equals(end),
                                values));
                assertThat(asked(latest, bound))
                        .as("%s before %s", column, bound)
                        .isEqualTo(listed(i -> values.get(i).isBefore(bound), values));
            }
        }
    }

    /** The driver writes a number as it stands, and is told of milliseconds. */
    private static void finerCountsAreRefused(Connection connection) throws SQLException {
        long millis = FIRST.toEpochMilli();
        for (String column : List.of("micros", "nanos")) {
            try (PreparedStatement statement =
                    connection.prepareStatement("SELECT COUNT(*) FROM bound_times WHERE " + column + " >= ?")) {
                for (long finer : new long[] {millis * 1000, millis * 1_000_000}) {
                    statement.setLong(1, finer);
                    assertThatThrownBy(statement::executeQuery)
                            .hasStackTraceContaining("value 1: expected a time in milliseconds since 1970");
                }
                statement.setLong(1, millis);
                try (ResultSet row = statement.executeQuery()) {
                    assertThat(row.next()).isTrue();
                    assertThat(row.getLong(1)).isEqualTo(100);
                }
            }
        }
    }

    private static void areStored(Connection connection) throws SQLException {
        Instant time = Instant.parse("2024-07-01T12:00:00.123Z");
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO bound_times VALUES (?, ?, ?, ?)")) {
            for (long id = 1000; id < 1004; id++) {
                insert.setLong(1, id);
                for (int column = 2; column <= 4; column++) {
                    insert.setTimestamp(column, Timestamp.from(time.plusSeconds(id)), utc());
                }
                if (id == 1000) {
                    assertThat(insert.executeUpdate()).isEqualTo(1);
                } else {
                    if (id == 1003) {
                        insert.setNull(3, Types.TIMESTAMP);
                    }
                    insert.addBatch();
                }
            }
            assertThat(insert.executeBatch()).containsExactly(3);
            insert.setLong(1, 2000);
            insert.setTimestamp(2, Timestamp.from(time), utc());
            insert.setLong(3, time.toEpochMilli() * 1000);
            insert.setNull(4, Types.TIMESTAMP);
            assertThatThrownBy(insert::executeUpdate)
                    .hasStackTraceContaining("value 3: expected a time in milliseconds");
        }
        List<String> stored = new ArrayList<>();
        try (PreparedStatement read = connection.prepareStatement(
                "SELECT id, millis, micros, nanos FROM bound_times WHERE id >= ? ORDER BY id")) {
            read.setLong(1, 1000);
            Waiting.until("the rows are seen", () -> {
                stored.clear();
                try (ResultSet row = read.executeQuery()) {
                    while (row.next()) {
                        List<String> cells = new ArrayList<>(List.of(row.getString(1)));
                        for (int column = 2; column <= 4; column++) {
                            Timestamp cell = row.getTimestamp(column, utc());
                            cells.add(cell == null ? "null" : cell.toInstant().toString());
                        }
                        stored.add(String.join(" ", cells));
                    }
                }
                return stored.size() == 4;
            });
        }
        List<String> expected = new ArrayList<>();
        for (long id = 1000; id < 1004; id++) {
            Instant one = time.plusSeconds(id);
            expected.add(id + " " + one + " " + (id == 1003 ? "null" : one) + " " + one);
        }
        assertThat(stored).isEqualTo(expected);
    }
}
