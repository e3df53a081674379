package io.waterwheel.wire;

import com.google.protobuf.InvalidProtocolBufferException;
import io.waterwheel.protocol.ChannelEpoch;
import io.waterwheel.protocol.Control;
import io.waterwheel.protocol.PartitionTrouble;
import io.waterwheel.tuple.Region;
import io.waterwheel.wire.proto.BundleControl;
import io.waterwheel.wire.proto.ControlMessage;
import io.waterwheel.wire.proto.CreditControl;
import io.waterwheel.wire.proto.KeySampleControl;
import io.waterwheel.wire.proto.LiveControl;
import io.waterwheel.wire.proto.LogStateControl;
import io.waterwheel.wire.proto.PartitionReportControl;
import io.waterwheel.wire.proto.RegionMessage;
import io.waterwheel.wire.proto.ReportControl;
import io.waterwheel.wire.proto.SealControl;
import io.waterwheel.wire.proto.SubscribeControl;
import java.util.ArrayList;
import java.util.List;

/** Control messages as protobuf bytes, between workers. */
public final class ControlCodec {
    private ControlCodec() {}

    public static byte[] write(Control control) {
        return message(control).build().toByteArray();
    }

    private static ControlMessage.Builder message(Control control) {
        ControlMessage.Builder message = ControlMessage.newBuilder().setStreamId(control.streamId());
        if (control instanceof Control.Subscribe subscribe) {
            message.setSubscribe(SubscribeControl.newBuilder()
                    .setPartition(subscribe.partition())
                    .setIndexer(subscribe.indexer())
                    .setIndexerEpoch(subscribe.epoch().indexerEpoch())
                    .setAttempt(subscribe.epoch().attempt())
                    .setWatermark(subscribe.watermark())
                    .setConsumed(subscribe.consumed())
                    .setGranted(subscribe.granted()));
        } else if (control instanceof Control.Credit credit) {
            message.setCredit(CreditControl.newBuilder()
                    .setPartition(credit.partition())
                    .setIndexer(credit.indexer())
                    .setIndexerEpoch(credit.epoch().indexerEpoch())
                    .setAttempt(credit.epoch().attempt())
                    .setGranted(credit.granted()));
        } else if (control instanceof Control.ReadFrom live) {
            message.setLive(LiveControl.newBuilder()
                    .setPartition(live.partition())
                    .setPosition(live.position())
                    .setLife(live.life())
                    .setReceived(live.received())
                    .setGranted(live.granted()));
        } else if (control instanceof Control.Report report) {
            message.setReport(write(report));
        } else if (control instanceof Control.LogState state) {
            message.setLogState(LogStateControl.newBuilder()
                    .setPartition(state.partition())
                    .setSince(state.since())
                    .setStart(state.start())
                    .setEnd(state.end())
                    .setProblem(state.problem().name())
                    .setLookMillis(state.lookMillis()));
        } else if (control instanceof Control.PartitionReport report) {
            message.setPartitionReport(PartitionReportControl.newBuilder()
                    .setPartition(report.partition())
                    .setPosition(report.positions().routed())
                    .setTaken(report.positions().taken())
                    .setStart(report.positions().start())
                    .setEnd(report.positions().end())
                    .setLimit(report.positions().limit())
                    .setDeadLetters(report.deadLetters())
                    .setTrouble(report.trouble().kind().name())
                    .setDetail(report.trouble().detail())
                    .setLookMillis(report.lookMillis())
                    .setWarning(report.warning()));
        } else if (control instanceof Control.KeySample sample) {
            KeySampleControl.Builder part = KeySampleControl.newBuilder()
                    .setPartition(sample.partition())
                    .setTuples(sample.tuples());
            for (long key : sample.keys()) {
                part.addKeys(key);
            }
            message.setKeySample(part);
        } else if (control instanceof Control.Seal) {
            message.setSeal(SealControl.getDefaultInstance());
        } else if (control instanceof Control.Bundle bundle) {
            BundleControl.Builder parts = BundleControl.newBuilder();
            bundle.messages().forEach(part -> parts.addMessages(message(part)));
            message.setBundle(parts);
        }
        return message;
    }

    private static ReportControl.Builder write(Control.Report report) {
        ReportControl.Builder message = ReportControl.newBuilder()
                .setIndexer(report.indexer())
                .setEpoch(report.epoch())
                .setFlushed(report.flushed())
                .setVersion(report.version())
                .setTuples(report.tuples())
                .setRejected(report.rejected())
                .setFlushTrouble(report.memory().trouble())
                .setMemoryUsed(report.memory().usedBytes())
                .setMemoryLimit(report.memory().limitBytes())
                .setUnflushedTrees(report.memory().unflushedTrees())
                .setRebuilds(report.templates().rebuilds())
                .setSkewnessBefore(report.templates().before())
                .setSkewnessAfter(report.templates().after())
                .setLongestRebuildNanos(report.templates().longestNanos())
                .setLongestRebuildCpuNanos(report.templates().longestCpuNanos())
                .setRecovering(report.recovering());
        for (long watermark : report.watermarks()) {
            message.addWatermarks(watermark);
        }
        Region region = report.region();
        if (region != null) {
            message.setRegion(RegionMessage.newBuilder()
                    .setLowKey(region.keys().low())
                    .setHighKey(region.keys().high())
                    .setFromTime(region.times().from())
                    .setToTime(region.times().to()));
        }
        return message;
    }

