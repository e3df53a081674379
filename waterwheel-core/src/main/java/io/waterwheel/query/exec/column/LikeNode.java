package io.waterwheel.query.exec.column;

import io.waterwheel.model.TupleBlock;
import io.waterwheel.query.expression.ValueType;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * LIKE on UTF-8 text. The pattern is cut at its {@code %} into pieces; each piece is found at its first place after the
 * one before, which is enough because a {@code %} takes whatever lies between. O(text x pattern) at worst.
 */
final class LikeNode extends ColumnNode {
    /** In a piece: one character, whatever it is. Never a byte of UTF-8. */
    private static final byte ANY = (byte) 0xFF;

    private final ColumnNode operand;
    private final byte[][] pieces;
    private final boolean negated;

    LikeNode(ColumnNode operand, String pattern, @Nullable String escape, boolean negated) {
        super(ValueType.BOOLEAN);
        this.operand = operand;
        this.pieces = pieces(pattern, escape);
        this.negated = negated;
    }

    private static byte[][] pieces(String pattern, @Nullable String escape) {
        List<byte[]> pieces = new ArrayList<>();
        ByteArrayOutputStream piece = new ByteArrayOutputStream();
        for (int i = 0; i < pattern.length(); ) {
            boolean escaped = escape != null && pattern.startsWith(escape, i);
            if (escaped) {
                i += java.util.Objects.requireNonNull(escape).length();
            }
            int end = pattern.offsetByCodePoints(i, 1);
            String character = pattern.substring(i, end);
            i = end;
            if (!escaped && character.equals("%")) {
                pieces.add(piece.toByteArray());
                piece.reset();
            } else if (!escaped && character.equals("_")) {
                piece.write(ANY);
            } else {
                piece.writeBytes(character.getBytes(StandardCharsets.UTF_8));
            }
        }
        pieces.add(piece.toByteArray());
        return pieces.toArray(byte[][]::new);
    }

    @Override
    public void evaluate(RowView view, int[] selected, int count) {
        operand.evaluate(view, selected, count);
        Values values = operand.out;
        out.nullsOf(values, selected, count, view.rows);
        long[] truth = out.ownLongs(view.rows);
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            if (!out.isNull(row)) {
                long reference = values.longs[row];
                int from = values.offset(reference);
                boolean matches = matches(values.slab(reference), from, from + TupleBlock.referenceLength(reference));
                truth[row] = matches != negated ? 1 : 0;
            }
        }
    }

    private boolean matches(byte[] text, int from, int to) {
        int last = pieces.length - 1;
        int at = end(pieces[0], text, from, to);
        if (last == 0) {
            return at == to;
        }
        for (int p = 1; p < last && at >= 0; p++) {
            at = find(pieces[p], text, at, to);
        }
        return at >= 0 && endsWith(pieces[last], text, at, to);
    }

    /** Where the piece ends when it begins here; -1 when it does not. */
    private static int end(byte[] piece, byte[] text, int from, int to) {
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

    private static int afterCharacter(byte[] text, int at, int to) {
        int next = at + 1;
        while (next < to && (text[next] & 0xC0) == 0x80) {
            next++;
        }
        return next;
    }

    /** Where the piece ends at its first place from here on; -1 when there is none. */
    private static int find(byte[] piece, byte[] text, int from, int to) {
        for (int at = from; at <= to; at = at == to ? to + 1 : afterCharacter(text, at, to)) {
            int end = end(piece, text, at, to);
            if (end >= 0) {
                return end;
            }
        }
        return -1;
    }

    /** Whether the text from here on ends with the piece. */
    private static boolean endsWith(byte[] piece, byte[] text, int from, int to) {
        int at = to;
        for (int p = piece.length - 1; p >= 0; p--) {
            if (at <= from) {
                return false;
            }
            if (piece[p] == ANY) {
                do {
                    at--;
                } while (at > from && (text[at] & 0xC0) == 0x80);
            } else if (text[--at] != piece[p]) {
                return false;
            }
        }
        return true;
    }
}
