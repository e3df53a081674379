package io.waterwheel.query.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.column.OrderedBits;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.query.memory.Reservation;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
}
