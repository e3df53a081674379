package io.waterwheel.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyBox;
import io.waterwheel.tuple.KeyDimensions;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.ScaleVersion;
import io.waterwheel.tuple.TupleBlock;
import io.waterwheel.tuple.WantedCells;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Keys by several versions of scales, beside brute force over the rows. */
final class LaterScalesTest {
    private static final int BITS = 3;
    private static final int ROWS = 400;

    private static Dimension cut(String field, Random random, int from) {
        TreeSet<Integer> cuts = new TreeSet<>();
        for (int n = 1 + random.nextInt((1 << BITS) - 1); n > 0; n--) {
            cuts.add(from + random.nextInt(1000));
        }
        return new Dimension(
                field, BITS, List.of(), cuts.stream().map(String::valueOf).toList());
    }

    private static Schema schema(Random random, int versions) {
        KeySpec.Dimensions key = new KeySpec.Dimensions(List.of(cut("a", random, 0), cut("b", random, 0)), List.of());
        for (int version = 2; version <= versions; version++) {
            key = key.withScales(List.of(cut("a", random, version * 300), cut("b", random, 0)));
        }
        return new Schema(
                List.of(
                        new Field("a", FieldType.LONG, false),
                        new Field("b", FieldType.LONG, false),
                        new Field("t", FieldType.TIMESTAMP, false)),
                key,
                "t");
    }

    private static TupleBlock rows(RowLayout layout, Random random) {
        TupleBlock block = new TupleBlock(layout, ROWS);
        for (int row = 0; row < ROWS; row++) {
            LittleEndian.putLong(block.column(0), row * 8, random.nextInt(6000));
            LittleEndian.putLong(block.column(1), row * 8, random.nextInt(1000));
        }
        block.setSize(ROWS);
        return block;
    }

    private static long[] keys(KeyScheme scheme, RowLayout layout, TupleBlock block, int version) {
        scheme.maker(layout, version).fill(block, 0, (row, reason) -> {
            throw new AssertionError(reason);
        });
        return Arrays.copyOf(block.keys(), block.size());
    }

    private static void narrow(KeyNarrowing narrowing, int column, long[] bounds) {
        narrowing.within(column, bounds[0], bounds[1]);
    }

    private static boolean within(TupleBlock rows, int row, int column, long[] bounds) {
        long value = LittleEndian.getLong(rows.column(column), row * 8);
        return value >= bounds[0] && value <= bounds[1];
    }

    private static long[] bounds(Random random, int most) {
        long a = random.nextInt(most);
        long b = a + random.nextInt(most / 4);
        return new long[] {a, b};
    }

