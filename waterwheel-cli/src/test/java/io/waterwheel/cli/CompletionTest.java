package io.waterwheel.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The scripts of {@code waterwheel completion}, run by their shells where these are installed. */
@Timeout(300)
final class CompletionTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({
        "2, waterwheel stream cr, create",
        "1, waterwheel dead, dead-letters",
        "3, waterwheel query flights --at-l, --at-least"
    })
    void bashCompletesCommandsAndOptions(int word, String typed, String expected) throws Exception {
        Path script = script("bash");
        assertThat(ran(
                        "bash",
                        "-c",
                        "source " + script + "; COMP_WORDS=(" + typed + "); COMP_CWORD=" + word
                                + "; _complete_waterwheel; printf '%s\\n' \"${COMPREPLY[@]}\""))
                .contains(expected);
    }

    @Test
    void zshTakesBashsScript() {
        String zsh = CliResult.of("completion", "zsh").out();
        assertThat(zsh).startsWith("# zsh, ").contains("bashcompinit");
        assertThat(zsh.substring(zsh.indexOf('\n')))
                .isEqualTo(CliResult.of("completion", "bash").out().substring(zsh.indexOf('\n') + 1));
    }

    @ParameterizedTest
    @MethodSource("io.waterwheel.cli.CliHelpTest#commands")
    void fishKnowsEveryCommand(List<String> command) {
        if (command.isEmpty()) {
            return;
        }
        String group = String.join(" ", command.subList(0, command.size() - 1));
        assertThat(CliResult.of("completion", "fish").out())
                .contains("complete -c waterwheel -n '" + ("__waterwheel_is " + group).strip() + "' -f -a '"
                        + command.get(command.size() - 1) + "' -d '");
    }

    @Test
    void fishKnowsOptionsAndTheirValues() {
        CliResult ran = CliResult.of("completion", "fish");
        assertThat(ran.code()).isZero();
        assertThat(ran.out().lines())
                .startsWith("# fish, made by waterwheel completion")
                .contains("complete -c waterwheel -n '__waterwheel_in completion' -f -a 'bash zsh fish'")
                .anyMatch(line ->
                        line.startsWith("complete -c waterwheel -n '__waterwheel_in query' -l at-least -r -d '"))
                .anyMatch(line -> line.matches("complete -c waterwheel -n '__waterwheel_in query' -l format"
                        + " -x -a '[a-z ]*\\bcsv\\b[a-z ]*' -d '.*"))
                .anyMatch(line ->
                        line.startsWith("complete -c waterwheel -n '__waterwheel_in stream create' -s h -l help -d '"))
                // A quote within one is escaped, so that each line has an even number of the others.
                .allSatisfy(line -> assertThat(line.replace("\\\\", "")
                                        .replace("\\'", "")
                                        .chars()
                                        .filter(c -> c == '\'')
                                        .count()
                                % 2)
                        .isZero());
    }

    @Test
    void fishCompletes() throws Exception {
        Assumptions.assumeTrue(
                Stream.of(System.getenv("PATH").split(java.io.File.pathSeparator))
                        .anyMatch(path -> Files.isExecutable(Path.of(path, "fish"))),
                "SKIPPED: there is no fish on the PATH");
        String script = "source " + script("fish") + "; complete -C '";
        assertThat(ran("fish", "-c", script + "waterwheel stream cr'")).containsPattern("(?m)^create\t");
        assertThat(ran("fish", "-c", script + "./waterwheel query flights --at-l'"))
                .containsPattern("(?m)^--at-least\t");
        assertThat(ran("fish", "-c", script + "waterwheel query flights --format c'"))
                .containsPattern("(?m)^csv\\b");
    }

    private Path script(String shell) throws IOException {
        return Files.writeString(
                folder.resolve(shell), CliResult.of("completion", shell).out());
    }

    private static String ran(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .start();
        String out = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(out).isZero();
        return out;
    }
}
