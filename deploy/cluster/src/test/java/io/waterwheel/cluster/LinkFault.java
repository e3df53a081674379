package io.waterwheel.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** What is done to links between network namespaces, which {@code deploy/cluster/netns} makes; each is mended again. */
enum LinkFault implements InjectedFault {
    /** A host is cut off for longer than all time-outs: its work is done elsewhere, and it wakes as a zombie. */
    CUT_HOST(true, "host", 25_000),
    /** For less than the sessions' time. */
    CUT_HOST_BRIEFLY(true, "host", 3_000),
    CUT_KAFKA(true, "kafka", 15_000),
    CUT_ZOOKEEPER(true, "zookeeper", 12_000),
    CUT_NAMENODE(true, "namenode", 12_000),
    SLOW_HOST(false, "host", 15_000),
    SLOW_KAFKA(false, "kafka", 15_000),
    SLOW_ZOOKEEPER(false, "zookeeper", 15_000);

    /** Prefix of the namespaces' names; empty where there are none. */
    static final String PREFIX = System.getProperty("waterwheel.netns", "");

    private static final List<String> SLOW =
            List.of(System.getProperty("waterwheel.netns.slow", "netem delay 100ms 20ms")
                    .split(" ", -1));

    private final boolean cut;
    private final String link;
    private final int millis;

    LinkFault(boolean cut, String link, int millis) {
        this.cut = cut;
        this.link = link;
        this.millis = millis;
    }

    @Override
    public String strike(RealCluster cluster, Random random) throws Exception {
        String port = link.equals("host") ? "host-" + (1 + random.nextInt(cluster.pairs())) : link;
        try {
            if (cut) {
                inSwitch("ip", "link", "set", port, "down");
            } else {
                slow(PREFIX + "-switch", port);
                slow(PREFIX + "-" + port, "eth0");
            }
            ClusterFault.rest(random, millis, millis + 5_000);
        } finally {
            if (cut) {
                inSwitch("ip", "link", "set", port, "up");
            } else {
                inNamespace(PREFIX + "-switch", "tc", "qdisc", "delete", "dev", port, "root");
                inNamespace(PREFIX + "-" + port, "tc", "qdisc", "delete", "dev", "eth0", "root");
            }
        }
        return port;
    }

    private static void slow(String namespace, String device) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("tc", "qdisc", "add", "dev", device, "root"));
        command.addAll(SLOW);
        inNamespace(namespace, command.toArray(String[]::new));
    }

    @Override
    public boolean leavesHistory() {
        return this != CUT_ZOOKEEPER && this != CUT_NAMENODE;
    }

    private static void inSwitch(String... command) throws IOException, InterruptedException {
        inNamespace(PREFIX + "-switch", command);
    }

    private static void inNamespace(String namespace, String... command) throws IOException, InterruptedException {
        List<String> line = new ArrayList<>(List.of("ip", "netns", "exec", namespace));
        line.addAll(List.of(command));
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", line) + " failed: " + out);
        }
    }
}