    @Test
    void whatMatchesIsWantedUnderEveryVersion() {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            int versions = 1 + random.nextInt(5);
            Schema schema = schema(random, versions);
            RowLayout layout = RowLayout.of(schema);
            KeyScheme scheme = KeyScheme.of(schema);
            TupleBlock rows = rows(layout, random);
            long[][] keys = new long[versions][];
            for (int version = 1; version <= versions; version++) {
                keys[version - 1] = keys(scheme, layout, rows, version);
            }
            long[] ofA = bounds(random, 6000);
            long[] ofB = bounds(random, 1000);
            boolean either = random.nextInt(3) == 0;
            KeyNarrowing narrowing = scheme.narrowing(layout);
            if (either) {
                KeyNarrowing one = scheme.narrowing(layout);
                KeyNarrowing other = scheme.narrowing(layout);
                narrow(one, 0, ofA);
                narrow(other, 1, ofB);
                narrow(other, 0, bounds(random, 6000));
                narrowing.any(List.of(one, other));
            }
            narrow(narrowing, 0, ofA);
            narrow(narrowing, 1, ofB);
            List<KeyInterval> intervals = narrowing.keys();
            for (int i = 1; i < intervals.size(); i++) {
                assertThat(intervals.get(i).low())
                        .isGreaterThan(intervals.get(i - 1).high());
            }
            WantedCells cells = narrowing.cells();
            assertThat(cells).isNotNull();
            KeyDimensions dimensions = KeyDimensions.of(schema);
            for (int group = 0; group < 60; group++) {
                // Rows of one leaf: each by a version of its own.
                int count = 1 + random.nextInt(5);
                int first = random.nextInt(versions);
                int span = random.nextInt(versions - first) + 1;
                long[] leaf = new long[count];
                boolean any = false;
                for (int i = 0; i < count; i++) {
                    int row = random.nextInt(ROWS);
                    long key = keys[first + random.nextInt(span)][row];
                    leaf[i] = key;
                    boolean matches = within(rows, row, 0, ofA) && within(rows, row, 1, ofB);
                    any |= matches;
                    assertThat(!matches || intervals.stream().anyMatch(interval -> interval.contains(key)))
                            .as("seed %d, row %d", seed, row)
                            .isTrue();
                }
                KeyBox box = dimensions.around(null, leaf, count);
                Arrays.sort(leaf);
                dimensions.requireBoxOf(new KeyInterval(leaf[0], leaf[count - 1]), box);
                if (any) {
                    assertThat(cells.missedBy(box, leaf[0], leaf[count - 1]))
                            .as("seed %d", seed)
                            .isEqualTo(WantedCells.NONE);
                    assertThat(cells.missedBetween(leaf[0], leaf[count - 1]))
                            .as("seed %d", seed)
                            .isEqualTo(WantedCells.NONE);
                }
            }
        }
    }

    @Test
    void rowsOfOneVersionAreRuledOutByItsOwnCells() {
        // By the first scales all lies beyond the last cut; by the second it is divided.
        KeySpec.Dimensions key = new KeySpec.Dimensions(
                        List.of(
                                new Dimension("a", BITS, List.of(), List.of("10", "20")),
                                new Dimension("b", BITS, List.of(), List.of("10"))),
                        List.of())
                .withScales(List.of(
                        new Dimension("a", BITS, List.of(), List.of("110", "120", "130")),
                        new Dimension("b", BITS, List.of(), List.of("10"))));
        Schema schema = schema(new Random(1), 1).withKey(key);
        RowLayout layout = RowLayout.of(schema);
        KeyScheme scheme = KeyScheme.of(schema);
        TupleBlock rows = new TupleBlock(layout, 2);
        LittleEndian.putLong(rows.column(0), 0, 115);
        LittleEndian.putLong(rows.column(0), 8, 135);
        rows.setSize(2);
        KeyNarrowing narrowing = scheme.narrowing(layout);
        narrowing.within(0, 132, 140);
        WantedCells cells = narrowing.cells();
        assertThat(cells).isNotNull();
        long[] first = keys(scheme, layout, rows, 1);
        long[] second = keys(scheme, layout, rows, 2);
        assertThat(cells.missedBetween(first[0], first[0])).isEqualTo(WantedCells.NONE);
        assertThat(cells.missedBetween(second[0], second[0])).isZero();
        assertThat(cells.missedBetween(second[1], second[1])).isEqualTo(WantedCells.NONE);
        // Of scales that nobody here knows: nothing is ruled out.
        long unknown = second[0] ^ ScaleVersion.prefix(2) ^ ScaleVersion.prefix(3);
        assertThat(cells.missedBetween(unknown, unknown)).isEqualTo(WantedCells.NONE);
        assertThat(scheme.derived(layout, unknown)).isNull();
    }

    @Test
    void keysOfVersionsAreApartAndInOrder() {
        Random random = new Random(7);
        Schema schema = schema(random, ScaleVersion.MOST);
        RowLayout layout = RowLayout.of(schema);
        KeyScheme scheme = KeyScheme.of(schema);
        TupleBlock rows = rows(layout, random);
        List<KeyInterval> domains = new ArrayList<>();
        for (int version = 1; version <= ScaleVersion.MOST; version++) {
            KeyInterval domain = scheme.domain(version);
            domains.add(domain);
            for (long key : keys(scheme, layout, rows, version)) {
                assertThat(ScaleVersion.of(key)).isEqualTo(version);
                assertThat(domain.contains(key)).isTrue();
                assertThat(scheme.domain().contains(key)).isTrue();
            }
        }
        for (int version = 2; version <= ScaleVersion.MOST; version++) {
            KeyInterval above = domains.get(version == ScaleVersion.MOST ? 0 : version);
            assertThat(domains.get(version - 1).high()).isLessThan(above.low());
        }
        assertThatThrownBy(() -> schema.withKey(((KeySpec.Dimensions) schema.key())
                        .withScales(List.of(cut("a", random, 0), cut("b", random, 0)))))
                .hasMessage("schema: the key: expected at most 16 versions of scales");
    }

    @Test
    void keysFollowFromColumnsByTheirVersion() {
        Random random = new Random(3);
        Schema schema = schema(random, 4);
        RowLayout layout = RowLayout.of(schema);
        KeyScheme scheme = KeyScheme.of(schema);
        TupleBlock rows = rows(layout, random);
        for (int version = 1; version <= 4; version++) {
            long[] keys = keys(scheme, layout, rows, version);
            DerivedKeys derived = scheme.derived(layout, keys[0]);
            assertThat(derived).isNotNull();
            DerivedKeys read = KeyScheme.derived(derived.kind(), layout, ByteBuffer.wrap(derived.parameters()));
            assertThat(read.parameters()).isEqualTo(derived.parameters());
            byte[][] columns = {rows.column(0), rows.column(1)};
            assertThat(read.keys(columns, new byte[2][], ROWS)).isEqualTo(keys);
            long[][] values = new long[2][ROWS];
            for (int row = 0; row < ROWS; row++) {
                values[0][row] = LittleEndian.getLong(columns[0], row * 8);
                values[1][row] = LittleEndian.getLong(columns[1], row * 8);
            }
            assertThat(read.makes(keys, values, ROWS)).isTrue();
            keys[ROWS / 2] ^= ScaleVersion.prefix(3) ^ ScaleVersion.prefix(2);
            assertThat(read.makes(keys, values, ROWS)).isFalse();
        }
        byte[] parameters = scheme.derived(layout, ScaleVersion.prefix(2)).parameters();
        for (int bad : new int[] {0, 1, 17, 255}) {
            parameters[0] = (byte) bad;
            assertThatThrownBy(() -> KeyScheme.derived(DimensionKeys.SCALED_KIND, layout, ByteBuffer.wrap(parameters)))
                    .hasMessage("expected a version of scales from 2 to 16, got " + bad);
        }
    }

    @Test
    void scalesThatDoNotFitAreRefused() {
        Schema schema = schema(new Random(5), 1);
        KeySpec.Dimensions key = (KeySpec.Dimensions) schema.key();
        Dimension a = cut("a", new Random(1), 0);
        Dimension b = cut("b", new Random(1), 0);
        Dimension wide = new Dimension("b", BITS + 1, List.of(), b.cuts());
        assertThatThrownBy(() -> schema.withKey(key.withScales(List.of(b, a))))
                .hasMessage("schema: scales, version 2: expected the dimensions a, b; got b, a");
        assertThatThrownBy(() -> schema.withKey(key.withScales(List.of(a, wide))))
                .hasMessage("schema: scales, version 2: expected the bits [3, 3], which never change, got [3, 4]");
        Dimension wrong = new Dimension("b", BITS, List.of(), List.of("5", "5"));
        assertThatThrownBy(() -> schema.withKey(key.withScales(List.of(a, wrong))))
                .hasMessageContaining("scales, version 2: dimension 'b'");
    }
}
