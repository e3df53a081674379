package io.waterwheel.topology.wiring;

import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.IndexerHeader;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.Subquery;
import io.waterwheel.query.memory.QueryMemory;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.plan.Endpoints;
import io.waterwheel.query.plan.Planning;
import io.waterwheel.query.plan.PreparedShapes;
import io.waterwheel.query.plan.ResolvedQuery;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.query.scan.ChunkScan;
import io.waterwheel.query.scan.FreshReader;
import io.waterwheel.query.scan.IndexerReply;
import io.waterwheel.query.scan.QueryClock;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.topology.rpc.MessageSink;
import io.waterwheel.topology.rpc.MessageStream;
import io.waterwheel.topology.worker.Placement;
import io.waterwheel.topology.worker.Role;
import io.waterwheel.topology.worker.StreamDirectory;
import io.waterwheel.wire.SubqueryCodec;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Who answers subqueries: indexers and query servers of this worker by a call, those of others over the peers. */
final class WorkerEndpoints {
    /** Of a chunk: its tuples are below the checkpoints of the plan. */
    private static final long[] NOTHING_SHOWN = {};

    private record HostedIndexer(int streamId, int indexer) {}

    private final Map<HostedIndexer, FreshReader> indexers = new ConcurrentHashMap<>();
    /** Why those could not start that a task of this worker should host. */
    private final Map<HostedIndexer, String> absences = new ConcurrentHashMap<>();

    private final Map<String, Boolean> queryServers = new ConcurrentHashMap<>();
    private final ReplicaHosts replicas;
    private final StreamDirectory streams;
    private final ChunkScan chunkScan;
    private final QueryMemory memory;
    private final PreparedShapes shapes;
    private final TaskDirectory directory;
    private final Peers peers;
    private final String here;
    private final int indexerTasks;
    /** Chunks that a query server reads at once; 0: by the processors. */
    private final int readers;

    WorkerEndpoints(
            StreamDirectory streams,
            ChunkScan chunkScan,
            ReplicaHosts replicas,
            QueryMemory memory,
            PreparedShapes shapes,
            TaskDirectory directory,
            Peers peers,
            String here,
            int indexerTasks,
            int readers) {
        this.streams = streams;
        this.chunkScan = chunkScan;
        this.memory = memory;
        this.shapes = shapes;
        this.directory = directory;
        this.peers = peers;
        this.here = here;
        this.indexerTasks = indexerTasks;
        this.readers = readers;
        this.replicas = replicas;
    }

    AutoCloseable hostIndexer(int streamId, int indexer, FreshReader reader) {
        HostedIndexer key = new HostedIndexer(streamId, indexer);
        indexers.put(key, reader);
        absences.remove(key);
        return () -> indexers.remove(key, reader);
    }

    void indexerAbsent(int streamId, int indexer, String why) {
        // Of streams that were dropped none starts, which would take its entry away.
        absences.keySet().removeIf(key -> !streams.streams().containsKey(key.streamId()));
        HostedIndexer key = new HostedIndexer(streamId, indexer);
        absences.put(key, why);
        if (indexers.containsKey(key)) {
            // It has started meanwhile, by another attempt.
            absences.remove(key);
        }
    }

    AutoCloseable hostQueryServer(int index) {
        String address = Role.QUERY_SERVER.address(index);
        queryServers.put(address, true);
        AutoCloseable announcement = directory.announce(address, here);
        return () -> {
            queryServers.remove(address);
            announcement.close();
        };
    }

    /** Servers elsewhere are taken to be as this worker is. */
    private int readers() {
        return readers > 0
                ? readers
                : Math.max(1, Runtime.getRuntime().availableProcessors() / Math.max(1, queryServers.size()));
    }

    Endpoints of(int streamId) {
        return new OfStream(streamId);
    }

