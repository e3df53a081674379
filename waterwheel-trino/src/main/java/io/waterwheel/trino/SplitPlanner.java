package io.waterwheel.trino;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a rectangle of keys and times into rectangles that hold about as many bytes each. They are disjoint, and
 * together the whole, whatever is known of what lies in them: that decides only how even they are. Pure functions.
 */
final class SplitPlanner {
    /** The least part of a rectangle's bytes that a cut leaves on either side, where a better border is looked for. */
    private static final double LEAST_SHARE = 0.25;

    private static final int BISECTIONS = 64;

    private SplitPlanner() {}

    /**
     * Where bytes lie: a chunk's, or those that an indexer is thought to have in memory.
     *
     * @param area that holds all of them, evenly as far as is known
     */
    record Piece(Area area, double bytes) {}

    /**
     * A rectangle; all bounds belong to it.
     *
     * @param lowKey least key
     * @param highKey greatest key
     * @param from least time
     * @param to greatest time
     */
    record Area(long lowKey, long highKey, long from, long to) {
        static final Area ALL = new Area(Long.MIN_VALUE, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE);

        Area {
            if (lowKey > highKey || from > to) {
                throw new IllegalArgumentException(
                        "keys " + lowKey + " to " + highKey + ", times " + from + " to " + to);
            }
        }

        boolean meets(Area other) {
            return lowKey <= other.highKey && other.lowKey <= highKey && from <= other.to && other.from <= to;
        }

        private long low(boolean byKey) {
            return byKey ? lowKey : from;
        }

        private long high(boolean byKey) {
            return byKey ? highKey : to;
        }

        private Area below(boolean byKey, long cut) {
            return byKey ? new Area(lowKey, cut - 1, from, to) : new Area(lowKey, highKey, from, cut - 1);
        }

        private Area from(boolean byKey, long cut) {
            return byKey ? new Area(cut, highKey, from, to) : new Area(lowKey, highKey, cut, to);
        }
    }

    /**
     * A part.
     *
     * @param bytes that are thought to lie in it
     */
    record Part(Area area, double bytes) {}

    /** What is still to be cut: a rectangle and what lies in it, as far as it does. */
    private record Room(Area area, List<Piece> pieces, double bytes) {}

    /** A cut: the first key or time of the upper side, and how many bytes of chunks then lie in both. */
    private record Cut(boolean byKey, long at, double straddling) {}

    /**
     * Cuts.
     *
     * @param whole what is cut
     * @param pieces where bytes lie; what lies outside of the whole does not count
     * @param target bytes of a part, at least 1
     * @param most parts, at least 1
     * @return one to {@code most} parts
     */
    static List<Part> cut(Area whole, List<Piece> pieces, double target, int most) {
        PriorityQueue<Room> open = new PriorityQueue<>(
                Comparator.comparingDouble((Room room) -> room.bytes()).reversed());
        List<Part> done = new ArrayList<>();
        open.add(room(whole, pieces));
        while (!open.isEmpty()) {
            Room room = open.remove();
            Cut cut = room.bytes() <= target || open.size() + done.size() + 2 > most ? null : best(room);
            if (cut == null) {
                done.add(new Part(room.area(), room.bytes()));
            } else {
                open.add(room(room.area().below(cut.byKey(), cut.at()), room.pieces()));
                open.add(room(room.area().from(cut.byKey(), cut.at()), room.pieces()));
            }
        }
        return done;
    }

    private static Room room(Area area, List<Piece> pieces) {
        List<Piece> inside = new ArrayList<>();
        double bytes = 0;
        for (Piece piece : pieces) {
            if (piece.area().meets(area)) {
                Piece clipped = clipped(piece, area);
                inside.add(clipped);
                bytes += clipped.bytes();
            }
        }
        return new Room(area, inside, bytes);
    }

    private static Piece clipped(Piece piece, Area area) {
        Area of = piece.area();
        Area both = new Area(
                Math.max(of.lowKey(), area.lowKey()),
                Math.min(of.highKey(), area.highKey()),
                Math.max(of.from(), area.from()),
                Math.min(of.to(), area.to()));
        if (both.equals(of)) {
            return piece;
        }
        double share = length(both, true) / length(of, true) * (length(both, false) / length(of, false));
        return new Piece(both, piece.bytes() * share);
    }

    private static double length(Area area, boolean byKey) {
        return (double) area.high(byKey) - (double) area.low(byKey) + 1;
    }

    /** By key or by time, whichever leaves fewer bytes in chunks that both sides read; null where neither can cut. */
    private static @Nullable Cut best(Room room) {
        Cut byKey = cut(room, true);
        Cut byTime = cut(room, false);
        if (byKey == null || byTime == null) {
            return byKey == null ? byTime : byKey;
        }
        return byTime.straddling() < byKey.straddling() ? byTime : byKey;
    }

    private static @Nullable Cut cut(Room room, boolean byKey) {
        long least = Long.MAX_VALUE;
        long greatest = Long.MIN_VALUE;
        for (Piece piece : room.pieces()) {
            least = Math.min(least, piece.area().low(byKey));
            greatest = Math.max(greatest, piece.area().high(byKey));
        }
        if (least >= greatest) {
            return null;
        }
        // The first value of which half of the bytes lie below: between (least, greatest], so that both sides have
        // some.
        long low = least + 1;
        long high = greatest;
        for (int i = 0; i < BISECTIONS && low < high; i++) {
            long middle = (low & high) + ((low ^ high) >> 1);
            if (below(room, byKey, middle) * 2 >= room.bytes()) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return onBorder(room, byKey, low, least);
    }

    /** A border of a piece near the middle, where fewer pieces lie on both sides of it. */
    private static Cut onBorder(Room room, boolean byKey, long middle, long least) {
        long before = Long.MIN_VALUE;
        long after = Long.MAX_VALUE;
        for (Piece piece : room.pieces()) {
            long low = piece.area().low(byKey);
            long high = piece.area().high(byKey);
            before = low <= middle && low > least ? Math.max(before, low) : before;
            after = low >= middle ? Math.min(after, low) : after;
            if (high < Long.MAX_VALUE) {
                before = high + 1 <= middle ? Math.max(before, high + 1) : before;
                after = high + 1 >= middle && high < room.area().high(byKey) ? Math.min(after, high + 1) : after;
            }
        }
        Cut best = new Cut(byKey, middle, straddling(room, byKey, middle));
        for (long border : new long[] {before, after}) {
            if (border > least && border <= room.area().high(byKey)) {
                double share = below(room, byKey, border) / room.bytes();
                double straddling = straddling(room, byKey, border);
                if (share >= LEAST_SHARE && share <= 1 - LEAST_SHARE && straddling < best.straddling()) {
                    best = new Cut(byKey, border, straddling);
                }
            }
        }
        return best;
    }

    private static double below(Room room, boolean byKey, long cut) {
        double bytes = 0;
        for (Piece piece : room.pieces()) {
            long low = piece.area().low(byKey);
            if (piece.area().high(byKey) < cut) {
                bytes += piece.bytes();
            } else if (low < cut) {
                bytes += piece.bytes() * (((double) cut - (double) low) / length(piece.area(), byKey));
            }
        }
        return bytes;
    }

    private static double straddling(Room room, boolean byKey, long cut) {
        double bytes = 0;
        for (Piece piece : room.pieces()) {
            bytes += piece.area().low(byKey) < cut && piece.area().high(byKey) >= cut ? piece.bytes() : 0;
        }
        return bytes;
    }
}
