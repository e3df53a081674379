package io.waterwheel.topology.admin;

import io.waterwheel.catalog.LogMemory;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.protocol.Control;
import io.waterwheel.protocol.PartitionTrouble;
import io.waterwheel.topology.rpc.AdminCalls;
import io.waterwheel.topology.worker.CoordinatorServices;
import io.waterwheel.topology.worker.SourceTopics.TopicState;
import io.waterwheel.tuple.LostRange;
import io.waterwheel.wire.proto.LostRangeMessage;
import io.waterwheel.wire.proto.OffsetsReply;
import io.waterwheel.wire.proto.PartitionOffsets;
import io.waterwheel.wire.proto.SetOffsetsRequest;
import io.waterwheel.wire.proto.ShowOffsetsRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where reading of a stream's partitions stands, and the one way to move it by hand: forwards; what is passed over is
 * recorded as lost. Thread-safe; calls block.
 */
public final class SourceOffsets {
    private static final Logger LOG = LoggerFactory.getLogger(SourceOffsets.class);
    private static final String BY_HAND = "set by hand";

    private final CoordinatorServices services;
    private final CoordinatorServices.QueryHandler coordinator;

    public SourceOffsets(CoordinatorServices services, CoordinatorServices.QueryHandler coordinator) {
        this.services = services;
        this.coordinator = coordinator;
    }

    /** Answers show-offsets and set-offsets. */
    public void register(AdminCalls calls) {
        OffsetsReply reply = OffsetsReply.getDefaultInstance();
        calls.on(
                        ShowOffsetsRequest.getDefaultInstance(),
                        reply,
                        (request, caller) -> show(StreamNames.require(services, request.getName())))
                .on(SetOffsetsRequest.getDefaultInstance(), reply, (request, caller) -> {
                    StreamInfo stream = StreamNames.require(services, request.getName());
                    set(stream, request.getOffsetsMap());
                    return show(stream);
                });
    }

    private OffsetsReply show(StreamInfo stream) {
        StreamSnapshot snapshot = coordinator.snapshot(stream);
        StreamCatalog catalog = new StreamCatalog(services.catalogStore(), stream);
        TopicState topic = topic(stream);
        Map<Integer, Control.PartitionReport> partitions = coordinator.partitionReports(stream.id());
        Map<Integer, Control.Report> indexers = coordinator.indexerReports(stream.id());
        OffsetsReply.Builder reply = OffsetsReply.newBuilder();
        for (int number = 0; number < snapshot.partitions(); number++) {
            int p = number;
            PartitionRoute route = catalog.route(p).route();
            PartitionOffsets.Builder part = PartitionOffsets.newBuilder()
                    .setPartition(p)
                    .setBase(route.log().base())
                    .setLimit(route.limit());
            Control.PartitionReport report = partitions.get(p);
            if (report != null) {
                part.setTrouble(report.trouble().sentence(stream.name())).setDeadLetters(report.deadLetters());
                if (report.positions().routed() >= 0) {
                    part.setPosition(report.positions().routed());
                }
                if (report.positions().taken() >= 0) {
                    part.setTaken(report.positions().taken());
                }
            }
            if (topic != null
                    && p < topic.ends().length
                    && topic.knows(p)
                    && route.log().matches(topic.id())) {
                part.setLogStart(topic.starts()[p] + route.log().base())
                        .setLogEnd(topic.ends()[p] + route.log().base());
            }
            snapshot.checkpoints()
                    .forEach((indexer, checkpoint) ->
                            part.putCheckpoints(indexer, checkpoint.watermarks()[p]));
            indexers.forEach((indexer, taken) -> {
                if (p < taken.watermarks().length) {
                    part.putWatermarks(indexer, taken.watermarks()[p]);
                }
            });
            route.lost().forEach(range -> part.addLost(message(range)));
            reply.addPartitions(part);
        }
        return reply.build();
    }

    static LostRangeMessage message(LostRange range) {
        return LostRangeMessage.newBuilder()
                .setPartition(range.partition())
                .setFrom(range.from())
                .setTo(range.to())
                .setReason(range.reason())
                .build();
    }

    private @Nullable TopicState topic(StreamInfo stream) {
        return services.topicStates(List.of(stream)).get(stream.id());
    }

    /** What is to be done in one partition. */
    private record Move(int partition, PartitionRoute route, long indexed, boolean anotherLog, long offset) {}

