package io.waterwheel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.cli.output.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** Every command has a help that says nothing on standard error, shows an example, and can be completed. */
class CliHelpTest {
    /** All commands by their words, as the command line itself knows them. */
    static Stream<List<String>> commands() {
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
        Terminal terminal = new Terminal(InputStream.nullInputStream(), nowhere, nowhere, false);
        List<List<String>> all = new ArrayList<>();
        add(Cli.commands(new String[0], terminal, Map.of()), List.of(), all);
        return all.stream();
    }

    private static void add(CommandLine command, List<String> words, List<List<String>> all) {
        all.add(words);
        command.getSubcommands().forEach((name, sub) -> {
            List<String> longer = new ArrayList<>(words);
            longer.add(name);
            add(sub, longer, all);
        });
    }

    @ParameterizedTest
    @MethodSource("commands")
    @SuppressWarnings("SystemOut") // picocli warns there
    void helpHasAnExampleAndNoWarning(List<String> command) {
        List<String> words = new ArrayList<>(command);
        words.add("--help");
        PrintStream before = System.err;
        ByteArrayOutputStream warnings = new ByteArrayOutputStream();
        CliResult ran;
        try {
            System.setErr(new PrintStream(warnings, true, StandardCharsets.UTF_8));
            ran = CliResult.of(words.toArray(String[]::new));
        } finally {
            System.setErr(before);
        }
        assertThat(warnings.toString(StandardCharsets.UTF_8)).isEmpty();
        assertThat(ran.err()).isEmpty();
        assertThat(ran.code()).isZero();
        assertThat(ran.out())
                .startsWith("Usage: waterwheel")
                .containsPattern("Examples?:\n  .*waterwheel " + String.join(" ", command))
                .doesNotContain("%%");
    }

    @ParameterizedTest
    @MethodSource("commands")
    void completionKnowsEveryCommand(List<String> command) {
        CliResult ran = CliResult.of("completion", "bash");
        assertThat(ran.code()).isZero();
        command.forEach(word -> assertThat(ran.out()).contains(word));
        assertThat(ran.out()).contains("--at-least").contains("complete -F _complete_waterwheel");
    }
}
