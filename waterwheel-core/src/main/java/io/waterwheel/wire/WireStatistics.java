package io.waterwheel.wire;

import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.Statistics;
import io.waterwheel.wire.proto.ScannedMessage;

/** What was looked at for an answer, as messages. Stateless. */
final class WireStatistics {
    private WireStatistics() {}

    static io.waterwheel.wire.proto.Statistics toMessage(Statistics statistics) {
        return io.waterwheel.wire.proto.Statistics.newBuilder()
                .setChunks(statistics.chunks())
                .setChunksMeeting(statistics.chunksMeeting())
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
                message.getChunksRead(),
                message.getNearReads(),
                message.getFarReads(),
                fromMessage(message.getInChunks()),
                fromMessage(message.getFresh()));
    }

    private static ScannedMessage toMessage(ScanStatistics scanned) {
        return ScannedMessage.newBuilder()
                .setLeaves(scanned.leaves())
                .setOutsideKeys(scanned.skipped().byKeys())
                .setOutsideTimes(scanned.skipped().byTimes())
                .setOutsideValues(scanned.skipped().byValues())
                .setCounted(scanned.counted())
                .setRead(scanned.read())
                .setTuples(scanned.tuples())
                .setPartsRead(scanned.parts().read())
                .setPartsCached(scanned.parts().cached())
                .setBytesRead(scanned.parts().bytesRead())
                .build();
    }

    private static ScanStatistics fromMessage(ScannedMessage message) {
        return new ScanStatistics(
                message.getLeaves(),
                new ScanStatistics.Skipped(
                        message.getOutsideKeys(), message.getOutsideTimes(), message.getOutsideValues()),
                message.getCounted(),
                message.getRead(),
                message.getTuples(),
                new ScanStatistics.Parts(message.getPartsRead(), message.getPartsCached(), message.getBytesRead()));
    }
}
