package io.waterwheel.cluster;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;

/**
 * Which daemons a cluster has and where each listens; kept in {@code cluster.properties} of its folder, where other
 * programs find it. Immutable.
 *
 * <pre>
 * zookeeper=127.0.0.1:24000          a service's address; "kafka.controller", "datanode-1.ipc" and so on are further ones
 * supervisor-1.slots=24020,24021     ports of its workers
 * pairs=3
 * replication=2
 * </pre>
 */
final class ClusterLayout {
    static final String FILE = "cluster.properties";
    static final String ZOOKEEPER = "zookeeper";
    static final String KAFKA = "kafka";
    static final String KAFKA_CONTROLLER = "kafka.controller";
    static final String NAMENODE = "namenode";
    static final String NAMENODE_HTTP = "namenode.http";
    static final String NIMBUS = "nimbus";

    private static final String LOOPBACK = "127.0.0.1";

    /** A port and the host that it is on. */
    record Address(String host, int port) {
        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    private final Map<String, Address> addresses = new LinkedHashMap<>();
    private final Map<String, List<Integer>> slots = new LinkedHashMap<>();
    private final int pairs;
    private final int replication;

    private ClusterLayout(int pairs, int replication) {
        this.pairs = pairs;
        this.replication = replication;
    }

    static String dataNode(int pair) {
        return "datanode-" + pair;
    }

    static String supervisor(int pair) {
        return "supervisor-" + pair;
    }

    /** The host of a pair, counted from 1. */
    static String host(int pairs, int pair) {
        return pairs == 1 ? LOOPBACK : "127.0.0." + (pair + 1);
    }

    /**
     * A layout with the ports that the settings name, in a fixed order, or with free ones.
     *
     * @throws IOException when there are too few free ports
     */
    static ClusterLayout of(ClusterSettings settings) throws IOException {
        ClusterLayout layout = new ClusterLayout(settings.pairs(), settings.replication());
        int count = names(settings.pairs()).size() + settings.pairs() * settings.slots();
        List<Integer> ports = new ArrayList<>();
        if (settings.basePort() == 0) {
            ports.addAll(Ports.free(count));
        } else {
            for (int i = 0; i < count; i++) {
                ports.add(settings.basePort() + i);
            }
        }
        int next = 0;
        for (String name : names(settings.pairs())) {
            layout.addresses.put(name, new Address(hostOf(settings, name), ports.get(next++)));
        }
        for (int pair = 1; pair <= settings.pairs(); pair++) {
            layout.slots.put(supervisor(pair), List.copyOf(ports.subList(next, next + settings.slots())));
            next += settings.slots();
        }
        return layout;
    }

    private static List<String> names(int pairs) {
        List<String> names =
                new ArrayList<>(List.of(ZOOKEEPER, KAFKA, KAFKA_CONTROLLER, NAMENODE, NAMENODE_HTTP, NIMBUS));
        for (int pair = 1; pair <= pairs; pair++) {
            names.addAll(List.of(dataNode(pair), dataNode(pair) + ".http", dataNode(pair) + ".ipc", supervisor(pair)));
        }
        return names;
    }

    private static String hostOf(ClusterSettings settings, String name) {
        int dot = name.indexOf('.');
        ClusterSettings.Place place = settings.places().get(dot < 0 ? name : name.substring(0, dot));
        if (place != null) {
            return place.host();
        }
        int hyphen = name.indexOf('-');
        return hyphen < 0 ? LOOPBACK : host(settings.pairs(), name.charAt(hyphen + 1) - '0');
    }

