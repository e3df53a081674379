package io.waterwheel.topology.spout;

import io.waterwheel.ingest.source.LiveBatch;
import io.waterwheel.ingest.source.LogSource;
import io.waterwheel.ingest.source.ReadAhead;
import io.waterwheel.ingest.source.ReadLane;
import io.waterwheel.ingest.source.RecordBatch;
import io.waterwheel.ingest.source.SpoutHeartbeats;
import io.waterwheel.protocol.Control;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What a spout task has read goes on to dispatchers as far as their credit goes; what has none waits here, and no more
 * of it is read. Bounded in bytes: by partition by its dispatcher's credit, in all by {@link ReadAhead}. Owner: the
 * spout's thread.
 */
final class Handover {
    /** How messages leave. */
    interface Out {
        /** Emits what a dispatcher task shall have. */
        void emit(int dispatcher, Object message);
    }

    /** A partition without news for so long says only now and then where it stands. */
    private static final long IDLE_NANOS = 1_000_000_000;

    /** Of an idle partition, one heartbeat in this number is sent. */
    private static final int IDLE_SHARE = 5;

    private final LogSource source;
    private final long heartbeatNanos;
    private final Out out;
    private final ReadAhead[] aheads;
    /** By dispatcher, whether more might be read when its lanes were last looked at. */
    private final boolean[] open;

    private final Set<Lane> lanes = new LinkedHashSet<>();
    private long heartbeatAtNanos;
    private long heartbeats;

    /**
     * An empty one.
     *
     * @param bytes that may be read and not have come to a dispatcher, over all of them
     */
    Handover(LogSource source, long bytes, int dispatchers, long heartbeatNanos, Out out) {
        this.source = source;
        this.heartbeatNanos = heartbeatNanos;
        this.out = out;
        this.aheads = new ReadAhead[dispatchers];
        this.open = new boolean[dispatchers];
        for (int d = 0; d < dispatchers; d++) {
            aheads[d] = new ReadAhead(Math.max(1, bytes / dispatchers));
            open[d] = true;
        }
        this.heartbeatAtNanos = System.nanoTime();
    }

    /** What goes on of one partition. */
    final class Lane {
        private final int streamId;
        private final int partition;
        private final int dispatcher;
        private final ReadLane lane;
        private boolean reading;
        private boolean paused;
        private long handedBytes;
        private long newsNanos = System.nanoTime();

        private Lane(int streamId, int partition, int dispatcher, long position) {
            this.streamId = streamId;
            this.partition = partition;
            this.dispatcher = dispatcher;
            // Odd, hence not 0.
            long life = ThreadLocalRandom.current().nextLong() | 1;
            this.lane = new ReadLane(aheads[dispatcher], streamId, partition, life, position);
        }

        /** Bytes that have gone on since it began. */
        long handedBytes() {
            return handedBytes;
        }

        /** First position that has not gone on. */
        long position() {
            return lane.position();
        }

        /** The source reads the partition from this position on, as of now. */
        void begin(long position) {
            reading = true;
            paused = false;
            lane.moveTo(position);
            newsNanos = System.nanoTime();
            regulate();
        }

        /**
         * The source no longer reads it. Records that wait here are dropped.
         *
         * @param position where it was to go on
         * @return where it is to go on now
         */
        long end(long position) {
            reading = false;
            boolean waited = lane.isWaiting();
            // Also what is under way: its end is not reported, and it would count for ever.
            lane.close();
            return waited ? lane.position() : position;
        }

        /** Takes what the source has read. */
        void read(RecordBatch batch) {
            lane.read(batch.own());
            handOn();
        }

        /** Takes credit, and goes on elsewhere when that is said. */
        void steer(Control.ReadFrom live) {
            lane.onLive(live);
            if (live.position() >= 0) {
                lane.moveTo(live.position());
                source.seek(streamId, partition, live.position());
                newsNanos = System.nanoTime();
            }
            handOn();
        }

        private void handOn() {
            LiveBatch batch = lane.next();
            if (batch != null) {
                newsNanos = System.nanoTime();
            }
            while (batch != null) {
                out.emit(dispatcher, batch);
                handedBytes = batch.sent();
                batch = lane.next();
            }
            regulate();
        }

        private void regulate() {
            if (reading && lane.wantsMore() == paused) {
                paused = !paused;
                if (paused) {
                    source.pause(streamId, partition);
                } else {
                    source.resume(streamId, partition);
                }
            }
        }

        /** Forgets it. */
        void close() {
            reading = false;
            lane.close();
            lanes.remove(this);
        }
    }

    /** Begins with a partition; nothing is read of it yet. */
    Lane lane(int streamId, int partition, int dispatcher, long position) {
        Lane lane = new Lane(streamId, partition, dispatcher, position);
        lanes.add(lane);
        return lane;
    }

    /** Bytes that are read and have not come to a dispatcher, or are not known to have. */
    long bytes() {
        long sum = 0;
        for (ReadAhead ahead : aheads) {
            sum += ahead.bytes();
        }
        return sum;
    }

    /** Time passes: what may be read again is, and heartbeats go. */
    void onTime(long now) {
        for (int d = 0; d < aheads.length; d++) {
            if (aheads[d].isOpen() != open[d]) {
                open[d] = aheads[d].isOpen();
                for (Lane lane : lanes) {
                    if (lane.dispatcher == d) {
                        lane.regulate();
                    }
                }
            }
        }
        if (now - heartbeatAtNanos >= heartbeatNanos) {
            heartbeatAtNanos = now;
            heartbeats++;
            beat(now);
        }
    }

    private void beat(long now) {
        List<List<LiveBatch>> due = new ArrayList<>();
        for (int d = 0; d < aheads.length; d++) {
            due.add(new ArrayList<>());
        }
        for (Lane lane : lanes) {
            // Nothing is said of a log before it is known to be the right one.
            if (lane.reading && (heartbeats % IDLE_SHARE == 0 || now - lane.newsNanos < IDLE_NANOS)) {
                due.get(lane.dispatcher).add(lane.lane.heartbeat());
            }
        }
        for (int d = 0; d < aheads.length; d++) {
            if (!due.get(d).isEmpty()) {
                out.emit(d, new SpoutHeartbeats(List.copyOf(due.get(d))));
            }
        }
    }
}
