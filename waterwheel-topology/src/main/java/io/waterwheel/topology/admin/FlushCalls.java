package io.waterwheel.topology.admin;

import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.protocol.Control;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.rpc.AdminCalls;
import io.waterwheel.topology.rpc.AdminHandler;
import io.waterwheel.topology.worker.CoordinatorServices;
import io.waterwheel.topology.worker.Role;
import io.waterwheel.wire.proto.FlushStreamReply;
import io.waterwheel.wire.proto.FlushStreamRequest;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Seals the trees of a stream, and waits until its fresh tuples are in chunks. Thread-safe; calls block. */
public final class FlushCalls {
    private static final long DEFAULT_FLUSH_MILLIS = 30_000;
    private static final long FLUSH_POLL_MILLIS = 20;
    private static final long SEAL_REPEAT_MILLIS = 500;

    private final CoordinatorServices services;
    private final CoordinatorServices.QueryHandler coordinator;

    public FlushCalls(CoordinatorServices services, CoordinatorServices.QueryHandler coordinator) {
        this.services = services;
        this.coordinator = coordinator;
    }

    /** Answers flush-stream. */
    public void register(AdminCalls calls) {
        calls.on(FlushStreamRequest.getDefaultInstance(), FlushStreamReply.getDefaultInstance(), this::flush);
    }

    /** Seals everywhere and waits until every checkpoint has passed what the log held at the call, or what is asked. */
    FlushStreamReply flush(FlushStreamRequest request, AdminHandler.Caller caller) throws InterruptedException {
        StreamInfo stream = StreamNames.require(services, request.getName());
        long millis = request.getTimeoutMillis() == 0 ? DEFAULT_FLUSH_MILLIS : request.getTimeoutMillis();
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        long[] ends = services.logEnds(stream);
        refuseAnotherLog(stream, ends);
        if (request.getUpToCount() > 0) {
            for (int p = 0; p < ends.length; p++) {
                ends[p] = request.getUpToOrDefault(p, 0);
            }
        }
        long sealAgain = System.nanoTime();
        while (true) {
            caller.requireThere();
            StreamSnapshot snapshot = coordinator.snapshot(stream);
            long[] least = least(snapshot, Math.min(snapshot.partitions(), ends.length));
            if (reached(least, ends)) {
                Map<Integer, Long> positions = new HashMap<>();
                for (int p = 0; p < least.length; p++) {
                    positions.put(p, least[p]);
                }
                return FlushStreamReply.newBuilder().putAllPositions(positions).build();
            }
            long now = System.nanoTime();
            if (now - deadline >= 0) {
                throw new WaterwheelException(
                        ErrorCode.FLUSH_SLOW,
                        "stream " + stream.name() + ": after " + millis + " ms the checkpoints are at "
                                + Arrays.toString(least) + ", they are to reach " + Arrays.toString(ends)
                                + "; flushing goes on, ask again");
            }
            if (now - sealAgain >= 0) {
                for (int task = 0; task < services.config().get(Keys.INDEXER_TASKS); task++) {
                    services.controlBus().send(Role.INDEXER, task, new Control.Seal(stream.id()));
                }
                sealAgain = now + TimeUnit.MILLISECONDS.toNanos(SEAL_REPEAT_MILLIS);
            }
            TimeUnit.MILLISECONDS.sleep(FLUSH_POLL_MILLIS);
        }
    }

    private static void refuseAnotherLog(StreamInfo stream, long[] ends) {
        for (int p = 0; p < ends.length; p++) {
            if (ends[p] == Long.MAX_VALUE) {
                throw new WaterwheelException(
                        ErrorCode.LOG_CHANGED,
                        "stream " + stream.name() + ": topic " + stream.topic() + ", partition " + p
                                + " was made anew; see `waterwheel offsets show " + stream.name() + "`");
            }
        }
    }

    private static long[] least(StreamSnapshot snapshot, int partitions) {
        long[] least = new long[partitions];
        Arrays.fill(least, Long.MAX_VALUE);
        for (IndexerCheckpoint checkpoint : snapshot.checkpoints().values()) {
            for (int p = 0; p < partitions; p++) {
                least[p] = Math.min(least[p], checkpoint.watermarks()[p]);
            }
        }
        return least;
    }

    private static boolean reached(long[] least, long[] ends) {
        for (int p = 0; p < least.length; p++) {
            if (least[p] < ends[p]) {
                return false;
            }
        }
        return true;
    }
}
