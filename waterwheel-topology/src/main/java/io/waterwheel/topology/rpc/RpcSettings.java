package io.waterwheel.topology.rpc;

/**
 * Where the server listens and what it may use.
 *
 * @param host address to bind; {@code 127.0.0.1} unless the network is trusted, for there is no login
 * @param port 0 for any free one
 * @param memoryBytes most memory for answers under way in this process, off the heap
 * @param queries most queries answered at a time; further ones are refused as TEMPORARY
 * @param subqueries most subqueries answered at a time; further ones are refused as TEMPORARY
 */
public record RpcSettings(String host, int port, long memoryBytes, int queries, int subqueries) {
    /** Loopback, a free port, 256 MiB, 64 queries, 256 subqueries. */
    public static final RpcSettings DEFAULT = new RpcSettings("127.0.0.1", 0, 256L << 20, 64, 256);

    public RpcSettings {
        if (port < 0 || port > 65535 || memoryBytes < 16 << 20 || queries < 1 || subqueries < 1) {
            throw new IllegalArgumentException("rpc: port " + port + ", memory " + memoryBytes + " bytes, queries "
                    + queries + ", subqueries " + subqueries
                    + ": expected a port of 0 to 65535, at least 16 MiB, and at least one of each");
        }
    }
}
