package io.waterwheel.cluster;

import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import io.waterwheel.wire.WireQueries;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.Result;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.util.Text;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryUntilElapsed;
import org.apache.zookeeper.KeeperException;

/**
 * Finds the coordinators as any program may, by their nodes in ZooKeeper, and speaks plain Arrow Flight with them: what
 * the published messages promise is tested, not what our own client makes of it.
 */
final class Coordinators implements AutoCloseable {
    /** In all, however long each attempt waits for a connection. */
    private static final int RETRY_MILLIS = 60_000;

    private static final int RETRY_PAUSE_MILLIS = 200;

    private final CuratorFramework zooKeeper;
    private final String root;
    private final BufferAllocator allocator = new RootAllocator();
    private final Map<String, FlightClient> clients = new HashMap<>();

    /** Rows and the verdict that they ended with. */
    record Answer(List<List<Object>> rows, Verdict verdict, long millis) {}

    Coordinators(String connect, String root) {
        this.root = root;
        this.zooKeeper = CuratorFrameworkFactory.builder()
                .connectString(connect)
                .retryPolicy(new RetryUntilElapsed(RETRY_MILLIS, RETRY_PAUSE_MILLIS))
                .build();
        zooKeeper.start();
    }

    /** Address that the coordinator of this number announces at present. */
    Optional<String> address(int index) throws Exception {
        try {
            byte[] data = zooKeeper.getData().forPath(root + "/coordinators/" + index);
            return Optional.of(new String(data, StandardCharsets.UTF_8));
        } catch (KeeperException.NoNodeException e) {
            return Optional.empty();
        }
    }

    private FlightClient client(int index) throws Exception {
        String address =
                address(index).orElseThrow(() -> new IOException("coordinator " + index + " is not announced"));
        return clients.computeIfAbsent(address, key -> {
            URI uri = URI.create(key);
            return FlightClient.builder(allocator, Location.forGrpcInsecure(uri.getHost(), uri.getPort()))
                    .build();
        });
    }

    /** Asks a coordinator; an answer without a verdict is a failure. */
    Answer ask(int coordinator, Query query) throws Exception {
        long start = System.nanoTime();
        List<List<Object>> rows = new ArrayList<>();
        Verdict verdict = null;
        try (FlightStream stream = client(coordinator).getStream(new Ticket(WireQueries.ticket(query)))) {
            while (stream.next()) {
                List<FieldVector> vectors = stream.getRoot().getFieldVectors();
                for (int r = 0; r < stream.getRoot().getRowCount(); r++) {
                    List<Object> row = new ArrayList<>(vectors.size());
                    for (FieldVector vector : vectors) {
                        Object value = vector.getObject(r);
                        row.add(value instanceof Text text ? text.toString() : value);
                    }
                    rows.add(row);
                }
                if (stream.getLatestMetadata() != null) {
                    verdict =
                            WireQueries.parseVerdict(stream.getLatestMetadata().nioBuffer());
                }
            }
        }
        if (verdict == null) {
            throw new IOException("the answer of coordinator " + coordinator + " was cut off");
        }
        return new Answer(rows, verdict, (System.nanoTime() - start) / 1_000_000);
    }

    /** Calls an action and returns its one reply. */
    byte[] call(int coordinator, String action, byte[] request) throws Exception {
        Iterator<Result> results = client(coordinator).doAction(new Action(action, request));
        byte[] reply = results.next().getBody();
        while (results.hasNext()) {
            throw new IOException(action + " has more than one reply: " + results.next());
        }
        return reply;
    }

    @Override
    public void close() throws Exception {
        for (FlightClient client : clients.values()) {
            client.close();
        }
        allocator.close();
        zooKeeper.close();
    }
}
