package io.waterwheel.wire;

import io.waterwheel.query.Explanation;
import io.waterwheel.query.Statistics;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.wire.proto.AnalysisMessage;
import io.waterwheel.wire.proto.ExplanationMessage;
import io.waterwheel.wire.proto.KeySpanMessage;
import io.waterwheel.wire.proto.ServerShareMessage;
import io.waterwheel.wire.proto.StepMessage;
import java.time.Duration;

/** Explanations as messages. Stateless. */
final class WireExplanations {
    private WireExplanations() {}

    static ExplanationMessage toMessage(Explanation explanation) {
        Explanation.Asked asked = explanation.asked();
        Explanation.Chunks chunks = explanation.chunks();
        Explanation.Indexers indexers = explanation.indexers();
        ExplanationMessage.Builder message = ExplanationMessage.newBuilder()
                .setEdit(asked.edit())
                .setKeyIntervals(asked.keyIntervals())
                .setShape(asked.shape())
                .setCondition(asked.condition())
                .setResult(asked.result())
                .setChunks(chunks.total())
                .addAllChunksPruned(WireStatistics.toMessages(chunks.pruned()))
                .setChunksToRead(chunks.toRead())
                .setTuplesToRead(chunks.tuples())
                .setBytesToRead(chunks.bytes())
                .setIndexers(indexers.total())
                .setIndexersByKeys(indexers.byKeys())
                .setIndexersByReports(indexers.byReports())
                .addAllIndexersAsked(indexers.asked())
                .setExpectedTuples(explanation.cost().tuples())
                .setLane(explanation.cost().lane());
        for (Explanation.KeySpan keys : asked.keys()) {
            message.addKeys(KeySpanMessage.newBuilder()
                    .setLow(keys.low())
                    .setHigh(keys.high())
                    .setFrom(keys.from())
                    .setTo(keys.to()));
        }
        TimeInterval times = asked.times();
        if (times != null) {
            message.setTimes(io.waterwheel.wire.proto.TimeInterval.newBuilder()
                    .setFrom(times.from())
                    .setTo(times.to()));
        }
        if (explanation.analysis() != null) {
            message.setAnalysis(toMessage(explanation.analysis()));
        }
        return message.build();
    }

    private static AnalysisMessage toMessage(Explanation.Analysis analysis) {
        AnalysisMessage.Builder message = AnalysisMessage.newBuilder()
                .setScanningNanos(analysis.work().scanning().toNanos())
                .setMergingNanos(analysis.work().merging().toNanos())
                .setSendingNanos(analysis.work().sending().toNanos());
        for (Explanation.Step step : analysis.steps()) {
            message.addSteps(StepMessage.newBuilder()
                    .setName(step.name())
                    .setNanos(step.time().toNanos()));
        }
        for (Explanation.Server server : analysis.servers()) {
            message.addServers(ServerShareMessage.newBuilder()
                    .setName(server.name())
                    .setHost(server.host())
                    .setParts(server.parts())
                    .setInVain(server.inVain())
                    .setUnread(server.unread())
                    .setScanned(WireStatistics.toMessage(server.scanned()))
                    .setNanos(server.time().toNanos()));
        }
        return message.build();
    }

    /** @param statistics of the verdict that it came with */
    static Explanation fromMessage(ExplanationMessage message, Statistics statistics) {
        return new Explanation(
                new Explanation.Asked(
                        message.getEdit(),
                        message.getKeysList().stream()
                                .map(keys -> new Explanation.KeySpan(
                                        keys.getLow(), keys.getHigh(), keys.getFrom(), keys.getTo()))
                                .toList(),
                        message.getKeyIntervals(),
                        message.hasTimes()
                                ? new TimeInterval(
                                        message.getTimes().getFrom(),
                                        message.getTimes().getTo())
                                : null,
                        message.getShape(),
                        message.getCondition(),
                        message.getResult()),
                new Explanation.Chunks(
                        message.getChunks(),
                        WireStatistics.fromMessages(message.getChunksPrunedList()),
                        message.getChunksToRead(),
                        message.getTuplesToRead(),
                        message.getBytesToRead()),
                new Explanation.Indexers(
                        message.getIndexers(),
                        message.getIndexersByKeys(),
                        message.getIndexersByReports(),
                        message.getIndexersAskedList()),
                new Explanation.Cost(message.getExpectedTuples(), message.getLane()),
                message.hasAnalysis() ? fromMessage(message.getAnalysis(), statistics) : null);
    }

    private static Explanation.Analysis fromMessage(AnalysisMessage message, Statistics statistics) {
        return new Explanation.Analysis(
                message.getStepsList().stream()
                        .map(step -> new Explanation.Step(step.getName(), Duration.ofNanos(step.getNanos())))
                        .toList(),
                new Explanation.Work(
                        Duration.ofNanos(message.getScanningNanos()),
                        Duration.ofNanos(statistics.inChunks().parts().readNanos()),
                        Duration.ofNanos(message.getMergingNanos()),
                        Duration.ofNanos(message.getSendingNanos())),
                message.getServersList().stream()
                        .map(server -> new Explanation.Server(
                                server.getName(),
                                server.getHost(),
                                server.getParts(),
                                server.getInVain(),
                                server.getUnread(),
                                WireStatistics.fromMessage(server.getScanned()),
                                Duration.ofNanos(server.getNanos())))
                        .toList(),
                statistics);
    }
}
