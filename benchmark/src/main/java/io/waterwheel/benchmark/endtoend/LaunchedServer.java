package io.waterwheel.benchmark.endtoend;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server in a process of its own, started by the launcher. */
public record LaunchedServer(Process process, String url, long readyMillis) implements AutoCloseable {
    /**
     * Starts one.
     *
     * @param settings KEY=VALUE with blanks between
     */
    public static LaunchedServer start(String launcher, Path data, String settings) throws IOException {
        List<String> command = new ArrayList<>(List.of(launcher, "server", "--port", "0", "--data", data.toString()));
        if (!settings.isEmpty()) {
            command.addAll(List.of(settings.split(" ", -1)));
        }
        long begun = System.nanoTime();
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith("ready: ")) {
                long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
                return new LaunchedServer(process, line.split(" ", -1)[1], took);
            }
        }
        throw new IOException("the server ended before it was ready");
    }

    /** Processor time of the server, and of the processes that it has started. */
    public long cpuMillis() {
        long descendants =
                process.descendants().mapToLong(LaunchedServer::cpuMillis).sum();
        return cpuMillis(process.toHandle()) + descendants;
    }

    private static long cpuMillis(ProcessHandle process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO).toMillis();
    }

    /** Of this process. */
    static long ownCpuMillis() {
        return cpuMillis(ProcessHandle.current());
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }
}
