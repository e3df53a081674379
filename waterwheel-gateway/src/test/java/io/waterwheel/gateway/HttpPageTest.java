package io.waterwheel.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.gateway.answer.AnswerFormat;
import io.waterwheel.gateway.http.HttpCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** docs/http.md has every endpoint, form and code, and no others. */
final class HttpPageTest {
    private static final Path PAGE = Path.of("..", "docs", "http.md");
    private static final Pattern URL = Pattern.compile("http://127\\.0\\.0\\.1:7071(/[^?' ]*)");
    private static final Pattern DATA = Pattern.compile(" (?:-d|--data-\\w+) ");

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

    /** DocumentationTest types each curl of the page. */
    @Test
    void typesEveryEndpoint() throws IOException {
        Set<String> typed = new HashSet<>();
        String page = Files.readString(PAGE).replace("\\\n", " ");
        for (String line : page.split("\n", -1)) {
            Matcher url = URL.matcher(line);
            if (line.startsWith("    curl ") && url.find()) {
                boolean body = DATA.matcher(line).find() && !line.contains(" -G ");
                typed.add((body ? "POST " : "GET ")
                        + url.group(1).replaceAll("/v1/streams/[^/]+", "/v1/streams/" + Route.STREAM));
            }
        }
        try (Gateway gateway = Gateway.start(GatewaySettings.DEFAULT.withPort(0))) {
            for (Route route : gateway.routes()) {
                for (String method : route.methods()) {
                    if (!method.equals("HEAD")) {
                        assertThat(typed).contains(method + " " + route.path());
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
