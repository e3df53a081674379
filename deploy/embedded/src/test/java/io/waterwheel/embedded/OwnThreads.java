package io.waterwheel.embedded;

import java.util.List;
import java.util.regex.Pattern;

/**
 * Threads of Waterwheel's making in this JVM, by their names, that are there whether or not there is something to do:
 * not those of pools, which end when they rest, and none of Kafka's, ZooKeeper's and the JVM's.
 */
final class OwnThreads {
    private static final Pattern OWN =
            Pattern.compile("(dispatcher|indexer|worker|catalog|waterwheel|gateway|chunk|kafka-admin-client|grpc)-.*"
                    + "|.*-(keeper|watch|balancer|transactions)");
    private static final Pattern RESTING =
            Pattern.compile("(waterwheel-(rpc|call|query|subquery|put|plan|client|client-call)"
                    + "|catalog-calls|limit-calls|worker-jobs|grpc-default-worker-ELG|grpc-default-executor)-[0-9-]+");

    private OwnThreads() {}

    static List<String> names() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name ->
                        OWN.matcher(name).matches() && !RESTING.matcher(name).matches())
                .sorted()
                .toList();
    }
}
