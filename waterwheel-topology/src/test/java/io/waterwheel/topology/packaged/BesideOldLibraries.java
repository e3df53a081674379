package io.waterwheel.topology.packaged;

import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.local.LocalSettings;
import io.waterwheel.local.LocalStream;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.metrics.QueryMetrics;
import io.waterwheel.metrics.Scrape;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.sql.SqlPlan;
import io.waterwheel.sql.SqlPlanner;
import io.waterwheel.sql.StreamSchemas;
import io.waterwheel.topology.WaterwheelTopology;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.hdfs.ChunkStores;
import io.waterwheel.topology.kafka.KafkaTopics;
import io.waterwheel.topology.rpc.MessageSink;
import io.waterwheel.topology.rpc.PeerHandler;
import io.waterwheel.topology.rpc.PeerSecret;
import io.waterwheel.topology.rpc.RpcServer;
import io.waterwheel.topology.rpc.RpcSettings;
import io.waterwheel.topology.zookeeper.ZooKeeperCatalogStore;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Run in a JVM of its own, on a class path where old libraries come first, Storm's second and the topology jar last:
 * makes what a worker makes of each library that the jar brings. Prints {@code all well} at its end.
 *
 * <p>Arguments: ZooKeeper's HOST:PORT and an empty folder.
 */
final class BesideOldLibraries {
    private BesideOldLibraries() {}

    public static void main(String[] args) throws Exception {
        String zooKeeper = args[0];
        Path folder = Path.of(args[1]);
        oldOnesComeFirst();

        WaterwheelConfig config = WaterwheelConfig.parse(
                "test", "zookeeper.connect: " + zooKeeper + "\nstorm: {topology.debug: false}", List.of());
        require(WaterwheelTopology.build(config).get_bolts_size() == 4, "the topology has its bolts");
        require(WaterwheelTopology.stormConf(config).containsKey("waterwheel"), "the configuration rides along");

        StreamDefinition definition = SchemaFile.read("test", """
                name: rows
                format: csv
                fields:
                  - {name: at, type: timestamp}
                  - {name: k, type: long}
                key: {field: k}
                time: at
                """);
        catalog(zooKeeper, definition);
        chunks(folder, definition);
        answers();
        statements(definition.schema());
        metrics();
        new KafkaTopics("127.0.0.1:1").close();
        ChunkStores.open("file://" + folder.resolve("store").toUri().getRawPath())
                .close();
        System.out.println("all well");
        System.exit(0);
    }

    /** The library looks for its writers by name. */
    private static void metrics() {
        Metrics metrics = new Metrics(1);
        metrics.histogram(QueryMetrics.QUERIES, "complete").nanos(1);
        Scrape text = Scrape.of(List.of(metrics), null);
        require(
                new String(text.body(), StandardCharsets.UTF_8).contains("waterwheel_query_seconds_count"),
                "metrics as text");
        Scrape binary = Scrape.of(
                List.of(metrics),
                "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited");
        require(binary.contentType().startsWith("application/vnd.google.protobuf"), "metrics by Protocol Buffers");
        require(binary.body().length > 100, "a page by Protocol Buffers");
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError("not so: " + what);
        }
    }

    /** Else this would show nothing. */
    private static void oldOnesComeFirst() throws ClassNotFoundException {
        for (String[] old : new String[][] {
            {"com.google.common.base.Objects", "guava-11."},
            {"com.fasterxml.jackson.databind.ObjectMapper", "jackson-databind-2.9."},
            {"com.google.protobuf.Message", "protobuf-java-2.5."}
        }) {
            String where = String.valueOf(
                    Class.forName(old[0]).getProtectionDomain().getCodeSource().getLocation());
            require(where.contains(old[1]), old[0] + " is of " + old[1] + ", it is of " + where);
        }
    }

    /** Curator, ZooKeeper, Jackson. */
    private static void catalog(String zooKeeper, StreamDefinition definition) {
        try (ZooKeeperCatalogStore store =
                ZooKeeperCatalogStore.connect(zooKeeper, "/beside", Duration.ofSeconds(20))) {
            StreamInfo stream = new Namespace(store)
                    .create(definition.name(), definition.schema(), definition.format(), "rows", new long[] {0, 0}, 2);
            require(new StreamCatalog(store, stream).checkpoint(1).watermarks().length == 2, "the catalog is read");
        }
    }

    /** Zstandard's native library, Caffeine, JTS, SnakeYAML. */
    private static void chunks(Path folder, StreamDefinition definition) throws Exception {
        try (LocalStream stream =
                LocalStream.open(folder.resolve("rows"), "rows", definition.schema(), LocalSettings.DEFAULT)) {
            TupleBlock block = new TupleBlock(stream.layout(), 0);
            RecordDecoder decoder = RecordDecoder.of(RecordFormat.CSV, definition.schema());
            for (int i = 0; i < 5_000; i++) {
                decoder.decode(ByteBuffer.wrap((i + "," + i % 7).getBytes(StandardCharsets.UTF_8)), block);
            }
            require(stream.insert(block) == 5_000, "all rows are taken");
            stream.flush();
            long found = stream.answer(stream.query().withWhere("k = 3").withCount(), rows -> true)
                    .tuples();
            require(found == 714, "714 rows have the key, found " + found);
        }
    }

    /** Calcite, which has classes of its own compiled while it plans. */
    private static void statements(Schema schema) {
        StreamSchemas streams = new StreamSchemas() {
            @Override
            public List<String> names() {
                return List.of("rows");
            }

            @Override
            public Schema schema(String name) {
                return schema;
            }
        };
        SqlPlan plan = (SqlPlan) new SqlPlanner(streams)
                .plan(
                        "SELECT k, COUNT(*) AS n FROM \"rows\" WHERE k > 3 GROUP BY k HAVING COUNT(*) > 1"
                                + " ORDER BY n DESC LIMIT 2",
                        Instant.EPOCH);
        require(plan.columns().size() == 2, "a statement is planned");
    }

    /** Arrow Flight, gRPC, netty and protobuf. By reflection, where a signature names a class that is relocated. */
    private static void answers() throws Exception {
        CompletableFuture<String> heard = new CompletableFuture<>();
        PeerHandler peers = new PeerHandler() {
            @Override
            public void control(String target, byte[] message) {
                heard.complete(target + Arrays.toString(message));
            }

            @Override
            public void subquery(byte[] request, MessageSink sink) {
                throw new AssertionError("not asked for");
            }
        };
        PeerSecret secret = new PeerSecret(PeerSecret.random());
        try (RpcServer server = RpcServer.forPeers(RpcSettings.DEFAULT, peers, secret)) {
            Object allocator = RpcServer.class.getMethod("allocator").invoke(server);
            Class<?> type = Class.forName("io.waterwheel.topology.rpc.PeerClient");
            try (AutoCloseable client = (AutoCloseable)
                    type.getConstructors()[0].newInstance(allocator, "127.0.0.1", server.port(), secret)) {
                Object taken = type.getMethod("offerControl", String.class, byte[].class)
                        .invoke(client, "indexer-1", new byte[] {1, 2, 3});
                require(Boolean.TRUE.equals(taken), "the message is taken");
                require(heard.get(2, TimeUnit.MINUTES).equals("indexer-1[1, 2, 3]"), "the message arrives");
            }
        }
    }
}
