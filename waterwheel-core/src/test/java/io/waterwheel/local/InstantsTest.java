package io.waterwheel.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.InstantRange;
import io.waterwheel.query.Query;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Bounds of time that are finer than a millisecond, and moments that no field can hold, against whole streams. */
final class InstantsTest {
    private static final Instant BASE = Instant.parse("2021-10-07T12:00:00Z");
    private static final String BEYOND = "TIMESTAMP '9999-12-31 23:59:59.999999999Z'";
    private static final String LONG_AGO = "TIMESTAMP '0001-01-01 00:00:00.000000001Z'";

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(
            value = FieldType.Kind.class,
            names = {"TIMESTAMP", "TIMESTAMP_US", "TIMESTAMP_NS"})
    void boundsAreExactInEveryUnit(FieldType.Kind kind) throws Exception {
        FieldType type = FieldType.valueOf(kind.name());
        TimestampUnit unit = type.resolution();
        for (long seed = 0; seed < 4; seed++) {
            Random random = new Random(seed);
            List<Instant> times = new ArrayList<>();
            try (LocalStream stream = open(type, "s" + seed)) {
                for (int part = 0; part < 2; part++) {
                    TupleBlock block = new TupleBlock(stream.layout(), 0);
                    for (int i = 0; i < 300; i++) {
                        long units =
                                switch (random.nextInt(30)) {
                                    case 0 -> Long.MIN_VALUE;
                                    case 1 -> Long.MAX_VALUE;
                                    default -> unit.units(near(random));
                                };
                        times.add(unit.instant(units));
                        insert(stream, block, i + "," + units);
                    }
                    stream.insert(block);
                    if (part == 0) {
                        stream.flush();
                    }
                }
                for (int q = 0; q < 200; q++) {
                    InstantRange range = range(random, times);
                    TimeInterval millis = random.nextInt(3) > 0
                            ? TimeInterval.ALL
                            : range(random, times).millis();
                    long expected = times.stream()
                            .filter(time -> !time.isBefore(range.from()) && !time.isAfter(range.to()))
                            .filter(time -> millis.contains(unit.toMillis(unit.units(time))))
                            .count();
                    Query query = stream.query().withInstants(range).withTimes(millis);
                    String about = type + ", seed " + seed + ", question " + q + ": " + range + ", " + millis;
                    assertThat(stream.answer(query, rows -> true).tuples())
                            .as(about)
                            .isEqualTo(expected);
                    assertThat(stream.answer(query.withCount(), rows -> true).tuples())
                            .as(about)
                            .isEqualTo(expected);
                }
            }
        }
    }

    /** Some lie beyond what nanoseconds count, some are those of a tuple, or just beside it. */
    private static InstantRange range(Random random, List<Instant> times) {
        Instant a = bound(random, times);
        Instant b = bound(random, times);
        return a.isAfter(b) ? new InstantRange(b, a) : new InstantRange(a, b);
    }

    private static Instant bound(Random random, List<Instant> times) {
        return switch (random.nextInt(12)) {
            case 0 -> Instant.MIN;
            case 1 -> Instant.MAX;
            case 2 -> Instant.parse("9999-12-31T23:59:59.999999999Z");
            case 3 -> Instant.parse("0001-01-01T00:00:00.000000001Z");
            case 4, 5 -> near(random);
            // Not beside the ends of what 64 bits count: a condition names the years 1 to 9999.
            default -> {
                Instant time = times.get(random.nextInt(times.size()));
                yield time.isBefore(BASE.minusSeconds(9)) || time.isAfter(BASE.plusSeconds(9))
                        ? BASE
                        : time.plusNanos(random.nextInt(3) - 1);
            }
        };
    }

