package io.waterwheel.query.column;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.Expression.Comparison.Relation;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.expression.Function;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.TimestampUnit;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Turns expressions whose types were checked into nodes over one layout. Parts without fields are computed here, once;
 * comparisons of a number or time with a constant become bounds on the stored values. One thread.
 */
public final class ExpressionCompiler {
    /* A node for a field that is compared with a constant reads the stored bytes; all others first copy the selected
     * values into arrays of longs or doubles by row. A null constant makes the strict operators null at once, so that
     * no node needs to handle an operand without a type. */

    private static final int[] FIRST_ROW = {0};

    private final RowLayout layout;
    private final ExpressionTypes types;
    private final RowView noRow;
    /** By field, its node: one for all places that name it. */
    private final @Nullable FieldNode[] fields;

    public ExpressionCompiler(RowLayout layout) {
        this.layout = layout;
        this.types = new ExpressionTypes(layout.fields());
        this.noRow = new RowView(layout.columns());
        this.noRow.rows = 1;
        this.fields = new FieldNode[layout.fields().size()];
    }

    /**
     * Nodes for an expression.
     *
     * @throws io.waterwheel.error.WaterwheelException of kind USER when the part without fields overflows
     */
    public ColumnNode compile(Expression node) {
        if (node instanceof Expression.Literal literal) {
            return requireHeld(literal(literal), literal);
        } else if (node instanceof Expression.FieldValue field) {
            return field(types.indexOf(field.name()));
        } else if (node instanceof Expression.And and) {
            return logic(and.terms(), true);
        } else if (node instanceof Expression.Or or) {
            return logic(or.terms(), false);
        } else if (node instanceof Expression.Not not) {
            ColumnNode operand = compile(not.operand());
            return folded(isNull(operand) ? nullTruth() : new NotNode(operand), operand);
        } else if (node instanceof Expression.Comparison comparison) {
            ColumnNode left = compared(comparison.left());
            ColumnNode right = compared(comparison.right());
            return folded(compare(comparison.operator(), left, right), left, right);
        } else if (node instanceof Expression.Between between) {
            return between(between);
        } else if (node instanceof Expression.In in) {
            return in(in);
        } else if (node instanceof Expression.IsNull test) {
            ColumnNode operand = compared(test.operand());
            return operand instanceof ConstantNode constant
                    ? truth((constant.value() == null) != test.negated())
                    : new IsNullNode(operand, test.negated());
        } else if (node instanceof Expression.Like like) {
            ColumnNode operand = compile(like.operand());
            return folded(
                    isNull(operand)
                            ? nullTruth()
                            : new LikeNode(operand, like.pattern(), like.escape(), like.negated()),
                    operand);
        } else if (node instanceof Expression.Arithmetic arithmetic) {
            ColumnNode left = compile(arithmetic.left());
            ColumnNode right = compile(arithmetic.right());
            ValueType type = types.typeOf(node);
            return folded(
                    isNull(left) || isNull(right)
                            ? new ConstantNode(type, null)
                            : new ArithmeticNode(node, type, arithmetic.operator(), left, right),
                    left,
                    right);
        } else if (node instanceof Expression.Negation negation) {
            return number(node, NumberFunctionNode.Kind.NEGATE, compile(negation.operand()));
        } else if (node instanceof Expression.Call call) {
            return call(call);
        } else if (node instanceof Expression.Cast cast) {
            return cast(cast);
        } else if (node instanceof Expression.Case choice) {
            return choice(choice);
        }
        throw new IllegalStateException("no column node for " + node.getClass());
    }

    /** A node for the value of a field. */
    public ColumnNode field(int field) {
        FieldNode node = fields[field];
        if (node == null) {
            node = new FieldNode(layout, field);
            fields[field] = node;
        }
        return node;
    }

    /** Hands over the index of each field that the expression reads, each at least once. */
    public void fields(Expression node, IntConsumer into) {
        if (node instanceof Expression.FieldValue field) {
            into.accept(types.indexOf(field.name()));
        }
        for (Expression part : node.parts()) {
            fields(part, into);
        }
    }

