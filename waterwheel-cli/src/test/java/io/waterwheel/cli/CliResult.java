package io.waterwheel.cli;

import io.waterwheel.cli.output.Terminal;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** A command that was run in this process. */
record CliResult(int code, ByteArrayOutputStream output, String err) {
    static CliResult of(String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = Cli.run(
                args,
                new Terminal(
                        new ByteArrayInputStream(new byte[0]),
                        new PrintStream(out, true, StandardCharsets.UTF_8),
                        new PrintStream(err, true, StandardCharsets.UTF_8),
                        false),
                Map.of());
        return new CliResult(code, out, err.toString(StandardCharsets.UTF_8));
    }

    byte[] bytes() {
        return output.toByteArray();
    }

    String out() {
        return output.toString(StandardCharsets.UTF_8);
    }

    String lastLine() {
        return err.isEmpty() ? "" : err.lines().reduce((a, b) -> b).orElseThrow();
    }
}