    /** Answers a subquery that came from another worker. */
    void answer(byte[] request, MessageSink sink) throws InterruptedException {
        Subquery subquery = SubqueryCodec.read(request);
        long deadline = System.nanoTime() + subquery.query().timeout().toNanos();
        try (Reservation reservation = memory.open();
                Planning planning = new Planning(shapes, reservation, QueryClock.SYSTEM, deadline, sink::cancelled)) {
            // What the plan knows may be newer than what this worker has heard.
            StreamInfo stream = streams.scaled(stream(subquery.streamId()), subquery.scales());
            ResolvedQuery resolved = ResolvedQuery.of(subquery.query(), stream, planning);
            BlockSender sender = new BlockSender(sink, deadline, reservation);
            long found;
            if (subquery instanceof Subquery.OfIndexer part) {
                HostedIndexer key = new HostedIndexer(part.streamId(), part.indexer());
                FreshReader reader = indexers.get(key);
                if (reader == null) {
                    String why = absences.get(key);
                    sink.send(PeerMessages.header(IndexerHeader.refresh(
                            why == null ? "the indexer is not hosted here" : "cannot start: " + why)));
                    return;
                }
                try (IndexerReply reply = reader.ask(part, resolved.spec(), deadline, sink::cancelled)) {
                    sink.send(PeerMessages.header(reply.header()));
                    if (reply.header().outcome() != IndexerHeader.Outcome.ANSWER) {
                        return;
                    }
                    sender.of(reply);
                    found = reply.rows(sender);
                }
            } else if (subquery instanceof Subquery.OfChunk part) {
                found = chunkScan.scan(part.file(), layout(part.streamId()), resolved.spec(), part.piece(), sender);
            } else {
                throw new IllegalArgumentException("a subquery that names neither an indexer nor a chunk");
            }
            sender.end(found);
        } catch (IOException e) {
            throw new WaterwheelException(ErrorCode.SUBQUERY_FAILED, String.valueOf(e.getMessage()), e);
        }
    }

    private StreamInfo stream(int streamId) {
        StreamInfo stream = streams.streams().get(streamId);
        if (stream == null) {
            throw new WaterwheelException(
                    ErrorCode.STREAM_UNKNOWN_HERE,
                    "this worker does not know stream id " + streamId + " (not yet, or no longer)");
        }
        return stream;
    }

    private RowLayout layout(int streamId) {
        return RowLayout.of(stream(streamId).schema());
    }

    private final class OfStream implements Endpoints {
        private final int streamId;

        OfStream(int streamId) {
            this.streamId = streamId;
        }

        @Override
        public Endpoints.@Nullable Indexer indexer(int indexer) {
            FreshReader local = indexers.get(new HostedIndexer(streamId, indexer));
            if (local != null) {
                return (subquery, resolved, deadline, givenUp) ->
                        local.ask(subquery, resolved.spec(), deadline, givenUp);
            }
            String place = directory.find(Role.INDEXER.address(Placement.indexerTaskOf(indexer, indexerTasks)));
            return place == null || place.equals(here) ? null : new RemoteIndexer(place);
        }

        @Override
        public String absence(int indexer) {
            HostedIndexer key = new HostedIndexer(streamId, indexer);
            return indexers.containsKey(key) ? "" : absences.getOrDefault(key, "");
        }

        private final class RemoteIndexer implements Indexer {
            private final String place;

            RemoteIndexer(String place) {
                this.place = place;
            }

            @Override
            public IndexerReply ask(
                    Subquery.OfIndexer subquery, ResolvedQuery resolved, long deadline, BooleanSupplier givenUp)
                    throws IOException {
                return askRemote(place, subquery, resolved, deadline);
            }

            @Override
            public boolean isHere() {
                return false;
            }
        }

        private IndexerReply askRemote(String place, Subquery.OfIndexer subquery, ResolvedQuery resolved, long deadline)
                throws IOException {
            Duration left = left(deadline);
            MessageStream stream = peers.at(place).subquery(SubqueryCodec.write(subquery.withTimeout(left)), left);
            try {
                byte[] first = stream.next();
                if (first == null) {
                    throw new IOException("the answer ended before its header");
                }
                return new RemoteReply(
                        stream, PeerMessages.readHeader(first), resolved.spec().partLayout());
            } catch (WaterwheelException e) {
                stream.close();
                throw unlessUser(e);
            } catch (IOException | RuntimeException e) {
                stream.close();
                throw e;
            }
        }

        @Override
        public List<QueryServer> queryServers() {
            List<QueryServer> servers = new ArrayList<>();
            queryServers.keySet().forEach(name -> servers.add(new LocalServer(name)));
            directory.all().forEach((address, place) -> {
                if (address.startsWith(Role.QUERY_SERVER.component() + "-")
                        && !queryServers.containsKey(address)
                        && !place.equals(here)) {
                    servers.add(new RemoteServer(address, place));
                }
            });
            return servers;
        }

        @Override
        public Map<String, List<String>> replicas(List<ChunkDescriptor> chunks) throws InterruptedException {
            List<String> files = new ArrayList<>(chunks.size());
            for (ChunkDescriptor chunk : chunks) {
                files.add(chunk.file());
            }
            return replicas.of(files);
        }

