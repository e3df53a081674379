package io.waterwheel.cluster;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Sees to it that no process of a cluster outlives the one that started it. A shell waits for the end of its standard
 * input, which comes when this process ends, in whatever way, and then kills every process that was started with the
 * cluster's mark among its arguments; no other process is touched.
 */
final class Reaper implements AutoCloseable {
    private static final String SCRIPT = """
            cat >/dev/null
            # More than once: a supervisor may just have started a worker.
            for round in 1 2 3; do
              for file in $(grep -lszxF -- "$1" /proc/[0-9]*/cmdline); do
                pid=${file#/proc/}; pid=${pid%/cmdline}
                [ "$pid" = "$$" ] || kill -9 "$pid" 2>/dev/null
              done
              sleep 0.2
            done
            """;

    private final Process shell;

    private Reaper(Process shell) {
        this.shell = shell;
    }

    /**
     * Starts watching.
     *
     * @param mark the argument that all processes of the cluster have
     */
    static Reaper start(Path folder, String mark) throws IOException {
        // Of its own session, or what interrupts this process would end the shell before it has done its work.
        return new Reaper(new ProcessBuilder("setsid", "sh", "-c", SCRIPT, "reaper-of-" + folder, mark)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start());
    }

    /** Lets it kill what is left now, and waits for that. */
    @Override
    public void close() {
        try {
            shell.getOutputStream().close();
            shell.waitFor();
        } catch (IOException e) {
            shell.destroy();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
