package io.waterwheel.sql.leaf;

import io.waterwheel.query.expression.CanonicalText;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.Expression.Arithmetic.Operation;
import io.waterwheel.query.expression.Expression.Comparison.Relation;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.expression.Function;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.Field;
import io.waterwheel.sql.cache.ParameterFunction;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Expressions of Calcite over the columns of a leaf as expressions of the engine: those that both compute alike. What
 * differs is refused by {@link NotPushed}: a division that may be by zero, casts that round or pad in another way.
 */
public final class ConditionTranslator {
    private final List<Expression> inputs;
    private final ExpressionTypes types;
    private final List<Field> fields;
    private final RexBuilder rex;

    /**
     * A translator.
     *
     * @param fields that expressions of the engine may name
     * @param inputs by column what it is of these
     */
    public ConditionTranslator(List<Field> fields, List<Expression> inputs, RexBuilder rex) {
        this.fields = fields;
        this.types = new ExpressionTypes(fields);
        this.inputs = inputs;
        this.rex = rex;
    }

    /** The translator over a leaf's columns. */
    static ConditionTranslator of(Leaf leaf, RexBuilder rex) {
        return new ConditionTranslator(leaf.fields(), leaf.columns(), rex);
    }

    /** A field as a column: an address or a UUID is its text. */
    static Expression read(Field field) {
        Expression value = new Expression.FieldValue(field.name());
        ValueType type = ValueType.of(field.type());
        return type == ValueType.IPV4 || type.hasSixteenBytes() ? new Expression.Cast(value, ValueType.STRING) : value;
    }

    /** The same value; of the type that Calcite takes it to be. */
    public Expression translate(RexNode node) throws NotPushed {
        Expression made = value(node);
        ValueType expected = SqlTypes.valueType(node.getType());
        ValueType got;
        try {
            made.requireLimits();
            got = types.typeOf(made);
        } catch (RuntimeException e) {
            throw new NotPushed(String.valueOf(e.getMessage()));
        }
        if (expected != null && expected.isDecimal() && got.isDecimal() && got != expected) {
            return new Expression.Cast(made, expected);
        }
        boolean fits = got == expected || got == ValueType.NULL || (expected != null && bothTimes(got, expected));
        if (!fits) {
            throw new NotPushed("an expression of type " + node.getType());
        }
        return made;
    }

    private static boolean bothTimes(ValueType one, ValueType other) {
        return one.isTimestamp() && other.isTimestamp();
    }

    private Expression value(RexNode node) throws NotPushed {
        if (node instanceof RexInputRef input) {
            return inputs.get(input.getIndex());
        } else if (node instanceof RexLiteral literal) {
            return Literals.of(literal);
        } else if (node instanceof RexCall call) {
            return call(call);
        }
        throw new NotPushed(node.getKind().lowerName);
    }

    private List<Expression> all(List<RexNode> nodes) throws NotPushed {
        List<Expression> made = new ArrayList<>();
        for (RexNode node : nodes) {
            made.add(value(node));
        }
        return made;
    }

    private Expression call(RexCall call) throws NotPushed {
        List<RexNode> operands = call.getOperands();
        return switch (call.getKind()) {
            case EQUALS -> comparison(Relation.EQUAL, call);
            case NOT_EQUALS -> comparison(Relation.UNEQUAL, call);
            case LESS_THAN -> comparison(Relation.LESS, call);
            case LESS_THAN_OR_EQUAL -> comparison(Relation.AT_MOST, call);
            case GREATER_THAN -> comparison(Relation.GREATER, call);
            case GREATER_THAN_OR_EQUAL -> comparison(Relation.AT_LEAST, call);
            case AND -> new Expression.And(all(operands));
            case OR -> Conditions.or(all(operands));
            case NOT -> Conditions.not(value(operands.get(0)));
            case IS_NULL -> new Expression.IsNull(value(operands.get(0)), false);
            case IS_NOT_NULL -> new Expression.IsNull(value(operands.get(0)), true);
            case IS_TRUE -> Conditions.isTrue(value(operands.get(0)));
            case IS_NOT_TRUE -> Conditions.not(Conditions.isTrue(value(operands.get(0))));
            case IS_FALSE -> Conditions.isTrue(Conditions.not(value(operands.get(0))));
            case IS_NOT_FALSE -> Conditions.not(Conditions.isTrue(Conditions.not(value(operands.get(0)))));
            case SEARCH -> value(RexUtil.expandSearch(rex, null, call));
            case PLUS -> arithmetic(Operation.PLUS, call);
            case MINUS -> arithmetic(Operation.MINUS, call);
            case TIMES -> arithmetic(Operation.TIMES, call);
            case DIVIDE -> divided(Operation.DIVIDED, call);
            case MOD -> divided(Operation.MODULO, call);
            case MINUS_PREFIX -> Conditions.negated(number(operands.get(0)));
            case LIKE -> like(call);
            case CASE -> choice(operands);
            case CAST -> cast(call);
            case FLOOR -> rounded(Function.FLOOR, call);
            case CEIL -> rounded(Function.CEIL, call);
            default -> function(call);
        };
    }

