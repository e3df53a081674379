package io.waterwheel.topology.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.status.ServerReport;
import java.util.List;
import org.junit.jupiter.api.Test;

final class StatusTextTest {
    private static String text(List<String> troubles, ServerReport.Gateway... gateways) {
        return StatusText.of(new ServerReport(troubles, List.of(), null, null, List.of(gateways)));
    }

    @Test
    void listsGatewaysAfterAllElse() {
        assertThat(text(List.of())).isEqualTo("no streams\n");
        assertThat(text(
                                List.of(),
                                new ServerReport.Gateway("a:7071", "0.2.0", 1_700_000_000_123L),
                                new ServerReport.Gateway("b:7071", "", 0))
                        .lines())
                .containsExactly(
                        "no streams", "gateway a:7071, version 0.2.0, since 2023-11-14T22:13:20Z", "gateway b:7071");
        assertThat(text(List.of("the catalog is away"), new ServerReport.Gateway("b:7071", "", 0))
                        .lines())
                .containsExactly("the catalog is away", "gateway b:7071");
    }
}