    private static Instant near(Random random) {
        return BASE.plusNanos(random.nextInt(5_000) * (random.nextBoolean() ? 1L : 1_000L));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "T < BEYOND | 3",
                "T <= BEYOND | 3",
                "T > BEYOND | 0",
                "T = BEYOND | 0",
                "T <> BEYOND | 3",
                "BEYOND > T | 3",
                "BEYOND < T | 0",
                "T > LONG_AGO | 3",
                "T < LONG_AGO | 0",
                "T BETWEEN LONG_AGO AND BEYOND | 3",
                "T NOT BETWEEN LONG_AGO AND BEYOND | 0",
                "BEYOND BETWEEN T AND BEYOND | 3",
                "T IN (BEYOND, TIMESTAMP '1970-01-01 00:00:00.001Z') | 1",
                "T NOT IN (BEYOND) | 3",
                "BEYOND IN (LONG_AGO, BEYOND) | 4",
                "BEYOND IN (LONG_AGO) | 0",
                "BEYOND NOT IN (LONG_AGO) | 4",
                "BEYOND NOT IN (LONG_AGO, NULL) | 0",
                "BEYOND = BEYOND AND LONG_AGO < BEYOND AND LONG_AGO <> BEYOND | 4",
                "BEYOND IS NULL | 0",
                "BEYOND IS NOT NULL | 4",
                "NULLIF(T, BEYOND) = T | 3",
                "COALESCE(T, t) < BEYOND | 4",
                "COALESCE(T, t) >= BEYOND | 0",
                "COALESCE(T, t) = BEYOND | 0",
                "COALESCE(T, t) <> BEYOND | 4",
                "COALESCE(T, t) > LONG_AGO | 4",
                "COALESCE(T, t) BETWEEN LONG_AGO AND BEYOND | 4",
            })
    void momentsThatNoFieldHoldsAreCompared(String condition, long expected) throws Exception {
        Schema schema = new Schema(
                List.of(
                        new Field("k", FieldType.LONG, false),
                        new Field("t", FieldType.TIMESTAMP, false),
                        new Field("us", FieldType.TIMESTAMP_US, true),
                        new Field("ns", FieldType.TIMESTAMP_NS, true),
                        new Field("ms", FieldType.TIMESTAMP, true)),
                new KeySpec.Ordered("k"),
                "t");
        try (LocalStream stream = LocalStream.open(folder.resolve("m"), "s", schema, LocalSettings.DEFAULT)) {
            TupleBlock block = new TupleBlock(stream.layout(), 0);
            RecordDecoder decoder = RecordDecoder.of(RecordFormat.CSV, schema);
            for (String row : List.of("1,1,1000,1000000,1", "2,2,-5,-5,-5", "3,3,7,9223372036854775807,7", "4,4,,,")) {
                decoder.decode(ByteBuffer.wrap(row.getBytes(UTF_8)), block);
            }
            stream.insert(block);
            String text = condition.replace("BEYOND", BEYOND).replace("LONG_AGO", LONG_AGO);
            for (String field : List.of("ms", "us", "ns")) {
                // A moment is TIMESTAMP, with a T.
                String where = text.replaceAll("\\bT\\b", field);
                assertThat(stream.answer(stream.query().withWhere(where).withCount(), rows -> true)
                                .tuples())
                        .as(where)
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void aMomentThatNoFieldHoldsIsNoValue() throws Exception {
        try (LocalStream stream = open(FieldType.TIMESTAMP_NS, "v")) {
            assertThatThrownBy(() -> stream.answer(
                            stream.query().withWhere("COALESCE(NULL, " + BEYOND + ") > at"), rows -> true))
                    .isInstanceOf(WaterwheelException.class)
                    .hasMessageContaining("as a value with nanoseconds a time must lie in the years 1678 to 2261");
        }
    }

    private LocalStream open(FieldType type, String name) throws Exception {
        Schema schema = new Schema(
                List.of(new Field("k", FieldType.LONG, false), new Field("at", type, false)),
                new KeySpec.Ordered("k"),
                "at");
        return LocalStream.open(folder.resolve(name), "s", schema, LocalSettings.DEFAULT);
    }

    private static void insert(LocalStream stream, TupleBlock block, String row) throws Exception {
        FieldType type = stream.layout().fields().get(1).type();
        Schema schema = new Schema(
                List.of(new Field("k", FieldType.LONG, false), new Field("at", type, false)),
                new KeySpec.Ordered("k"),
                "at");
        RecordDecoder.of(RecordFormat.CSV, schema).decode(ByteBuffer.wrap(row.getBytes(UTF_8)), block);
    }
}
