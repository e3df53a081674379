package io.waterwheel.embedded.server;

import io.waterwheel.topology.kafka.HangingTransactions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import kafka.server.KafkaConfig;
import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Kafka broker and its controller in this process, on a folder that outlives it. Can be started again on the folder
 * also after its process was killed.
 */
public final class EmbeddedKafka implements KeptPart.Part<EmbeddedKafka> {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedKafka.class);

    /**
     * Too short, and a long pause fences the broker: its partitions lose their leader, what is not yet above the high
     * watermark is truncated, and a producer whose batches were among it may be refused (out of order sequence) until
     * it gives up. Seen with 2 s on a machine under load. What a session is for, to tell that a broker has ended, is
     * seen here by {@link KafkaLife}. A start after a kill does not wait for its end, unless the controller is late
     * ({@link KafkaNode}).
     */
    private static final int BROKER_SESSION_MILLIS = 45_000;

    /** Each wakes the broker, the channel between the two and the controller: of an idle server the dearest part. */
    private static final int BROKER_HEARTBEAT_MILLIS = 5_000;

    /** A broker that starts where the session of the last one has to end first is tried again until then. */
    private static final int REGISTRATION_MILLIS = 180_000;

    private static final int RETENTION_CHECK_MILLIS = 60_000;
    private static final int METADATA_IDLE_MILLIS = 30_000;

    /** Half as much again as a producer's request may have by Kafka's default. */
    private static final int REQUEST_BYTES = 3 << 19;

    /** Of the clients' port. Those of the server itself come by another, which no number of clients can fill. */
    private static final int MOST_CLIENT_CONNECTIONS = 200;

    /** Of each port that nothing but this process is told of. */
    private static final int MOST_OWN_CONNECTIONS = 2_000;

    private static final int IDLE_MILLIS = 60_000;

    private static final String LOGS = "logs";

    /** It is there while no disk was full under the logs since they were looked at. */
    private static final String NEVER_FULL = "disk-was-never-full";

    /**
     * What a start needs, and the next one at the same address.
     *
     * @param more settings
     * @param reason why records are refused; null for a broker without a gate
     */
    private record Start(
            Path folder,
            Ports ports,
            Map<String, String> more,
            @Nullable Supplier<String> reason,
            Disk disk) {}

    /** What a broker asks about its disk. Asked on any thread. */
    interface Disk {
        /** Of a broker that nothing keeps up. */
        Disk ANY = new Disk() {
            @Override
            public boolean endsAlone() {
                return false;
            }

            @Override
            public boolean wasFullSince(long nanos) {
                return false;
            }

            @Override
            public boolean isWritable() {
                return true;
            }
        };

        /** Whether a broker that ends now ends alone, and not the process with it. */
        boolean endsAlone();

        /**
         * Whether it was full to the last byte, or read-only, at any time since. Asked before each append.
         *
         * @param nanos by {@link System#nanoTime}
         */
        boolean wasFullSince(long nanos);

        /** Whether a broker may be started on it. */
        boolean isWritable();
    }

    private record Ports(int clients, int own, int controller) {}

    private final Start start;
    private final KafkaLife life;
    private final KafkaNode server;
    private final long beganNanos;

    private EmbeddedKafka(Start start, KafkaLife life, KafkaNode server, long beganNanos) {
        this.start = start;
        this.life = life;
        this.server = server;
        this.beganNanos = beganNanos;
    }

    /**
     * Starts and returns when clients can connect.
     *
     * @param folder made when absent; used by this broker only
     * @param wantedPort 0 for the port of the last start on this folder, or any free one
     */
    public static EmbeddedKafka start(Path folder, int wantedPort) throws IOException {
        return start(folder, wantedPort, Map.of());
    }

    /**
     * The same, with a gate ({@link AppendGate}).
     *
     * @param reason why records are refused now, for people; empty when they are taken
     */
    public static EmbeddedKafka start(Path folder, int wantedPort, Supplier<String> reason) throws IOException {
        return start(folder, wantedPort, Map.of(), reason, Disk.ANY);
    }

    /** The same, for one that is started again where it ends alone. */
    static EmbeddedKafka start(Path folder, int wantedPort, Supplier<String> reason, Disk disk) throws IOException {
        return start(folder, wantedPort, Map.of(), reason, disk);
    }

    /**
     * The same.
     *
     * @param more settings of the broker, on top of those it gets here
     */
    public static EmbeddedKafka start(Path folder, int wantedPort, Map<String, String> more) throws IOException {
        return start(folder, wantedPort, more, null, Disk.ANY);
    }

    /** All of that. */
    static EmbeddedKafka start(
            Path folder, int wantedPort, Map<String, String> more, @Nullable Supplier<String> reason, Disk disk)
            throws IOException {
        ServerFolder.make(folder);
        PortRegistry ports = new PortRegistry(folder);
        return start(new Start(
                folder,
                new Ports(ports.port("broker", wantedPort), ports.port("own", 0), ports.port("controller", 0)),
                more,
                reason,
                disk));
    }

    private static EmbeddedKafka start(Start start) throws IOException {
        Path folder = start.folder();
        Ports ports = start.ports();
        Properties settings = settings(folder, ports.clients(), ports.own(), ports.controller());
        settings.putAll(start.more());
        long beganNanos = System.nanoTime();
        Supplier<String> reason = start.reason();
        if (reason != null) {
            Supplier<String> wasFull = () -> wasFull(start.disk(), beganNanos);
            settings.putAll(AppendGate.settings(
                    folder.toString(),
                    new AppendGate.Reasons(
                            () -> {
                                String why = reason.get();
                                return why.isEmpty() ? wasFull.get() : why;
                            },
                            wasFull)));
        }
        Path file = folder.resolve("server.properties");
        try (OutputStream out = Files.newOutputStream(file)) {
            settings.store(out, "written at each start");
        }
        boolean isNew = format(folder, file);
        long began = System.currentTimeMillis();
        KafkaLife life = KafkaLife.begin(folder, start.disk()::endsAlone);
        AtomicReference<@Nullable KafkaNode> made = new AtomicReference<>();
        try {
            KafkaNode server = life.start(() -> {
                mendLogs(folder);
                KafkaNode starting = new KafkaNode(KafkaConfig.fromProps(settings), isNew);
                made.set(starting);
                starting.startup();
                return starting;
            });
            // Before anybody uses it: a broker that was killed, and is back at once, may leave some.
            HangingTransactions.endAll("127.0.0.1:" + ports.own(), began);
            return new EmbeddedKafka(start, life, server, beganNanos);
        } catch (IOException | RuntimeException | Error e) {
            // Its ports and its lock would be kept from the next one.
            life.stop(() -> stop(made.get()));
            throw e;
        }
    }

    /** Before Kafka opens them; a broker that was left behind in the folder has been refused by then. */
    private static void mendLogs(Path folder) throws IOException {
        Path mark = folder.resolve(NEVER_FULL);
        if (!Files.exists(mark)) {
            PartitionLogs.repair(folder.resolve(LOGS));
            Files.createFile(mark);
        }
    }

    private static void stop(@Nullable KafkaNode server) {
        if (server != null) {
            server.shutdown();
            server.awaitShutdown();
        }
    }

    /** Logs may have records that were not confirmed: no client is to read those, or to append behind them. */
    private static String wasFull(Disk disk, long beganNanos) {
        return disk.wasFullSince(beganNanos)
                ? "the disk was full to its last byte, and the broker is started again once there is room"
                : "";
    }

    /**
     * Also where its disk was full, and there is room again. Kafka maps the index of a partition into memory, and on a
     * full disk a page of it that is written for the first time has no place: that is an Error in the middle of an
     * append, by which Kafka does not end ({@link PartitionLogs} says what it leaves). Only a new start mends it.
     */
    @Override
    public boolean ended() {
        boolean wasFull = start.disk().wasFullSince(beganNanos);
        boolean ended = life.ended();
        if (wasFull || ended) {
            noteFull();
        }
        return ended || (wasFull && start.disk().isWritable());
    }

    /**
     * The next start looks at the logs, however this one ends. A broker that ended by itself may have met a full disk
     * that no look has seen. A file can be deleted on a full disk too.
     */
    private void noteFull() {
        try {
            Files.deleteIfExists(start.folder().resolve(NEVER_FULL));
        } catch (IOException e) {
            LOG.warn("the logs in {} are not looked at when Kafka is started again", start.folder(), e);
        }
    }

    /** Ends the process instead where what is left of the last one may still write the folder. */
    @Override
    public EmbeddedKafka again() throws IOException {
        KafkaLife.endProcessWhereOneIsLeft(start.folder());
        PortRegistry free = new PortRegistry(start.folder());
        for (int port : List.of(
                start.ports().clients(), start.ports().own(), start.ports().controller())) {
            int unused = free.port("Kafka", port);
        }
        return start(start);
    }

    private static Properties settings(Path folder, int port, int ownPort, int controllerPort) {
        Properties settings = new Properties();
        settings.setProperty("process.roles", "broker,controller");
        settings.setProperty("node.id", "1");
        settings.setProperty("controller.quorum.voters", "1@127.0.0.1:" + controllerPort);
        String listeners = "CLIENTS://127.0.0.1:" + port + ",OWN://127.0.0.1:" + ownPort;
        settings.setProperty("listeners", listeners + ",CONTROLLER://127.0.0.1:" + controllerPort);
        settings.setProperty("advertised.listeners", listeners);
        settings.setProperty("listener.security.protocol.map", "CLIENTS:PLAINTEXT,OWN:PLAINTEXT,CONTROLLER:PLAINTEXT");
        settings.setProperty("controller.listener.names", "CONTROLLER");
        settings.setProperty("inter.broker.listener.name", "OWN");
        settings.setProperty("log.dirs", folder.resolve(LOGS).toString());
        settings.setProperty("broker.session.timeout.ms", Integer.toString(BROKER_SESSION_MILLIS));
        settings.setProperty("broker.heartbeat.interval.ms", Integer.toString(BROKER_HEARTBEAT_MILLIS));
        settings.setProperty("initial.broker.registration.timeout.ms", Integer.toString(REGISTRATION_MILLIS));
        // One node: nothing can have a second copy.
        settings.setProperty("offsets.topic.num.partitions", "1");
        settings.setProperty("offsets.topic.replication.factor", "1");
        settings.setProperty("transaction.state.log.num.partitions", "1");
        settings.setProperty("transaction.state.log.replication.factor", "1");
        settings.setProperty("transaction.state.log.min.isr", "1");
        settings.setProperty("share.coordinator.state.topic.num.partitions", "1");
        settings.setProperty("share.coordinator.state.topic.replication.factor", "1");
        settings.setProperty("share.coordinator.state.topic.min.isr", "1");
        settings.setProperty("auto.create.topics.enable", "false");
        settings.setProperty("group.initial.rebalance.delay.ms", "0");
        // Any client may announce a request of any size, for which memory is taken before it comes: this many
        // connections times this size is what a stranger may cost.
        settings.setProperty("socket.request.max.bytes", Integer.toString(REQUEST_BYTES));
        settings.setProperty("listener.name.clients.max.connections", Integer.toString(MOST_CLIENT_CONNECTIONS));
        settings.setProperty("listener.name.own.max.connections", Integer.toString(MOST_OWN_CONNECTIONS));
        settings.setProperty("listener.name.controller.max.connections", Integer.toString(MOST_OWN_CONNECTIONS));
        settings.setProperty("connections.max.idle.ms", Integer.toString(IDLE_MILLIS));
        // What was deleted gives its bytes back soon: files are looked for each minute, not every five.
        settings.setProperty("log.retention.check.interval.ms", Integer.toString(RETENTION_CHECK_MILLIS));
        // Small: it shares the process and its cores with everything else.
        settings.setProperty("num.network.threads", "1");
        settings.setProperty("num.io.threads", "2");
        settings.setProperty("background.threads", "2");
        // The controller writes an empty record where nothing else comes, twice a second by default, to show others
        // that it lives: there are no others.
        settings.setProperty("metadata.max.idle.interval.ms", Integer.toString(METADATA_IDLE_MILLIS));
        // A thread has whole partitions of the offsets topic, which has one.
        settings.setProperty("group.coordinator.threads", "1");
        settings.setProperty("log.cleaner.dedupe.buffer.size", Integer.toString(2 << 20));
        return settings;
    }

    /**
     * Only once a folder: a second time would give it another cluster id, which the tool refuses.
     *
     * @return whether it has done so now
     */
    private static boolean format(Path folder, Path file) throws IOException {
        if (Files.exists(folder.resolve(LOGS).resolve("meta.properties"))) {
            return false;
        }
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        int code = StorageTool.execute(
                new String[] {"format", "-t", Uuid.randomUuid().toString(), "-c", file.toString(), "--ignore-formatted"
                },
                new PrintStream(said, true, StandardCharsets.UTF_8));
        if (code != 0) {
            throw new IOException(
                    "Kafka's folder " + folder + " could not be formatted: " + said.toString(StandardCharsets.UTF_8));
        }
        return true;
    }

    public int port() {
        return start.ports().clients();
    }

    /** What clients take for {@code bootstrap.servers}. */
    public String bootstrap() {
        return "127.0.0.1:" + port();
    }

    /** The same for clients of this process: a port that no other is told of, so that none can keep them out. */
    public String ownBootstrap() {
        return "127.0.0.1:" + start.ports().own();
    }

    @Override
    public void close() {
        life.stop(() -> stop(server));
        // What was appended until then counts.
        if (start.disk().wasFullSince(beganNanos) || life.ended()) {
            noteFull();
        }
    }
}
