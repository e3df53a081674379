package io.waterwheel.query.exec.column;

import io.waterwheel.query.expression.ValueType;
import org.jspecify.annotations.Nullable;

/** The same value in every row. */
final class ConstantNode extends ColumnNode {
    private final @Nullable Object value;

    /** @param value Long, Double or byte[]; null for NULL. An Instant, which is compared and never computed with */
    ConstantNode(ValueType type, @Nullable Object value) {
        super(type);
        this.value = value;
    }

    @Nullable
    Object value() {
        return value;
    }

    @Override
    void compute(RowView view, int[] selected, int count) {
        out.fill(value, view, selected, count);
    }

    @Override
    public int keep(RowView view, int[] selected, int count) {
        return value instanceof Long truth && truth == 1 ? count : 0;
    }
}
