package io.waterwheel.query.column;

import io.waterwheel.query.expression.ValueType;
import org.jspecify.annotations.Nullable;

/**
 * The same value in every row. For a node that asks so ({@link #once}) it is there once; for all others, who look for a
 * value at each row, it fills an array.
 */
final class ConstantNode extends ColumnNode {
    private final @Nullable Object value;
    private boolean once;

    /** @param value Long, Double or byte[]; null for NULL */
    ConstantNode(ValueType type, @Nullable Object value) {
        super(type);
        this.value = value;
    }

    /** The node, for one that takes {@link Values#rowMask} into account: a constant is there once from now on. */
    static ColumnNode once(ColumnNode node) {
        if (node instanceof ConstantNode constant && !constant.once) {
            constant.once = true;
            constant.out.setOne(constant.value);
        }
        return node;
    }

    @Nullable
    Object value() {
        return value;
    }

    @Override
    void compute(RowView view, int[] selected, int count) {
        if (!once) {
            out.fill(value, view, selected, count);
        }
    }

    @Override
    public void release(RowView view) {
        if (!once) {
            super.release(view);
        }
    }

    @Override
    public int keep(RowView view, int[] selected, int count) {
        return value instanceof Long truth && truth == 1 ? count : 0;
    }
}
