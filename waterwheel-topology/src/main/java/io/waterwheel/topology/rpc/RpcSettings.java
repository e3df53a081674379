package io.waterwheel.topology.rpc;

import io.waterwheel.query.Query;
import java.time.Duration;

/**
 * Where the server listens and what it may use.
 *
 * @param host address to bind; {@code 127.0.0.1} unless the network is trusted, for there is no login
 * @param port 0 for any free one
 * @param memoryBytes most memory for answers under way in this process, off the heap
 * @param queries most queries answered at a time; further ones are refused as TEMPORARY
 * @param subqueries most subqueries answered at a time; further ones are refused as TEMPORARY
 * @param patience how long an answer waits for a client that takes nothing of it
 * @param usualQuery what a query may take that names no timeout
 * @param longestQuery what a query may take at most; one that asks for more time gets this
 */
public record RpcSettings(
        String host,
        int port,
        long memoryBytes,
        int queries,
        int subqueries,
        Duration patience,
        Duration usualQuery,
        Duration longestQuery) {
    /** Loopback, a free port, 256 MiB, 64 queries, 256 subqueries, twice half a minute, ten minutes. */
    public static final RpcSettings DEFAULT = new RpcSettings("127.0.0.1", 0, 256L << 20, 64, 256);

    /** The same, with the times of the defaults. */
    public RpcSettings(String host, int port, long memoryBytes, int queries, int subqueries) {
        this(
                host,
                port,
                memoryBytes,
                queries,
                subqueries,
                Duration.ofSeconds(30),
                Query.DEFAULT_TIMEOUT,
                Duration.ofMinutes(10));
    }

    public RpcSettings {
        if (port < 0 || port > 65535 || memoryBytes < 16 << 20 || queries < 1 || subqueries < 1) {
            throw new IllegalArgumentException("rpc: port " + port + ", memory " + memoryBytes + " bytes, queries "
                    + queries + ", subqueries " + subqueries
                    + ": expected a port of 0 to 65535, at least 16 MiB, and at least one of each");
        }
        if (patience.compareTo(Duration.ZERO) <= 0
                || usualQuery.compareTo(Duration.ZERO) <= 0
                || longestQuery.compareTo(Duration.ZERO) <= 0) {
            throw new IllegalArgumentException("rpc: patience " + patience + ", usual query " + usualQuery
                    + ", longest query " + longestQuery + ": expected positive ones");
        }
    }
}
