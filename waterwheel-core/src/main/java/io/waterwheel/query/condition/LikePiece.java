package io.waterwheel.query.condition;

import io.waterwheel.query.column.Workspace;
import io.waterwheel.tuple.LittleEndian;
import java.util.Arrays;
import java.util.List;

/**
 * A piece of a LIKE pattern, between two {@code %}: characters, some of which may be any. Finds its first place in a
 * text in time that grows with the text alone, or with the text times the piece's length over 64 when it has characters
 * that may be any. Bound to one thread: it has room to work in.
 */
abstract sealed class LikePiece {
    /** In a piece: one character, whatever it is. Never a byte of UTF-8. */
    static final byte ANY = (byte) 0xFF;

    /** Longest piece with characters that may be any that is simply tried at each place. */
    private static final int SHORT = 16;

    /** Bytes of text between two looks whether to go on. */
    private static final int STRETCH = 1 << 12;

    final byte[] piece;

    private LikePiece(byte[] piece) {
        this.piece = piece;
    }

    static LikePiece of(byte[] piece) {
        for (byte b : piece) {
            if (b == ANY) {
                return piece.length <= SHORT ? new ShortWithAny(piece) : new WithAny(piece);
            }
        }
        return new Plain(piece);
    }

    /** Its bytes before the first character that may be any. */
    final byte[] prefix() {
        int length = 0;
        while (length < piece.length && piece[length] != ANY) {
            length++;
        }
        return Arrays.copyOf(piece, length);
    }

    /** Adds its bytes from here on, between characters that may be any, where these are several in a row. */
    final void addRuns(int start, List<byte[]> runs) {
        int from = start;
        for (int at = start; at <= piece.length; at++) {
            if (at == piece.length || piece[at] == ANY) {
                if (at - from > 1) {
                    runs.add(Arrays.copyOfRange(piece, from, at));
                }
                from = at + 1;
            }
        }
    }

    /** Where the piece ends at its first place from here on; -1 when there is none. */
    abstract int find(byte[] text, int from, int to, Workspace workspace);

    /** Where the piece ends when it begins here; -1 when it does not. */
    final int endsAt(byte[] text, int from, int to) {
        int at = from;
        for (byte expected : piece) {
            if (at >= to) {
                return -1;
            }
            if (expected == ANY) {
                at = afterCharacter(text, at, to);
            } else if (text[at++] != expected) {
                return -1;
            }
        }
        return at;
    }

    /** Whether the text from here on ends with the piece. */
    final boolean ends(byte[] text, int from, int to) {
        int at = to;
        for (int p = piece.length - 1; p >= 0; p--) {
            if (at <= from) {
                return false;
            }
            if (piece[p] == ANY) {
                do {
                    at--;
                } while (at > from && continues(text[at]));
            } else if (text[--at] != piece[p]) {
                return false;
            }
        }
        return true;
    }

    private static boolean continues(byte b) {
        return (b & 0xC0) == 0x80;
    }

    private static int afterCharacter(byte[] text, int at, int to) {
        int next = at + 1;
        while (next < to && continues(text[next])) {
            next++;
        }
        return next;
    }

    /**
     * Characters as they are: looked for at eight places at a time, where the first and the last byte are in their
     * places, and by Knuth, Morris and Pratt where that is too slow.
     */
    private static final class Plain extends LikePiece {
        private static final long ONES = 0x0101010101010101L;
        private static final long TOPS = 0x8080808080808080L;
        /** Bytes compared in vain, beyond one for each of the text, after which the slower but linear way is taken. */
        private static final int PATIENCE = 256;

        /** For each length of what was found of the piece, the longest shorter one that may be found there as well. */
        private int[] shorter = {};
        /** The first and the last byte, eight times each. */
        private final long firsts;

        private final long lasts;

        Plain(byte[] piece) {
            super(piece);
            firsts = piece.length == 0 ? 0 : (piece[0] & 0xFF) * ONES;
            lasts = piece.length == 0 ? 0 : (piece[piece.length - 1] & 0xFF) * ONES;
        }

