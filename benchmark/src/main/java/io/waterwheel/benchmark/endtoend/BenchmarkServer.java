package io.waterwheel.benchmark.endtoend;

import io.waterwheel.embedded.server.WaterwheelServer;
import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.topology.Tasks;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.zookeeper.ZooKeeperCatalogStore;
import io.waterwheel.wire.WireQueries;
import io.waterwheel.wire.proto.CreateStreamRequest;
import io.waterwheel.wire.proto.FlushStreamRequest;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;

/** The server in this process on another process's broker, and a Flight client to it. */
final class BenchmarkServer implements AutoCloseable {
    private final WaterwheelServer server;
    private final BufferAllocator allocator = new RootAllocator();
    private final FlightClient client;

    private BenchmarkServer(WaterwheelServer server, String url) throws IOException {
        this.server = server;
        this.client = FlightClient.builder(allocator, new Location(URI.create(url.replace("grpc://", "grpc+tcp://"))))
                .build();
    }

    /**
     * Starts it; returns when a coordinator answers.
     *
     * @param overrides {@code key=value} of the configuration
     */
    static BenchmarkServer start(Path folder, String bootstrap, List<String> overrides)
            throws IOException, InterruptedException {
        WaterwheelConfig config = WaterwheelConfig.parse(
                "benchmark",
                "kafka:\n  bootstrap: " + bootstrap + "\nquery-server:\n  cache-size: 64 MiB\n",
                overrides);
        WaterwheelServer server = WaterwheelServer.start(
                folder, config, Set.of(WaterwheelServer.External.KAFKA), inForce -> new Tasks(new MeteredServices()));
        try (ZooKeeperCatalogStore catalog = ZooKeeperCatalogStore.connect(server.config())) {
            while (true) {
                var node = catalog.read("/coordinators/0");
                if (node.isPresent()) {
                    return new BenchmarkServer(server, new String(node.get().data(), StandardCharsets.UTF_8));
                }
                Thread.sleep(50);
            }
        }
    }

    void create(StreamDefinition stream) {
        call(
                "create-stream",
                CreateStreamRequest.newBuilder()
                        .setDefinitionJson(SchemaJson.writeStream(stream))
                        .build()
                        .toByteArray());
    }

    void flush(String stream) {
        call(
                "flush-stream",
                FlushStreamRequest.newBuilder()
                        .setName(stream)
                        .setTimeoutMillis(120_000)
                        .build()
                        .toByteArray());
    }

    private void call(String action, byte[] body) {
        var replies = client.doAction(new Action(action, body));
        while (replies.hasNext()) {
            replies.next();
        }
    }

    /** What a query found. */
    record Answer(long count, Verdict verdict) {}

    /** Counts the matching tuples. */
    Answer count(Query query) throws Exception {
        try (FlightStream stream = client.getStream(new Ticket(WireQueries.ticket(query.withCount())))) {
            long count = -1;
            Verdict verdict = null;
            while (stream.next()) {
                if (stream.getRoot().getRowCount() > 0) {
                    count = ((BigIntVector) stream.getRoot().getVector(0)).get(0);
                }
                ArrowBuf metadata = stream.getLatestMetadata();
                if (metadata != null) {
                    verdict = WireQueries.parseVerdict(metadata.nioBuffer(0, (int) metadata.readableBytes()));
                }
            }
            if (verdict == null) {
                throw new IOException("the answer was cut off");
            }
            return new Answer(count, verdict);
        }
    }

    @Override
    public void close() throws Exception {
        client.close();
        server.close();
    }
}