    /** Takes what a condition says of one field. */
    public interface ConjunctSink {
        /**
         * Only rows whose value lies within can match; integers and times as they are, doubles as {@link OrderedBits}.
         *
         * @param column payload column, or {@link RowLayout#KEY} or {@link RowLayout#TIME}
         * @param low above {@code high} when nothing matches
         */
        void within(int column, long low, long high);

        /** Only rows whose value is one of these, sorted, can match. */
        void among(int column, long[] values);

        /** Only rows whose text or bytes lie within can match; null where there is no bound. */
        void withinBytes(int column, byte @Nullable [] low, byte @Nullable [] high);

        /** Only rows whose text or bytes are one of these, at least one, sorted, can match. */
        default void amongBytes(int column, byte[][] values) {
            withinBytes(column, values[0], values[values.length - 1]);
        }

        /**
         * Only rows whose text or bytes lie in one of these ranges, at least one, sorted and apart, can match.
         *
         * @param ends each above all of its range; that of the last is null where it has no bound
         */
        default void withinAnyBytes(int column, byte[][] lows, byte[] @Nullable [] ends) {
            withinBytes(column, lows[0], ends[ends.length - 1]);
        }

        /** What the term demands is not, or not all, said by the other calls. */
        default void other(ColumnNode term) {
            // Most only ask for what rules rows out.
        }
    }

    /** Hands over what a compiled condition says of single fields, by the terms of its outermost AND. */
    public static void conjuncts(ColumnNode node, ConjunctSink sink) {
        if (node instanceof LogicNode logic && logic.and()) {
            for (ColumnNode term : logic.terms()) {
                conjuncts(term, sink);
            }
        } else if (node instanceof FieldBounds test && !test.bounds().outside()) {
            sink.within(
                    test.field().column(), test.bounds().low(), test.bounds().high());
        } else if (node instanceof InNode in) {
            in.conjunct(sink);
        } else if (node instanceof TextRangesNode ranges) {
            ranges.conjunct(sink);
        } else if (node instanceof CompareNode compare) {
            compare.conjunct(sink);
            sink.other(node);
        } else if (node instanceof LikeNode like) {
            like.conjunct(sink);
            sink.other(node);
        } else if (!(node instanceof LogicNode logic && new Alternatives().conjunct(logic, sink))) {
            sink.other(node);
        }
    }

    /** The terms of an OR; none when the condition is something else. */
    public static List<ColumnNode> alternatives(ColumnNode node) {
        return node instanceof LogicNode logic && !logic.and() ? List.of(logic.terms()) : List.of();
    }

    private static ColumnNode nullTruth() {
        return new ConstantNode(ValueType.BOOLEAN, null);
    }

    private static ConstantNode truth(boolean value) {
        return new ConstantNode(ValueType.BOOLEAN, value ? 1L : 0L);
    }

    /**
     * A node to compare with others. Its value may be an Instant: a moment that needs nanoseconds, and lies where 64
     * bits do not count them. It is as good as any other in a comparison, and a value nowhere.
     */
    private ColumnNode compared(Expression node) {
        return node instanceof Expression.Literal literal ? literal(literal) : compile(node);
    }

    private static @Nullable Instant beyond(ColumnNode node) {
        return node instanceof ConstantNode constant && constant.value() instanceof Instant moment ? moment : null;
    }

    private static ConstantNode requireHeld(ConstantNode node, Expression.Literal literal) {
        if (node.value() instanceof Instant) {
            throw new WaterwheelException(
                    ErrorCode.BAD_EXPRESSION,
                    "expression: " + literal
                            + ": as a value with nanoseconds a time must lie in the years 1678 to 2261; round it");
        }
        return node;
    }

    private static boolean isNull(ColumnNode node) {
        return node instanceof ConstantNode constant && constant.value() == null;
    }

