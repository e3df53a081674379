package io.waterwheel.topology.admin;

import io.waterwheel.catalog.maintenance.ChunkAudit;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.topology.rpc.AdminCalls;
import io.waterwheel.topology.worker.CoordinatorServices;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.wire.proto.ChunkPosition;
import io.waterwheel.wire.proto.ChunkRegion;
import io.waterwheel.wire.proto.ListRegionsReply;
import io.waterwheel.wire.proto.ListRegionsRequest;
import java.util.List;

/** Where the chunks of a stream lie, in keys and times; some at each call. Thread-safe; calls block. */
public final class ChunkRegions {
    private static final int USUAL = 1_000;
    private static final int MOST = 10_000;

    private final CoordinatorServices services;
    private final CoordinatorServices.QueryHandler coordinator;

    public ChunkRegions(CoordinatorServices services, CoordinatorServices.QueryHandler coordinator) {
        this.services = services;
        this.coordinator = coordinator;
    }

    /** Answers list-regions. */
    public void register(AdminCalls calls) {
        calls.on(
                ListRegionsRequest.getDefaultInstance(),
                ListRegionsReply.getDefaultInstance(),
                (request, caller) ->
                        list(coordinator.snapshot(StreamNames.require(services, request.getName())), request));
    }

    static ListRegionsReply list(StreamSnapshot snapshot, ListRegionsRequest request) {
        long from = request.hasFrom() ? request.getFrom() : Long.MIN_VALUE;
        long to = request.hasTo() ? request.getTo() : Long.MAX_VALUE;
        if (request.getMost() < 0 || request.getMost() > MOST || from > to) {
            throw new WaterwheelException(
                    ErrorCode.BAD_REQUEST,
                    "regions: expected 0 to " + MOST + " chunks at a call, and times that do not end before they begin;"
                            + " got " + request.getMost() + " chunks, " + from + " to " + to);
        }
        TimeInterval times = new TimeInterval(from, to);
        int most = request.getMost() == 0 ? USUAL : request.getMost();
        KeyScheme scheme = KeyScheme.of(snapshot.stream().schema());
        ListRegionsReply.Builder reply = ListRegionsReply.newBuilder().setEdit(snapshot.edit());
        List<ChunkDescriptor> chunks = ChunkAudit.inOrder(snapshot);
        for (ChunkDescriptor chunk : chunks) {
            if (!chunk.region().times().overlaps(times)
                    || (request.hasAfter() && ChunkChecks.compare(chunk, request.getAfter()) <= 0)) {
                continue;
            }
            if (reply.getRegionsCount() == most) {
                return reply.setNext(reply.getRegions(most - 1).getPosition()).build();
            }
            reply.addRegions(region(chunk, scheme));
        }
        return reply.build();
    }

    private static ChunkRegion region(ChunkDescriptor chunk, KeyScheme scheme) {
        return ChunkRegion.newBuilder()
                .setPosition(ChunkPosition.newBuilder()
                        .setIndexer(chunk.indexer())
                        .setEpoch(chunk.epoch())
                        .setFlush(chunk.flush())
                        .setPart(chunk.part()))
                .setFile(chunk.file())
                .setTuples(chunk.tuples())
                .setBytes(chunk.bytes())
                .setLow(scheme.format(chunk.region().keys().low()))
                .setHigh(scheme.format(chunk.region().keys().high()))
                .setFrom(chunk.region().times().from())
                .setTo(chunk.region().times().to())
                .build();
    }
}
