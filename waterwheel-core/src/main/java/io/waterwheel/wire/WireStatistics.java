package io.waterwheel.wire;

import io.waterwheel.query.Pruning;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.Statistics;
import io.waterwheel.wire.proto.PrunedMessage;
import io.waterwheel.wire.proto.ScannedMessage;
import java.util.List;

/** What was looked at for an answer, as messages. Stateless. */
final class WireStatistics {
    /** Of one scan: reasons to prune, each with one of the fields. */
    private static final int MOST_REASONS = 4_096;

    /** Of anything that is counted of one scan: 256 TiB, or three days in nanoseconds. */
    private static final long MOST_OF_A_SCAN = 1L << 48;

    private WireStatistics() {}

    static io.waterwheel.wire.proto.Statistics toMessage(Statistics statistics) {
        return io.waterwheel.wire.proto.Statistics.newBuilder()
                .setChunks(statistics.chunks())
                .setChunksMeeting(statistics.chunksMeeting())
                .addAllChunksByDimension(toMessages(statistics.chunksByDimension()))
                .setChunksRead(statistics.chunksRead())
                .setNearReads(statistics.nearReads())
                .setFarReads(statistics.farReads())
                .setInChunks(toMessage(statistics.inChunks()))
                .setFresh(toMessage(statistics.fresh()))
                .build();
    }

    static Statistics fromMessage(io.waterwheel.wire.proto.Statistics message) {
        return new Statistics(
                message.getChunks(),
                message.getChunksMeeting(),
                fromMessages(message.getChunksByDimensionList()),
                message.getChunksRead(),
                message.getNearReads(),
                message.getFarReads(),
                fromMessage(message.getInChunks()),
                fromMessage(message.getFresh()));
    }

    static ScannedMessage toMessage(ScanStatistics scanned) {
        ScanStatistics.Parts parts = scanned.parts();
        return ScannedMessage.newBuilder()
                .setLeaves(scanned.leaves())
                .addAllPruned(toMessages(scanned.pruned()))
                .setCounted(scanned.counted())
                .setRead(scanned.read())
                .setUnmatched(scanned.unmatched())
                .setTuples(scanned.tuples())
                .setPartsRead(parts.read())
                .setBytesRead(parts.bytesRead())
                .setPartsCached(parts.cached())
                .setBytesCached(parts.bytesCached())
                .setDirectoriesRead(parts.directoriesRead())
                .setDirectoryBytesRead(parts.directoryBytesRead())
                .setBytesReadAlong(parts.bytesReadAlong())
                .setReadNanos(parts.readNanos())
                .build();
    }

    /**
     * Checks what another worker says of one scan: sums of many must not overflow, nor take long.
     *
     * @throws IllegalArgumentException when it cannot be
     */
    static void check(ScannedMessage message) {
        for (long number : new long[] {
            message.getLeaves(),
            message.getCounted(),
            message.getRead(),
            message.getUnmatched(),
            message.getTuples(),
            message.getPartsRead(),
            message.getBytesRead(),
            message.getPartsCached(),
            message.getBytesCached(),
            message.getDirectoriesRead(),
            message.getDirectoryBytesRead(),
            message.getBytesReadAlong(),
            message.getReadNanos()
        }) {
            check(number, 0);
        }
        if (message.getPrunedCount() > MOST_REASONS) {
            throw new IllegalArgumentException("a scan that pruned for " + message.getPrunedCount()
                    + " reasons; expected at most " + MOST_REASONS);
        }
        message.getPrunedList().forEach(count -> check(count.getNumber(), 1));
    }

    private static void check(long number, long least) {
        if (number < least || number > MOST_OF_A_SCAN) {
            throw new IllegalArgumentException(
                    "a scan that looked at " + number + "; expected " + least + " to " + MOST_OF_A_SCAN);
        }
    }

    static ScanStatistics fromMessage(ScannedMessage message) {
        return new ScanStatistics(
                message.getLeaves(),
                fromMessages(message.getPrunedList()),
                message.getCounted(),
                message.getRead(),
                message.getUnmatched(),
                message.getTuples(),
                new ScanStatistics.Parts(
                        message.getPartsRead(),
                        message.getBytesRead(),
                        message.getPartsCached(),
                        message.getBytesCached(),
                        message.getDirectoriesRead(),
                        message.getDirectoryBytesRead(),
                        message.getBytesReadAlong(),
                        message.getReadNanos()));
    }

    static List<PrunedMessage> toMessages(Pruning pruning) {
        return pruning.counts().stream()
                .map(count -> PrunedMessage.newBuilder()
                        .setReason(count.reason())
                        .setField(count.field())
                        .setNumber(count.number())
                        .build())
                .toList();
    }

    static Pruning fromMessages(List<PrunedMessage> messages) {
        return new Pruning(messages.stream()
                .map(count -> new Pruning.Count(count.getReason(), count.getField(), count.getNumber()))
                .toList());
    }
}
