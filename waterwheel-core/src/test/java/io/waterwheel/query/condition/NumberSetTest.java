package io.waterwheel.query.condition;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.query.column.FieldNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Beside a look at each number of the set. */
final class NumberSetTest {
    private static void compare(SplittableRandom random, long... numbers) {
        long[] sorted = LongStream.of(numbers).sorted().toArray();
        NumberSet set = new NumberSet(sorted);
        LongStream near = LongStream.of(numbers).flatMap(number -> LongStream.of(number - 1, number, number + 1));
        LongStream edges = LongStream.of(0, 1, -1, Long.MIN_VALUE, Long.MIN_VALUE + 1, Long.MAX_VALUE);
        LongStream any = random.longs(50);
        long[] asked = LongStream.concat(LongStream.concat(near, edges), any).toArray();
        for (long number : asked) {
            assertThat(set.has(number))
                    .as("%d in %s", number, LongStream.of(sorted).boxed().toList())
                    .isEqualTo(LongStream.of(numbers).anyMatch(one -> one == number));
        }
        boolean[] nulls = new boolean[asked.length];
        for (int row = 0; row < nulls.length; row++) {
            nulls[row] = random.nextInt(4) == 0;
        }
        for (boolean negated : new boolean[] {false, true}) {
            assertThat(kept(set, asked, null, negated)).isEqualTo(rows(set, asked, null, negated));
            assertThat(kept(set, asked, nulls, negated)).isEqualTo(rows(set, asked, nulls, negated));
            if (set.bits().length > 0) {
                compareOfField(set, asked, null, negated, all(asked));
                compareOfField(set, asked, nulls, negated, all(asked));
                int[] some = all(asked);
                for (int i = 0; i < 3; i++) {
                    some = IntStream.of(some)
                            .filter(row -> random.nextInt(3) > 0)
                            .toArray();
                    compareOfField(set, asked, nulls, negated, some);
                }
                compareOfField(set, asked, null, negated, some);
            }
        }
    }

    /** All rows but the first two. */
    private static int[] all(long[] numbers) {
        return IntStream.range(2, numbers.length).toArray();
    }

    private static int[] kept(NumberSet set, long[] numbers, boolean @Nullable [] nulls, boolean negated) {
        int[] selected = all(numbers);
        int kept = set.keep(numbers, nulls, selected, selected.length, negated);
        return Arrays.copyOf(selected, kept);
    }

    /** The same by a field, where it is; its nulls are the tenth bit of two bytes. */
    private static void compareOfField(
            NumberSet set, long[] numbers, boolean @Nullable [] nulls, boolean negated, int[] of) {
        List<Field> fields = new ArrayList<>();
        for (int f = 0; f < 10; f++) {
            fields.add(new Field("n" + f, FieldType.LONG, nulls != null));
        }
        RowLayout layout = RowLayout.ofFields(fields);
        TupleBlock block = new TupleBlock(layout, numbers.length);
        for (int row = 0; row < numbers.length; row++) {
            LittleEndian.putLong(block.column(layout.columnOf(9)), row * 8, numbers[row]);
            if (nulls != null) {
                block.setNullMask(row, (nulls[row] ? 1L << layout.nullBit(9) : 0) | row % 8);
            }
        }
        block.setSize(numbers.length);
        int[] selected = of.clone();
        FieldNode field = new FieldNode(layout, 9);
        assertThat(field.isWhole()).isTrue();
        int kept = field.keepAmong(RowView.of(block), selected, selected.length, set.least(), set.bits(), negated);
        assertThat(Arrays.copyOf(selected, kept)).isEqualTo(rows(set, numbers, nulls, negated, of));
    }

    private static int[] rows(NumberSet set, long[] numbers, boolean @Nullable [] nulls, boolean negated) {
        return rows(set, numbers, nulls, negated, all(numbers));
    }

    private static int[] rows(NumberSet set, long[] numbers, boolean @Nullable [] nulls, boolean negated, int[] of) {
        return IntStream.of(of)
                .filter(row -> (nulls == null || !nulls[row]) && set.has(numbers[row]) != negated)
                .toArray();
    }

    @Test
    void aSetHasItsNumbersAndNoOthers() {
        SplittableRandom random = new SplittableRandom(11);
        compare(random);
        compare(random, 0);
        compare(random, -1, -1, 5);
        compare(random, Long.MIN_VALUE, Long.MAX_VALUE);
        compare(random, Long.MIN_VALUE, Long.MIN_VALUE + 1, 0, Long.MAX_VALUE - 1, Long.MAX_VALUE);
        for (int round = 0; round < 300; round++) {
            int count = 1 + random.nextInt(40);
            int shift = random.nextInt(64);
            long middle = random.nextBoolean() ? random.nextLong() : random.nextInt(100);
            long[] numbers = new long[count];
            for (int i = 0; i < count; i++) {
                numbers[i] = middle + (random.nextLong() >>> shift);
            }
            compare(random, numbers);
        }
    }
}
