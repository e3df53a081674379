package io.waterwheel.query.exec;

import io.waterwheel.catalog.ChunkDescriptor;
import io.waterwheel.catalog.StreamSnapshot;
import io.waterwheel.model.Field;
import io.waterwheel.model.FieldType;
import io.waterwheel.model.LittleEndian;
import io.waterwheel.model.RowLayout;
import io.waterwheel.model.TupleBlock;
import io.waterwheel.model.WaterwheelException;
import io.waterwheel.query.IndexerHeader;
import io.waterwheel.query.Query;
import io.waterwheel.query.Subquery;
import io.waterwheel.query.Verdict;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Answers queries: plans on a snapshot, asks the indexers, and once all of them have accepted the snapshot reads their
 * tuples and the chunks' and merges (protocol rules 8 to 10). A query runs on its caller's thread, parts of it on the
 * executor's. Thread-safe.
 *
 * <p>What is held per query: one chunk's matching tuples a query server, a block of an indexer's.
 */
public final class QueryRunner {
    /* Nothing reaches the client before every indexer has accepted the snapshot, so planning again never repeats a
     * tuple. A chunk's tuples reach the client only when the attempt that read them ended whole, so attempts never
     * mix. An indexer that breaks off after its header fails the query: what it held cannot be asked for again under
     * the same snapshot. */

    /** Pause before asking again when the catalog and an indexer disagree, or nobody hosts it. */
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final long MAX_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final SnapshotSource snapshots;
    private final Endpoints endpoints;
    private final ExecutorService executor;

    /** @param executor runs one task an indexer and a query server of each running query */
    public QueryRunner(SnapshotSource snapshots, Endpoints endpoints, ExecutorService executor) {
        this.snapshots = snapshots;
        this.endpoints = endpoints;
        this.executor = executor;
    }

    /** Answers a query; every outcome, failures too, reaches the sink. Returns when the answer has ended. */
    public void run(Query query, AnswerSink sink) throws InterruptedException {
        try {
            new Run(query, sink).answer();
        } catch (WaterwheelException e) {
            sink.fail(e);
        } catch (IOException e) {
            sink.fail(new WaterwheelException(
                    WaterwheelException.Kind.TEMPORARY,
                    "ANSWER_CUT_OFF",
                    "a part of the answer was cut off: " + e.getMessage() + "; ask again",
                    e));
        } catch (IllegalArgumentException e) {
            sink.fail(new WaterwheelException(
                    WaterwheelException.Kind.USER, "BAD_QUERY", String.valueOf(e.getMessage()), e));
        }
    }

    private final class Run {
        private final Query query;
        private final AnswerSink sink;
        private final long deadline;
        private final List<String> missing = new ArrayList<>();
        private long tuples;
        private boolean enough;

        Run(Query query, AnswerSink sink) {
            this.query = query;
            this.sink = sink;
            this.deadline = System.nanoTime() + query.timeout().toNanos();
        }

        void answer() throws IOException, InterruptedException {
            StreamSnapshot snapshot = snapshots
                    .snapshot(query.stream())
                    .or(() -> snapshots.refreshed(query.stream()))
                    .orElseThrow(() -> noSuchStream(query.stream()));
            long pause = RETRY_NANOS;
            String trouble = "";
            while (true) {
                QueryPlan plan = QueryPlan.of(
                        query, snapshot, snapshots.reports(snapshot.stream().id()));
                Map<Integer, IndexerReply> replies = new TreeMap<>();
                try (OpenReplies open = new OpenReplies()) {
                    trouble = ask(plan, replies, open);
                    if (trouble.isEmpty() || (query.allowPartial() && pause > RETRY_NANOS)) {
                        if (!trouble.isEmpty()) {
                            missing.add(trouble);
                        }
                        deliver(plan, replies);
                        return;
                    }
                }
                if (deadline - System.nanoTime() <= pause || sink.cancelled()) {
                    throw new WaterwheelException(
                            WaterwheelException.Kind.TEMPORARY,
                            "INCOMPLETE",
                            "no complete answer within " + query.timeout().toMillis() + " ms: " + trouble
                                    + "; ask again, allow more time, or allow a partial answer");
                }
                TimeUnit.NANOSECONDS.sleep(pause);
                pause = Math.min(pause * 2, MAX_RETRY_NANOS);
                snapshot = snapshots.refreshed(query.stream()).orElseThrow(() -> noSuchStream(query.stream()));
            }
        }