    private Expression comparison(Relation relation, RexCall call) throws NotPushed {
        if (DecimalTypes.areCompared(
                call.getOperands().get(0), call.getOperands().get(1))) {
            return decimals(relation, call);
        }
        if (isDigits(call.getOperands().get(0)) || isDigits(call.getOperands().get(1))) {
            return addresses(relation, call);
        }
        Expression left = value(compared(call.getOperands().get(0)));
        Expression right = value(compared(call.getOperands().get(1)));
        boolean equality = relation == Relation.EQUAL || relation == Relation.UNEQUAL;
        if (equality && left instanceof Expression.Cast cast && right instanceof Expression.Text text) {
            return new Expression.Comparison(relation, address(cast, text, left), address(cast, text, right));
        }
        return new Expression.Comparison(relation, left, right);
    }

    private static boolean isDigits(RexNode node) {
        return node instanceof RexCall call && call.getOperator().getName().equals(EngineFunctions.DIGITS);
    }

    /** A comparison of the digits of addresses or UUIDs: of the fields themselves, or of one with a literal. */
    private Expression addresses(Relation relation, RexCall call) throws NotPushed {
        RexNode left = call.getOperands().get(0);
        RexNode right = call.getOperands().get(1);
        ValueType type = ValueType.of(address(isDigits(left) ? left : right).type());
        return new Expression.Comparison(relation, address(left, type), address(right, type));
    }

    private Expression address(RexNode side, ValueType type) throws NotPushed {
        if (isDigits(side)) {
            Field field = address(side);
            if (ValueType.of(field.type()) != type) {
                throw new NotPushed("addresses of two types");
            }
            return new Expression.FieldValue(field.name());
        }
        Expression.Literal literal =
                value(side) instanceof Expression.Text digits ? CanonicalText.ofDigits(type, digits.value()) : null;
        if (literal == null) {
            throw new NotPushed("digits beside what is no literal");
        }
        return literal;
    }

    /** The field whose digits a call is. */
    private Field address(RexNode digits) throws NotPushed {
        if (value(((RexCall) digits).getOperands().get(0)) instanceof Expression.Cast cast
                && cast.operand() instanceof Expression.FieldValue field) {
            return types.field(field.name());
        }
        throw new NotPushed("digits of what is no field");
    }

    /**
     * A comparison of decimals: with a literal of any places, or with decimals and whole numbers, both as decimals that
     * have all values of either.
     */
    private Expression decimals(Relation relation, RexCall call) throws NotPushed {
        RexNode left = DecimalTypes.compared(call.getOperands().get(0));
        RexNode right = DecimalTypes.compared(call.getOperands().get(1));
        boolean literal = (isWritten(left) && DecimalTypes.isDecimal(right))
                || (isWritten(right) && DecimalTypes.isDecimal(left));
        if (literal) {
            return new Expression.Comparison(relation, value(left), value(right));
        }
        ValueType common = SqlTypes.valueType(DecimalTypes.comparable(rex.getTypeFactory(), left, right));
        return new Expression.Comparison(relation, as(left, common), as(right, common));
    }

    private static boolean isWritten(RexNode node) {
        return node instanceof RexLiteral
                || (node instanceof RexCall call && call.getOperator() instanceof ParameterFunction);
    }

    private Expression as(RexNode node, @Nullable ValueType type) throws NotPushed {
        return type == null || type == SqlTypes.valueType(node.getType())
                ? value(node)
                : new Expression.Cast(value(node), type);
    }

    /**
     * What is compared of one side of a comparison. Calcite rounds a whole number to a double to compare it with one;
     * the engine compares the exact values.
     */
    private static RexNode compared(RexNode side) {
        return MixedNumbers.isWidened(side) ? ((RexCall) side).getOperands().get(0) : side;
    }

    /** Of the text of an address or a UUID and a text, either side as what the text stands for, where it does. */
    private Expression address(Expression.Cast cast, Expression.Text text, Expression side) throws NotPushed {
        if (!(cast.operand() instanceof Expression.FieldValue field)) {
            return side;
        }
        if (ParameterFunction.isOpen(text)) {
            throw new NotPushed("an address that is not known yet");
        }
        Expression literal =
                CanonicalText.literal(ValueType.of(types.field(field.name()).type()), text.value());
        return literal == null ? side : side == cast ? field : literal;
    }

