package io.waterwheel.query.result;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.compile.ExpressionCompiler;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.query.rows.RowCopy;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.RowLayout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Fields that are computed of the stored ones. Immutable; any thread. */
final class Projection {
    private final RowLayout stored;
    private final List<Expression> expressions = new ArrayList<>();
    /** By field, the stored field that it is; {@link RowCopy#NOTHING} where it is computed. */
    private final int[] plain;

    private final RowLayout layout;

    Projection(RowLayout stored, List<NamedExpression> wanted) {
        this.stored = stored;
        ExpressionTypes types = new ExpressionTypes(stored.fields());
        List<Field> fields = new ArrayList<>();
        this.plain = new int[wanted.size()];
        for (NamedExpression one : wanted) {
            ValueType type = types.typeOf(one.expression());
            if (type == ValueType.NULL) {
                throw new WaterwheelException(
                        ErrorCode.TYPE_MISMATCH, "select " + one.name() + ": expected a value of a type, got NULL");
            }
            plain[expressions.size()] = RowCopy.NOTHING;
            if (one.expression() instanceof Expression.FieldValue value) {
                int index = types.indexOf(value.name());
                Field field = stored.fields().get(index);
                fields.add(new Field(one.name(), field.type(), field.nullable()));
                plain[expressions.size()] = index;
            } else {
                fields.add(new Field(one.name(), type.fieldType(), true));
            }
            expressions.add(one.expression());
        }
        this.layout = Gather.layout(fields);
    }

    /** The layout of the rows that it is computed of. */
    RowLayout stored() {
        return stored;
    }

    /** The layout of the rows that are made. */
    RowLayout layout() {
        return layout;
    }

    /** Marks the stored fields that it needs. */
    void needs(BitSet needed) {
        ExpressionCompiler compiler = new ExpressionCompiler(stored);
        for (Expression expression : expressions) {
            compiler.fields(expression, needed::set);
        }
    }

    /** By field, the stored field that it is; {@link RowCopy#NOTHING} where it is computed. */
    int[] plain() {
        return plain.clone();
    }

    /** Nodes for the fields, for one scan. */
    ColumnNode[] compile() {
        ExpressionCompiler compiler = new ExpressionCompiler(stored);
        return expressions.stream().map(compiler::compile).toArray(ColumnNode[]::new);
    }
}
