package io.waterwheel.ingest.dispatch;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The segments that a dispatcher routed last, without a gap, for the channels that follow: how much is kept, whom it
 * waits for, and what is dropped (protocol rule 6). Owner: the dispatcher.
 */
final class SegmentRing {
    /**
     * This part of the limit (one in the number) is kept when every channel is past it: what a lost block can need
     * again is under way, hence little. Bodies that come back soon are still in the processor's caches.
     */
    private static final int PASSED_SHARE = 16;

    /**
     * How long the others wait, when the ring is full, for a channel that still lies in it. Once behind the ring it has
     * everything read and decoded a second time, and at full speed never returns. Waiting takes from this, time without
     * waiting gives back as much: so no channel is held up for longer, nor for more than half of the time.
     */
    private static final long PATIENCE_NANOS = 500_000_000;

    /**
     * The limit divided by this bounds the number of segments, or {@link #LEAST_SEGMENTS} if that is more: a segment of
     * one tuple, or of refused rows alone, takes memory too.
     */
    private static final int SEGMENT_BYTES = 4096;

    private static final int LEAST_SEGMENTS = 64;

    /** Segments decoded ahead of the channel that is furthest: beyond it the log is the better buffer. */
    private static final int SEGMENTS_AHEAD = 4;

    private final Collection<OutgoingChannel> channels;
    /** Of [from, to), oldest first. */
    private final List<Segment> segments = new ArrayList<>();

    private long bytes;
    private long limit;
    private long from;
    private long to;

    private long patienceNanos = PATIENCE_NANOS;
    private long patienceAtNanos;
    /** Whether a full ring waits for a channel in it, though another wants more. */
    private boolean waits;

    /**
     * An empty ring.
     *
     * @param channels a view: as they are at each call
     * @param limit bytes that its segments may hold
     */
    SegmentRing(Collection<OutgoingChannel> channels, long limit, long nowNanos) {
        this.channels = channels;
        this.limit = limit;
        this.patienceAtNanos = nowNanos;
    }

    /** Bytes that its segments hold, see {@link Segment#bytes}. */
    long bytes() {
        return bytes;
    }

    /** The first position that it covers. */
    long from() {
        return from;
    }

    /** The first position behind it. */
    long to() {
        return to;
    }

    /** Sets what it may hold; it shrinks at once as far as the channels allow. */
    void limit(long newLimit) {
        limit = newLimit;
        trim();
    }

    /** Time passes: call before what may wait. */
    void onTime(long nowNanos) {
        long passed = nowNanos - patienceAtNanos;
        patienceAtNanos = nowNanos;
        patienceNanos = Math.max(0, Math.min(PATIENCE_NANOS, waits ? patienceNanos - passed : patienceNanos + passed));
        waits = false;
    }

    /** Lets go of everything and begins at another position. */
    void restart(long at) {
        segments.forEach(Segment::release);
        segments.clear();
        bytes = 0;
        from = at;
        to = at;
    }

    /** Nothing is routed up to a position behind its end: it is covered as empty. */
    void skipTo(long position) {
        to = position;
        if (segments.isEmpty()) {
            from = position;
        }
    }

    /** Takes a segment that begins at its end. */
    void add(Segment segment) {
        segments.add(segment);
        bytes += segment.bytes;
        to = segment.to;
    }

    void forEach(Consumer<Segment> each) {
        segments.forEach(each);
    }

    /** The segment that covers a position, or null. */
    @Nullable
    Segment find(long position) {
        return position >= to ? null : search(segments, position);
    }

    /** The segment of a list, ascending, that covers an offset, or null. */
    static @Nullable Segment search(List<Segment> segments, long offset) {
        int low = 0;
        int high = segments.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            Segment segment = segments.get(middle);
            if (offset < segment.from) {
                high = middle - 1;
            } else if (offset >= segment.to) {
                low = middle + 1;
            } else {
                return segment;
            }
        }
        return null;
    }

    /** Whether it holds more than the limit divided by {@code part}. */
    private boolean isBeyond(int part) {
        return bytes > limit / part || segments.size() > Math.max(LEAST_SEGMENTS, limit / SEGMENT_BYTES) / part;
    }

    /** Drops what may be. */
    void trim() {
        while (segments.size() > 1 && (isBeyond(1) ? mayDrop(segments.get(0)) : maySpare(segments.get(0)))) {
            Segment oldest = segments.remove(0);
            bytes -= oldest.bytes;
            from = oldest.to;
            oldest.release();
        }
    }

    /** Whether some channel is near the ring's end. One that lags holds up no other: the ring keeps what it lacks. */
    boolean isWanted() {
        if (segments.size() < SEGMENTS_AHEAD) {
            return true;
        }
        long near = segments.get(segments.size() - SEGMENTS_AHEAD).to;
        for (OutgoingChannel channel : channels) {
            if (channel.epoch != null && channel.cursor >= near) {
                return true;
            }
        }
        return false;
    }

    /**
     * Makes room for one more segment, if that may be. Room is made before the segment comes: a task that waits for it
     * has perhaps no credit left once it has been sent, and then nothing may be dropped; so a ring that only shrank
     * afterwards would grow by what is granted to the quickest channel, for as long as another one lags.
     */
    boolean hasRoom() {
        trim();
        return !isBeyond(1) || segments.size() <= 1;
    }

    /** Whether everyone is past it, or somebody waits for what comes next and the others can be read for again. */
    private boolean mayDrop(Segment oldest) {
        if (!oldest.unstored().isEmpty()) {
            return false;
        }
        boolean allPast = true;
        boolean oneWaits = false;
        boolean oneFollows = false;
        boolean any = false;
        for (OutgoingChannel channel : channels) {
            if (channel.epoch != null) {
                any = true;
                allPast &= channel.cursor >= oldest.to;
                oneWaits |= channel.cursor >= to && channel.hasCredit();
                oneFollows |= channel.cursor >= from && channel.cursor < oldest.to;
            }
        }
        if (oneWaits && oneFollows && patienceNanos > 0) {
            waits = true;
            return false;
        }
        return any && (allPast || oneWaits);
    }

    /** Whether enough is kept without it, and everyone is past it. */
    private boolean maySpare(Segment oldest) {
        if (!isBeyond(PASSED_SHARE) || !oldest.unstored().isEmpty()) {
            return false;
        }
        boolean any = false;
        for (OutgoingChannel channel : channels) {
            if (channel.epoch != null) {
                any = true;
                if (channel.cursor < oldest.to) {
                    return false;
                }
            }
        }
        return any;
    }
}