        @Override
        int find(byte[] text, int from, int to, Workspace workspace) {
            int length = piece.length;
            if (length == 0) {
                return from;
            }
            int last = to - length;
            // Words may reach beyond the text, as long as the array does.
            int lastWord = Math.min(last, text.length - length - Long.BYTES + 1);
            int vain = 0;
            int at = from;
            for (; at <= lastWord; at += Long.BYTES) {
                long unlike = LittleEndian.getLong(text, at) ^ firsts;
                unlike |= LittleEndian.getLong(text, at + length - 1) ^ lasts;
                // The top bit of each byte that is 0, and perhaps of some that are 1 behind one: all are compared.
                long hits = (unlike - ONES) & ~unlike & TOPS;
                for (; hits != 0; hits &= hits - 1) {
                    int place = at + (Long.numberOfTrailingZeros(hits) >>> 3);
                    if (place > last) {
                        return -1;
                    }
                    int same = same(text, place);
                    if (same == length) {
                        return place + length;
                    }
                    vain += same;
                    if (vain - (place - from) > PATIENCE) {
                        return findLinear(text, place + 1, to, workspace);
                    }
                }
            }
            // The end of the array: fewer places than eight.
            for (; at <= last; at++) {
                if (same(text, at) == length) {
                    return at + length;
                }
            }
            return -1;
        }

        /** How many bytes from here on are those of the piece. */
        private int same(byte[] text, int at) {
            int same = 0;
            while (same < piece.length && text[at + same] == piece[same]) {
                same++;
            }
            return same;
        }

        private int findLinear(byte[] text, int from, int to, Workspace workspace) {
            if (shorter.length == 0) {
                shorter = shorter(piece);
            }
            int found = 0;
            int at = from;
            while (at < to) {
                int stop = Math.min(to, at + STRETCH);
                workspace.spend(stop - at);
                for (; at < stop; at++) {
                    while (found > 0 && text[at] != piece[found]) {
                        found = shorter[found];
                    }
                    found += text[at] == piece[found] ? 1 : 0;
                    if (found == piece.length) {
                        return at + 1;
                    }
                }
            }
            return -1;
        }

        private static int[] shorter(byte[] piece) {
            int[] shorter = new int[piece.length + 1];
            int found = 0;
            for (int at = 1; at < piece.length; at++) {
                while (found > 0 && piece[at] != piece[found]) {
                    found = shorter[found];
                }
                found += piece[at] == piece[found] ? 1 : 0;
                shorter[at + 1] = found;
            }
            return shorter;
        }
    }

    /** With characters that may be any, tried at each place. */
    private static final class ShortWithAny extends LikePiece {
        ShortWithAny(byte[] piece) {
            super(piece);
        }

        @Override
        int find(byte[] text, int from, int to, Workspace workspace) {
            int at = from;
            while (at < to) {
                int stop = Math.min(to, at + STRETCH);
                workspace.spend((long) (stop - at) * piece.length);
                for (; at < stop; at = afterCharacter(text, at, to)) {
                    int end = endsAt(text, at, to);
                    if (end >= 0) {
                        return end;
                    }
                }
            }
            return -1;
        }
    }

    /**
     * With many characters, some of which may be any: all places are followed at once, a bit each [Baeza-Yates 1992]. A
     * bit says that the piece up to its byte was found, ending here; that of a character that may be any stays while
     * the character goes on.
     */
    private static final class WithAny extends LikePiece {
        private final int words;
        /** By value of a byte of text, which bytes of the piece it can be: {@code words} longs each. */
        private final long[] fits;
        /** Which bytes of the piece stand for any character. */
        private final long[] any;

        private final long[] state;

        WithAny(byte[] piece) {
            super(piece);
            this.words = (piece.length + 63) >>> 6;
            this.fits = new long[256 * words];
            this.any = new long[words];
            this.state = new long[words];
            for (int p = 0; p < piece.length; p++) {
                long bit = 1L << p;
                if (piece[p] != ANY) {
                    fits[(piece[p] & 0xFF) * words + (p >>> 6)] |= bit;
                    continue;
                }
                any[p >>> 6] |= bit;
                for (int b = 0; b < 256; b++) {
                    if (!continues((byte) b)) {
                        fits[b * words + (p >>> 6)] |= bit;
                    }
                }
            }
        }

        @Override
        int find(byte[] text, int from, int to, Workspace workspace) {
            Arrays.fill(state, 0);
            int lastWord = words - 1;
            long end = 1L << (piece.length - 1);
            int at = from;
            while (at < to) {
                int stop = (int) Math.min(to, at + Math.max(1L, STRETCH / words));
                workspace.spend((long) (stop - at) * words);
                for (; at < stop; at++) {
                    step(text[at]);
                    // A last character that may be any is not over while it goes on.
                    if ((state[lastWord] & end) != 0 && (at + 1 == to || !continues(text[at + 1]))) {
                        return at + 1;
                    }
                }
            }
            return -1;
        }

        private void step(byte b) {
            boolean continues = continues(b);
            int row = (b & 0xFF) * words;
            long carried = 1;
            for (int w = 0; w < words; w++) {
                long before = state[w];
                long now = (before << 1 | carried) & fits[row + w];
                carried = before >>> 63;
                state[w] = continues ? now | (before & any[w]) : now;
            }
        }
    }
}
