package io.waterwheel.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.gateway.answer.AnswerFormat;
import io.waterwheel.gateway.http.HttpCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** docs/http.md has every endpoint, form and code, and no others. */
final class HttpPageTest {
    private static final Path PAGE = Path.of("..", "docs", "http.md");

    @Test
    void hasEveryEndpoint() throws IOException {
        String page = Files.readString(PAGE);
        try (Gateway gateway = Gateway.start(GatewaySettings.DEFAULT.withPort(0))) {
            for (Route route : gateway.routes()) {
                for (String method : route.methods()) {
                    if (!method.equals("HEAD")) {
                        assertThat(page).contains("`" + method + " " + route.path() + "`");
                    }
                }
            }
        }
    }

    @Test
    void hasEveryFormAndCode() throws IOException {
        String page = Files.readString(PAGE);
        for (String type : AnswerFormat.types()) {
            assertThat(page).contains("`" + type + "`");
        }
        for (HttpCode code : HttpCode.values()) {
            assertThat(page).contains("| `" + code + "` | " + code.status() + " | " + code.advice() + " |");
        }
    }
}