    private Expression number(RexNode node) throws NotPushed {
        ValueType type = SqlTypes.valueType(node.getType());
        if (type == null || !(type.numeric() || type == ValueType.NULL)) {
            throw new NotPushed("arithmetic of " + node.getType()
                    + (DecimalTypes.isDecimal(node) ? "; write CAST(... AS DOUBLE)" : "")
                    + (node.getType().getSqlTypeName() == SqlTypeName.VARCHAR
                            ? "; TO_NUMBER(text) is the number that a text is"
                            : ""));
        }
        return value(node);
    }

    private Expression arithmetic(Operation operation, RexCall call) throws NotPushed {
        Expression moved = Literals.moved(operation, call, this::value);
        if (moved != null) {
            return moved;
        }
        return new Expression.Arithmetic(
                operation,
                number(call.getOperands().get(0)),
                number(call.getOperands().get(1)));
    }

    /** Only by what is not zero: the engine has null there, SQL an error. */
    private Expression divided(Operation operation, RexCall call) throws NotPushed {
        Expression right = number(call.getOperands().get(1));
        boolean safe = (right instanceof Expression.Whole whole && whole.value() != 0)
                || (right instanceof Expression.Decimal decimal && decimal.value() != 0);
        if (!safe) {
            throw new NotPushed("a division by what may be zero");
        }
        return new Expression.Arithmetic(operation, number(call.getOperands().get(0)), right);
    }

    private Expression like(RexCall call) throws NotPushed {
        List<Expression> parts = all(call.getOperands());
        boolean plain = parts.get(1) instanceof Expression.Text
                && (parts.size() == 2 || parts.get(2) instanceof Expression.Text)
                && !call.getOperator().getName().contains("ILIKE");
        if (!plain) {
            throw new NotPushed("a LIKE whose pattern is computed");
        }
        try {
            return new Expression.Like(
                    parts.get(0),
                    ((Expression.Text) parts.get(1)).value(),
                    parts.size() == 2 ? null : ((Expression.Text) parts.get(2)).value(),
                    call.getOperator().getName().startsWith("NOT "));
        } catch (IllegalArgumentException e) {
            throw new NotPushed(String.valueOf(e.getMessage()));
        }
    }

    private Expression choice(List<RexNode> operands) throws NotPushed {
        List<Expression> conditions = new ArrayList<>();
        List<Expression> results = new ArrayList<>();
        for (int i = 0; i + 1 < operands.size(); i += 2) {
            conditions.add(value(operands.get(i)));
            results.add(result(operands.get(i + 1)));
        }
        return new Expression.Case(conditions, results, result(operands.get(operands.size() - 1)));
    }

    /** A literal among decimals has as many digits as these. */
    private Expression result(RexNode node) throws NotPushed {
        Expression value = value(node);
        ValueType type = SqlTypes.valueType(node.getType());
        return value instanceof Expression.Exact exact && type != null && exact.type() != type
                ? new Expression.Cast(value, type)
                : value;
    }

    private Expression cast(RexCall call) throws NotPushed {
        RexNode operand = call.getOperands().get(0);
        ValueType from = SqlTypes.valueType(operand.getType());
        ValueType to = SqlTypes.valueType(call.getType());
        Expression value = value(operand);
        if (from == null || to == null || to == ValueType.NULL) {
            if (operand.getType().getSqlTypeName() == SqlTypeName.DATE) {
                throw new NotPushed("CAST of a written DATE to " + call.getType()
                        + "; the text of a day is TO_CHAR(x, 'YYYY-MM-DD')");
            }
            throw new NotPushed("CAST to " + call.getType());
        }
        if (from == to || from == ValueType.NULL) {
            return value;
        }
        if (from.isTimestamp() && to.isTimestamp()) {
            // To what is finer nothing is lost, and the engine compares all of them.
            boolean finer = to.fieldType().resolution().nanos()
                    < from.fieldType().resolution().nanos();
            if (finer || value instanceof Expression.Moment) {
                return value;
            }
            if (to == ValueType.TIMESTAMP) {
                return new Expression.Cast(value, to);
            }
        }
        if (value instanceof Expression.Exact exact && to == ValueType.DOUBLE) {
            // Beside doubles a written one is one.
            return new Expression.Decimal(exact.value().doubleValue());
        } else if (from.isDecimal() && to == ValueType.DOUBLE) {
            throw new NotPushed(DecimalTypes.BESIDE_DOUBLES);
        }
        boolean exact = (from.isDecimal() && (to == ValueType.INTEGER || to == ValueType.STRING))
                || (to.isDecimal() && (from.isDecimal() || from.numeric()));
        boolean alike = exact
                || (to == ValueType.STRING
                        && (from == ValueType.BOOLEAN || from == ValueType.DOUBLE || from.isTimestamp()))
                || (from == ValueType.DOUBLE && to == ValueType.INTEGER)
                || (from == ValueType.INTEGER && (to == ValueType.DOUBLE || to == ValueType.STRING));
        if (!alike) {
            Expression.Moment moment = to.isTimestamp() ? Literals.moment(value) : null;
            if (moment == null) {
                throw new NotPushed("CAST from " + operand.getType() + " to " + call.getType());
            }
            return moment;
        }
        return new Expression.Cast(value, to);
    }

