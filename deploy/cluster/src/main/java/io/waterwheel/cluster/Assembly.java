package io.waterwheel.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What the build must have put together before a cluster can start. Stateless. */
final class Assembly {
    private Assembly() {}

    /**
     * Looks whether it is all there.
     *
     * @throws IOException when something is missing; says what, and how to build it
     */
    static void check(Path dist) throws IOException {
        for (String part : List.of("zookeeper", "kafka", "hdfs", "storm-daemon", "storm-worker")) {
            require(dist.resolve(part).resolve("lib"));
        }
    }

    private static void require(Path path) throws IOException {
        if (!Files.exists(path)) {
            throw new IOException("there is no " + path + "; build it: mvn -pl deploy/cluster -am -DskipTests package");
        }
    }
}
