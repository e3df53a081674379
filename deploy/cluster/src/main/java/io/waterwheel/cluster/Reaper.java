package io.waterwheel.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Sees to it that no process of a cluster outlives the one that started it. A shell waits for the end of its standard
 * input, which comes when this process ends, in whatever way, and then kills every process that is named in the
 * cluster's folder and still has that folder in its command line: ids are used again, and nobody else's process is
 * touched.
 */
final class Reaper implements AutoCloseable {
    private static final String SCRIPT = """
            folder=$1
            cat >/dev/null
            mine() { tr '\\0' '\\n' <"/proc/$1/cmdline" 2>/dev/null | grep -qF -- "$folder"; }
            # The supervisor first, or it starts its workers again; twice, for a worker that it had just started.
            for round in 1 2; do
              for file in "$folder"/run/supervisor "$folder"/run/* "$folder"/data/storm/workers/*/pids/*; do
                [ -e "$file" ] || continue
                case $file in */pids/*) pid=${file##*/} ;; *) pid=$(cat "$file") ;; esac
                if [ -n "$pid" ] && mine "$pid"; then kill -9 "$pid" 2>/dev/null; fi
              done
              sleep 0.5
            done
            """;

    private final Path folder;
    private final Process shell;

    private Reaper(Path folder, Process shell) {
        this.folder = folder;
        this.shell = shell;
    }

    /** Starts watching over the processes of a cluster's folder. */
    static Reaper start(Path folder) throws IOException {
        Files.createDirectories(folder.resolve("run"));
        Process shell = new ProcessBuilder("sh", "-c", SCRIPT, "reaper", folder.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        return new Reaper(folder, shell);
    }

    void watch(String name, long pid) throws IOException {
        Files.writeString(folder.resolve("run").resolve(name), Long.toString(pid));
    }

    void forget(String name) {
        try {
            Files.deleteIfExists(folder.resolve("run").resolve(name));
        } catch (IOException e) {
            // The process is gone; what is named here is looked at again before it is killed.
        }
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
