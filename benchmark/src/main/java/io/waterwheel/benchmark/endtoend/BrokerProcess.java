package io.waterwheel.benchmark.endtoend;

import io.waterwheel.embedded.server.EmbeddedKafka;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The embedded broker in a process of its own, so that neither its garbage nor its CPU counts as the server's. */
final class BrokerProcess implements AutoCloseable {
    private static final String READY = "broker at ";

    private final Process process;
    private final String bootstrap;

    private BrokerProcess(Process process, String bootstrap) {
        this.process = process;
        this.bootstrap = bootstrap;
    }

    static BrokerProcess start(Path folder) throws IOException {
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xms512m",
                        "-Xmx512m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        BrokerProcess.class.getName(),
                        folder.toString()))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line;
        while ((line = output.readLine()) != null) {
            if (line.startsWith(READY)) {
                Thread drain = new Thread(() -> output.lines().forEach(ignored -> {}), "broker-output");
                drain.setDaemon(true);
                drain.start();
                return new BrokerProcess(process, line.substring(READY.length()));
            }
        }
        throw new IOException("the broker's process ended before it was ready");
    }

    String bootstrap() {
        return bootstrap;
    }

    /** CPU that the process has used so far. */
    Duration cpu() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** Runs the broker until standard input ends, so that it ends with the process that started it. */
    public static void main(String[] arguments) throws IOException {
        EmbeddedKafka kafka = EmbeddedKafka.start(Path.of(arguments[0]), 0);
        System.out.println(READY + kafka.bootstrap());
        while (System.in.read() >= 0) {
            // nothing is said
        }
        Runtime.getRuntime().halt(0);
    }
}