        private final class LocalServer implements QueryServer {
            private final String name;

            LocalServer(String name) {
                this.name = name;
            }

            @Override
            public String name() {
                return name;
            }

            @Override
            public String host() {
                return here.substring(0, here.lastIndexOf(':'));
            }

            @Override
            public int readers() {
                return WorkerEndpoints.this.readers();
            }

            @Override
            public long scan(Subquery.OfChunk subquery, ResolvedQuery resolved, RowSink sink, long deadline)
                    throws IOException {
                return chunkScan.scan(subquery.file(), layout(streamId), resolved.spec(), subquery.piece(), sink);
            }

            @Override
            public long scanCached(Subquery.OfChunk subquery, ResolvedQuery resolved, RowSink sink) throws IOException {
                return chunkScan.scanCached(subquery.file(), layout(streamId), resolved.spec(), subquery.piece(), sink);
            }
        }

        private final class RemoteServer implements QueryServer {
            private final String name;
            private final String place;

            RemoteServer(String name, String place) {
                this.name = name;
                this.place = place;
            }

            @Override
            public String name() {
                return name;
            }

            @Override
            public String host() {
                return place.substring(0, place.lastIndexOf(':'));
            }

            @Override
            public int readers() {
                return WorkerEndpoints.this.readers();
            }

            @Override
            public long scan(Subquery.OfChunk subquery, ResolvedQuery resolved, RowSink sink, long deadline)
                    throws IOException {
                Duration left = left(deadline);
                try (MessageStream stream =
                        peers.at(place).subquery(SubqueryCodec.write(subquery.withTimeout(left)), left)) {
                    return receive(stream, resolved.spec().partLayout(), subquery.piece(), NOTHING_SHOWN, sink);
                } catch (WaterwheelException e) {
                    throw unlessUser(e);
                }
            }
        }
    }

    /** What came from another worker may be void, and another may do better; but not when the query is at fault. */
    private static IOException unlessUser(WaterwheelException failure) {
        if (failure.kind() == WaterwheelException.Kind.USER) {
            throw failure;
        }
        return new IOException(failure.getMessage(), failure);
    }

    private static Duration left(long deadline) throws IOException {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
            throw new IOException("out of time");
        }
        return Duration.ofNanos(left);
    }

    /**
     * Takes blocks up to the end mark; the number of matching tuples. A sink that stops ends it early.
     *
     * @param shown raised to what blocks say of their tuples' offsets
     */
    private static long receive(
            MessageStream stream, RowLayout layout, Subquery.Piece piece, long[] shown, RowSink sink)
            throws IOException {
        int blocks = 0;
        long rows = 0;
        while (sink.wanted()) {
            byte[] message;
            try {
                message = stream.next();
            } catch (WaterwheelException e) {
                // Of the other worker; what the sink fails with goes on as it is.
                throw unlessUser(e);
            }
            if (message == null) {
                throw new IOException("the answer was cut off after " + blocks + " blocks");
            }
            if (PeerMessages.isEnd(message)) {
                ScanStatistics scanned = PeerMessages.readScanned(message);
                sink.scanned(scanned);
                long found = PeerMessages.readEnd(message, blocks);
                int nextLeaf = PeerMessages.readNextLeaf(message, piece, scanned.leaves());
                if (nextLeaf != PeerMessages.NO_LEAF) {
                    sink.pausedAt(nextLeaf);
                }
                return found;
            }
            io.waterwheel.tuple.TupleBlock block = PeerMessages.readBlock(message, blocks, layout);
            PeerMessages.readShown(message, shown);
            blocks++;
            rows += block.size();
            if (!sink.accept(block)) {
                return rows;
            }
        }
        return rows;
    }

    private static final class RemoteReply implements IndexerReply {
        private final MessageStream stream;
        private final IndexerHeader header;
        private final RowLayout layout;
        private final long[] shown;

        RemoteReply(MessageStream stream, IndexerHeader header, RowLayout layout) {
            this.stream = stream;
            this.header = header;
            this.layout = layout;
            this.shown = header.watermarks().clone();
        }

        @Override
        public IndexerHeader header() {
            return header;
        }

        @Override
        public long rows(RowSink sink) throws IOException {
            return receive(stream, layout, Subquery.Piece.WHOLE, shown, sink);
        }

        @Override
        public long[] shown() {
            return shown;
        }

        @Override
        public void close() {
            stream.close();
        }
    }
}
