package io.waterwheel.query.column;

import io.waterwheel.query.expression.ValueType;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The same value in every row. For a node that asks so ({@link #once}) it is there once; for all others, who look for a
 * value at each row, it fills an array.
 */
public final class ConstantNode extends ColumnNode {
    private final @Nullable Object value;
    private boolean once;

    /**
     * A constant.
     *
     * @param value Long, Double or byte[]; null for NULL; an Instant for a moment that no value holds
     */
    public ConstantNode(ValueType type, @Nullable Object value) {
        super(type);
        this.value = value;
    }

    /** The node, for one that takes {@link Values#rowMask} into account: a constant is there once from now on. */
    public static ColumnNode once(ColumnNode node) {
        if (node instanceof ConstantNode constant && !constant.once) {
            constant.once = true;
            constant.out.setOne(constant.value);
        }
        return node;
    }

    /** A condition that is NULL, neither true nor false. */
    public static ConstantNode unknown() {
        return new ConstantNode(ValueType.BOOLEAN, null);
    }

    /** A condition that is true or false in every row. */
    public static ConstantNode truth(boolean value) {
        return new ConstantNode(ValueType.BOOLEAN, value ? 1L : 0L);
    }

    /** Whether a node is the constant NULL. */
    public static boolean isNull(ColumnNode node) {
        return node instanceof ConstantNode constant && constant.value == null;
    }

    /**
     * A constant that needs nanoseconds and lies where 64 bits do not count them; null when the node is something else.
     * It is as good as any other in a comparison, and a value nowhere.
     */
    public static @Nullable Instant moment(ColumnNode node) {
        return node instanceof ConstantNode constant && constant.value instanceof Instant moment ? moment : null;
    }

    /** What it was made of. */
    public @Nullable Object value() {
        return value;
    }

    @Override
    protected void compute(RowView view, int[] selected, int count) {
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
