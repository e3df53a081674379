package io.waterwheel.ingest.source;

import io.waterwheel.protocol.Control;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * One life of a spout's reading of a partition: hands record batches on as far as the dispatcher's credit goes, and
 * keeps those for which there is none yet (protocol rule 6; the dispatcher's side is {@link ReadWindow}). A state
 * machine; no threads, no clock. Owner: the spout's thread.
 *
 * <p>It begins without credit: its first heartbeat asks for some. A batch may always go while any credit is left, so
 * what is under way exceeds what was granted by less than one batch.
 */
public final class ReadLane {
    private final int streamId;
    private final int partition;
    private final long life;
    private final ReadAhead ahead;
    private final ArrayDeque<RecordBatch> waiting = new ArrayDeque<>();
    private long position;
    private long sent;
    private long received;
    private long granted;

    /**
     * Begins a life.
     *
     * @param ahead of the partition's dispatcher
     * @param life no other life of the partition has it; not 0
     * @param position first offset to hand on
     */
    public ReadLane(ReadAhead ahead, int streamId, int partition, long life, long position) {
        if (life == 0) {
            throw new IllegalArgumentException("life 0: expected another number");
        }
        this.ahead = ahead;
        this.streamId = streamId;
        this.partition = partition;
        this.life = life;
        this.position = position;
    }

    /** First offset not handed on yet. */
    public long position() {
        return position;
    }

    /** Whether anything is read that waits for credit. */
    public boolean isWaiting() {
        return !waiting.isEmpty();
    }

    /** Whether more should be read: what there is could go on, and would find room. */
    public boolean wantsMore() {
        return waiting.isEmpty() && hasCredit() && ahead.isOpen();
    }

    /** Bytes handed on that are not known to have come. */
    public long underWay() {
        return sent - received;
    }

    private boolean hasCredit() {
        return granted > sent;
    }

    /** Takes what was read next. */
    public void read(RecordBatch batch) {
        waiting.add(batch);
        ahead.add(batch.bytes());
    }

    /** The next batch that may go, or null. */
    public @Nullable LiveBatch next() {
        if (waiting.isEmpty() || !hasCredit()) {
            return null;
        }
        RecordBatch batch = waiting.remove();
        position = batch.to();
        sent += batch.bytes();
        return new LiveBatch(batch, life, sent, received, granted);
    }

    /** Says where reading stands, and what is known here of the credit. */
    public LiveBatch heartbeat() {
        return new LiveBatch(RecordBatch.heartbeat(streamId, partition, position), life, sent, received, granted);
    }

    /** Takes credit. Lost, repeated or late, it changes nothing but the time. */
    public void onLive(Control.ReadFrom live) {
        if (live.life() != life) {
            return;
        }
        granted = Math.max(granted, live.granted());
        long came = Math.min(sent, live.received());
        if (came > received) {
            ahead.add(received - came);
            received = came;
        }
    }

    /** Goes on elsewhere: what waits is forgotten. */
    public void moveTo(long newPosition) {
        while (!waiting.isEmpty()) {
            ahead.add(-waiting.remove().bytes());
        }
        position = newPosition;
    }

    /** Ends it: nothing of it counts from now on. */
    public void close() {
        moveTo(position);
        ahead.add(received - sent);
        received = sent;
    }
}
