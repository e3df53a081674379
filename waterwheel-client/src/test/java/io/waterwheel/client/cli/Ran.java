package io.waterwheel.client.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** A command that was run in this process. */
record Ran(int code, byte[] bytes, String err) {
    static Ran of(String... args) {
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
        return new Ran(code, out.toByteArray(), err.toString(StandardCharsets.UTF_8));
    }

    String out() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    String lastLine() {
        return err.isEmpty() ? "" : err.lines().reduce((a, b) -> b).orElseThrow();
    }
}
