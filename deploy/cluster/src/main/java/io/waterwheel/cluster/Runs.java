package io.waterwheel.cluster;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Runs commands that end by themselves, their output in the cluster's logs. */
final class Runs {
    private static final int TAIL_BYTES = 8_000;

    private final ClusterFiles files;
    private final Consumer<Map<String, String>> environment;

    Runs(ClusterFiles files, Consumer<Map<String, String>> environment) {
        this.files = files;
        this.environment = environment;
    }

    /** A command that was started. */
    final class Run {
        private final String name;
        private final Process process;

        private Run(String name, Process process) {
            this.name = name;
            this.process = process;
        }

        /**
         * Waits for its end.
         *
         * @throws IOException when it fails or does not end in time, with the end of what it said
         */
        void await(Duration patience) throws IOException, InterruptedException {
            try {
                if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                    throw new IOException(name + " did not end within " + patience.toSeconds() + " s:\n" + tail());
                }
                if (process.exitValue() != 0) {
                    throw new IOException(name + " failed with exit code " + process.exitValue() + ":\n" + tail());
                }
            } finally {
                process.destroyForcibly();
            }
        }

        private String tail() {
            return Daemon.tail(files.log(name), TAIL_BYTES);
        }
    }

    Run start(String name, List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(files.log(name).toFile()));
        environment.accept(builder.environment());
        Process process = builder.start();
        process.getOutputStream().close();
        return new Run(name, process);
    }
}