    /**
     * The layout of a folder where a cluster was.
     *
     * @throws IOException when the file is not one of ours; says what is wrong with it
     */
    static ClusterLayout read(Path folder) throws IOException {
        Path file = folder.resolve(FILE);
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
            properties.load(reader);
        }
        int pairs = number(file, "pairs", properties.getProperty("pairs", ""));
        ClusterLayout layout =
                new ClusterLayout(pairs, number(file, "replication", properties.getProperty("replication", "")));
        for (String name : names(pairs)) {
            String text = properties.getProperty(name, "");
            int colon = text.lastIndexOf(':');
            if (colon < 1) {
                throw new IOException(file + ": " + name + ": expected HOST:PORT, got '" + text + "'");
            }
            layout.addresses.put(
                    name, new Address(text.substring(0, colon), number(file, name, text.substring(colon + 1))));
        }
        for (int pair = 1; pair <= pairs; pair++) {
            String key = supervisor(pair) + ".slots";
            List<Integer> ports = new ArrayList<>();
            for (String text : properties.getProperty(key, "").split(",", -1)) {
                ports.add(number(file, key, text.strip()));
            }
            layout.slots.put(supervisor(pair), List.copyOf(ports));
        }
        return layout;
    }

    private static int number(Path file, String key, String text) throws IOException {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IOException(
                    file + ": " + key + ": expected a number, got '" + text
                            + "'; was it edited? Remove it, or the folder, when no cluster runs there",
                    e);
        }
    }

    void write(Path folder) throws IOException {
        StringBuilder text =
                new StringBuilder("# Where the daemons of this cluster listen. Written by \"cluster up\".\n");
        addresses.forEach(
                (name, address) -> text.append(name).append('=').append(address).append('\n'));
        slots.forEach((name, ports) -> text.append(name)
                .append(".slots=")
                .append(ports.stream().map(String::valueOf).collect(Collectors.joining(",")))
                .append('\n'));
        text.append("pairs=")
                .append(pairs)
                .append("\nreplication=")
                .append(replication)
                .append('\n');
        // Whole or not at all: others read it while a cluster starts.
        Path unfinished = folder.resolve(FILE + ".new");
        Files.writeString(unfinished, text, StandardCharsets.UTF_8);
        Files.move(
                unfinished,
                folder.resolve(FILE),
                java.nio.file.StandardCopyOption.ATOMIC_MOVE,
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    }

    int pairs() {
        return pairs;
    }

    int replication() {
        return replication;
    }

    int slotsOfEach() {
        return slots(1).size();
    }

    /** Ports of a Supervisor's workers. */
    List<Integer> slots(int pair) {
        List<Integer> found = slots.get(supervisor(pair));
        if (found == null) {
            throw new IllegalArgumentException("expected a pair from 1 to " + pairs + ", got " + pair);
        }
        return found;
    }

    Address address(String name) {
        Address address = addresses.get(name);
        if (address == null) {
            throw new IllegalArgumentException("there is no '" + name + "', only " + addresses.keySet());
        }
        return address;
    }

    int port(String name) {
        return address(name).port();
    }

    /** Number of the Supervisor that has this slot; 0 when none has. */
    int pairOfSlot(int port) {
        for (int pair = 1; pair <= pairs; pair++) {
            if (slots(pair).contains(port)) {
                return pair;
            }
        }
        return 0;
    }

    /** The daemons, in the order in which they start. */
    List<String> daemons() {
        List<String> names = new ArrayList<>(List.of(ZOOKEEPER, KAFKA, NAMENODE));
        for (int pair = 1; pair <= pairs; pair++) {
            names.add(dataNode(pair));
        }
        names.add(NIMBUS);
        for (int pair = 1; pair <= pairs; pair++) {
            names.add(supervisor(pair));
        }
        return names;
    }

    /** Every port of a daemon by what it is for; its own first. Without the workers' slots. */
    Map<String, Address> of(String daemon) {
        Map<String, Address> found = new LinkedHashMap<>();
        addresses.forEach((name, address) -> {
            if (name.equals(daemon) || name.startsWith(daemon + ".")) {
                found.put(name, address);
            }
        });
        return found;
    }

    /** What every port is for. */
    Map<Integer, String> uses() {
        Map<Integer, String> uses = new LinkedHashMap<>();
        addresses.forEach((name, address) -> uses.put(address.port(), name));
        slots.forEach((name, ports) -> ports.forEach(port -> uses.put(port, "a worker of " + name)));
        return uses;
    }

    @Override
    public String toString() {
        return addresses + " slots " + Arrays.toString(slots.values().toArray());
    }
}
