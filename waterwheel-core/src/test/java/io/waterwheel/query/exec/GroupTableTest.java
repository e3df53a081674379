package io.waterwheel.query.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.model.WaterwheelException;
import io.waterwheel.query.exec.column.Values;
import io.waterwheel.query.expression.ValueType;
import java.util.List;
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

    @Test
    void keepsWhatItHasWhenThereIsNoRoomForAGroup() {
        GroupTable table = new GroupTable(List.of(ValueType.INTEGER), "v");
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