    /** The constant that the node is when all its parts are constants, else the node. */
    private ColumnNode folded(ColumnNode node, ColumnNode... parts) {
        if (node instanceof ConstantNode) {
            return node;
        }
        for (ColumnNode part : parts) {
            if (!(part instanceof ConstantNode)) {
                return node;
            }
        }
        node.evaluate(noRow, FIRST_ROW, 1);
        return new ConstantNode(node.type(), value(node));
    }

    private static @Nullable Object value(ColumnNode node) {
        Values values = node.out;
        if (values.isNull(0)) {
            return null;
        } else if (node.type().variable()) {
            return values.bytes(0);
        }
        return node.type() == ValueType.DOUBLE ? (Object) values.doubles[0] : (Object) values.longs[0];
    }

    private static ConstantNode literal(Expression.Literal literal) {
        if (literal instanceof Expression.Whole whole) {
            return new ConstantNode(ValueType.INTEGER, whole.value());
        } else if (literal instanceof Expression.Decimal decimal) {
            return new ConstantNode(ValueType.DOUBLE, decimal.value());
        } else if (literal instanceof Expression.Text text) {
            return new ConstantNode(ValueType.STRING, text.value().getBytes(StandardCharsets.UTF_8));
        } else if (literal instanceof Expression.Hex hex) {
            return new ConstantNode(ValueType.BYTES, HexFormat.of().parseHex(hex.digits()));
        } else if (literal instanceof Expression.Truth truth) {
            return new ConstantNode(ValueType.BOOLEAN, truth.value() ? 1L : 0L);
        } else if (literal instanceof Expression.Moment moment) {
            ValueType type = ExpressionTypes.resolution(moment);
            return new ConstantNode(type, moment(moment, type));
        } else if (literal instanceof Expression.Address address) {
            return new ConstantNode(ValueType.IPV4, address.bits() & 0xFFFFFFFFL);
        }
        return new ConstantNode(ValueType.NULL, null);
    }

    private static Object moment(Expression.Moment moment, ValueType type) {
        try {
            return type.fieldType().resolution().units(moment.value());
        } catch (DateTimeException e) {
            return moment.value();
        }
    }

    private ColumnNode logic(List<Expression> terms, boolean and) {
        ColumnNode[] nodes = new ColumnNode[terms.size()];
        for (int t = 0; t < nodes.length; t++) {
            nodes[t] = compile(terms.get(t));
        }
        ColumnNode[] joined = and ? nodes : TextRangesNode.joined(nodes);
        return joined.length == 1 && nodes.length > 1 ? joined[0] : folded(new LogicNode(joined, and), joined);
    }

    private static ColumnNode compare(Relation relation, ColumnNode left, ColumnNode right) {
        if (isNull(left) || isNull(right)) {
            return nullTruth();
        }
        Instant moment = beyond(right);
        if (beyond(left) != null) {
            return moment == null
                    ? compare(relation.mirrored(), right, left)
                    : truth(CompareNode.truth(
                            relation, Objects.requireNonNull(beyond(left)).compareTo(moment)));
        } else if (left instanceof FieldNode field && right instanceof ConstantNode constant) {
            Bounds bounds = bounds(relation, field, constant);
            return bounds == null ? new CompareNode(relation, left, right) : new FieldBounds(field, bounds);
        } else if (left instanceof ConstantNode && right instanceof FieldNode) {
            return compare(relation.mirrored(), right, left);
        }
        return moment == null ? new CompareNode(relation, left, right) : compareBeyond(relation, left, moment);
    }

    /** With a moment that has digits below the microsecond, where no value has any: it equals none. */
    private static ColumnNode compareBeyond(Relation relation, ColumnNode left, Instant moment) {
        ConstantNode before = new ConstantNode(ValueType.TIMESTAMP_US, TimestampUnit.MICROSECONDS.units(moment));
        return switch (relation) {
            case LESS, AT_MOST -> new CompareNode(Relation.AT_MOST, left, before);
            case GREATER, AT_LEAST -> new CompareNode(Relation.GREATER, left, before);
            case EQUAL -> new InNode(left, List.of(), false, false);
            case UNEQUAL -> new InNode(left, List.of(), false, true);
        };
    }