    /**
     * Goes on reading from other offsets.
     *
     * @param offsets by partition, the offset of its log
     * @throws WaterwheelException of kind USER when one of them cannot be gone on from; then nothing is changed
     */
    private void set(StreamInfo stream, Map<Integer, Long> offsets) {
        StreamSnapshot snapshot = coordinator.snapshot(stream);
        StreamCatalog catalog = new StreamCatalog(services.catalogStore(), stream);
        TopicState topic = topic(stream);
        if (topic == null) {
            throw refused(stream, "topic " + stream.topic() + " is not there; make it first");
        }
        if (!topic.failure().isEmpty()) {
            throw refused(
                    stream, "topic " + stream.topic() + " cannot be looked at now, try again: " + topic.failure());
        }
        if (offsets.isEmpty()) {
            throw refused(stream, "no partition is named: expected PARTITION=OFFSET");
        }
        List<Move> moves = new ArrayList<>();
        LogMemory memory = new LogMemory(services.catalogStore(), stream);
        boolean left = memory.read(List.of()).left().contains(topic.id());
        for (Map.Entry<Integer, Long> entry : new TreeMap<>(offsets).entrySet()) {
            moves.add(move(stream, catalog, snapshot, topic, left, entry.getKey(), entry.getValue()));
        }
        // First: who follows another log reads what was left after it.
        memory.takeBack(topic.id());
        for (Move move : moves) {
            PartitionRoute route = move.route();
            long to = move.offset() + route.log().base();
            if (move.anotherLog()) {
                LogIdentity next = catalog.changeLog(move.partition(), route.log(), topic.id(), move.offset())
                        .route()
                        .log();
                to = next.since();
            }
            LostRange range = new LostRange(move.partition(), move.indexed(), to, BY_HAND);
            catalog.giveUp(range);
            LOG.warn("[{}] offsets set: {} is given up", stream.name(), range);
        }
    }

    private Move move(
            StreamInfo stream,
            StreamCatalog catalog,
            StreamSnapshot snapshot,
            TopicState topic,
            boolean left,
            int partition,
            long offset) {
        if (partition < 0 || partition >= snapshot.partitions() || partition >= topic.ends().length) {
            throw refused(
                    stream, "there is no partition " + partition + ": expected 0 to " + (snapshot.partitions() - 1));
        }
        PartitionRoute route = catalog.route(partition).route();
        long end = topic.ends()[partition];
        long indexed = indexed(stream, snapshot, partition);
        Control.PartitionReport report =
                coordinator.partitionReports(stream.id()).get(partition);
        long read =
                Math.max(indexed, report == null ? indexed : report.positions().routed());
        // Truncated: as the spout saw it, who remembers; producers may have gone on beyond what was read.
        boolean anotherLog = !route.log().matches(topic.id())
                || end + route.log().base() < read
                || (report != null && report.trouble().kind() == PartitionTrouble.Kind.LOG_TRUNCATED);
        String where = "partition " + partition + ", offset " + offset + ": ";
        if (offset > end || offset < 0) {
            throw refused(stream, where + "the log ends at " + end + "; expected at most that");
        }
        // A topic that spouts hold to be left is followed at new positions, so that they look anew.
        long least = left ? indexed : indexed + 1;
        if (!anotherLog && offset + route.log().base() < least) {
            throw refused(
                    stream,
                    where + "everything below " + (indexed - route.log().base())
                            + " is indexed; read again, those tuples would be counted twice. To index the topic again,"
                            + " create another stream, or drop this one and create it again");
        }
        return new Move(partition, route, indexed, anotherLog || left, offset);
    }

    /** Position below which every indexer has everything, as far as is known here. */
    private long indexed(StreamInfo stream, StreamSnapshot snapshot, int partition) {
        Map<Integer, Control.Report> reports = coordinator.indexerReports(stream.id());
        long least = Long.MAX_VALUE;
        for (var entry : snapshot.checkpoints().entrySet()) {
            long position = entry.getValue().watermarks()[partition];
            Control.Report report = reports.get(entry.getKey());
            if (report != null && partition < report.watermarks().length) {
                position = Math.max(position, report.watermarks()[partition]);
            }
            least = Math.min(least, position);
        }
        return least;
    }

    private static WaterwheelException refused(StreamInfo stream, String why) {
        return new WaterwheelException(ErrorCode.OFFSETS_REFUSED, "stream " + stream.name() + ": " + why);
    }
}
