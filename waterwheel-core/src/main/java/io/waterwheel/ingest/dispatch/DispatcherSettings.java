package io.waterwheel.ingest.dispatch;

/**
 * Bounds of a partition's dispatcher, in bytes of tuples or records.
 *
 * @param ringBytes recent segments kept for channels that lag a little
 * @param pendingBytes records read but not yet routed, those under way from the spout included; it has credit for no
 *     more
 * @param heartbeatNanos longest silence on a channel
 */
public record DispatcherSettings(long ringBytes, long pendingBytes, long heartbeatNanos) {
    public static final DispatcherSettings DEFAULT = new DispatcherSettings(4 << 20, 8 << 20, 100_000_000);
}
