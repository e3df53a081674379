package io.waterwheel.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.client.Appender;
import io.waterwheel.client.AppenderSettings;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.decode.RandomRows;
import io.waterwheel.encode.TextRows;
import io.waterwheel.query.KeyRange;
import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.schema.text.Ipv4;
import io.waterwheel.tuple.TimeInterval;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Random rows of random schemas, appended, and asked for while they are in memory and when they are in chunks. */
final class RowsReadBack {
    private final WaterwheelClient client;

    RowsReadBack(WaterwheelClient client) {
        this.client = client;
    }

    void inEveryFormat() throws Exception {
        for (long seed = 1; seed <= 9; seed++) {
            Random random = new Random(seed);
            Schema schema = RandomRows.schema(random);
            RecordFormat format = List.of(RecordFormat.CSV, RecordFormat.JSON, RecordFormat.BLOCK)
                    .get((int) (seed % 3));
            String name = "random-" + seed;
            client.createStream(new StreamDefinition(name, name, format, 1 + random.nextInt(4), schema));
            List<@Nullable Object[]> rows = new ArrayList<>();
            AppenderSettings settings =
                    new AppenderSettings(Duration.ofMillis(5), 1 << 10, 1 << 20, Duration.ofMinutes(5));
            Map<Integer, Long> positions;
            try (Appender appender = Appender.open(client.describe(name), settings)) {
                for (int r = random.nextInt(3000); r >= 0; r--) {
                    @Nullable Object[] row = RandomRows.row(schema, random);
                    if (schema.key() instanceof KeySpec.Position) {
                        row[schema.indexOf("lon")] = random.nextInt(3_600_001) / 10_000.0 - 180;
                        row[schema.indexOf("lat")] = random.nextInt(1_800_001) / 10_000.0 - 90;
                    }
                    rows.add(row);
                    appender.append(row);
                }
                positions = appender.flush();
            }
            // Read your writes, from memory; then from chunks.
            check(name, schema, rows, positions, "seed " + seed + " " + format + " fresh");
            client.flush(name);
            check(name, schema, rows, Map.of(), "seed " + seed + " " + format + " flushed");
            client.drop(name);
        }
    }

    private void check(
            String name, Schema schema, List<@Nullable Object[]> rows, Map<Integer, Long> positions, String where) {
        Query all = Query.of(name).withAtLeast(positions);
        List<@Nullable Object[]> got = new ArrayList<>();
        try (Cursor cursor = client.query(all)) {
            while (cursor.next()) {
                @Nullable Object[] row = new @Nullable Object[schema.fields().size()];
                for (int f = 0; f < row.length; f++) {
                    row[f] = cursor.value(f);
                }
                got.add(row);
            }
            Verdict verdict = cursor.verdict();
            assertThat(verdict.complete()).as(where).isTrue();
            positions.forEach((partition, offset) ->
                    assertThat(verdict.positions().get(partition)).as(where).isGreaterThanOrEqualTo(offset));
        }
        assertThat(sorted(got)).as(where).isEqualTo(sorted(rows));

        int time = schema.indexOf("t");
        // Queries ask in milliseconds, whatever the field counts in.
        TimestampUnit unit = schema.fields().get(time).type().resolution();
        long middle = unit.toMillis((long) rows.get(rows.size() / 2)[time]);
        assertThat(client.count(Query.of(name).withTimes(new TimeInterval(Long.MIN_VALUE, middle))))
                .as(where)
                .isEqualTo(rows.stream()
                        .filter(row -> unit.toMillis((long) row[time]) <= middle)
                        .count());
        if (schema.key() instanceof KeySpec.Ordered key) {
            int field = schema.indexOf(key.field());
            Comparator<Object> order = order(schema.fields().get(field).type());
            Object low = Objects.requireNonNull(rows.get(0)[field]);
            KeyRange range = new KeyRange(TextRows.text(low), null);
            assertThat(client.count(Query.of(name).withKeyRanges(List.of(range))))
                    .as("%s from %s", where, range)
                    .isEqualTo(rows.stream()
                            .filter(row -> order.compare(Objects.requireNonNull(row[field]), low) >= 0)
                            .count());
        }
    }

    /** The order of a key field's values. */
    private static Comparator<Object> order(FieldType type) {
        return switch (type.kind()) {
            case INT, LONG, TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS ->
                Comparator.comparingLong(value -> ((Number) value).longValue());
            case FLOAT, DOUBLE -> Comparator.comparingDouble(value -> ((Number) value).doubleValue() + 0.0);
            case DECIMAL -> Comparator.comparing(value -> (BigDecimal) value);
            case BOOLEAN -> Comparator.comparing(value -> (Boolean) value);
            case IPV4 -> Comparator.comparingLong(value -> Ipv4.parse(utf8(value), 0, utf8(value).length));
            case STRING -> (a, b) -> Arrays.compareUnsigned(utf8(a), utf8(b));
            case UUID, IPV6 -> (a, b) -> Arrays.compareUnsigned(sixteen(type, a), sixteen(type, b));
            case BYTES -> (a, b) -> Arrays.compareUnsigned((byte[]) a, (byte[]) b);
        };
    }

    private static byte[] sixteen(FieldType type, Object text) {
        byte[] bytes = new byte[FieldType.SIXTEEN];
        assertThat(type.parseSixteen(utf8(text), 0, utf8(text).length, bytes)).isTrue();
        return bytes;
    }

    private static byte[] utf8(Object text) {
        return ((String) text).getBytes(StandardCharsets.UTF_8);
    }

    private static List<String> sorted(List<@Nullable Object[]> rows) {
        return rows.stream()
                .map(row -> Arrays.deepToString(row))
                .sorted(Comparator.naturalOrder())
                .toList();
    }
}