        /**
         * Asks every indexer of the plan.
         *
         * @return why the plan does not do, or empty when every indexer answers
         */
        private String ask(QueryPlan plan, Map<Integer, IndexerReply> replies, OpenReplies open)
                throws InterruptedException {
            List<Subquery.OfIndexer> subqueries = plan.indexers();
            Map<Integer, Future<IndexerReply>> asked = new HashMap<>();
            // All but the last on other threads; the last on this one, so a query of one indexer changes no thread.
            for (int i = 0; i + 1 < subqueries.size(); i++) {
                Subquery.OfIndexer subquery = subqueries.get(i);
                asked.put(subquery.indexer(), executor.submit(() -> askOne(subquery, open)));
            }
            String trouble = "";
            for (int i = subqueries.size() - 1; i >= 0; i--) {
                Subquery.OfIndexer subquery = subqueries.get(i);
                int indexer = subquery.indexer();
                Future<IndexerReply> future = asked.get(indexer);
                try {
                    IndexerReply reply = future == null ? askOne(subquery, open) : get(future);
                    String complaint = complaint(plan, reply.header());
                    if (complaint.isEmpty()) {
                        replies.put(indexer, reply);
                    } else {
                        trouble = "indexer " + indexer + ": " + complaint;
                    }
                } catch (IOException e) {
                    trouble = "indexer " + indexer + ": " + e.getMessage();
                }
            }
            return trouble;
        }

        private IndexerReply askOne(Subquery.OfIndexer subquery, OpenReplies open)
                throws IOException, InterruptedException {
            Endpoints.Indexer endpoint = endpoints.indexer(subquery.indexer());
            if (endpoint == null) {
                throw new IOException("no worker hosts it at present");
            }
            return open.add(endpoint.ask(subquery, deadline));
        }

        private String complaint(QueryPlan plan, IndexerHeader header) {
            return switch (header.outcome()) {
                case REFRESH -> header.reason();
                case LATE -> "recovering, or behind what the query demands: " + header.reason();
                case ANSWER -> {
                    if (header.version() > plan.snapshot().version()) {
                        yield "has seen routing version " + header.version();
                    }
                    yield header.stale().isEmpty() || query.allowPartial()
                            ? ""
                            : "hears nothing of partitions " + header.stale();
                }
            };
        }

        private void deliver(QueryPlan plan, Map<Integer, IndexerReply> replies)
                throws IOException, InterruptedException {
            List<Field> fields = query.count()
                    ? List.of(new Field("count", FieldType.LONG, false))
                    : plan.resolved().fields();
            sink.start(fields);
            Map<Integer, Long> positions = new HashMap<>();
            plan.excused().forEach(watermarks -> lower(positions, watermarks));
            ChunkReads chunks = new ChunkReads(plan);
            chunks.start();
            try {
                for (Map.Entry<Integer, IndexerReply> entry : replies.entrySet()) {
                    IndexerHeader header = entry.getValue().header();
                    lower(positions, header.watermarks());
                    if (header.recovering()) {
                        missing.add("indexer " + entry.getKey() + " is recovering");
                    }
                    if (!header.stale().isEmpty()) {
                        missing.add("indexer " + entry.getKey() + " hears nothing of partitions " + header.stale());
                    }
                    long found = entry.getValue().rows(this::deliverRows);
                    if (query.count()) {
                        add(found);
                    }
                }
            } finally {
                chunks.finish();
            }
            if (query.count()) {
                TupleBlock block = new TupleBlock(RowLayout.ofFields(fields), 1);
                LittleEndian.putLong(block.column(0), 0, tuples);
                block.setSize(1);
                sink.rows(block);
            }
            Verdict verdict = new Verdict(
                    missing.isEmpty(),
                    missing,
                    positions,
                    plan.snapshot().edit(),
                    tuples,
                    replies.size(),
                    plan.chunks().size());
            if (!verdict.complete() && !query.allowPartial()) {
                throw new WaterwheelException(
                        WaterwheelException.Kind.TEMPORARY,
                        "INCOMPLETE",
                        "the answer lacks something: " + missing + "; ask again, or allow a partial answer");
            }
            sink.finish(verdict);
        }

