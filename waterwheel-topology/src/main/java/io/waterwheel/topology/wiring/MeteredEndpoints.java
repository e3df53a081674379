package io.waterwheel.topology.wiring;

import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.metrics.Counter;
import io.waterwheel.metrics.Histogram;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.metrics.QueryMetrics;
import io.waterwheel.query.IndexerHeader;
import io.waterwheel.query.Subquery;
import io.waterwheel.query.plan.Endpoints;
import io.waterwheel.query.plan.ResolvedQuery;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.query.scan.IndexerReply;
import io.waterwheel.topology.worker.Placement;
import io.waterwheel.topology.worker.Role;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Endpoints whose subqueries are timed, by the task that answers them. Thread-safe. */
final class MeteredEndpoints implements Endpoints {
    /** Of all streams of a worker. */
    static final class Meters {
        private static final int MOST_TASKS = 64;
        private static final String OTHER = "other";

        private record Meter(Histogram seconds, Counter failures) {}

        private final Metrics metrics;
        private final int indexerTasks;
        /** By the number of the task; those beyond share the last. Each is made when it is first asked for. */
        private final AtomicReferenceArray<@Nullable Meter> fresh = new AtomicReferenceArray<>(MOST_TASKS + 1);

        private final Map<String, Meter> chunk = new ConcurrentHashMap<>();

        Meters(Metrics metrics, int indexerTasks) {
            this.metrics = metrics;
            this.indexerTasks = indexerTasks;
        }

        private Meter ofIndexer(int indexer) {
            int task = Placement.indexerTaskOf(indexer, indexerTasks);
            int place = Math.min(task, MOST_TASKS);
            Meter known = fresh.get(place);
            if (known == null) {
                // Another thread may make it too: the registry gives both the same counters.
                known = meter("fresh", place < MOST_TASKS ? Role.INDEXER.address(task) : OTHER);
                fresh.set(place, known);
            }
            return known;
        }

        private Meter ofServer(String name) {
            Meter known = chunk.get(name);
            if (known != null) {
                return known;
            }
            String label = chunk.size() < MOST_TASKS ? name : OTHER;
            return chunk.computeIfAbsent(label, unused -> meter("chunk", label));
        }

        private Meter meter(String kind, String task) {
            return new Meter(
                    metrics.histogram(QueryMetrics.SUBQUERIES, kind, task),
                    metrics.counter(QueryMetrics.SUBQUERY_FAILURES, kind, task));
        }
    }

    private final Endpoints endpoints;
    private final Meters meters;

    MeteredEndpoints(Endpoints endpoints, Meters meters) {
        this.endpoints = endpoints;
        this.meters = meters;
    }

    @Override
    public @Nullable Indexer indexer(int indexer) {
        Indexer asked = endpoints.indexer(indexer);
        return asked == null ? null : new MeteredIndexer(asked, meters.ofIndexer(indexer));
    }

    @Override
    public String absence(int indexer) {
        return endpoints.absence(indexer);
    }

    @Override
    public List<QueryServer> queryServers() {
        List<QueryServer> all = endpoints.queryServers();
        List<QueryServer> metered = new ArrayList<>(all.size());
        for (QueryServer server : all) {
            metered.add(new MeteredServer(server, meters.ofServer(server.name())));
        }
        return metered;
    }

    @Override
    public Map<String, List<String>> replicas(List<ChunkDescriptor> chunks) throws InterruptedException {
        return endpoints.replicas(chunks);
    }

    @Override
    public Endpoints uncounted() {
        return endpoints;
    }

    private record MeteredIndexer(Indexer indexer, Meters.Meter meter) implements Indexer {
        @Override
        public IndexerReply ask(
                Subquery.OfIndexer subquery, ResolvedQuery resolved, long deadlineNanos, BooleanSupplier givenUp)
                throws IOException, InterruptedException {
            long begin = System.nanoTime();
            try {
                return new MeteredReply(indexer.ask(subquery, resolved, deadlineNanos, givenUp), meter, begin);
            } catch (IOException | RuntimeException e) {
                meter.failures().increment();
                throw e;
            }
        }

        @Override
        public boolean isHere() {
            return indexer.isHere();
        }
    }

    /** Counts once: when it is closed, unless it failed before. */
    private static final class MeteredReply implements IndexerReply {
        private final IndexerReply reply;
        private final Meters.Meter meter;
        private final long beginNanos;
        private boolean counted;

        MeteredReply(IndexerReply reply, Meters.Meter meter, long beginNanos) {
            this.reply = reply;
            this.meter = meter;
            this.beginNanos = beginNanos;
        }

        @Override
        public IndexerHeader header() {
            return reply.header();
        }

        @Override
        public long rows(RowSink sink) throws IOException {
            try {
                return reply.rows(sink);
            } catch (IOException | RuntimeException e) {
                counted = true;
                meter.failures().increment();
                throw e;
            }
        }

        @Override
        public long[] shown() {
            return reply.shown();
        }

        @Override
        public void close() {
            if (!counted) {
                counted = true;
                meter.seconds().since(beginNanos);
            }
            reply.close();
        }
    }

    private record MeteredServer(QueryServer server, Meters.Meter meter) implements QueryServer {
        @Override
        public String name() {
            return server.name();
        }

        @Override
        public String host() {
            return server.host();
        }

        @Override
        public int readers() {
            return server.readers();
        }

        @Override
        public long scan(Subquery.OfChunk subquery, ResolvedQuery resolved, RowSink sink, long deadlineNanos)
                throws IOException, InterruptedException {
            long begin = System.nanoTime();
            try {
                long found = server.scan(subquery, resolved, sink, deadlineNanos);
                meter.seconds().since(begin);
                return found;
            } catch (IOException | RuntimeException e) {
                meter.failures().increment();
                throw e;
            }
        }

        @Override
        public long scanCached(Subquery.OfChunk subquery, ResolvedQuery resolved, RowSink sink) throws IOException {
            long begin = System.nanoTime();
            // What fails is void, and left to scan, which counts it.
            long found = server.scanCached(subquery, resolved, sink);
            meter.seconds().since(begin);
            return found;
        }
    }
}
