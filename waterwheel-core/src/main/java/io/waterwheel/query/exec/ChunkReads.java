package io.waterwheel.query.exec;

import io.waterwheel.catalog.ChunkDescriptor;
import io.waterwheel.model.TupleBlock;
import io.waterwheel.model.WaterwheelException;
import io.waterwheel.query.Scanned;
import io.waterwheel.query.Subquery;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Some chunks of a query, read by all query servers at once. What a chunk gave is merged only when an attempt has read
 * it whole, so attempts never mix. One thread calls; reading is done on the executor's.
 */
final class ChunkReads {
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** A server that waits bids so often: an answer is not held up by one that has nothing left to wait for. */
    private static final long BID_NANOS = TimeUnit.MICROSECONDS.toNanos(300);
    /** So often the one who waits for the readers looks whether one of them hangs. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final ResolvedQuery resolved;
    private final List<ChunkDescriptor> chunks;
    private final Delivery delivery;
    private final Endpoints endpoints;
    private final ExecutorService executor;
    private final QueryClock clock;
    /** What servers do, the last task of each by its name; the same, in the order begun. */
    private final Map<String, Future<Void>> busy = new HashMap<>();

    private final List<Future<Void>> readers = new ArrayList<>();
    /** Servers whose read chunk is being merged. Guarded by this. */
    private final Set<String> merging = new HashSet<>();

    private final Map<String, String> failures = new HashMap<>();
    private @Nullable Dispatch dispatch;
    /** Hosts of the chunks' files, as far as known. Set before the readers begin. */
    private Map<String, List<String>> replicas = Map.of();

    ChunkReads(
            ResolvedQuery resolved,
            List<ChunkDescriptor> chunks,
            Delivery delivery,
            Endpoints endpoints,
            ExecutorService executor,
            QueryClock clock) {
        this.clock = clock;
        this.resolved = resolved;
        this.chunks = chunks;
        this.delivery = delivery;
        this.endpoints = endpoints;
        this.executor = executor;
    }

    /** Begins to read. */
    void start(DispatchPolicy policy) throws InterruptedException {
        if (chunks.isEmpty()) {
            return;
        }
        List<Endpoints.QueryServer> servers = endpoints.queryServers();
        Map<String, String> hosts = new HashMap<>();
        servers.forEach(server -> hosts.put(server.name(), server.host()));
        replicas = endpoints.replicas(chunks.stream().map(ChunkDescriptor::file).toList());
        Dispatch pending = policy.dispatch(chunks, hosts, this::replicas);
        dispatch = pending;
        servers.forEach(server -> begin(pending, server));
    }

    private void begin(Dispatch pending, Endpoints.QueryServer server) {
        Future<Void> reader = executor.submit(() -> {
            read(pending, server);
            return null;
        });
        readers.add(reader);
        busy.put(server.name(), reader);
    }

    private List<String> replicas(String file) {
        return replicas.getOrDefault(file, List.of());
    }

    private void read(Dispatch pending, Endpoints.QueryServer server) throws InterruptedException {
        while (!delivery.done()) {
            Dispatch.Bid bid = pending.bid(server.name(), clock.nanos());
            if (bid instanceof Dispatch.Bid.Later later) {
                clock.sleep(Math.min(later.nanos(), BID_NANOS));
                continue;
            }
            if (!(bid instanceof Dispatch.Bid.Read read)) {
                return;
            }
            ChunkDescriptor chunk = read.chunk();
            List<TupleBlock> rows = new ArrayList<>();
            boolean[] cut = {false};
            Scanned[] scanned = {Scanned.NOTHING};
            long found;
            try {
                found = server.scan(
                        new Subquery.OfChunk(resolved.query(), resolved.stream().id(), chunk.file()),
                        resolved,
                        new RowSink() {
                            @Override
                            public boolean accept(TupleBlock block) {
                                rows.add(block);
                                return wanted();
                            }

                            @Override
                            public boolean wanted() {
                                cut[0] |= delivery.done();
                                return !cut[0];
                            }

                            @Override
                            public void scanned(Scanned what) {
                                scanned[0] = what;
                            }
                        },
                        delivery.deadlineNanos());
            } catch (IOException | WaterwheelException e) {
                if (e instanceof WaterwheelException refused && refused.kind() == WaterwheelException.Kind.USER) {
                    // No other server can answer it either.
                    delivery.giveUp();
                    throw refused;
                }
                failed(pending, chunk, server, String.valueOf(e.getMessage()));
                continue;
            }
            if (cut[0] && !delivery.nobodyWaits()) {
                failed(pending, chunk, server, "out of time");
                continue;
            }
            if (!mayMerge(pending, chunk, server)) {
                continue;
            }
            // What fails here fails the query: the chunk itself is read.
            boolean merged = false;
            try {
                delivery.found(found);
                delivery.readChunk(scanned[0], nearness(chunk, server, scanned[0]));
                delivery.acceptAll(rows);
                merged = true;
            } finally {
                if (!merged) {
                    delivery.giveUp();
                }
                synchronized (this) {
                    merging.remove(server.name());
                }
            }
        }
    }

