package io.waterwheel.topology.admin;

import io.waterwheel.catalog.maintenance.ChunkAudit;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.chunk.ChunkCheck;
import io.waterwheel.chunk.encoding.CorruptChunkException;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.topology.rpc.AdminCalls;
import io.waterwheel.topology.rpc.AdminHandler;
import io.waterwheel.topology.worker.CoordinatorServices;
import io.waterwheel.wire.proto.CheckChunksReply;
import io.waterwheel.wire.proto.CheckChunksRequest;
import io.waterwheel.wire.proto.ChunkPosition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Checks the chunks of a stream, some at each call, as fast as they can be read. Thread-safe. */
public final class ChunkChecks {
    /** Of one call: well within the patience of those who call. */
    private static final long CALL_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Chunks in a row that cannot be read before the store is taken to be away. */
    private static final int MOST_UNREADABLE = 4;

    private final CoordinatorServices services;
    private final CoordinatorServices.QueryHandler coordinator;

    public ChunkChecks(CoordinatorServices services, CoordinatorServices.QueryHandler coordinator) {
        this.services = services;
        this.coordinator = coordinator;
    }

    /** Answers check-chunks. */
    public void register(AdminCalls calls) {
        calls.on(
                CheckChunksRequest.getDefaultInstance(),
                CheckChunksReply.getDefaultInstance(),
                (request, caller) -> check(
                        services.chunkStore(),
                        coordinator,
                        StreamNames.require(services, request.getName()),
                        request,
                        caller));
    }

    static CheckChunksReply check(
            ChunkStore store,
            CoordinatorServices.QueryHandler coordinator,
            StreamInfo stream,
            CheckChunksRequest request,
            AdminHandler.Caller caller)
            throws InterruptedException {
        long begun = System.nanoTime();
        List<ChunkDescriptor> chunks = ChunkAudit.inOrder(coordinator.snapshot(stream));
        if (request.hasAfter()) {
            ChunkPosition after = request.getAfter();
            chunks.removeIf(chunk -> compare(chunk, after) <= 0);
        }
        CheckChunksReply.Builder reply = CheckChunksReply.newBuilder();
        List<String> unreadable = new ArrayList<>();
        for (int i = 0; i < chunks.size(); i++) {
            ChunkDescriptor chunk = chunks.get(i);
            caller.requireThere();
            try {
                ChunkAudit.check(store, chunk, stream.schema(), ChunkCheck.Pace.NONE);
                addAll(unreadable, reply);
            } catch (CorruptChunkException e) {
                addAll(unreadable, reply);
                if (ChunkAudit.isNamed(coordinator.snapshot(stream), chunk)) {
                    reply.addDamages(String.valueOf(e.getMessage()));
                }
            } catch (IOException e) {
                if (i + 1 < chunks.size() && unreadable.size() < MOST_UNREADABLE) {
                    unreadable.add("chunk " + chunk.file() + " cannot be read: " + e);
                    reply.setChunks(reply.getChunks() + 1);
                    continue;
                }
                throw new WaterwheelException(
                        ErrorCode.CHUNK_STORE_UNAVAILABLE,
                        "chunk " + chunk.file() + " cannot be read now: " + e.getMessage() + "; try again",
                        e);
            }
            reply.setChunks(reply.getChunks() + 1).setBytes(reply.getBytes() + chunk.bytes());
            if (i + 1 < chunks.size() && System.nanoTime() - begun >= CALL_NANOS) {
                return reply.setNext(ChunkPosition.newBuilder()
                                .setIndexer(chunk.indexer())
                                .setEpoch(chunk.epoch())
                                .setFlush(chunk.flush())
                                .setPart(chunk.part()))
                        .build();
            }
        }
        return reply.build();
    }

    /** The store is there, as another chunk could be read, well or damaged: what could not be read is damaged. */
    private static void addAll(List<String> unreadable, CheckChunksReply.Builder reply) {
        reply.addAllDamages(unreadable);
        unreadable.clear();
    }

    /** As {@link ChunkAudit#inOrder} has it. */
    static int compare(ChunkDescriptor chunk, ChunkPosition position) {
        int order = Integer.compare(chunk.indexer(), position.getIndexer());
        order = order != 0 ? order : Integer.compare(chunk.epoch(), position.getEpoch());
        order = order != 0 ? order : Long.compare(chunk.flush(), position.getFlush());
        return order != 0 ? order : Integer.compare(chunk.part(), position.getPart());
    }
}
