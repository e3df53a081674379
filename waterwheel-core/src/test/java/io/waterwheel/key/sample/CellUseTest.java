package io.waterwheel.key.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyDimensions;
import io.waterwheel.tuple.ScaleVersion;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.IntUnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** How many cells keys make use of, beside a count by hand; and which keys are kept. */
final class CellUseTest {
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("kind", FieldType.STRING, true),
                    new Field("height", FieldType.INT, false),
                    new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Dimensions(
                    List.of(
                            new Dimension("kind", 0, List.of(), List.of("b", "c", "d")),
                            new Dimension("height", 6, List.of("0", "1000"), List.of())),
                    List.of()),
            "t");
    private static final KeyDimensions DIMENSIONS = KeyDimensions.of(SCHEMA);

    private static long key(int kind, int height) {
        return DIMENSIONS.cellOf(0, kind) | DIMENSIONS.cellOf(1, height);
    }

    @Test
    void numbersOfCellsAreThoseThatWerePutIn() {
        for (int kind = 0; kind < 8; kind++) {
            for (int height = 0; height < 64; height++) {
                assertThat(DIMENSIONS.number(0, key(kind, height))).isEqualTo(kind);
                assertThat(DIMENSIONS.number(1, key(kind, height))).isEqualTo(height);
            }
        }
    }

    @Test
    void evenCellsAreAllInUseAndOneValueUsesOne() {
        Random random = new Random(1);
        long[] keys =
                random.ints(4096, 0, 64).mapToLong(height -> key(2, height)).toArray();
        List<CellUse> uses = CellUse.of(SCHEMA, keys);
        assertThat(uses).extracting(CellUse::field).containsExactly("kind", "height");
        assertThat(uses).extracting(CellUse::cells).containsExactly(5, 64);
        assertThat(uses.get(0).used()).isCloseTo(1, within(1e-9));
        // Three bits number eight cells: no room was wanted for more values.
        assertThat(uses.get(0).crowded()).isFalse();
        assertThat(uses.get(1).used()).isBetween(62.0, 64.0);
        assertThat(uses.get(1).crowded()).isFalse();
    }

    @Test
    void rowsThatMovedOnCrowd() {
        Random random = new Random(2);
        long[] keys = random.longs(3000)
                .map(row -> key((int) (row >>> 8 & 3), (row & 7) == 0 ? (int) (row >>> 16 & 63) : 63))
                .toArray();
        CellUse height = CellUse.of(SCHEMA, keys).get(1);
        Map<Long, Integer> rows = new HashMap<>();
        Arrays.stream(keys).forEach(key -> rows.merge(key & DIMENSIONS.mask(1), 1, Integer::sum));
        double product = 1;
        for (int of : rows.values()) {
            product *= Math.pow(of / 3000.0, -of / 3000.0);
        }
        assertThat(height.used()).isCloseTo(product, within(1e-6));
        assertThat(height.crowded()).isTrue();
    }

    private static CellUse few(Field field, Dimension dimension, IntUnaryOperator numberOfRow) {
        Schema schema = new Schema(
                List.of(field, SCHEMA.fields().get(1), SCHEMA.fields().get(2)),
                new KeySpec.Dimensions(
                        List.of(dimension, new Dimension("height", 6, List.of("0", "1000"), List.of())), List.of()),
                "t");
        KeyDimensions dimensions = KeyDimensions.of(schema);
        return CellUse.of(
                        schema,
                        LongStream.range(0, 2000)
                                .map(row -> dimensions.cellOf(0, numberOfRow.applyAsInt((int) row))
                                        | dimensions.cellOf(1, (int) (row & 63)))
                                .toArray())
                .get(0);
    }

    /** One row of twenty lies elsewhere. */
    private static int nearlyAll(int row, int number) {
        return row % 20 == 0 ? number ^ 1 : number;
    }

    @Test
    void fewCellsCrowdToo() {
        Field number = new Field("a", FieldType.INT, false);
        Field nullable = new Field("a", FieldType.DOUBLE, true);
        for (int bits = 1; bits <= 5; bits++) {
            int last = (1 << bits) - 1;
            Dimension range = new Dimension("a", bits, List.of("0", "1000"), List.of());
            int few = bits;
            assertThat(few(number, range, row -> few < 3 ? last : nearlyAll(row, last))
                            .crowded())
                    .as("%s bits", bits)
                    .isTrue();
            assertThat(few(number, range, row -> row & last).crowded()).isFalse();
        }
        Dimension learned = new Dimension("a", 2, List.of(), List.of("2.5", "7"));
        assertThat(few(nullable, learned, row -> 3).crowded()).isTrue();
        assertThat(few(nullable, learned, row -> 0).crowded())
                .as("no cuts divide nulls")
                .isFalse();
    }

    /** Where each value has a cell of its own, no cuts can divide better, however many rows have one of them. */
    @Test
    void fewValuesDoNotCrowd() {
        Field number = new Field("a", FieldType.INT, false);
        for (int at = 0; at < 4; at++) {
            int cell = at;
            for (Dimension each : List.of(
                    new Dimension("a", 2, List.of("0", "3"), List.of()),
                    new Dimension("a", 3, List.of("0", "3"), List.of()),
                    new Dimension("a", 2, List.of(), List.of("5", "6", "7")),
                    new Dimension("a", 3, List.of(), List.of("10", "20", "30")))) {
                assertThat(few(number, each, row -> nearlyAll(row, cell)).crowded())
                        .as("%s, cell %s", each, cell)
                        .isFalse();
            }
        }
        // As many values as the bits number: each has a cell, and most rows have one of them.
        Field text = new Field("a", FieldType.STRING, false);
        Dimension two = new Dimension("a", 1, List.of(), List.of("b"));
        Dimension four = new Dimension("a", 2, List.of(), List.of("b", "c", "d"));
        CellUse of92 = few(text, two, row -> row % 25 < 2 ? 1 : 0);
        assertThat(of92.used()).isCloseTo(1.32, within(0.01));
        assertThat(of92.crowded()).isFalse();
        assertThat(few(text, four, row -> row % 25 < 21 ? 0 : row % 4).crowded())
                .isFalse();
        assertThat(few(text, four, row -> 3).crowded()).isTrue();
        // One value is all that a cell holds.
        for (Dimension one : List.of(
                new Dimension("a", 1, List.of("0", "1"), List.of()),
                new Dimension("a", 1, List.of("-7", "-5"), List.of()),
                new Dimension("a", 1, List.of(), List.of("1")),
                new Dimension("a", 3, List.of("0", "7"), List.of()))) {
            assertThat(few(number, one, row -> 0).crowded()).as("%s", one).isFalse();
            assertThat(few(number, one, row -> 1).crowded()).as("%s", one).isFalse();
        }
        assertThat(few(number, new Dimension("a", 1, List.of("0", "3"), List.of()), row -> 1)
                        .crowded())
                .isTrue();
        Dimension kinds = new Dimension("a", 3, List.of(), List.of("b", "c", "d"));
        assertThat(few(new Field("a", FieldType.STRING, false), kinds, row -> nearlyAll(row, 3))
                        .crowded())
                .isFalse();
        assertThat(few(
                                new Field("a", FieldType.BOOLEAN, false),
                                new Dimension("a", 1, List.of(), List.of()),
                                row -> nearlyAll(row, 1))
                        .crowded())
                .isFalse();
    }

    @Test
    void fewKeysSayNothing() {
        assertThat(CellUse.of(SCHEMA, new long[CellUse.LEAST_KEYS - 1])).isEmpty();
        assertThat(CellUse.of(SCHEMA, new long[CellUse.LEAST_KEYS])).hasSize(2);
        Schema one = new Schema(SCHEMA.fields(), new KeySpec.Ordered("height"), "t");
        assertThat(CellUse.of(one, new long[CellUse.LEAST_KEYS])).isEmpty();
    }

    /** What crowded is what the scales were changed for: the new ones are judged by keys of their own. */
    @Test
    void keysByOtherScalesSayNothing() {
        KeySpec.Dimensions key = (KeySpec.Dimensions) SCHEMA.key();
        Schema scaled = SCHEMA.withKey(key.withScales(List.of(
                new Dimension("kind", 3, List.of(), List.of("b", "c")),
                new Dimension("height", 6, List.of("1000", "1100"), List.of()))));
        RecentKeys recent = new RecentKeys(new Random(5));
        recent.add(LongStream.generate(() -> key(1, 63)).limit(2000).toArray());
        assertThat(CellUse.of(SCHEMA, recent.keys()).get(1).crowded()).isTrue();
        assertThat(CellUse.of(scaled, recent.keys())).isEmpty();
        long[] next = LongStream.range(0, 2048)
                .map(row -> ScaleVersion.prefix(2) | key((int) (row & 3), (int) (row & 63)))
                .toArray();
        // One partition adopts a table after the other.
        long[] both = LongStream.concat(LongStream.generate(() -> key(1, 63)).limit(2000), Arrays.stream(next, 0, 1023))
                .toArray();
        assertThat(CellUse.of(scaled, both)).isEmpty();
        long[] enough = LongStream.concat(Arrays.stream(both), Arrays.stream(next, 1023, 1024))
                .toArray();
        assertThat(CellUse.of(scaled, enough)).hasSize(2).isEqualTo(CellUse.of(scaled, Arrays.copyOf(next, 1024)));
        recent.add(both);
        assertThat(CellUse.of(scaled, recent.keys())).isEmpty();
        recent.add(Arrays.copyOfRange(next, 1023, 2048));
        List<CellUse> uses = CellUse.of(scaled, recent.keys());
        assertThat(uses).extracting(CellUse::cells).containsExactly(4, 64);
        assertThat(uses.get(1).used()).isCloseTo(64, within(1e-6));
        // A coordinator that has not heard of the new scales yet.
        assertThat(CellUse.of(SCHEMA, recent.keys())).isEmpty();
    }

    /** Of the first samples all keys, then some of each; those of long ago are gone. */
    @Test
    void theNewestKeysAreKept() {
        RecentKeys recent = new RecentKeys(new Random(3));
        long next = 0;
        Set<Long> all = new HashSet<>();
        Random random = new Random(4);
        for (int round = 0; round < 2000; round++) {
            long[] sample = new long[1 + random.nextInt(512)];
            for (int i = 0; i < sample.length; i++) {
                sample[i] = next++;
                all.add(sample[i]);
            }
            int before = recent.keys().length;
            recent.add(sample);
            long[] keys = recent.keys();
            assertThat(keys.length).isEqualTo(Math.min(RecentKeys.KEYS, before + sample.length));
            if (round % 100 == 0) {
                assertThat(Arrays.stream(keys).allMatch(all::contains)).isTrue();
                assertThat(Arrays.stream(keys).distinct().count()).isEqualTo(keys.length);
            }
        }
        // The last 300 samples have at most 512 keys each.
        long oldest = next - 300L * 512;
        assertThat(Arrays.stream(recent.keys()).min().orElseThrow()).isGreaterThanOrEqualTo(oldest);
    }
}
