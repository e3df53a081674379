package io.waterwheel.query.run;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.IndexerHeader;
import io.waterwheel.query.Subquery;
import io.waterwheel.query.plan.Endpoints;
import io.waterwheel.query.plan.QueryPlan;
import io.waterwheel.query.scan.IndexerReply;
import io.waterwheel.query.scan.QueryClock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The replies of the indexers of one plan (protocol rules 8 and 9). Closing it closes every reply, even one that comes
 * after the attempt was given up. One thread; parts run on the executor's.
 */
final class IndexerReplies implements AutoCloseable {
    /** How long an indexer may take to answer where an old report of it would do. */
    private static final long EXCUSABLE_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** How often one who waits looks whether the receiver is still there. */
    private static final long LOOK_NANOS = 200_000_000;
    /** Partitions that a complaint names. */
    private static final int MOST_NAMED = 3;

    private final QueryPlan plan;
    private final IntFunction<Endpoints> endpoints;
    private final QueryClock clock;
    private final long deadline;
    private final BooleanSupplier givenUp;

    private final Map<Integer, IndexerReply> answers = new TreeMap<>();
    private final Map<Integer, String> trouble = new TreeMap<>();

    private final AwaitedPartitions awaited = new AwaitedPartitions();

    /** Guarded by itself: all that came. */
    private final List<IndexerReply> open = new ArrayList<>();

    /** Guarded by {@link #open}. */
    private boolean closed;

    /**
     * None yet.
     *
     * @param deadline by the clock
     * @param givenUp asked now and then while it waits: whether the answer is not waited for any longer
     */
    IndexerReplies(
            QueryPlan plan,
            IntFunction<Endpoints> endpoints,
            QueryClock clock,
            long deadline,
            BooleanSupplier givenUp) {
        this.plan = plan;
        this.endpoints = endpoints;
        this.clock = clock;
        this.deadline = deadline;
        this.givenUp = givenUp;
    }

    /** Asks every indexer of the plan; returns when each has replied or cannot. */
    void ask(ExecutorService executor) throws InterruptedException {
        List<Subquery.OfIndexer> subqueries = plan.indexers();
        Map<Integer, Future<IndexerReply>> asked = new HashMap<>();
        // All but the last on other threads; the last on this one, so a query of one indexer changes no thread,
        // unless it should not wait for it, or could not be called off it.
        for (int i = 0; i < subqueries.size(); i++) {
            Subquery.OfIndexer subquery = subqueries.get(i);
            if (i + 1 < subqueries.size() || plan.excusable().contains(subquery.indexer()) || !isHere(subquery)) {
                asked.put(subquery.indexer(), executor.submit(() -> askOne(subquery)));
            }
        }
        try {
            await(asked);
        } finally {
            asked.values().forEach(future -> future.cancel(true));
        }
    }

    /** Of an indexer that answers; null when it does not. */
    @Nullable
    IndexerReply of(int indexer) {
        return answers.get(indexer);
    }

    /** How many indexers answer. */
    int count() {
        return answers.size();
    }

    /** By indexer that does not answer, why: a sentence each; empty when the plan does. */
    Map<Integer, String> trouble() {
        return trouble;
    }

    /** For which partitions those wait that do not answer. */
    AwaitedPartitions awaited() {
        return awaited;
    }

    private boolean isHere(Subquery.OfIndexer subquery) {
        Endpoints.Indexer endpoint = endpoints.apply(subquery.streamId()).indexer(subquery.indexer());
        return endpoint == null || endpoint.isHere();
    }

    private void await(Map<Integer, Future<IndexerReply>> asked) throws InterruptedException {
        List<Subquery.OfIndexer> subqueries = plan.indexers();
        long patienceEnds = plan.excusable().isEmpty() ? 0 : clock.nanos() + EXCUSABLE_NANOS;
        for (int i = subqueries.size() - 1; i >= 0; i--) {
            Subquery.OfIndexer subquery = subqueries.get(i);
            int indexer = subquery.indexer();
            Future<IndexerReply> future = asked.get(indexer);
            try {
                IndexerReply reply = future == null
                        ? askOne(subquery)
                        : plan.excusable().contains(indexer)
                                ? QueryRunner.get(future, Math.max(0, patienceEnds - clock.nanos()))
                                : awaited(future);
                String complaint = complaint(reply.header(), subquery);
                if (complaint.isEmpty()) {
                    answers.put(indexer, reply);
                } else {
                    trouble.put(indexer, "indexer " + indexer + ": " + complaint);
                }
            } catch (IOException e) {
                trouble.put(indexer, "indexer " + indexer + ": " + e.getMessage());
            } catch (TimeoutException e) {
                trouble.put(indexer, "indexer " + indexer + ": does not answer");
            }
        }
    }

    private IndexerReply askOne(Subquery.OfIndexer subquery) throws IOException, InterruptedException {
        Endpoints asked = endpoints.apply(subquery.streamId());
        Endpoints.Indexer endpoint = asked.indexer(subquery.indexer());
        if (endpoint == null) {
            String why = asked.absence(subquery.indexer());
            throw new IOException(why.isEmpty() ? "no worker hosts it at present" : "cannot start: " + why);
        }
        return keep(endpoint.ask(subquery, plan.resolved(), deadline, givenUp));
    }

    private IndexerReply awaited(Future<IndexerReply> future) throws IOException, InterruptedException {
        while (true) {
            try {
                return QueryRunner.get(future, LOOK_NANOS);
            } catch (TimeoutException e) {
                if (clock.nanos() - deadline > LOOK_NANOS) {
                    throw new IOException("does not answer in time", e);
                }
                if (givenUp.getAsBoolean()) {
                    throw new WaterwheelException(ErrorCode.CLIENT_GONE, "the receiver of the answer is gone", e);
                }
            }
        }
    }

    /** Why the reply does not do; empty when it does. */
    private String complaint(IndexerHeader header, Subquery.OfIndexer subquery) {
        return switch (header.outcome()) {
            case REFRESH -> header.reason();
            case LATE -> {
                awaited.add(header, subquery);
                List<String> behind = AwaitedPartitions.behind(header, subquery);
                yield behind.isEmpty() ? "recovering" : (header.recovering() ? "recovering; " : "") + named(behind);
            }
            case ANSWER -> {
                if (header.version() > plan.snapshot().version()) {
                    yield "has seen routing version " + header.version();
                }
                yield header.stale().isEmpty() || plan.resolved().query().allowPartial()
                        ? ""
                        : "hears nothing of partitions " + header.stale();
            }
        };
    }

    private static String named(List<String> behind) {
        return String.join("; ", behind.subList(0, Math.min(behind.size(), MOST_NAMED)))
                + (behind.size() > MOST_NAMED ? "; and " + (behind.size() - MOST_NAMED) + " more partitions" : "");
    }

    private IndexerReply keep(IndexerReply reply) {
        synchronized (open) {
            if (closed) {
                reply.close();
            } else {
                open.add(reply);
            }
        }
        return reply;
    }

    @Override
    public void close() {
        synchronized (open) {
            closed = true;
            open.forEach(IndexerReply::close);
            open.clear();
        }
    }
}