    private Expression toDouble(RexNode operand) throws NotPushed {
        ValueType from = SqlTypes.valueType(operand.getType());
        if (from == null || !(from.numeric() || from.isDecimal())) {
            throw new NotPushed("CAST from " + operand.getType() + " to DOUBLE");
        }
        Expression value = value(operand);
        return from == ValueType.DOUBLE ? value : new Expression.Cast(value, ValueType.DOUBLE);
    }

    private Expression rounded(Function function, RexCall call) throws NotPushed {
        if (call.getOperands().size() != 1) {
            throw new NotPushed(function + " to a unit");
        }
        return new Expression.Call(function, List.of(number(call.getOperands().get(0))));
    }

    private Expression function(RexCall call) throws NotPushed {
        String name = call.getOperator().getName();
        if (call.getOperator() instanceof ParameterFunction open) {
            return open.placeholder();
        }
        if (call.getOperator() instanceof EngineFunction own) {
            Function function = own.function();
            if (name.equals(EngineFunctions.TO_DOUBLE)) {
                return toDouble(call.getOperands().get(0));
            } else if (name.equals(EngineFunctions.TO_TEXT)) {
                return cast(call);
            } else if (function == null && name.startsWith("ST_")) {
                return spatial(call);
            } else if (function == null) {
                throw new NotPushed(name + " here");
            }
            return new Expression.Call(function, all(call.getOperands()));
        }
        if (name.equals("||")) {
            return new Expression.Call(Function.CONCAT, all(call.getOperands()));
        } else if (name.equals("ABS")) {
            return new Expression.Call(
                    Function.ABS, List.of(number(call.getOperands().get(0))));
        }
        throw new NotPushed(name);
    }

    /** Distances, conditions on them, and on written polygons. */
    private Expression spatial(RexCall call) throws NotPushed {
        List<SpatialCall.Position> apart = SpatialCall.distance(call, rex);
        if (apart != null) {
            return distance(apart.get(0), apart.get(1));
        }
        SpatialCall.Holds holds = SpatialCall.holds(call, rex);
        if (holds != null && holds.region() instanceof SpatialCall.Around around) {
            Expression metres = number(around.metres());
            Expression most = metres instanceof Expression.Whole whole
                    ? new Expression.Decimal(whole.value())
                    : toDouble(around.metres());
            return new Expression.Comparison(Relation.AT_MOST, distance(holds.position(), around.centre()), most);
        }
        String polygon = holds != null && holds.region() instanceof SpatialCall.Written region
                ? SpatialCall.written(region.text())
                : null;
        if (holds == null || polygon == null || polygon.length() > ExpressionTypes.MOST_POLYGON_CHARACTERS) {
            throw new NotPushed(call.getOperator().getName() + " here");
        }
        return new Expression.Call(
                Function.IN_POLYGON,
                List.of(
                        number(holds.position().longitude()),
                        number(holds.position().latitude()),
                        new Expression.Text(polygon)));
    }

    private Expression distance(SpatialCall.Position one, SpatialCall.Position other) throws NotPushed {
        return new Expression.Call(
                Function.DISTANCE,
                List.of(
                        number(one.longitude()),
                        number(one.latitude()),
                        number(other.longitude()),
                        number(other.latitude())));
    }

    /** The field that a node is, or null. */
    @Nullable
    Field field(RexNode node) {
        if (node instanceof RexInputRef input && inputs.get(input.getIndex()) instanceof Expression.FieldValue value) {
            return fields.get(types.indexOf(value.name()));
        }
        return node instanceof RexCall call && call.getOperator().getName().equals("CAST") && isTime(call)
                ? field(call.getOperands().get(0))
                : null;
    }

    private static boolean isTime(RexCall call) {
        return call.getType().getSqlTypeName() == SqlTypeName.TIMESTAMP;
    }
}