    /** In one step, so that nobody who merges is taken for one who reads in vain. */
    private synchronized boolean mayMerge(Dispatch pending, ChunkDescriptor chunk, Endpoints.QueryServer server) {
        boolean first = pending.done(chunk, server.name(), clock.nanos());
        if (first) {
            merging.add(server.name());
        }
        return first;
    }

    private Delivery.Nearness nearness(ChunkDescriptor chunk, Endpoints.QueryServer server, Scanned scanned) {
        if (scanned.partsRead() == 0) {
            return Delivery.Nearness.NONE;
        }
        List<String> hosts = replicas(chunk.file());
        if (hosts.isEmpty()) {
            return Delivery.Nearness.NONE;
        }
        return hosts.contains(server.host()) ? Delivery.Nearness.NEAR : Delivery.Nearness.FAR;
    }

    private void failed(Dispatch pending, ChunkDescriptor chunk, Endpoints.QueryServer server, String why) {
        synchronized (failures) {
            failures.put(chunk.file(), server.name() + ": " + why);
        }
        pending.failed(chunk, server.name());
    }

    /** Waits for a reader; sees to it meanwhile that none who hangs holds the others up. */
    private void await(Dispatch pending, Future<Void> reader) throws InterruptedException, IOException {
        while (!reader.isCancelled()) {
            try {
                QueryRunner.get(reader, LOOK_NANOS);
                return;
            } catch (TimeoutException e) {
                if (pending.isOver()) {
                    endReadersInVain();
                } else if (pending.isHeldUp(clock.nanos()) && !delivery.done()) {
                    for (Endpoints.QueryServer server : endpoints.queryServers()) {
                        Future<Void> last = busy.get(server.name());
                        if (last == null || last.isDone()) {
                            begin(pending, server);
                        }
                    }
                }
            }
        }
    }

    private synchronized void endReadersInVain() {
        busy.forEach((server, reader) -> {
            if (!merging.contains(server)) {
                reader.cancel(true);
            }
        });
    }

    /** Waits until all is read, or cannot be; what is left then is missing. */
    void finish() throws InterruptedException, IOException {
        Dispatch pending = dispatch;
        if (pending == null) {
            return;
        }
        // There may be more of them meanwhile.
        for (int i = 0; i < readers.size(); i++) {
            await(pending, readers.get(i));
        }
        // A server that failed, or ended its bids before another failed, gets what is left again.
        for (int round = 0; !pending.left().isEmpty() && !delivery.done(); round++) {
            if (round > 0 && resolved.query().allowPartial()) {
                break;
            }
            pending.forgetFailures();
            for (Endpoints.QueryServer server : endpoints.queryServers()) {
                read(pending, server);
            }
            if (!pending.left().isEmpty()) {
                clock.sleep(RETRY_NANOS);
            }
        }
        if (delivery.nobodyWaits()) {
            return;
        }
        for (ChunkDescriptor chunk : pending.left()) {
            synchronized (failures) {
                delivery.miss("chunk " + chunk.file() + " could not be read: "
                        + failures.getOrDefault(chunk.file(), "no query server is alive"));
            }
        }
    }
}
