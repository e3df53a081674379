package io.waterwheel.query.condition;

import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.FieldNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.tuple.TupleBlock;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * LIKE on UTF-8 text. The pattern is cut at its {@code %} into pieces; each piece is found at its first place after the
 * one before, which is enough because a {@code %} takes whatever lies between.
 */
final class LikeNode extends ColumnNode {
    private final DictionaryTruth truths = new DictionaryTruth();
    private final ColumnNode operand;
    private final LikePiece[] pieces;
    private final boolean negated;

    LikeNode(ColumnNode operand, String pattern, @Nullable String escape, boolean negated) {
        super(ValueType.BOOLEAN);
        this.operand = operand;
        this.pieces = pieces(pattern, escape);
        this.negated = negated;
    }

    private static LikePiece[] pieces(String pattern, @Nullable String escape) {
        List<LikePiece> pieces = new ArrayList<>();
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
                pieces.add(LikePiece.of(piece.toByteArray()));
                piece.reset();
            } else if (!escaped && character.equals("_")) {
                piece.write(LikePiece.ANY);
            } else {
                piece.writeBytes(character.getBytes(StandardCharsets.UTF_8));
            }
        }
        pieces.add(LikePiece.of(piece.toByteArray()));
        return pieces.toArray(LikePiece[]::new);
    }

    /**
     * All that matches begins with what the pattern begins with, up to the first of its wildcards, and has what stands
     * between wildcards.
     */
    void conjunct(ConjunctSink sink) {
        byte[] prefix = pieces[0].prefix();
        if (negated || !(operand instanceof FieldNode field)) {
            return;
        } else if (pieces.length == 1 && prefix.length == pieces[0].piece.length) {
            sink.withinBytes(field.column(), prefix, prefix);
        } else if (prefix.length > 0) {
            // The least text that is above all that begin so: no byte of UTF-8 is 255.
            byte[] above = prefix.clone();
            above[above.length - 1]++;
            sink.withinAnyBytes(field.column(), new byte[][] {prefix}, new byte[][] {above});
        }
        List<byte[]> runs = new ArrayList<>();
        for (int p = 0; p < pieces.length; p++) {
            pieces[p].addRuns(p == 0 ? prefix.length : 0, runs);
        }
        if (prefix.length > 0 || !runs.isEmpty()) {
            sink.contains(field.column(), prefix, runs.toArray(byte[][]::new));
        }
    }

    /** Whether its operand is a field. */
    boolean isOfField() {
        return operand instanceof FieldNode;
    }

    @Override
    protected void compute(RowView view, int[] selected, int count) {
        operand.evaluate(view, selected, count);
        Values values = operand.values();
        out.nullsOf(values, selected, count, view);
        long[] truth = out.ownLongs(view);
        if (!truths.fill(values, view, selected, count, truth, reference -> test(values, reference, view))) {
            for (int i = 0; i < count; i++) {
                int row = selected[i];
                truth[row] = !out.isNull(row) && test(values, values.longs[row], view) ? 1 : 0;
            }
        }
        operand.release(view);
    }

    private boolean test(Values values, long reference, RowView view) {
        int from = values.offset(reference);
        int length = TupleBlock.referenceLength(reference);
        view.workspace().spend(length);
        return matches(values.slab(reference), from, from + length, view.workspace()) != negated;
    }

    private boolean matches(byte[] text, int from, int to, Workspace workspace) {
        int last = pieces.length - 1;
        int at = pieces[0].endsAt(text, from, to);
        if (last == 0) {
            return at == to;
        }
        for (int p = 1; p < last && at >= 0; p++) {
            at = pieces[p].find(text, at, to, workspace);
        }
        return at >= 0 && pieces[last].ends(text, at, to);
    }
}
