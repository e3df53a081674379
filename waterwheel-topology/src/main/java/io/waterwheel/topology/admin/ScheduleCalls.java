package io.waterwheel.topology.admin;

import io.waterwheel.catalog.maintenance.ChunkSample;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.key.sample.CellUse;
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
            // Those by other scales have other cells.
            int scales = scalesOfMost(sample.keys());
            for (long key : sample.keys()) {
                if (ScaleVersion.of(key) == scales) {
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

    /** The newest version of the scales by which enough keys are to say something; where none has, that of most. */
    static int scalesOfMost(long[] keys) {
        int[] counts = new int[ScaleVersion.MOST + 1];
        for (long key : keys) {
            counts[ScaleVersion.of(key)]++;
        }
        int most = 1;
        for (int version = ScaleVersion.MOST; version >= 1; version--) {
            if (counts[version] >= CellUse.LEAST_KEYS) {
                return version;
            }
            most = counts[version] > counts[most] ? version : most;
        }
        return most;
    }
}
