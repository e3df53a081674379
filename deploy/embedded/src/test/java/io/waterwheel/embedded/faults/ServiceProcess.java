package io.waterwheel.embedded.faults;

import io.waterwheel.embedded.server.EmbeddedKafka;
import io.waterwheel.embedded.server.EmbeddedZooKeeper;
import java.nio.file.Path;

/** Runs in a child: one part of the server by itself, {@code kafka FOLDER} or {@code zookeeper FOLDER}. */
final class ServiceProcess {
    static final String READY = "READY ";

    private ServiceProcess() {}

    @SuppressWarnings({"SystemOut", "resource"}) // the parent reads it; the process ends by being killed
    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[1]);
        String address =
                switch (args[0]) {
                    case "kafka" -> EmbeddedKafka.start(folder, 0).bootstrap();
                    case "zookeeper" -> EmbeddedZooKeeper.start(folder, 0).connect();
                    default -> throw new IllegalArgumentException("kafka or zookeeper, got " + args[0]);
                };
        System.out.println(READY + address);
        Thread.currentThread().join();
    }
}
