package io.waterwheel.client.admin;

import io.waterwheel.tuple.LostRange;
import io.waterwheel.wire.proto.PartitionOffsets;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Where reading of one partition of a stream's topic stands. Everything is in positions: offsets of the log, plus
 * {@code base}, which is 0 unless the topic was made anew.
 *
 * @param checkpoints by indexer, the position below which everything is in chunks
 * @param watermarks by indexer, the position below which everything is indexed
 * @param lost what was given up
 * @param trouble why it stands still and what to do; empty when it does not
 * @param deadLetters stored since its dispatcher began with it
 */
public record SourceOffsets(
        int partition,
        Positions positions,
        Map<Integer, Long> checkpoints,
        Map<Integer, Long> watermarks,
        List<LostRange> lost,
        String trouble,
        long deadLetters) {
    /**
     * Positions of the log and of its reader.
     *
     * @param base what is added to the log's offsets
     * @param routed first position not routed yet; absent when not known
     * @param taken first position that the dispatcher has not taken from the spout: what lies between waits to be
     *     routed; absent when not known
     * @param limit first position that may not be routed yet
     * @param logStart of the first record that the log holds; absent when the log cannot be asked
     * @param logEnd after the last visible record; absent when the log cannot be asked
     */
    public record Positions(
            long base,
            OptionalLong routed,
            OptionalLong taken,
            long limit,
            OptionalLong logStart,
            OptionalLong logEnd) {}

    public static SourceOffsets of(PartitionOffsets message) {
        return new SourceOffsets(
                message.getPartition(),
                new Positions(
                        message.getBase(),
                        message.hasPosition() ? OptionalLong.of(message.getPosition()) : OptionalLong.empty(),
                        message.hasTaken() ? OptionalLong.of(message.getTaken()) : OptionalLong.empty(),
                        message.getLimit(),
                        message.hasLogStart() ? OptionalLong.of(message.getLogStart()) : OptionalLong.empty(),
                        message.hasLogEnd() ? OptionalLong.of(message.getLogEnd()) : OptionalLong.empty()),
                message.getCheckpointsMap(),
                message.getWatermarksMap(),
                message.getLostList().stream()
                        .map(range ->
                                new LostRange(range.getPartition(), range.getFrom(), range.getTo(), range.getReason()))
                        .toList(),
                message.getTrouble(),
                message.getDeadLetters());
    }

    /** Visible records that not every indexer has; absent when the log cannot be asked. */
    public OptionalLong lag() {
        OptionalLong logEnd = logEnd();
        if (logEnd.isEmpty()) {
            return OptionalLong.empty();
        }
        long indexed = (watermarks.isEmpty() ? checkpoints : watermarks)
                .values().stream().mapToLong(Long::longValue).min().orElse(0);
        return OptionalLong.of(Math.max(0, logEnd.getAsLong() - indexed));
    }

    /** See {@link Positions#base}. */
    public long base() {
        return positions.base();
    }

    /** See {@link Positions#routed}. */
    public OptionalLong position() {
        return positions.routed();
    }

    /** See {@link Positions#taken}. */
    public OptionalLong taken() {
        return positions.taken();
    }

    /** See {@link Positions#limit}. */
    public long limit() {
        return positions.limit();
    }

    /** See {@link Positions#logStart}. */
    public OptionalLong logStart() {
        return positions.logStart();
    }

    /** See {@link Positions#logEnd}. */
    public OptionalLong logEnd() {
        return positions.logEnd();
    }
}
