package io.waterwheel.query.condition;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.ConstantNode;
import io.waterwheel.query.column.FieldNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.expression.Expression.Comparison.Relation;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.query.rows.RowCopy;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.NarrowLongs;
import io.waterwheel.tuple.NullBits;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Whole numbers that lie narrow are tested and copied as a look at each of them says. */
final class NarrowColumnTest {
    /** The field that is asked is the last of some that may be null. */
    private static final int FIELDS = 11;

    private static final RowLayout LAYOUT = nullable(FIELDS);
    private static final int ASKED = FIELDS - 1;
    private static final int COLUMN = LAYOUT.columnOf(ASKED);
    private static final RowLayout COPIED = RowLayout.ofFields(List.of(new Field("n", FieldType.LONG, true)));
    private static final long[] LEASTS = {
        0, 1, -1, 2_450_815, -70_000, Long.MIN_VALUE, Long.MIN_VALUE + 1, Long.MAX_VALUE - 70_000, 1L << 40
    };
    /** Of 100 values those that are null. */
    private static final int[] SHARES = {0, 1, 2, 20, 50, 90, 100};

    private static final long[] SPANS = {0, 1, 63, 64, 255, 1800, 65_535, 65_536, 70_000, (1L << 32) - 1};

    private final SplittableRandom random;
    private long[] numbers = {};
    private boolean[] nulls = {};
    private RowView view = new RowView(LAYOUT.columns());

    NarrowColumnTest() {
        long seed = Long.getLong("seed", new SplittableRandom().nextLong());
        System.out.println("replay: ./waterwheel test NarrowColumnTest -Dseed=" + seed);
        random = new SplittableRandom(seed);
    }

    @Test
    void isAskedAsWhereItIsWide() {
        for (int round = 0; round < Rounds.of(300, 20_000); round++) {
            make();
            for (int turn = 0; turn < 4; turn++) {
                int[] selected = selected(turn);
                compareValues(selected);
                compareSet(selected);
                compareBounds(selected);
            }
        }
    }

    @Test
    void masksOfEachWidthAreTurned() {
        for (int width : new int[] {1, 2, 4, 8}) {
            for (int round = 0; round < 50; round++) {
                int rows = 1 + random.nextInt(200);
                int fields = width * 8 - random.nextInt(width * 4);
                // Few nulls are set one by one, many are turned.
                int share = SHARES[random.nextInt(SHARES.length)];
                byte[] masks = new byte[rows * width];
                for (int row = 0; row < rows; row++) {
                    for (int field = 0; field < fields; field++) {
                        boolean isSet = random.nextInt(100) < share;
                        masks[row * width + field / 8] |= (byte) (isSet ? 1 << (field % 8) : 0);
                    }
                }
                NullBits bits = NullBits.of(masks, width, rows, fields);
                assertThat(bits.masks()).isEqualTo(masks);
                for (int row = 0; row < rows; row++) {
                    for (int field = 0; field < fields; field++) {
                        assertThat(bits.bit(field, row))
                                .isEqualTo((masks[row * width + field / 8] >>> (field % 8)) & 1);
                    }
                }
            }
        }
    }

    @Test
    void masksByFieldAreCopiedAsThoseByRow() {
        for (int round = 0; round < 200; round++) {
            int fields = 1 + random.nextInt(Long.SIZE);
            int rows = 1 + random.nextInt(300);
            RowLayout layout = nullable(fields);
            TupleBlock block = new TupleBlock(layout, rows);
            block.setSize(rows);
            int share = SHARES[random.nextInt(SHARES.length)];
            boolean[] mayBeNull = new boolean[fields];
            for (int field = 0; field < fields; field++) {
                mayBeNull[field] = random.nextInt(4) > 0;
            }
            for (int row = 0; row < rows; row++) {
                long mask = 0;
                for (int field = 0; field < fields; field++) {
                    mask |= (mayBeNull[field] && random.nextInt(100) < share ? 1L : 0) << field;
                }
                block.setNullMask(row, mask);
            }
            RowView asked = RowView.of(block);
            int column = layout.nullMaskColumn();
            int width = layout.width(column);
            asked.columns[column] = RowView.NO_BYTES;
            asked.nulls = NullBits.of(Arrays.copyOf(block.column(column), rows * width), width, rows, fields);
            // Fields in any order, some of them never, some again, and what is no field.
            int[] copiedFields = IntStream.range(0, 1 + random.nextInt(Long.SIZE))
                    .map(field -> random.nextInt(RowCopy.NOTHING, fields))
                    .map(field -> field < 0 ? RowCopy.NOTHING : field)
                    .toArray();
            RowLayout result = nullable(copiedFields.length);
            int oneOf = 1 + random.nextInt(12);
            int[] selected = IntStream.range(0, rows)
                    .filter(row -> random.nextInt(oneOf) == 0)
                    .toArray();
            // In an order of their own, with rows that come again, as what was put in order has them.
            for (int i = random.nextInt(3) == 0 ? selected.length : 0; i > 0; i--) {
                selected[random.nextInt(selected.length)] = random.nextInt(rows);
            }
            TupleBlock copied = new TupleBlock(result, 0);
            RowCopy copy = new RowCopy(layout, copiedFields, result);
            int first = random.nextInt(selected.length + 1);
            copied.ensureRows(selected.length);
            for (int i = 0; i < selected.length; i++) {
                // What stood there before.
                copied.setNullMask(i, random.nextLong());
            }
            copy.copy(asked, selected, 0, first, copied);
            copy.copy(asked, selected, first, selected.length - first, copied);
            for (int i = 0; i < selected.length; i++) {
                for (int field = 0; field < copiedFields.length; field++) {
                    assertThat(copied.isNull(field, i))
                            .isEqualTo(copiedFields[field] >= 0 && block.isNull(copiedFields[field], selected[i]));
                }
            }
        }
    }

