package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** The compiler of Protocol Buffers that the build has fetched; {@code waterwheel.protoc} is the folder it is in. */
final class Protoc {
    /** Beside the compiler in Protocol Buffers' own releases. */
    private static final String TIMESTAMP = "google/protobuf/timestamp.proto";

    private Protoc() {}

    /** Runs a line of a page, {@code protoc ...}, in a folder; it must go well. */
    static void run(String line, Path folder) throws IOException, InterruptedException {
        Path include = folder.resolve("include");
        Path timestamp = include.resolve(TIMESTAMP);
        Files.createDirectories(timestamp.getParent());
        try (InputStream in = Protoc.class.getClassLoader().getResourceAsStream(TIMESTAMP)) {
            Files.write(timestamp, Objects.requireNonNull(in, TIMESTAMP).readAllBytes());
        }
        Path program = folder.resolve("protoc");
        Files.copy(fetched(), program);
        assertThat(program.toFile().setExecutable(true)).isTrue();
        List<String> words = new ArrayList<>(List.of(line.strip().split(" ")));
        assertThat(words.set(0, program.toString())).isEqualTo("protoc");
        words.addAll(1, List.of("-I" + folder, "-I" + include));
        Process process = new ProcessBuilder(words)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String out = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as("%s%n%s", words, out).isZero();
    }

    private static Path fetched() throws IOException {
        Path folder = Path.of(Objects.requireNonNull(System.getProperty("waterwheel.protoc"), "waterwheel.protoc"));
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".exe"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no compiler in " + folder));
        }
    }
}
