package io.waterwheel.topology.wiring;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.ingest.dispatch.CatchUpBudget;
import io.waterwheel.query.memory.QueryMemory;
import io.waterwheel.query.memory.SpillDisk;
import io.waterwheel.topology.config.DataSize;
import io.waterwheel.topology.config.Key;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a worker's buffers may hold together, by the configuration; docs/operations.md, <em>Memory</em>, has the same
 * table with what happens when each is full.
 */
public final class WorkerMemory {
    /** Storm on a cluster, the clients of Kafka, HDFS and ZooKeeper, and answers under way. */
    private static final long BASE_BYTES = 512L << 20;

    /** What was read of the log keeps alive at most this number of times its bytes, see {@code RecordBatch.own}. */
    private static final int READ_WASTE = 2;

    /** Tuples of a merge, a quarter more than planned: as a tree, encoded, and what sorts them. */
    private static final int MERGE_COPIES = 4;

    /** Windows that may be under way to an indexer task while its channels become active, see {@code CreditWindow}. */
    private static final double WINDOWS = 3.5;

    private WorkerMemory() {}

    /**
     * What the queries of one worker may take.
     *
     * @throws WaterwheelException {@code SPILL_FAILED} when the temporary folder cannot be used
     */
    static QueryMemory queries(WaterwheelConfig config) {
        long total = config.get(Keys.QUERY_MEMORY).bytes();
        long perQuery = Math.max(1, total * config.get(Keys.QUERY_MEMORY_SHARE) / 100);
        long spill = config.get(Keys.QUERY_SPILL).bytes();
        return spill == 0
                ? new QueryMemory(total, perQuery)
                : new QueryMemory(
                        total,
                        perQuery,
                        SpillDisk.beside(
                                Path.of(System.getProperty("java.io.tmpdir")),
                                spill,
                                config.get(Keys.DISK_RESERVE).bytes()));
    }

    /** Heap that a worker is given: its buffers, and what everything else needs. */
    public static long heapBytes(WaterwheelConfig config) {
        return BASE_BYTES + sum(bounds(config));
    }

    /** Most bytes of each kind of buffer in one worker, by the keys that bound it. */
    static Map<String, Long> bounds(WaterwheelConfig config) {
        int workers = config.get(Keys.TOPOLOGY_WORKERS);
        long spouts = share(config.get(Keys.SPOUT_TASKS), workers);
        long dispatchers = share(config.get(Keys.DISPATCHER_TASKS), workers);
        long indexers = share(config.get(Keys.INDEXER_TASKS), workers);
        Map<String, Long> bounds = new LinkedHashMap<>();
        bounds.put(
                "query-server.cache-size",
                config.get(Keys.QUERY_SERVER_CACHE_SIZE).bytes());
        bounds.put("query.memory", config.get(Keys.QUERY_MEMORY).bytes());
        bounds.put(
                "indexer.memory-pool",
                indexers * config.get(Keys.INDEXER_MEMORY_POOL).bytes());
        bounds.put("indexer.credit-window", (long)
                (WINDOWS * indexers * config.get(Keys.INDEXER_CREDIT_WINDOW).bytes()));
        // The ring, as much that waits before it, and what is read again as it comes: it keeps alive twice its bytes.
        long ring = config.get(Keys.DISPATCHER_RING_SIZE).bytes();
        bounds.put("dispatcher.ring-size", dispatchers * (2 * ring + READ_WASTE * CatchUpBudget.bytesOfRing(ring)));
        bounds.put(
                "spout.read-ahead",
                READ_WASTE * spouts * config.get(Keys.SPOUT_READ_AHEAD).bytes());
        bounds.put(
                "maintenance.merge-size",
                MERGE_COPIES * config.get(Keys.MAINTENANCE_MERGE_SIZE).bytes());
        return bounds;
    }

    /**
     * Refuses a configuration whose buffers alone do not fit the heap.
     *
     * @param heapBytes of this process
     * @throws WaterwheelException {@code HEAP_TOO_SMALL}, with the sum
     */
    public static void check(WaterwheelConfig config, long heapBytes) {
        Map<String, Long> bounds = bounds(config);
        if (sum(bounds) <= heapBytes) {
            return;
        }
        StringBuilder terms = new StringBuilder();
        bounds.forEach((key, bytes) -> terms.append(terms.isEmpty() ? "" : " + ")
                .append(mebibytes(bytes))
                .append(" (")
                .append(key)
                .append(")"));
        throw new WaterwheelException(
                ErrorCode.HEAP_TOO_SMALL,
                "a worker's buffers may take " + terms + " = " + mebibytes(sum(bounds)) + ", and its heap is "
                        + mebibytes(heapBytes) + ": make one of these keys smaller, or -Xmx at least "
                        + (heapBytes(config) >> 20) + "m");
    }

    /**
     * The configuration for a process whose heap was not chosen: queries take a quarter of the heap at most, where they
     * are at their default; where the default cache does not fit beside the other buffers, a smaller one, a quarter of
     * the heap; and where these do not fit either, of those that are at their defaults half, or a quarter.
     *
     * @param heapBytes of this process
     */
    public static WaterwheelConfig fitting(WaterwheelConfig given, long heapBytes) {
        DataSize queries = given.get(Keys.QUERY_MEMORY);
        boolean chosen = !queries.equals(
                WaterwheelConfig.parse("defaults", "", List.of()).get(Keys.QUERY_MEMORY));
        WaterwheelConfig config = chosen || queries.bytes() <= heapBytes / 4
                ? given
                : given.with(Keys.QUERY_MEMORY, new DataSize(heapBytes / 4));
        DataSize cache = config.get(Keys.QUERY_SERVER_CACHE_SIZE);
        DataSize usual = WaterwheelConfig.parse("defaults", "", List.of()).get(Keys.QUERY_SERVER_CACHE_SIZE);
        if (!cache.equals(usual) || sum(bounds(config)) <= heapBytes / 4 * 3) {
            return config;
        }
        WaterwheelConfig fit =
                config.with(Keys.QUERY_SERVER_CACHE_SIZE, new DataSize(Math.min(cache.bytes(), heapBytes / 4)));
        WaterwheelConfig defaults = WaterwheelConfig.parse("defaults", "", List.of());
        for (int halving = 0; halving < 2 && sum(bounds(fit)) > heapBytes / 4 * 3; halving++) {
            for (Key<DataSize> key : List.of(
                    Keys.INDEXER_MEMORY_POOL,
                    Keys.DISPATCHER_RING_SIZE,
                    Keys.SPOUT_READ_AHEAD,
                    Keys.MAINTENANCE_MERGE_SIZE)) {
                if (config.get(key).equals(defaults.get(key))) {
                    fit = fit.with(key, new DataSize(fit.get(key).bytes() / 2));
                }
            }
        }
        return fit;
    }

    private static long sum(Map<String, Long> bounds) {
        return bounds.values().stream().mapToLong(Long::longValue).sum();
    }

    private static String mebibytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f MiB", bytes / (double) (1 << 20));
    }

    /** Most tasks of a kind that one worker has, as Storm spreads them evenly. */
    private static long share(int tasks, int workers) {
        return (tasks + workers - 1L) / workers;
    }
}
