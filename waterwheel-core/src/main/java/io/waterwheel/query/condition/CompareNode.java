package io.waterwheel.query.condition;

import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.ConstantNode;
import io.waterwheel.query.column.FieldNode;
import io.waterwheel.query.column.OrderedBits;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.expression.Expression.Comparison.Relation;
import io.waterwheel.query.expression.ValueType;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Two values compared; null where either is. */
final class CompareNode extends ColumnNode {
    private final DictionaryTruth truths = new DictionaryTruth();
    private final Relation relation;
    private final ColumnNode left;
    private final ColumnNode right;

    CompareNode(Relation relation, ColumnNode left, ColumnNode right) {
        super(ValueType.BOOLEAN);
        this.relation = relation;
        this.left = ConstantNode.once(left);
        this.right = ConstantNode.once(right);
    }

    void conjunct(ConjunctSink sink) {
        if (left instanceof FieldNode field
                && right instanceof ConstantNode constant
                && constant.value() instanceof byte[] bytes) {
            boolean below = relation == Relation.LESS || relation == Relation.AT_MOST;
            boolean above = relation == Relation.GREATER || relation == Relation.AT_LEAST;
            boolean equal = relation == Relation.EQUAL;
            if (below || above || equal) {
                sink.withinBytes(field.column(), below ? null : bytes, above ? null : bytes);
            }
        } else if (left instanceof FieldNode field
                && field.type() == ValueType.BOOLEAN
                && right instanceof ConstantNode constant
                && constant.value() instanceof Long truth) {
            if (relation == Relation.EQUAL) {
                sink.within(field.column(), truth, truth);
            } else if (relation == Relation.UNEQUAL) {
                sink.within(field.column(), 1 - truth, 1 - truth);
            }
        }
    }

    /** The field that it says equals a text or bytes; null when it says something else. */
    @Nullable
    FieldNode equated() {
        return relation == Relation.EQUAL ? comparedText() : null;
    }

    /** The field of text or bytes that is compared with a constant; null when that is not what this does. */
    @Nullable
    FieldNode comparedText() {
        return left instanceof FieldNode field
                        && right instanceof ConstantNode constant
                        && constant.value() instanceof byte[]
                ? field
                : null;
    }

    /** What {@link #comparedText} is compared with. */
    byte[] text() {
        return (byte[]) Objects.requireNonNull(((ConstantNode) right).value());
    }

    /** The values of {@link #comparedText} for which it is true; null when they are no range, or one value. */
    TextRangesNode.@Nullable Range range() {
        byte[] bytes = text();
        // The least text above one is that one and a zero.
        byte[] above = Arrays.copyOf(bytes, bytes.length + 1);
        byte[] lowest = TextRangesNode.Range.ALL.low();
        return switch (relation) {
            case EQUAL, UNEQUAL -> null;
            case LESS -> new TextRangesNode.Range(lowest, bytes);
            case AT_MOST -> new TextRangesNode.Range(lowest, above);
            case GREATER -> new TextRangesNode.Range(above, null);
            case AT_LEAST -> new TextRangesNode.Range(bytes, null);
        };
    }

    @Override
    protected void compute(RowView view, int[] selected, int count) {
        left.evaluate(view, selected, count);
        right.evaluate(view, selected, count);
        out.nullsOf(left.values(), right.values(), selected, count, view);
        long[] truth = out.ownLongs(view);
        if (right instanceof ConstantNode constant
                && constant.value() instanceof byte[] bytes
                && truths.fill(
                        left.values(),
                        view,
                        selected,
                        count,
                        truth,
                        reference -> truth(relation, left.values().compareBytes(reference, bytes)))) {
            left.release(view);
            return;
        }
        compare(left, right, view, selected, count, truth);
        left.release(view);
        right.release(view);
        for (int i = 0; i < count; i++) {
            int row = selected[i];
            truth[row] = truth(relation, (int) truth[row]) ? 1 : 0;
        }
    }

    /** Leaves below 0, 0 or above 0 by row; what it leaves where a side is null means nothing. */
    static void compare(ColumnNode left, ColumnNode right, RowView view, int[] selected, int count, long[] result) {
        Values a = left.values();
        Values b = right.values();
        int leftMask = a.rowMask;
        int rightMask = b.rowMask;
        boolean doubleLeft = left.type() == ValueType.DOUBLE;
        boolean doubleRight = right.type() == ValueType.DOUBLE;
        if (left.type().variable()) {
            boolean nulls = a.anyNull || b.anyNull;
            for (int i = 0; i < count; i++) {
                int row = selected[i];
                // What a reference is where the value is null is not defined: it may lead nowhere.
                if (nulls && (a.isNull(row) || b.isNull(row))) {
                    result[row] = 0;
                } else {
                    view.workspace().spend(Math.min(a.length(row), b.length(row)) >>> 3);
                    result[row] = Values.compareBytes(a, row, b, row);
                }
            }
        } else if (doubleLeft && doubleRight) {
            for (int i = 0; i < count; i++) {
                int row = selected[i];
                result[row] = Long.compare(
                        OrderedBits.of(a.doubles[row & leftMask]), OrderedBits.of(b.doubles[row & rightMask]));
            }
        } else if (doubleRight) {
            for (int i = 0; i < count; i++) {
                int row = selected[i];
                result[row] = OrderedBits.compare(a.longs[row & leftMask], b.doubles[row & rightMask]);
            }
        } else if (doubleLeft) {
            for (int i = 0; i < count; i++) {
                int row = selected[i];
                result[row] = -OrderedBits.compare(b.longs[row & rightMask], a.doubles[row & leftMask]);
            }
        } else if (left.type() != right.type() && left.type().isTimestamp()) {
            long unitLeft = left.type().fieldType().resolution().nanos();
            long unitRight = right.type().fieldType().resolution().nanos();
            for (int i = 0; i < count; i++) {
                int row = selected[i];
                result[row] = unitLeft > unitRight
                        ? compareCoarse(a.longs[row & leftMask], b.longs[row & rightMask], unitLeft / unitRight)
                        : -compareCoarse(b.longs[row & rightMask], a.longs[row & leftMask], unitRight / unitLeft);
            }
        } else {
            long[] x = a.longs;
            long[] y = b.longs;
            for (int i = 0; i < count; i++) {
                int row = selected[i];
                result[row] = Long.compare(x[row & leftMask], y[row & rightMask]);
            }
        }
    }

    /** Compares a number of units with a number of finer ones, by how many of them make one. */
    private static int compareCoarse(long coarse, long fine, long each) {
        int compared = Long.compare(coarse, Math.floorDiv(fine, each));
        return compared != 0 || Math.floorMod(fine, each) == 0 ? compared : -1;
    }

    static boolean truth(Relation relation, int compared) {
        return switch (relation) {
            case EQUAL -> compared == 0;
            case UNEQUAL -> compared != 0;
            case LESS -> compared < 0;
            case AT_MOST -> compared <= 0;
            case GREATER -> compared > 0;
            case AT_LEAST -> compared >= 0;
        };
    }
}
