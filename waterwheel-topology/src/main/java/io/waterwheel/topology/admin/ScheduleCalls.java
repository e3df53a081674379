package io.waterwheel.topology.admin;

import io.waterwheel.catalog.maintenance.ChunkSample;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.run.QuestionLog;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.topology.rpc.AdminCalls;
import io.waterwheel.topology.worker.CoordinatorServices;
import io.waterwheel.tuple.ScaleVersion;
import io.waterwheel.wire.proto.ListQuestionsReply;
import io.waterwheel.wire.proto.ListQuestionsRequest;
import io.waterwheel.wire.proto.SampleKeysReply;
import io.waterwheel.wire.proto.SampleKeysRequest;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/**
 * What a schedule for the key of a stream is proposed from: shapes of questions, and keys. Thread-safe; calls block.
 */
public final class ScheduleCalls {
    private static final int MOST_KEYS = 1 << 16;

    private final CoordinatorServices services;
    private final CoordinatorServices.QueryHandler coordinator;

    public ScheduleCalls(CoordinatorServices services, CoordinatorServices.QueryHandler coordinator) {
        this.services = services;
        this.coordinator = coordinator;
    }

    /** Answers list-questions and sample-keys. */
    public void register(AdminCalls calls) {
        calls.on(
                        ListQuestionsRequest.getDefaultInstance(),
                        ListQuestionsReply.getDefaultInstance(),
                        (request, caller) ->
                                questions(coordinator.questions(), StreamNames.require(services, request.getName())))
                .on(SampleKeysRequest.getDefaultInstance(), SampleKeysReply.getDefaultInstance(), (request, caller) -> {
                    StreamInfo stream = StreamNames.require(services, request.getName());
                    return keys(
                            services.chunkStore(),
                            coordinator.snapshot(stream),
                            request.getMost(),
                            caller::requireThere);
                });
    }

    private static ListQuestionsReply questions(QuestionLog log, StreamInfo stream) {
        ListQuestionsReply.Builder reply = ListQuestionsReply.newBuilder().setLog(log.id());
        for (long shape : log.last(stream.id())) {
            reply.addShapes(shape);
        }
        return reply.build();
    }

    private static SampleKeysReply keys(ChunkStore store, StreamSnapshot snapshot, int most, Runnable goOn) {
        if (most < 1 || most > MOST_KEYS) {
            throw new WaterwheelException(
                    ErrorCode.BAD_REQUEST, "expected 1 to " + MOST_KEYS + " keys to be asked for, got " + most);
        }
        SampleKeysReply.Builder reply = SampleKeysReply.newBuilder().setChunks(snapshot.chunkCount());
        if (snapshot.chunkCount() == 0) {
            return reply.build();
        }
        try {
            ChunkSample sample = ChunkSample.of(store, snapshot, most, new SplittableRandom(), goOn);
            // Of the newest scales, where any key is: those of others have other cells.
            boolean some = LongStream.of(sample.keys()).anyMatch(key -> ScaleVersion.of(key) == snapshot.scales());
            for (long key : sample.keys()) {
                if (!some || ScaleVersion.of(key) == snapshot.scales()) {
                    reply.addKeys(key);
                }
            }
            return reply.setRead(sample.chunks()).build();
        } catch (IOException e) {
            throw new WaterwheelException(
                    ErrorCode.CHUNK_STORE_UNAVAILABLE,
                    "stream " + snapshot.stream().name() + ": no chunk can be read now: " + e.getMessage()
                            + "; try again",
                    e);
        }
    }
}
