package io.waterwheel.query.newest;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/**
 * Rows in order, each of another key: of each its key, its time and its place ({@link HeldBlocks#place}). They lie in
 * segments, which need not be moved when there are more. One thread.
 */
final class KeyRun {
    private static final Segment NONE = new Segment(0);
    /** Of a key, a time and a place. */
    static final long ROW_BYTES = 24;
    /** Of a segment without its rows, and of a run that it may be alone in. */
    static final long SEGMENT_BYTES = 256;

    final List<Segment> segments = new ArrayList<>();
    int size;

    /** Rows of a run that follow each other. */
    static final class Segment {
        final long[] keys;
        final long[] times;
        final long[] places;
        int size;

        Segment(int rows) {
            keys = new long[rows];
            times = new long[rows];
            places = new long[rows];
        }

        /** Some of the rows in a segment of their own. */
        Segment cut(int from, int to) {
            Segment part = new Segment(to - from);
            System.arraycopy(keys, from, part.keys, 0, to - from);
            System.arraycopy(times, from, part.times, 0, to - from);
            System.arraycopy(places, from, part.places, 0, to - from);
            part.size = to - from;
            return part;
        }
    }

    /** A place in a run that goes on. */
    static final class Reader {
        private final Iterator<Segment> segments;
        private Segment in = NONE;
        private int at;

        Reader(KeyRun run) {
            segments = run.segments.iterator();
            skip();
        }

        boolean hasRow() {
            return at < in.size;
        }

        void next() {
            at++;
            if (at == in.size) {
                skip();
            }
        }

        private void skip() {
            while (at == in.size && segments.hasNext()) {
                in = segments.next();
                at = 0;
            }
        }

        /** Puts the row behind those of a segment, and goes on. */
        void moveTo(Segment segment) {
            segment.keys[segment.size] = in.keys[at];
            segment.times[segment.size] = in.times[at];
            segment.places[segment.size++] = in.places[at];
            next();
        }

        long key() {
            return in.keys[at];
        }

        long time() {
            return in.times[at];
        }

        long place() {
            return in.places[at];
        }
    }

    void add(Segment rows) {
        segments.add(rows);
        size += rows.size;
    }

    Segment last() {
        return segments.get(segments.size() - 1);
    }

    /** What it takes. */
    long bytes() {
        return ROW_BYTES * size + SEGMENT_BYTES * segments.size();
    }

    /** The time of a key's row; {@link Long#MIN_VALUE} where there is none. */
    long time(long key) {
        for (Segment segment : segments) {
            if (key <= segment.keys[segment.size - 1]) {
                int at = Arrays.binarySearch(segment.keys, 0, segment.size, key);
                return at < 0 ? Long.MIN_VALUE : segment.times[at];
            }
        }
        return Long.MIN_VALUE;
    }
}