    private static RowLayout nullable(int fields) {
        return RowLayout.ofFields(IntStream.range(0, fields)
                .mapToObj(field -> new Field("n" + field, FieldType.LONG, true))
                .toList());
    }

    @Test
    void widthHoldsTheSpan() {
        assertThat(NarrowLongs.width(5, 5)).isEqualTo(2);
        assertThat(NarrowLongs.width(-1, 65_534)).isEqualTo(2);
        assertThat(NarrowLongs.width(-1, 65_535)).isEqualTo(4);
        assertThat(NarrowLongs.width(Long.MIN_VALUE, Long.MIN_VALUE + (1L << 32) - 1))
                .isEqualTo(4);
        assertThat(NarrowLongs.width(0, 1L << 32)).isEqualTo(NarrowLongs.WIDE);
        assertThat(NarrowLongs.width(Long.MIN_VALUE, Long.MAX_VALUE)).isEqualTo(NarrowLongs.WIDE);
        assertThat(NarrowLongs.width(-2, Long.MAX_VALUE)).isEqualTo(NarrowLongs.WIDE);
        assertThat(NarrowLongs.of(new long[] {0, 1L << 32}, 2)).isNull();
        assertThat(NarrowLongs.of(new long[] {0, 1L << 32}, 1)).isNotNull();
        assertThat(NarrowLongs.of(new long[] {1}, 0)).isNull();
    }

    /** Some rows whose numbers have the least and the greatest of a range among them. */
    private void make() {
        long span = SPANS[random.nextInt(SPANS.length)];
        long least = LEASTS[random.nextInt(LEASTS.length)];
        long low = least > Long.MAX_VALUE - span ? Long.MAX_VALUE - span : least;
        int rows = 2 + random.nextInt(150);
        numbers = LongStream.generate(() -> low + random.nextLong(span + 1))
                .limit(rows)
                .toArray();
        numbers[random.nextInt(rows / 2)] = low;
        numbers[rows / 2 + random.nextInt(rows - rows / 2)] = low + span;
        nulls = new boolean[rows];
        TupleBlock block = new TupleBlock(LAYOUT, rows);
        int seldom = random.nextInt(3) * 8;
        for (int row = 0; row < rows; row++) {
            nulls[row] = seldom > 0 && random.nextInt(seldom) == 0;
            long others = random.nextLong() & (1L << ASKED) - 1;
            block.setNullMask(row, (nulls[row] ? 1L << ASKED : 0) | others);
        }
        block.setSize(rows);
        int column = COLUMN;
        NarrowLongs narrow = Objects.requireNonNull(NarrowLongs.of(numbers, rows));
        assertThat(narrow.width()).isEqualTo(NarrowLongs.width(low, low + span));
        assertThat(narrow.low()).isEqualTo(low);
        assertThat(narrow.high()).isEqualTo(low + span);
        view = RowView.of(block);
        view.columns[column] = RowView.NO_BYTES;
        view.narrow[column] = narrow;
        if (random.nextBoolean()) {
            turnMasks(rows);
        }
        byte[] wide = narrow.widened();
        for (int row = 0; row < rows; row++) {
            assertThat(LittleEndian.getLong(wide, row * 8)).isEqualTo(numbers[row]);
        }
    }

