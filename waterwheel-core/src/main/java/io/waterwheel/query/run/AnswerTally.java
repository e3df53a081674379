package io.waterwheel.query.run;

import io.waterwheel.query.Explanation;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.Statistics;
import io.waterwheel.query.plan.Endpoints;
import io.waterwheel.query.plan.QueryPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/** What was looked at for one answer, by whom, and what it took. Thread-safe. */
final class AnswerTally {
    /** Where a chunk was read from. */
    enum Nearness {
        /** From the cache, or from a store that is equally near to all. */
        NONE,
        /** By a server beside a replica. */
        NEAR,
        /** By a server on a host without one. */
        FAR
    }

    /** Of one server. */
    private static final class Share {
        final String host;
        long parts;
        long inVain;
        long unread;
        ScanStatistics scanned = ScanStatistics.NOTHING;
        long nanos;

        Share(String host) {
            this.host = host;
        }

        Explanation.Server of(String name) {
            return new Explanation.Server(name, host, parts, inVain, unread, scanned, Duration.ofNanos(nanos));
        }
    }

    private final LongSupplier timer;

    // Guarded by this.
    private int chunksRead;
    private int nearReads;
    private int farReads;
    private final Map<Integer, Share> indexers = new TreeMap<>();
    private final Map<String, Share> queryServers = new TreeMap<>();
    private long mergeNanos;
    private long sendNanos;

    /**
     * Nothing yet.
     *
     * @param timer in nanoseconds; one that stands where no times are asked for
     */
    AnswerTally(LongSupplier timer) {
        this.timer = timer;
    }

    /** The time by which steps are measured, in nanoseconds; a look at a real clock costs as much as a small step. */
    long nanos() {
        return timer.getAsLong();
    }

    private Share share(Endpoints.QueryServer server) {
        return queryServers.computeIfAbsent(server.name(), name -> new Share(server.host()));
    }

    /** A server has read a chunk that is part of the answer. */
    synchronized void readChunk(Endpoints.QueryServer server, ScanStatistics scanned, Nearness nearness, long nanos) {
        chunksRead++;
        nearReads += nearness == Nearness.NEAR ? 1 : 0;
        farReads += nearness == Nearness.FAR ? 1 : 0;
        Share share = share(server);
        share.parts++;
        share.unread += scanned.isByDirectoryAlone() ? 1 : 0;
        share.scanned = share.scanned.plus(scanned);
        share.nanos += nanos;
    }

    /** A server has read another piece of a chunk of which pieces were read before. */
    synchronized void readMore(Endpoints.QueryServer server, ScanStatistics scanned, long nanos) {
        Share share = share(server);
        share.scanned = share.scanned.plus(scanned);
        share.nanos += nanos;
    }

    /** A server's attempt at a chunk is no part of the answer. */
    synchronized void attemptInVain(Endpoints.QueryServer server) {
        share(server).inVain++;
    }

    /** An indexer's tree was looked at. */
    synchronized void scannedFresh(int indexer, ScanStatistics scanned) {
        Share share = indexers.computeIfAbsent(indexer, number -> new Share(""));
        share.scanned = share.scanned.plus(scanned);
    }

    /** All of an indexer's trees took so long. */
    synchronized void readFresh(int indexer, long nanos) {
        Share share = indexers.computeIfAbsent(indexer, number -> new Share(""));
        share.parts = 1;
        share.nanos += nanos;
    }

    /** A part was merged; of that time, what was spent to send is told to {@link #sent} too. */
    synchronized void merged(long nanos) {
        mergeNanos += nanos;
    }

    /** Rows were handed to the client. */
    synchronized void sent(long nanos) {
        sendNanos += nanos;
    }

    private static ScanStatistics sum(Map<?, Share> shares) {
        ScanStatistics sum = ScanStatistics.NOTHING;
        for (Share share : shares.values()) {
            sum = sum.plus(share.scanned);
        }
        return sum;
    }

    /** What has been looked at. */
    synchronized Statistics statistics(QueryPlan plan) {
        return new Statistics(
                plan.snapshot().chunkCount(),
                plan.chunks().size(),
                plan.byDimension(),
                chunksRead,
                nearReads,
                farReads,
                sum(queryServers),
                sum(indexers));
    }

    /** The same and what it took, given the steps of the thread that answers. */
    synchronized Explanation.Analysis analysis(QueryPlan plan, List<Explanation.Step> steps) {
        List<Explanation.Server> servers = new ArrayList<>();
        indexers.forEach((indexer, share) -> servers.add(share.of("indexer " + indexer)));
        queryServers.forEach((name, share) -> servers.add(share.of(name)));
        Statistics statistics = statistics(plan);
        Duration scanning = servers.stream().map(Explanation.Server::time).reduce(Duration.ZERO, Duration::plus);
        return new Explanation.Analysis(
                steps,
                new Explanation.Work(
                        scanning,
                        Duration.ofNanos(statistics.inChunks().parts().readNanos()),
                        Duration.ofNanos(mergeNanos - sendNanos),
                        Duration.ofNanos(sendNanos)),
                servers,
                statistics);
    }
}
