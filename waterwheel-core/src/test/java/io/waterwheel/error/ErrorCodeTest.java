package io.waterwheel.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The codes are a public interface: documented, each with an advice, and the only way to make a failure. */
final class ErrorCodeTest {
    private static final String COMMAND =
            "mvn -pl waterwheel-core test -Dtest=ErrorCodeTest -Dwaterwheel.regenerate=true";

    @Test
    void pageIsUpToDate() throws IOException {
        Path file = Path.of("../docs/errors.md");
        if (Boolean.getBoolean("waterwheel.regenerate")) {
            Files.writeString(file, page());
        }
        assertThat(file)
                .as("docs/errors.md is generated; write it again with: %s", COMMAND)
                .hasContent(page());
    }

    @Test
    void listIsInOrder() {
        // Who adds a code sees whether there is one for it already.
        List<String> names =
                Arrays.stream(ErrorCode.values()).map(ErrorCode::name).toList();
        assertThat(names).isSorted();
    }

    @Test
    void adviceIsOneLine() {
        for (ErrorCode code : ErrorCode.values()) {
            assertThat(code.advice()).as(code.name()).matches("[A-Z].{3,99}\\.").doesNotContain("|");
        }
    }

    @Test
    void textsAreFoundAgain() {
        for (ErrorCode code : ErrorCode.values()) {
            assertThat(ErrorCode.of(code.name())).contains(code);
        }
        assertThat(ErrorCode.of("OF_NEXT_YEAR")).isEmpty();
    }

    @Test
    void repeatedFailureKeepsItsCode() {
        WaterwheelException first = new WaterwheelException(ErrorCode.SERVER_BUSY, "busy");
        WaterwheelException again = first.withMessage("still busy");
        assertThat(again).hasMessage("still busy").hasCause(first);
        assertThat(again.is(ErrorCode.SERVER_BUSY)).isTrue();
        assertThat(again.is(ErrorCode.TIMEOUT)).isFalse();
        assertThat(again.kind()).isEqualTo(WaterwheelException.Kind.TEMPORARY);
    }

    /** A quoted name would go on compiling when the code is gone. */
    @Test
    void noLiteralIsComparedWith() throws IOException {
        String names = Arrays.stream(ErrorCode.values()).map(ErrorCode::name).collect(Collectors.joining("|"));
        for (String module : List.of(
                "waterwheel-core",
                "waterwheel-topology",
                "waterwheel-client",
                "waterwheel-cli",
                "waterwheel-gateway",
                "deploy/embedded")) {
            Path sources = Path.of("..", module, "src/main/java");
            try (Stream<Path> files = Files.walk(sources)) {
                for (Path file : files.filter(ErrorCodeTest::isHeldToCodes).toList()) {
                    assertThat(Files.readString(file))
                            .as(file.toString())
                            .doesNotContainPattern("\"(" + names + ")\"")
                            .doesNotContainPattern("\\.code\\(\\)\\s*\\.equals\\(\"");
                }
            }
        }
    }

    /** WireErrors knows gRPC's statuses by name, one of which is the name of a code too. */
    private static boolean isHeldToCodes(Path file) {
        return file.toString().endsWith(".java")
                && !file.endsWith("ErrorCode.java")
                && !file.endsWith("wire/WireErrors.java");
    }

    /** A query tries another worker for what is damaged, and gives up for what the user did wrong. */
    @Test
    void aGarbledBlockIsNoFaultOfTheUsers() {
        assertThat(ErrorCode.BLOCK_MALFORMED.kind()).isEqualTo(WaterwheelException.Kind.CORRUPT);
    }

    private static String page() {
        StringBuilder page = new StringBuilder("""
                <!-- Generated from ErrorCode; do not edit. -->
                # Errors

                A failure has a code in capitals, a kind, and a message that names the case: what, where, and what to do now.
                The command line prints `command: MESSAGE [CODE]`. In Java, `WaterwheelException` has `code()`, `kind()` and
                `is(ErrorCode)`; other languages find all three in the trailer `waterwheel-error-bin` of a failed call, a message
                `ErrorDetail` of `error.proto`. A code keeps its meaning from release to release. A newer server may send one that
                is not listed here: go by its kind.
                """);
        for (WaterwheelException.Kind kind : WaterwheelException.Kind.values()) {
            page.append("\n## ")
                    .append(kind)
                    .append("\n\n")
                    .append(meaning(kind))
                    .append("\n\n| code | what to do |\n|---|---|\n");
            for (ErrorCode code : ErrorCode.values()) {
                if (code.kind() == kind) {
                    page.append("| `")
                            .append(code)
                            .append("` | ")
                            .append(code.advice())
                            .append(" |\n");
                }
            }
        }
        return page.toString();
    }

    private static String meaning(WaterwheelException.Kind kind) {
        return switch (kind) {
            case USER ->
                "The request or the input is wrong, or asks for more than a limit allows. Repeating it does not help.";
            case TEMPORARY -> "Something is away, busy or full. The same request may work later.";
            case CORRUPT -> "Stored data is damaged.";
            case UNKNOWN_OUTCOME ->
                "A request was sent and not confirmed. Check whether it was done before you repeat it.";
            case BUG -> "A defect of Waterwheel.";
        };
    }
}
