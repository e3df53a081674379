package io.waterwheel.sim;

import io.waterwheel.catalog.SnapshotReader;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.protocol.Control;
import io.waterwheel.query.IndexerHeader;
import io.waterwheel.query.Query;
import io.waterwheel.query.Subquery;
import io.waterwheel.query.memory.QueryMemory;
import io.waterwheel.query.plan.Endpoints;
import io.waterwheel.query.plan.IndexerReports;
import io.waterwheel.query.plan.ResolvedQuery;
import io.waterwheel.query.plan.SnapshotSource;
import io.waterwheel.query.plan.StreamTracker;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.query.run.CallerThread;
import io.waterwheel.query.run.QueryRunner;
import io.waterwheel.query.scan.ChunkCache;
import io.waterwheel.query.scan.ChunkScan;
import io.waterwheel.query.scan.IndexerReply;
import io.waterwheel.tuple.KeyInterval;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One life of a coordinator: its snapshot, as old as it may be, the reports it was sent, and the shipped way of a
 * query. While a query runs, the world goes on: at every pause, before each indexer and each chunk.
 */
final class CoordinatorRole implements SnapshotSource {

    private final World world;
    final int number;
    final SimCatalog.Client client;
    private final StreamTracker follower;
    private final QueryRunner runner;
    private final ChunkScan scan;
    private final QueryMemory memory = new QueryMemory(1 << 30, 1 << 30);
    private boolean advancing;
    /** What workers elsewhere know of the stream. */
    private final StreamCatalog others;

    CoordinatorRole(World world, int number) {
        this.world = world;
        this.number = number;
        this.client = world.catalog.client();
        this.others = new StreamCatalog(client, world.stream);
        this.follower = new StreamTracker(new SnapshotReader(client, world.files, world.stream));
        this.scan = new ChunkScan(world.files, new ChunkCache(1 << 20));
        this.runner = new QueryRunner(this, streamId -> new Others(), new CallerThread(), world.clock, memory);
    }

    void onReport(Control.Report report) {
        follower.onReport(report, world.now);
    }

    /** As a watch would. */
    void advance() {
        if (advancing) {
            return;
        }
        advancing = true;
        try {
            follow();
        } catch (WaterwheelException e) {
            world.requireTemporary(e);
        } finally {
            advancing = false;
        }
    }

    private StreamSnapshot follow() {
        long before = follower.snapshot().edit();
        StreamSnapshot after = follower.advance();
        if (after.edit() != before) {
            world.oracle.checkSnapshot("coordinator " + number, after);
        }
        return after;
    }

    @Override
    public Optional<StreamSnapshot> snapshot(String stream) {
        return Optional.of(follower.snapshot()).filter(snapshot -> snapshot.edit() > 0);
    }

    @Override
    public Optional<StreamSnapshot> refreshed(String stream) {
        if (advancing) {
            throw new WaterwheelException(ErrorCode.BUSY, "somebody else reads, and would be waited for");
        }
        advancing = true;
        try {
            client.sync();
            return Optional.of(follow());
        } finally {
            advancing = false;
        }
    }

    @Override
    public Map<Integer, IndexerReports> reports(int streamId) {
        return follower.reports(world.now);
    }

    @Override
    public void shown(int streamId, int indexer, long[] watermarks) {
        follower.onShown(indexer, watermarks);
    }

    /** The query as another process understands it: what reaches that is the subquery. */
    private ResolvedQuery arrived(Subquery subquery) throws IOException {
        try {
            return ResolvedQuery.of(subquery.query(), others.scaled(subquery.scales()));
        } catch (WaterwheelException e) {
            world.requireTemporary(e);
            throw new IOException(e);
        }
    }

    Answer ask(Query query, KeyInterval keys, KeyInterval ids) throws InterruptedException {
        Answer answer = new Answer(query, keys, ids, world.now);
        current = answer;
        long reserved = memory.reserved();
        runner.run(query, answer);
        world.oracle.checkMemory(query, memory.reserved() - reserved);
        return answer;
    }

    private @Nullable Answer current;

    /** Whom this coordinator reaches: indexers, and two query servers. */
    private final class Others implements Endpoints {
        @Override
        public @Nullable Indexer indexer(int indexer) {
            HostRole host = world.hostOf(indexer);
            HostRole.Instance instance = host.hosted.get(indexer);
            if (instance == null || host.paused()) {
                return null;
            }
            return (subquery, resolved, deadline, givenUp) -> {
                world.interleave();
                if (host.dead) {
                    throw new IOException("the worker is gone (planted)");
                }
                // A deadline in the past: the reader answers at once with what there is.
                IndexerReply reply =
                        instance.reader.ask(subquery, arrived(subquery).spec(), System.nanoTime() - 1_000_000, givenUp);
                world.oracle.checkStale(instance, reply.header());
                return new Reply(host, instance, reply);
            };
        }

        @Override
        public List<QueryServer> queryServers() {
            return List.of(new Server("a"), new Server("b"));
        }

        @Override
        public Map<String, List<String>> replicas(List<ChunkDescriptor> chunks) {
            return Map.of();
        }
    }

    /** An indexer's answer on its way: the worker may die while it is read. */
    private final class Reply implements IndexerReply {
        private final HostRole host;
        private final HostRole.Instance instance;
        private final IndexerReply reply;

        Reply(HostRole host, HostRole.Instance instance, IndexerReply reply) {
            this.host = host;
            this.instance = instance;
            this.reply = reply;
        }

        @Override
        public IndexerHeader header() {
            return reply.header();
        }

        @Override
        public long rows(RowSink sink) throws IOException {
            world.interleave();
            if (host.dead) {
                throw new IOException("the worker is gone (planted)");
            }
            Answer answer = current;
            if (answer != null) {
                answer.parts.add(new Answer.Part(instance, reply.header()));
            }
            return reply.rows(sink);
        }

        @Override
        public long[] shown() {
            return reply.shown();
        }

        @Override
        public void close() {
            reply.close();
        }
    }

    private final class Server implements Endpoints.QueryServer {
        private final String name;

        Server(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public String host() {
            return name;
        }

        @Override
        public long scan(Subquery.OfChunk subquery, ResolvedQuery resolved, RowSink sink, long deadline)
                throws IOException {
            if (world.random.nextInt(16) == 0) {
                world.interleave();
            }
            long found = scan.scan(
                    subquery.file(), world.topic.layout, arrived(subquery).spec(), subquery.piece(), sink);
            if (world.faulty() && world.random.nextInt(50) == 0) {
                throw new IOException("the answer was cut off (planted)");
            }
            return found;
        }

        @Override
        public long scanCached(Subquery.OfChunk subquery, ResolvedQuery resolved, RowSink sink) throws IOException {
            if (!world.readsCached) {
                return Endpoints.QueryServer.super.scanCached(subquery, resolved, sink);
            }
            return scan.scanCached(
                    subquery.file(), world.topic.layout, arrived(subquery).spec(), subquery.piece(), sink);
        }
    }
}