    private static @Nullable Bounds bounds(Relation relation, FieldNode field, ConstantNode constant) {
        Object value = constant.value();
        if (field.type().isTimestamp()) {
            return Bounds.of(
                    relation,
                    field.fieldType().resolution(),
                    value instanceof Instant moment
                            ? moment
                            : constant.type().fieldType().resolution().instant((Long) Objects.requireNonNull(value)));
        }
        return switch (field.fieldType().physical()) {
            case INT32, UINT32, INT64 ->
                value instanceof Long whole
                        ? Bounds.of(relation, whole)
                        : value instanceof Double number ? Bounds.of(relation, number) : null;
            case FLOAT32, FLOAT64 ->
                value instanceof Long whole
                        ? Bounds.ofDoubles(relation, whole)
                        : value instanceof Double number ? Bounds.ofDoubles(relation, number) : null;
            case BOOLEAN, VARIABLE -> null;
        };
    }

    private ColumnNode between(Expression.Between node) {
        ColumnNode operand = compared(node.operand());
        ColumnNode low = compared(node.low());
        ColumnNode high = compared(node.high());
        ColumnNode above = folded(compare(Relation.AT_LEAST, operand, low), operand, low);
        ColumnNode below = folded(compare(Relation.AT_MOST, operand, high), operand, high);
        if (operand instanceof FieldNode field
                && above instanceof FieldBounds first
                && below instanceof FieldBounds second
                && first.field() == field
                && second.field() == field) {
            Bounds bounds = first.bounds().and(second.bounds());
            if (bounds != null) {
                return new FieldBounds(field, node.negated() ? bounds.inverted() : bounds);
            }
        }
        ColumnNode both = folded(new LogicNode(new ColumnNode[] {above, below}, true), above, below);
        return node.negated() ? folded(new NotNode(both), both) : both;
    }

    private ColumnNode in(Expression.In node) {
        ColumnNode operand = compared(node.operand());
        if (isNull(operand)) {
            return nullTruth();
        }
        List<Object> constants = new ArrayList<>(node.values().size());
        boolean nullListed = false;
        for (Expression.Literal literal : node.values()) {
            Object value = operand.type().isTimestamp() && literal instanceof Expression.Moment moment
                    ? moment.value()
                    : literal(literal).value();
            if (value == null) {
                nullListed = true;
            } else {
                constants.add(value);
            }
        }
        Instant moment = beyond(operand);
        if (moment != null) {
            boolean found = constants.contains(moment);
            return nullListed && !found ? nullTruth() : truth(found != node.negated());
        }
        return folded(new InNode(operand, constants, nullListed, node.negated()), operand);
    }

    private ColumnNode number(Expression node, NumberFunctionNode.Kind kind, ColumnNode operand) {
        return folded(
                isNull(operand)
                        ? new ConstantNode(types.typeOf(node), null)
                        : new NumberFunctionNode(node, kind, operand),
                operand);
    }

    private ColumnNode cast(Expression.Cast cast) {
        ColumnNode operand = compile(cast.operand());
        if (isNull(operand)) {
            return new ConstantNode(cast.type(), null);
        }
        return operand.type() == cast.type() ? operand : folded(new CastNode(cast, cast.type(), operand), operand);
    }

