package io.waterwheel.ingest.dispatch;

import io.waterwheel.ingest.block.Beats;
import io.waterwheel.ingest.block.ChannelHeartbeats;
import io.waterwheel.protocol.ChannelEpoch;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Sends the heartbeats of one dispatcher task's channels: for each indexer task one message, however many channels lead
 * there (protocol rule 5). A channel on which something was sent in the last second is told of at every beat, if it is
 * silent; one that is idle for longer at every fourth, or every 400 ms. No threads, no clock. Owner: the dispatcher
 * task's thread.
 */
public final class HeartbeatRound {
    /** Of an idle channel, one heartbeat in this number is sent, within {@link #IDLE_NANOS}. */
    private static final int IDLE_SHARE = 4;
    /** An indexer that hears nothing of a channel for a second says so: one heartbeat may be late. */
    private static final long IDLE_NANOS = 400_000_000;

    private static final int CAPACITY = 16;

    /** How messages leave. */
    public interface Out {
        /** Sends what an indexer task shall have; the message is not changed afterwards. */
        void send(int indexerTask, ChannelHeartbeats heartbeats);
    }

    private final long intervalNanos;
    private final long idleNanos;
    private final @Nullable ChannelHeartbeats[] due;
    private final IntUnaryOperator taskOf;
    private final Out out;
    private long lastNanos;

    /**
     * @param intervalNanos between beats
     * @param indexerTasks how many there are
     * @param taskOf which of them hosts a logical indexer
     */
    public HeartbeatRound(long intervalNanos, int indexerTasks, IntUnaryOperator taskOf, long now, Out out) {
        this.intervalNanos = intervalNanos;
        this.idleNanos = Math.max(intervalNanos, Math.min(IDLE_SHARE * intervalNanos, IDLE_NANOS));
        this.due = new @Nullable ChannelHeartbeats[indexerTasks];
        this.taskOf = taskOf;
        this.out = out;
        this.lastNanos = now;
    }

    /** Time passes: heartbeats go when it is their time. */
    public void onTick(Iterable<PartitionDispatcher> partitions, long now) {
        if (!Beats.passed(lastNanos, now, intervalNanos)) {
            return;
        }
        boolean idleToo = Beats.passed(lastNanos, now, idleNanos);
        lastNanos = now;
        for (PartitionDispatcher partition : partitions) {
            partition.addHeartbeats(this, idleToo, now);
        }
        for (int task = 0; task < due.length; task++) {
            ChannelHeartbeats heartbeats = due[task];
            if (heartbeats != null) {
                due[task] = null;
                out.send(task, heartbeats);
            }
        }
    }

    void add(int streamId, int partition, int indexer, ChannelEpoch epoch, long position, long sent, long granted) {
        int task = taskOf.applyAsInt(indexer);
        ChannelHeartbeats heartbeats = due[task];
        if (heartbeats == null) {
            heartbeats = new ChannelHeartbeats(CAPACITY);
            due[task] = heartbeats;
        }
        heartbeats.add(streamId, partition, indexer, epoch, position, sent, granted);
        if (heartbeats.isFull()) {
            due[task] = null;
            out.send(task, heartbeats);
        }
    }
}
