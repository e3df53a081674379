package io.waterwheel.cli.input;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

final class InputSourceTest {
    /** As {@code <(command)} of a shell is one; its stream must not look for its place in a file. */
    @Test
    @Timeout(120)
    void aNamedPipeIsRead(@TempDir Path folder) throws Exception {
        Path pipe = folder.resolve("rows");
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/mkfifo")), "there is no mkfifo here");
        assertThat(new ProcessBuilder("/usr/bin/mkfifo", pipe.toString())
                        .start()
                        .waitFor())
                .isZero();
        ExecutorService writer = Executors.newSingleThreadExecutor();
        try {
            Future<Path> written = writer.submit(() -> Files.writeString(pipe, "id,v\n1,2\n"));
            InputSource source = InputSource.named(pipe.toString(), InputStream.nullInputStream())
                    .get(0);
            try (InputStream in = source.openLast()) {
                assertThat(in.available()).isGreaterThanOrEqualTo(0);
                assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                        .isEqualTo("id,v\n1,2\n");
            }
            written.get();
        } finally {
            writer.shutdownNow();
        }
    }
}