        private synchronized void add(long found) {
            tuples += found;
        }

        /** Passes rows on, cut to the limit; false once nothing more is wanted. */
        private synchronized boolean deliverRows(TupleBlock rows) {
            if (enough || sink.cancelled()) {
                return false;
            }
            long room = query.limit() - tuples;
            if (rows.size() > room) {
                rows.setSize((int) room);
            }
            if (rows.size() > 0) {
                sink.rows(rows);
            }
            tuples += rows.size();
            enough = tuples >= query.limit();
            return !enough;
        }

        private synchronized boolean done() {
            return enough || sink.cancelled();
        }

        /** The chunks of a plan, read by all query servers at once. */
        private final class ChunkReads {
            private final QueryPlan plan;
            private final List<Future<Void>> readers = new ArrayList<>();
            private final Map<String, String> failures = new HashMap<>();
            private @Nullable LadaDispatch dispatch;

            ChunkReads(QueryPlan plan) {
                this.plan = plan;
            }

            void start() {
                if (plan.chunks().isEmpty()) {
                    return;
                }
                List<Endpoints.QueryServer> servers = endpoints.queryServers();
                Map<String, String> hosts = new HashMap<>();
                servers.forEach(server -> hosts.put(server.name(), server.host()));
                LadaDispatch pending = new LadaDispatch(plan.chunks(), hosts, endpoints::replicas);
                dispatch = pending;
                for (Endpoints.QueryServer server : servers) {
                    readers.add(executor.submit(() -> {
                        read(pending, server);
                        return null;
                    }));
                }
            }

            private void read(LadaDispatch pending, Endpoints.QueryServer server) throws InterruptedException {
                ChunkDescriptor chunk;
                while (!done() && (chunk = pending.bid(server.name())) != null) {
                    List<TupleBlock> rows = new ArrayList<>();
                    try {
                        long found = server.scan(
                                new Subquery.OfChunk(
                                        query, plan.snapshot().stream().id(), chunk.file()),
                                block -> {
                                    rows.add(block);
                                    return !done();
                                },
                                deadline);
                        pending.done(chunk);
                        if (query.count()) {
                            add(found);
                        }
                        for (TupleBlock block : rows) {
                            if (!deliverRows(block)) {
                                break;
                            }
                        }
                    } catch (IOException | WaterwheelException e) {
                        synchronized (failures) {
                            failures.put(chunk.file(), server.name() + ": " + e.getMessage());
                        }
                        pending.failed(chunk, server.name());
                    }
                }
            }

            void finish() throws InterruptedException, IOException {
                for (Future<Void> reader : readers) {
                    get(reader);
                }
                if (dispatch == null || done()) {
                    return;
                }
                for (ChunkDescriptor chunk : dispatch.left()) {
                    synchronized (failures) {
                        missing.add("chunk " + chunk.file() + " could not be read: "
                                + failures.getOrDefault(chunk.file(), "no query server is alive"));
                    }
                }
            }
        }
    }

    /** Every reply of one attempt, to be closed with it, also one that comes after the attempt was given up. */
    private static final class OpenReplies implements AutoCloseable {
        private final List<IndexerReply> replies = new ArrayList<>();
        private boolean closed;

        synchronized IndexerReply add(IndexerReply reply) {
            if (closed) {
                reply.close();
            } else {
                replies.add(reply);
            }
            return reply;
        }

        @Override
        public synchronized void close() {
            closed = true;
            replies.forEach(IndexerReply::close);
            replies.clear();
        }
    }

    private static void lower(Map<Integer, Long> positions, long[] watermarks) {
        for (int p = 0; p < watermarks.length; p++) {
            positions.merge(p, watermarks[p], Math::min);
        }
    }

    private static <T> T get(Future<T> future) throws InterruptedException, IOException {
        try {
            return future.get();
        } catch (java.util.concurrent.ExecutionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof IOException io) {
                throw io;
            }
            if (cause instanceof RuntimeException runtime) {
                throw runtime;
            }
            throw new IOException(cause);
        }
    }

    private static WaterwheelException noSuchStream(String stream) {
        return new WaterwheelException(
                WaterwheelException.Kind.USER,
                "NO_SUCH_STREAM",
                "there is no stream '" + stream + "'; create it first, or list those there are");
    }
}
