package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** The Python of this machine, for tests of what is written in it: {@code -Dwaterwheel.python=FILE} names another. */
final class Python {
    private final String command;

    private Python(String command) {
        this.command = command;
    }

    /** Python with these modules; a test without them is skipped, loudly. */
    static Python with(String... modules) throws InterruptedException {
        String command = System.getProperty("waterwheel.python", "python3");
        boolean has = has(command, "import " + String.join(", ", modules));
        Assumptions.assumeTrue(has, () -> {
            String why = "SKIPPED: " + command + " lacks one of the modules " + String.join(", ", modules)
                    + "; -Dwaterwheel.python=FILE names another Python";
            System.err.println(why);
            return why;
        });
        return new Python(command);
    }

    private static boolean has(String command, String line) throws InterruptedException {
        try {
            Process process = new ProcessBuilder(command, "-c", line)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Runs a program to its end, which must be a good one.
     *
     * @param log takes what it says on standard error
     * @return what it printed
     */
    String run(Path log, Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(List.of(command));
        line.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(line).redirectError(log.toFile());
        builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        builder.environment().putAll(environment);
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor())
                .as("%s%n%s%s", line, out, Files.readString(log))
                .isZero();
        return out;
    }
}
