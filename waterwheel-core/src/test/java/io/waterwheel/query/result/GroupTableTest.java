package io.waterwheel.query.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.column.OrderedBits;
import io.waterwheel.query.column.SeededHash;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.tuple.TupleBlock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class GroupTableTest {
    private final Values column = new Values();
    private final int[] selected = {0};
    private final int[] groupOf = new int[1];

    private int find(GroupTable table, long value) {
        column.longs = new long[] {value};
        table.find(new Values[] {column}, selected, 1, groupOf);
        return groupOf[0];
    }

    /** Whole numbers as doubles differ in their upper bits alone: a hash that does not mix them has one chain. */
    @Test
    void wholeDoublesAndChosenTextsAreSpread() {
        SeededHash hash = new SeededHash();
        Set<Integer> ofDoubles = new HashSet<>();
        Set<Integer> ofTexts = new HashSet<>();
        for (int i = 0; i < 4096; i++) {
            ofDoubles.add(hash.of(OrderedBits.of(i)) & 8191);
            // Texts that collide by the hash of String.
            StringBuilder text = new StringBuilder();
            for (int bit = 0; bit < 12; bit++) {
                text.append((i >>> bit & 1) == 0 ? "Aa" : "BB");
            }
            ofTexts.add(hash.of(text.toString().getBytes(StandardCharsets.UTF_8), 0, 24) & 8191);
        }
        // At random it is 3,223 of 8,192.
        assertThat(ofDoubles).hasSizeBetween(3_000, 3_450);
        assertThat(ofTexts).hasSizeBetween(3_000, 3_450);
    }

    @Test
    void keepsWhatItHasWhenThereIsNoRoomForAGroup() {
        GroupTable table = new GroupTable(List.of(ValueType.INTEGER), "v", Reservation.unlimited());
        for (int g = 0; g < GroupTable.MAX_GROUPS; g++) {
            assertThat(find(table, 7L * g)).isEqualTo(g);
        }
        // The second time it must not be found where the first had begun to put it.
        for (int again = 0; again < 2; again++) {
            assertThatThrownBy(() -> find(table, -1))
                    .isInstanceOf(WaterwheelException.class)
                    .hasMessageContaining("more than " + GroupTable.MAX_GROUPS + " groups");
            assertThat(table.groups()).isEqualTo(GroupTable.MAX_GROUPS);
        }
        for (int g = 0; g < GroupTable.MAX_GROUPS; g += 1000) {
            assertThat(find(table, 7L * g)).isEqualTo(g);
        }
    }

    private static <T> int number(Map<T, Integer> numbers, T value) {
        Integer known = numbers.putIfAbsent(value, numbers.size());
        return known == null ? numbers.size() - 1 : known;
    }

    /** Whole numbers near each other, far apart, moving on, at both ends of a long, and nulls; of some columns. */
    @Test
    void numbersAreGroupedAsAMapDoes() {
        long first = Long.getLong("seed", 1);
        for (long seed = first; seed < first + Rounds.of(300, 30_000); seed++) {
            Random random = new Random(seed);
            int columns = 1 + random.nextInt(3);
            GroupTable table =
                    new GroupTable(Collections.nCopies(columns, ValueType.INTEGER), "v", Reservation.unlimited());
            Map<Object, Integer> expected = new HashMap<>();
            long base = random.nextBoolean() ? Long.MAX_VALUE - random.nextInt(500) : random.nextInt(1000) - 500L;
            for (int leaf = 0; leaf < 6; leaf++) {
                int rows = 1 + random.nextInt(random.nextBoolean() ? 10 : 600);
                Values[] values = new Values[columns];
                for (int c = 0; c < columns; c++) {
                    values[c] = numbers(random, rows, base);
                }
                // Of some leaves each second row.
                int step = 1 + random.nextInt(2);
                int[] some =
                        IntStream.range(0, rows).filter(row -> row % step == 0).toArray();
                int[] found = new int[rows];
                table.find(values, some, some.length, found);
                for (int row : some) {
                    List<Object> key = new ArrayList<>();
                    for (Values column : values) {
                        key.add(column.anyNull && column.nulls[row] ? "null" : (Object) column.longs[row]);
                    }
                    assertThat(found[row]).as("-Dseed=%d -Dseeds=1", seed).isEqualTo(number(expected, key));
                }
                base += random.nextInt(3) * 1000L;
            }
        }
    }

    private static Values numbers(Random random, int rows, long base) {
        Values values = new Values();
        values.longs = new long[rows];
        values.nulls = new boolean[rows];
        values.anyNull = random.nextBoolean();
        int range = 1 << random.nextInt(random.nextBoolean() ? 20 : 8);
        int far = random.nextBoolean() ? 50 : Integer.MAX_VALUE;
        for (int row = 0; row < rows; row++) {
            values.longs[row] = random.nextInt(far) == 0 ? random.nextLong() : base + random.nextInt(range);
            values.nulls[row] = random.nextInt(10) == 0;
        }
        return values;
    }

    @Test
    void textsAreGroupedAsAMapDoes() {
        Random random = new Random(Long.getLong("seed", 1));
        GroupTable table = new GroupTable(List.of(ValueType.STRING), "v", Reservation.unlimited());
        Map<String, Integer> expected = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            String text = Integer.toString(random.nextInt(1 << random.nextInt(30)), 36)
                    .repeat(1 + random.nextInt(4));
            text = random.nextInt(100) == 0 ? "" : text;
            byte[] bytes = (random.nextInt(9) + text).getBytes(StandardCharsets.UTF_8);
            column.slabs = new byte[][] {bytes};
            column.longs = new long[] {TupleBlock.reference(1, bytes.length - 1)};
            column.nulls = new boolean[] {random.nextInt(50) == 0};
            column.anyNull = true;
            table.find(new Values[] {column}, selected, 1, groupOf);
            String key = column.nulls[0] ? "null" : "'" + text;
            assertThat(groupOf[0]).as(key).isEqualTo(number(expected, key));
        }
    }
}
