package io.waterwheel.ingest.source;

/**
 * Records on their way from a spout to a dispatcher, or the spout's heartbeat, with the account of what may be under
 * way (protocol rule 6). Byte counts are cumulative over the spout's life with the partition, see
 * {@link RecordBatch#bytes}.
 *
 * @param records what was read
 * @param life of the spout's reading of the partition; drawn at random when it begins, never 0
 * @param sent bytes handed on so far, these records included
 * @param received how far the spout knows that its bytes have come; at most {@code sent}
 * @param granted how far the spout knows that it may go
 */
public record LiveBatch(RecordBatch records, long life, long sent, long received, long granted) {}