    private ColumnNode choice(Expression.Case choice) {
        ValueType type = types.typeOf(choice);
        int count = choice.conditions().size();
        ColumnNode[] conditions = new ColumnNode[count];
        @Nullable ColumnNode[] results = new ColumnNode[count];
        List<ColumnNode> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            conditions[i] = compile(choice.conditions().get(i));
            all.add(conditions[i]);
            results[i] = result(choice.results().get(i), all);
        }
        ColumnNode otherwise = choice.otherwise() == null ? null : result(choice.otherwise(), all);
        return type == ValueType.NULL
                ? new ConstantNode(type, null)
                : folded(new CaseNode(choice, type, conditions, results, otherwise), all.toArray(ColumnNode[]::new));
    }

    /** The node of a result, which is also added to these; null for NULL. */
    private @Nullable ColumnNode result(Expression expression, List<ColumnNode> all) {
        ColumnNode node = compile(expression);
        all.add(node);
        return isNull(node) ? null : node;
    }

    /** A node of a function that is null when any of its arguments is. */
    private ColumnNode strict(
            Expression.Call call, int from, int to, java.util.function.Function<ColumnNode[], ColumnNode> made) {
        ColumnNode[] nodes = new ColumnNode[to - from];
        boolean anyNull = false;
        for (int a = from; a < to; a++) {
            nodes[a - from] = compile(call.arguments().get(a));
            anyNull |= isNull(nodes[a - from]);
        }
        return anyNull ? new ConstantNode(types.typeOf(call), null) : folded(made.apply(nodes), nodes);
    }

    private ColumnNode calendar(Expression.Call call, boolean part) {
        return strict(
                call,
                1,
                2,
                nodes -> new CalendarNode(
                        call, nodes[0], ExpressionTypes.calendarUnit(call), ExpressionTypes.zone(call), part));
    }

    private ColumnNode call(Expression.Call call) {
        int all = call.arguments().size();
        switch (call.function()) {
            case SQRT, EXP, LN, LOG10, POWER, SIN, COS, TAN, ASIN, ACOS, ATAN, ATAN2, RADIANS, DEGREES -> {
                return strict(
                        call, 0, all, nodes -> new MathNode(call.function(), nodes[0], all < 2 ? null : nodes[1]));
            }
            case CONCAT, TRIM, REPLACE, STRPOS, STARTS_WITH, SUBSTRING -> {
                return strict(call, 0, all, nodes -> new StringNode(call, types.typeOf(call), nodes));
            }
            case DATE_TRUNC, DATE_PART -> {
                return calendar(call, call.function() == Function.DATE_PART);
            }
            case DISTANCE -> {
                return strict(call, 0, all, nodes -> new GeoNode(call.function(), nodes, 0));
            }
            case GEOHASH -> {
                return strict(
                        call,
                        0,
                        2,
                        nodes -> new GeoNode(call.function(), nodes, ExpressionTypes.geohashCharacters(call)));
            }
            default -> {
                return ofValues(call);
            }
        }
    }

    private ColumnNode ofValues(Expression.Call call) {
        ColumnNode first = compile(call.arguments().get(0));
        return switch (call.function()) {
            case ABS -> number(call, NumberFunctionNode.Kind.ABS, first);
            case FLOOR -> number(call, NumberFunctionNode.Kind.FLOOR, first);
            case CEIL -> number(call, NumberFunctionNode.Kind.CEIL, first);
            case ROUND -> number(call, NumberFunctionNode.Kind.ROUND, first);
            case LOWER, UPPER, LENGTH, OCTET_LENGTH -> text(call.function(), call, first);
            case COALESCE -> coalesce(call);
            case NULLIF -> {
                ColumnNode second = compared(call.arguments().get(1));
                // A moment that is no value equals none.
                yield isNull(first) || isNull(second) || beyond(second) != null
                        ? first
                        : folded(new NullIfNode(first, second), first, second);
            }
            default -> throw new IllegalStateException("no column node for " + call.function());
        };
    }

    private ColumnNode text(Function function, Expression node, ColumnNode operand) {
        return folded(
                isNull(operand) ? new ConstantNode(types.typeOf(node), null) : new TextFunctionNode(function, operand),
                operand);
    }

    private ColumnNode coalesce(Expression.Call call) {
        List<ColumnNode> arguments = new ArrayList<>();
        for (Expression argument : call.arguments()) {
            ColumnNode compiled = compile(argument);
            if (!isNull(compiled)) {
                arguments.add(compiled);
            }
        }
        ValueType type = types.typeOf(call);
        if (arguments.isEmpty()) {
            return new ConstantNode(type, null);
        }
        ColumnNode[] nodes = arguments.toArray(ColumnNode[]::new);
        return folded(new CoalesceNode(call, type, nodes), nodes);
    }
}
