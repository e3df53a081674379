package io.waterwheel.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.gateway.rows.PushedRows;
import java.util.List;
import org.junit.jupiter.api.Test;

class RowsAnswerTest {
    @Test
    void elementsOfAnArrayAreToldByNumber() {
        assertThat(refusal(new PushedRows.Reason(1, 3, "id", "r")))
                .contains("\"at\":\"row 3\"", "\"errors\":[{\"line\":1,\"row\":3,\"field\":\"id\",\"reason\":\"r\"}]");
        assertThat(refusal(new PushedRows.Reason(7, 0, null, "r")))
                .contains("\"at\":\"line 7\"", "\"errors\":[{\"line\":7,\"reason\":\"r\"}]");
    }

    private static String refusal(PushedRows.Reason reason) {
        return new String(RowsAnswer.refusal(new PushedRows.Counts(0, 1, List.of(reason)), "rows", "line"), UTF_8);
    }
}
