package io.waterwheel.sql.plan;

import io.waterwheel.query.expression.Expression;
import io.waterwheel.sql.SqlConstants;
import io.waterwheel.sql.cache.NowNames;
import io.waterwheel.sql.leaf.Literals;
import io.waterwheel.sql.parse.ExactLiteral;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.BitString;
import org.jspecify.annotations.Nullable;

/** {@code SELECT 1, 'a' AS b}: by which tools see whether a connection is alive. */
final class ConstantSelect {
    private ConstantSelect() {}

    /** The row; null when the statement is something else. */
    static @Nullable SqlConstants of(SqlNode statement, Instant now) {
        if (!(statement instanceof SqlSelect select)
                || select.getFrom() != null
                || select.getWhere() != null
                || select.getGroup() != null
                || select.getHaving() != null
                || select.isDistinct()) {
            return null;
        }
        List<String> labels = new ArrayList<>();
        List<Expression.Literal> values = new ArrayList<>();
        for (SqlNode item : select.getSelectList()) {
            boolean named = item.getKind() == SqlKind.AS;
            SqlNode node = named ? ((SqlCall) item).operand(0) : item;
            Expression.Literal value = value(node, now);
            if (value == null) {
                return null;
            }
            labels.add(
                    named
                            ? ((SqlIdentifier) ((SqlCall) item).operand(1)).getSimple()
                            : node instanceof SqlCall call && call.getKind() != SqlKind.MINUS_PREFIX
                                    ? call.getOperator().getName().toLowerCase(Locale.ROOT)
                                    : "column" + (labels.size() + 1));
            values.add(value);
        }
        return new SqlConstants(labels, values);
    }

    /** The value of a literal, of a number with a sign, or of now; null for anything else. */
    static Expression.@Nullable Literal value(SqlNode node, Instant now) {
        if (node instanceof SqlCall call) {
            String name = call.getOperator().getName().toUpperCase(Locale.ROOT);
            if (call.getKind() == SqlKind.MINUS_PREFIX) {
                Expression.Literal value = value(call.operand(0), now);
                if (value instanceof Expression.Whole whole && whole.value() != Long.MIN_VALUE) {
                    return new Expression.Whole(-whole.value());
                }
                if (value instanceof Expression.Exact exact) {
                    return new Expression.Exact(exact.value().negate());
                }
                if (!(value instanceof Expression.Decimal decimal)) {
                    return null;
                }
                String written = decimal.written();
                return new Expression.Decimal(-decimal.value(), written == null ? null : "-" + written);
            }
            // CURRENT_TIMESTAMP(3) is as many digits as there are.
            return call.operandCount() == 0 || name.endsWith("TIMESTAMP") ? moment(name, now) : null;
        } else if (node instanceof SqlIdentifier name) {
            return name.isSimple() && !name.isComponentQuoted(0) && NowNames.isPlain(name.getSimple())
                    ? moment(name.getSimple(), now)
                    : null;
        }
        return node instanceof SqlLiteral literal ? written(literal) : null;
    }

    private static Expression.@Nullable Literal moment(String name, Instant now) {
        Instant moment = NowNames.of(name, now);
        return moment == null ? null : new Expression.Moment(moment);
    }

    private static Expression.@Nullable Literal written(SqlLiteral literal) {
        try {
            if (literal.getTypeName() == SqlTypeName.NULL) {
                return new Expression.Null();
            } else if (literal instanceof ExactLiteral exact) {
                return new Expression.Exact(exact.value());
            } else if (literal instanceof SqlNumericLiteral number) {
                return number.isInteger()
                        ? new Expression.Whole(number.bigDecimalValue().longValueExact())
                        : Expression.Decimal.of(number.bigDecimalValue().toString());
            } else if (literal.getTypeName() == SqlTypeName.BOOLEAN) {
                return new Expression.Truth(literal.booleanValue());
            } else if (literal.getTypeName() == SqlTypeName.BINARY) {
                return new Expression.Hex(
                        literal.getValueAs(BitString.class).toHexString().toLowerCase(Locale.ROOT));
            } else if (literal.getTypeName() == SqlTypeName.CHAR) {
                return new Expression.Text(literal.getValueAs(String.class));
            } else if (literal.getTypeName() == SqlTypeName.UNKNOWN
                    && literal.toString().toUpperCase(Locale.ROOT).startsWith("TIMESTAMP")) {
                return new Expression.Moment(Literals.instant(literal.getValueAs(String.class)));
            }
        } catch (ArithmeticException | IllegalArgumentException | DateTimeException e) {
            return null;
        }
        return null;
    }
}