    /**
     * The message of these bytes.
     *
     * @throws IllegalArgumentException when the bytes are no control message
     */
    public static Control read(byte[] bytes) {
        ControlMessage message;
        try {
            message = ControlMessage.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalArgumentException("not a control message: " + e.getMessage(), e);
        }
        return read(message);
    }

    private static Control read(ControlMessage message) {
        int stream = message.getStreamId();
        return switch (message.getMessageCase()) {
            case SUBSCRIBE -> {
                SubscribeControl part = message.getSubscribe();
                yield new Control.Subscribe(
                        stream,
                        part.getPartition(),
                        part.getIndexer(),
                        new ChannelEpoch(part.getIndexerEpoch(), part.getAttempt()),
                        part.getWatermark(),
                        part.getConsumed(),
                        part.getGranted());
            }
            case CREDIT -> {
                CreditControl part = message.getCredit();
                yield new Control.Credit(
                        stream,
                        part.getPartition(),
                        part.getIndexer(),
                        new ChannelEpoch(part.getIndexerEpoch(), part.getAttempt()),
                        part.getGranted());
            }
            case LIVE -> {
                LiveControl part = message.getLive();
                yield new Control.ReadFrom(
                        stream,
                        part.getPartition(),
                        part.getPosition(),
                        part.getLife(),
                        part.getReceived(),
                        part.getGranted());
            }
            case REPORT -> read(stream, message.getReport());
            case LOG_STATE -> {
                LogStateControl part = message.getLogState();
                yield new Control.LogState(
                        stream,
                        part.getPartition(),
                        part.getSince(),
                        part.getStart(),
                        part.getEnd(),
                        Control.LogProblem.valueOf(part.getProblem()),
                        part.getLookMillis());
            }
            case PARTITION_REPORT -> {
                PartitionReportControl part = message.getPartitionReport();
                yield new Control.PartitionReport(
                        stream,
                        part.getPartition(),
                        new Control.Positions(
                                part.getPosition(), part.getTaken(), part.getStart(), part.getEnd(), part.getLimit()),
                        part.getDeadLetters(),
                        new PartitionTrouble(PartitionTrouble.Kind.valueOf(part.getTrouble()), part.getDetail()),
                        part.getLookMillis(),
                        part.getWarning());
            }
            case KEY_SAMPLE -> {
                KeySampleControl part = message.getKeySample();
                yield new Control.KeySample(
                        stream,
                        part.getPartition(),
                        part.getKeysList().stream().mapToLong(Long::longValue).toArray(),
                        part.getTuples());
            }
            case SEAL -> new Control.Seal(stream);
            case BUNDLE -> {
                List<Control> parts = new ArrayList<>();
                for (ControlMessage part : message.getBundle().getMessagesList()) {
                    if (part.hasBundle()) {
                        throw new IllegalArgumentException("a bundle of control messages in another");
                    }
                    parts.add(read(part));
                }
                yield new Control.Bundle(parts);
            }
            case MESSAGE_NOT_SET -> throw new IllegalArgumentException("a control message without content");
        };
    }

    private static Control.Report read(int stream, ReportControl part) {
        Region region = null;
        if (part.hasRegion()) {
            RegionMessage bounds = part.getRegion();
            region = Region.of(bounds.getLowKey(), bounds.getHighKey(), bounds.getFromTime(), bounds.getToTime());
        }
        return new Control.Report(
                stream,
                part.getIndexer(),
                new Control.Progress(
                        part.getEpoch(),
                        part.getFlushed(),
                        part.getWatermarksList().stream()
                                .mapToLong(Long::longValue)
                                .toArray(),
                        part.getVersion(),
                        part.getRecovering()),
                new Control.Unflushed(region, part.getTuples()),
                part.getRejected(),
                new Control.Memory(
                        part.getMemoryUsed(), part.getMemoryLimit(), part.getUnflushedTrees(), part.getFlushTrouble()),
                new Control.Templates(
                        part.getRebuilds(),
                        part.getSkewnessBefore(),
                        part.getSkewnessAfter(),
                        part.getLongestRebuildNanos(),
                        part.getLongestRebuildCpuNanos()));
    }
}
