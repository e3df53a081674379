package io.waterwheel.key.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.ScaleVersion;
import io.waterwheel.tuple.TupleBlock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class ScaleChangeTest {
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("a", FieldType.LONG, false),
                    new Field("b", FieldType.LONG, false),
                    new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Dimensions(
                    List.of(
                            new Dimension("a", 4, List.of(), List.of("10", "20", "30")),
                            new Dimension("b", 4, List.of("0", "160"), List.of())),
                    List.of()),
            "t");

    private static TupleBlock rows(int count, int leastA, int leastB, int widthB) {
        Random random = new Random(3);
        TupleBlock rows = new TupleBlock(RowLayout.of(SCHEMA), count);
        for (int row = 0; row < count; row++) {
            LittleEndian.putLong(rows.column(0), row * 8, leastA + random.nextInt(40));
            LittleEndian.putLong(rows.column(1), row * 8, leastB + random.nextInt(widthB));
        }
        rows.setSize(count);
        return rows;
    }

    @Test
    void rowsThatHaveMovedOnAreDividedAgain() {
        ScaleChange change = ScaleChange.learn(SCHEMA, rows(4000, 1000, 0, 160));
        assertThat(change.before().get(0).used()).isEqualTo(1);
        assertThat(change.after().get(0).used()).isGreaterThan(15);
        // A range that rows make use of stays as it is.
        assertThat(change.scales().get(1)).isEqualTo(new Dimension("b", 4, List.of("0", "160"), List.of()));
        assertThat(change.after().get(1).used())
                .isEqualTo(change.before().get(1).used());
        assertThat(Arrays.stream(change.keys()).allMatch(key -> ScaleVersion.of(key) == 2))
                .isTrue();
        for (int slots : new int[] {1, 2, 3, 7, 100}) {
            long[] boundaries = change.boundaries(slots);
            assertThat(boundaries).hasSize(slots - 1);
            for (int i = 1; i < boundaries.length; i++) {
                assertThat(boundaries[i]).isGreaterThan(boundaries[i - 1]);
            }
        }
        long half = change.boundaries(2)[0];
        assertThat(Arrays.stream(change.keys()).filter(key -> key < half).count())
                .isBetween(1500L, 2500L);
    }

    @Test
    void aRangeThatRowsCrowdInIsDividedByThem() {
        ScaleChange change = ScaleChange.learn(SCHEMA, rows(4000, 1000, 200, 50));
        assertThat(change.scales().get(1).range()).isEmpty();
        assertThat(change.after().get(1).used()).isGreaterThan(12);
    }

    private static ScaleChange ofFields(int fields, int bits, String high, IntUnaryOperator value) {
        List<Field> all = new ArrayList<>();
        List<Dimension> dimensions = new ArrayList<>();
        for (int f = 0; f < fields; f++) {
            all.add(new Field("f" + f, FieldType.LONG, false));
            dimensions.add(new Dimension("f" + f, bits, List.of("0", high), List.of()));
        }
        all.add(new Field("t", FieldType.TIMESTAMP, false));
        Schema schema = new Schema(all, new KeySpec.Dimensions(dimensions, List.of()), "t");
        TupleBlock rows = new TupleBlock(RowLayout.of(schema), 6000);
        for (int row = 0; row < 6000; row++) {
            for (int f = 0; f < fields; f++) {
                LittleEndian.putLong(rows.column(f), row * 8, value.applyAsInt(row * (2 * f + 1)));
            }
        }
        rows.setSize(6000);
        return ScaleChange.learn(schema, rows);
    }

    @Test
    void aRangeOfFewBitsIsDividedByRowsThatMovedOn() {
        ScaleChange change = ofFields(2, 2, "1000", i -> 5000 + i % 1000);
        assertThat(change.before()).allSatisfy(use -> assertThat(use.used()).isEqualTo(1));
        assertThat(change.before()).allMatch(CellUse::crowded);
        assertThat(change.after()).allSatisfy(use -> assertThat(use.used()).isGreaterThan(3.9));
    }

    @Test
    void aRangeOfFewValuesStays() {
        assertThatThrownBy(() -> ofFields(2, 2, "3", i -> i % 20 == 0 ? i / 20 % 4 : 1))
                .hasMessage("the scales are those in force: nothing would change");
    }

    /** Cuts of long texts take most of the room in the catalog: others get so few that there is room for more later. */
    @Test
    void whatIsLearnedLeavesRoomForLaterScales() {
        List<String> texts = IntStream.range(10_000, 11_000)
                .mapToObj(cut -> cut + "x".repeat(400))
                .toList();
        Schema schema = new Schema(
                List.of(
                        new Field("page", FieldType.STRING, false),
                        new Field("n", FieldType.LONG, false),
                        new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Dimensions(
                        List.of(
                                new Dimension("page", 11, List.of(), texts),
                                new Dimension("n", 12, List.of("0", "9"), List.of())),
                        List.of()),
                "t");
        TupleBlock rows = new TupleBlock(RowLayout.of(schema), 3000);
        for (int row = 0; row < 3000; row++) {
            byte[] page = ("https://example.org/" + row * 7919 % 3000).getBytes(StandardCharsets.UTF_8);
            LittleEndian.putLong(rows.column(0), row * 8, rows.addToArena(page, 0, page.length));
            LittleEndian.putLong(rows.column(1), row * 8, 1000 + row);
        }
        rows.setSize(3000);
        ScaleChange change = ScaleChange.learn(schema, rows);
        int length = change.scales().stream().mapToInt(Dimension::cutBytes).sum();
        assertThat(length).isBetween((458_752 - 1000 * 408) / 4, (458_752 - 1000 * 408) / 2);
        assertThat(change.scales().get(0).bytes()).isEqualTo(24);
        assertThat(change.after()).allSatisfy(use -> assertThat(use.used()).isGreaterThan(300));
    }

    /** One cut of a text that takes 24 bytes to be told apart counts three times, and there is room for one. */
    @Test
    void aTextThatFindsNoRoomStays() {
        for (int taken : new int[] {16_383, 16_300}) {
            Schema schema = new Schema(
                    List.of(
                            new Field("page", FieldType.STRING, false),
                            new Field("n", FieldType.LONG, false),
                            new Field("t", FieldType.TIMESTAMP, false)),
                    new KeySpec.Dimensions(
                            List.of(
                                    new Dimension("page", 10, List.of(), List.of("zzz")),
                                    new Dimension("n", 14, List.of(), listed(taken, 1))),
                            List.of()),
                    "t");
            int count = 4 * 16_384;
            TupleBlock rows = new TupleBlock(RowLayout.of(schema), count);
            for (int row = 0; row < count; row++) {
                byte[] page = ("https://example.org/" + row * 7919L % 3000).getBytes(StandardCharsets.UTF_8);
                LittleEndian.putLong(rows.column(0), row * 8, rows.addToArena(page, 0, page.length));
                LittleEndian.putLong(rows.column(1), row * 8, row % (taken + 1));
            }
            rows.setSize(count);
            if (taken == 16_383) {
                assertThatThrownBy(() -> ScaleChange.learn(schema, rows))
                        .hasMessage("the scales are those in force: nothing would change");
            } else {
                Dimension page = ScaleChange.learn(schema, rows).scales().get(0);
                assertThat(page.bytes()).isEqualTo(24);
                assertThat(page.cuts()).hasSizeBetween(20, 28);
            }
        }
    }

    @Test
    void dimensionsGetAsManyCellsAsTheyHaveBits() {
        ScaleChange change = ofFields(5, 11, "1000000000", i -> i * 7919 % 100_000);
        assertThat(change.scales())
                .extracting(dimension -> dimension.cuts().size())
                .containsExactly(2047, 2047, 2047, 2047, 2047);
        assertThat(change.after()).allSatisfy(use -> assertThat(use.used()).isGreaterThan(1800));
    }

    private static List<String> listed(int cuts, int width) {
        return IntStream.rangeClosed(1, cuts)
                .mapToObj(cut -> Integer.toString(cut * width))
                .toList();
    }

    /** With long fields f0, f1, ... */
    private static ScaleChange of(List<Dimension> dimensions, int count, IntBinaryOperator valueOfRowAndField) {
        List<Field> all = new ArrayList<>();
        dimensions.forEach(dimension -> all.add(new Field(dimension.field(), FieldType.LONG, false)));
        all.add(new Field("t", FieldType.TIMESTAMP, false));
        Schema schema = new Schema(all, new KeySpec.Dimensions(dimensions, List.of()), "t");
        TupleBlock rows = new TupleBlock(RowLayout.of(schema), count);
        for (int row = 0; row < count; row++) {
            for (int f = 0; f < dimensions.size(); f++) {
                LittleEndian.putLong(rows.column(f), row * 8, valueOfRowAndField.applyAsInt(row, f));
            }
        }
        rows.setSize(count);
        return ScaleChange.learn(schema, rows);
    }

    /** The range has as many cells as cuts would make; with its own the key has 16,382 cuts, and two more are room. */
    @Test
    void aRangeThatGoesBackTakesItsRoom() {
        List<String> range = List.of("0", "8191");
        List<Dimension> dimensions = List.of(
                new Dimension("f0", 13, range, List.of()),
                new Dimension("f1", 13, range, List.of()),
                new Dimension("f2", 10, List.of(), List.of("5", "9")));
        ScaleChange change = of(dimensions, 16384, (row, f) -> f == 0 ? row % 500 : f == 1 ? row % 8192 : row % 5000);
        assertThat(change.scales().subList(0, 2)).isEqualTo(dimensions.subList(0, 2));
        assertThat(change.scales().get(2).cuts()).hasSize(2);
        assertThat(change.after().get(2).used()).isGreaterThan(2.9);
    }

    /** Each of them has as many rows: no others do better. */
    @Test
    void cutsThatUseMoreStay() {
        Dimension fine = new Dimension("f0", 12, List.of(), listed(4095, 10));
        Dimension moved = new Dimension("f1", 4, List.of(), List.of("1", "2", "3"));
        ScaleChange change = of(List.of(fine, moved), 40960, (row, f) -> f == 0 ? row : 1000 + row % 100);
        assertThat(change.scales().get(0)).isEqualTo(fine);
        assertThat(change.after().get(0)).isEqualTo(change.before().get(0));
        assertThat(change.scales().get(1).cuts()).hasSize(15);
        assertThatThrownBy(() -> of(List.of(fine, moved), 40960, (row, f) -> f == 0 ? row : row % 4))
                .hasMessage("the scales are those in force: nothing would change");
    }

    @Test
    void whatCannotBeLearnedIsSaid() {
        assertThatThrownBy(() -> ScaleChange.learn(SCHEMA, rows(1023, 0, 0, 160)))
                .hasMessage("expected at least 1024 rows to learn from, got 1023");
        // All rows have the same value in the one, and the other is a range: nothing is left to learn.
        TupleBlock same = rows(2000, 0, 0, 160);
        for (int row = 0; row < same.size(); row++) {
            LittleEndian.putLong(same.column(0), row * 8, 5);
        }
        assertThatThrownBy(() -> ScaleChange.learn(SCHEMA, same))
                .hasMessage("the scales are those in force: nothing would change");
        Schema plain = new Schema(SCHEMA.fields(), new KeySpec.Ordered("a"), "t");
        assertThatThrownBy(() -> ScaleChange.learn(plain, same))
                .hasMessage("the key has no dimensions, whose scales could be others");
        // Scales of fewer dimensions are refused where they are given, and fitted as they are before.
        List<Dimension> one = ScaleChange.fitting(SCHEMA, List.of(new Dimension("a", 4, List.of(), List.of("7"))));
        assertThatThrownBy(() -> ScaleChange.of(SCHEMA, one, same)).hasMessageContaining("dimensions");
        ScaleChange few = ScaleChange.of(
                SCHEMA,
                List.of(
                        new Dimension("a", 4, List.of(), List.of("7")),
                        new Dimension("b", 4, List.of("0", "160"), List.of())),
                rows(5, 0, 0, 160));
        assertThat(few.before()).isEmpty();
        assertThat(few.boundaries(3)).hasSize(2);
    }
}