    /** Has the masks by field, as chunks have them. */
    private void turnMasks(int rows) {
        int masks = LAYOUT.nullMaskColumn();
        int width = LAYOUT.width(masks);
        byte[] before = Arrays.copyOf(view.columns[masks], rows * width);
        NullBits bits = NullBits.of(before, width, rows, FIELDS);
        assertThat(bits.masks()).isEqualTo(before);
        view.columns[masks] = RowView.NO_BYTES;
        view.nulls = bits;
        assertThat(bits.some() >>> ASKED & 1).isEqualTo(IntStream.range(0, rows).anyMatch(row -> nulls[row]) ? 1 : 0);
    }

    /** All rows, those of a range, most, or few. */
    private int[] selected(int turn) {
        int rows = numbers.length;
        return switch (turn) {
            case 0 -> IntStream.range(0, rows).toArray();
            case 1 -> IntStream.range(random.nextInt(rows), rows).toArray();
            case 2 ->
                IntStream.range(0, rows).filter(row -> random.nextInt(4) > 0).toArray();
            default ->
                IntStream.range(0, rows).filter(row -> random.nextInt(9) == 0).toArray();
        };
    }

    private void compareValues(int[] selected) {
        FieldNode field = new FieldNode(LAYOUT, ASKED);
        if (selected.length > 0) {
            field.evaluate(view, selected, selected.length);
        }
        for (int row : selected) {
            assertThat(field.isNull(view, row)).isEqualTo(nulls[row]);
            assertThat(field.values().isNull(row)).isEqualTo(nulls[row]);
            if (!nulls[row]) {
                assertThat(field.values().longs[row]).isEqualTo(numbers[row]);
            }
        }
        TupleBlock copied = new TupleBlock(COPIED, 0);
        new RowCopy(LAYOUT, new int[] {ASKED}, COPIED).copy(view, selected, 0, selected.length, copied);
        for (int i = 0; i < selected.length; i++) {
            assertThat(copied.isNull(0, i)).isEqualTo(nulls[selected[i]]);
            assertThat(LittleEndian.getLong(copied.column(COPIED.columnOf(0)), i * 8))
                    .isEqualTo(numbers[selected[i]]);
        }
    }

    /** A number of the rows, one beside it, or any. */
    private long number() {
        long one = numbers[random.nextInt(numbers.length)];
        return switch (random.nextInt(8)) {
            case 0 -> random.nextLong();
            case 1 -> one + random.nextInt(-70_000, 70_000);
            case 2 -> one + 1;
            case 3 -> one - 1;
            default -> one;
        };
    }

    private void compareSet(int[] selected) {
        List<Object> listed = new ArrayList<>();
        if (random.nextInt(3) == 0) {
            // Neighbours, that all rows may be among.
            long first = Objects.requireNonNull(view.narrow[COLUMN]).low() - random.nextInt(3);
            LongStream.range(0, 70 + random.nextInt(70)).forEach(i -> listed.add(first + i));
        } else {
            long[] near = LongStream.generate(this::number)
                    .limit(1 + random.nextInt(40))
                    .toArray();
            Arrays.stream(near).forEach(listed::add);
        }
        for (boolean negated : new boolean[] {false, true}) {
            ColumnNode in = Conditions.in(new FieldNode(LAYOUT, ASKED), listed, false, negated);
            compare(in, selected, number -> listed.contains(number) != negated, negated + " in " + listed);
        }
    }

    private void compareBounds(int[] selected) {
        long one = number();
        for (Relation relation : Relation.values()) {
            ColumnNode test = Conditions.compare(
                    relation, new FieldNode(LAYOUT, ASKED), new ConstantNode(ValueType.INTEGER, one));
            compare(
                    test,
                    selected,
                    number -> CompareNode.truth(relation, Long.compare(number, one)),
                    relation + " " + one);
        }
        long other = number();
        for (boolean negated : new boolean[] {false, true}) {
            FieldNode field = new FieldNode(LAYOUT, ASKED);
            ColumnNode above = Conditions.compare(Relation.AT_LEAST, field, new ConstantNode(ValueType.INTEGER, one));
            ColumnNode below = Conditions.compare(Relation.AT_MOST, field, new ConstantNode(ValueType.INTEGER, other));
            ColumnNode between = Conditions.between(above, below, negated);
            if (between != null) {
                compare(
                        between,
                        selected,
                        number -> (number >= one && number <= other) != negated,
                        negated + " between " + one + " and " + other);
            }
        }
    }

    private void compare(ColumnNode test, int[] selected, LongPredicate passes, String what) {
        int[] expected = IntStream.of(selected)
                .filter(row -> !nulls[row] && passes.test(numbers[row]))
                .toArray();
        int[] kept = selected.clone();
        int count = test.keep(view, kept, kept.length);
        assertThat(Arrays.copyOf(kept, count))
                .as("%s of %s", what, Arrays.toString(numbers))
                .isEqualTo(expected);
    }
}
