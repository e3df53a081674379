package io.waterwheel.query.compile;

import io.waterwheel.query.column.ColumnNode;
import io.waterwheel.query.column.ConstantNode;
import io.waterwheel.query.column.FieldNode;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Values;
import io.waterwheel.query.condition.Conditions;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.Expression.Comparison.Relation;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.query.function.Functions;
import io.waterwheel.schema.RowLayout;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Turns expressions whose types were checked into nodes over one layout. Parts without fields are computed here, once.
 * One thread.
 */
public final class ExpressionCompiler {
    /* A null constant makes the strict operators null at once, so that no node needs to handle an operand without a
     * type. */

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
            return Literals.value(literal);
        } else if (node instanceof Expression.FieldValue field) {
            return field(types.indexOf(field.name()));
        } else if (node instanceof Expression.And and) {
            return logic(and.terms(), true);
        } else if (node instanceof Expression.Or or) {
            return logic(or.terms(), false);
        } else if (node instanceof Expression.Not not) {
            ColumnNode operand = compile(not.operand());
            return folded(ConstantNode.isNull(operand) ? ConstantNode.unknown() : Conditions.not(operand), operand);
        } else if (node instanceof Expression.Comparison comparison) {
            ColumnNode left = compared(comparison.left());
            ColumnNode right = compared(comparison.right());
            return compare(comparison.operator(), comparison.left(), left, comparison.right(), right);
        } else if (node instanceof Expression.Between between) {
            return between(between);
        } else if (node instanceof Expression.In in) {
            return in(in);
        } else if (node instanceof Expression.IsNull test) {
            return Conditions.isNull(compared(test.operand()), test.negated());
        } else if (node instanceof Expression.Like like) {
            ColumnNode operand = compile(like.operand());
            return folded(
                    ConstantNode.isNull(operand)
                            ? ConstantNode.unknown()
                            : Conditions.like(operand, like.pattern(), like.escape(), like.negated()),
                    operand);
        } else if (node instanceof Expression.Arithmetic arithmetic) {
            ColumnNode left = compile(arithmetic.left());
            ColumnNode right = compile(arithmetic.right());
            ValueType type = types.typeOf(node);
            return folded(
                    ConstantNode.isNull(left) || ConstantNode.isNull(right)
                            ? new ConstantNode(type, null)
                            : Functions.arithmetic(arithmetic, type, left, right),
                    left,
                    right);
        } else if (node instanceof Expression.Negation negation) {
            ColumnNode operand = compile(negation.operand());
            return folded(
                    ConstantNode.isNull(operand)
                            ? new ConstantNode(types.typeOf(node), null)
                            : Functions.negation(negation, operand),
                    operand);
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

    /** A node to compare with others: its value may be a moment that no value holds ({@link ConstantNode#moment}). */
    private ColumnNode compared(Expression node) {
        return node instanceof Expression.Literal literal ? Literals.compared(literal) : compile(node);
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
        Values values = node.values();
        if (values.isNull(0)) {
            return null;
        } else if (node.type().variable()) {
            return values.bytes(0);
        }
        return node.type() == ValueType.DOUBLE ? (Object) values.doubles[0] : (Object) values.longs[0];
    }

    private ColumnNode logic(List<Expression> terms, boolean and) {
        ColumnNode[] nodes = new ColumnNode[terms.size()];
        for (int t = 0; t < nodes.length; t++) {
            nodes[t] = compile(terms.get(t));
        }
        return folded(Conditions.logic(nodes, and), nodes);
    }

    /** A comparison of two expressions, from the nodes that they became. */
    private ColumnNode compare(
            Relation relation, Expression left, ColumnNode leftNode, Expression right, ColumnNode rightNode) {
        BigDecimal number = leftNode.type().isDecimal() ? ExpressionTypes.numberOf(right) : null;
        if (number != null) {
            return folded(DecimalComparisons.compare(relation, leftNode, number), leftNode);
        }
        number = rightNode.type().isDecimal() ? ExpressionTypes.numberOf(left) : null;
        return number != null
                ? folded(DecimalComparisons.compare(relation.mirrored(), rightNode, number), rightNode)
                : folded(Conditions.compare(relation, leftNode, rightNode), leftNode, rightNode);
    }

    private ColumnNode between(Expression.Between node) {
        ColumnNode operand = compared(node.operand());
        ColumnNode low = compared(node.low());
        ColumnNode high = compared(node.high());
        ColumnNode above = compare(Relation.AT_LEAST, node.operand(), operand, node.low(), low);
        ColumnNode below = compare(Relation.AT_MOST, node.operand(), operand, node.high(), high);
        ColumnNode one = operand instanceof FieldNode ? Conditions.between(above, below, node.negated()) : null;
        if (one != null) {
            return one;
        }
        ColumnNode both = folded(Conditions.logic(new ColumnNode[] {above, below}, true), above, below);
        return node.negated() ? folded(Conditions.not(both), both) : both;
    }

    private ColumnNode in(Expression.In node) {
        ColumnNode operand = compared(node.operand());
        if (ConstantNode.isNull(operand)) {
            return ConstantNode.unknown();
        }
        List<Object> constants = new ArrayList<>(node.values().size());
        boolean nullListed = false;
        for (Expression.Literal literal : node.values()) {
            if (literal instanceof Expression.Whole whole && operand.type() == ValueType.INTEGER) {
                // There may be thousands, and each chunk's scan has them compiled.
                constants.add(whole.value());
                continue;
            }
            BigDecimal number = operand.type().isDecimal() ? ExpressionTypes.numberOf(literal) : null;
            if (number != null) {
                ConstantNode equal = DecimalComparisons.equal(operand.type(), number);
                if (equal != null) {
                    constants.add(Objects.requireNonNull(equal.value()));
                }
                continue;
            }
            Object value = operand.type().isTimestamp() && literal instanceof Expression.Moment moment
                    ? moment.value()
                    : Literals.compared(literal).value();
            if (value == null) {
                nullListed = true;
            } else {
                constants.add(value);
            }
        }
        Instant moment = ConstantNode.moment(operand);
        if (moment != null) {
            boolean found = constants.contains(moment);
            return nullListed && !found ? ConstantNode.unknown() : ConstantNode.truth(found != node.negated());
        }
        return folded(Conditions.in(operand, constants, nullListed, node.negated()), operand);
    }

    private ColumnNode cast(Expression.Cast cast) {
        ColumnNode operand = compile(cast.operand());
        if (ConstantNode.isNull(operand)) {
            return new ConstantNode(cast.type(), null);
        }
        return operand.type() == cast.type() ? operand : folded(Functions.cast(cast, operand), operand);
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
                : folded(
                        Functions.choice(choice, type, conditions, results, otherwise), all.toArray(ColumnNode[]::new));
    }

    /** The node of a result, which is also added to these; null for NULL. */
    private @Nullable ColumnNode result(Expression expression, List<ColumnNode> all) {
        ColumnNode node = compile(expression);
        all.add(node);
        return ConstantNode.isNull(node) ? null : node;
    }

    private ColumnNode call(Expression.Call call) {
        return switch (call.function()) {
            case COALESCE -> coalesce(call);
            case NULLIF -> nullIf(call);
            case IN_POLYGON -> inPolygon(call);
            // The unit, the pattern, the zone and the number of characters are literals, which the node has from the
            // call.
            case DATE_TRUNC, DATE_PART -> strict(call, 1, 2);
            case GEOHASH -> strict(call, 0, 2);
            case JSON_TEXT, JSON_NUMBER, FORMAT_TIME -> strict(call, 0, 1);
            default -> strict(call, 0, call.arguments().size());
        };
    }

    /** A node of a function that is null when any of its arguments is: of those from one (included) to one (not). */
    private ColumnNode strict(Expression.Call call, int from, int to) {
        ValueType type = types.typeOf(call);
        ColumnNode[] nodes = new ColumnNode[to - from];
        boolean anyNull = false;
        for (int a = from; a < to; a++) {
            nodes[a - from] = compile(call.arguments().get(a));
            anyNull |= ConstantNode.isNull(nodes[a - from]);
        }
        return anyNull ? new ConstantNode(type, null) : folded(Functions.call(call, type, nodes), nodes);
    }

    private ColumnNode nullIf(Expression.Call call) {
        ColumnNode first = compile(call.arguments().get(0));
        ColumnNode second = compared(call.arguments().get(1));
        BigDecimal number = first.type().isDecimal()
                ? ExpressionTypes.numberOf(call.arguments().get(1))
                : null;
        if (number != null) {
            ColumnNode equal = DecimalComparisons.equal(first.type(), number);
            return ConstantNode.isNull(first) || equal == null
                    ? first
                    : folded(Conditions.nullIf(first, equal), first, equal);
        }
        // A moment that is no value equals none.
        return ConstantNode.isNull(first) || ConstantNode.isNull(second) || ConstantNode.moment(second) != null
                ? first
                : folded(Conditions.nullIf(first, second), first, second);
    }

    private ColumnNode inPolygon(Expression.Call call) {
        ColumnNode longitude = compile(call.arguments().get(0));
        ColumnNode latitude = compile(call.arguments().get(1));
        return ConstantNode.isNull(longitude) || ConstantNode.isNull(latitude)
                ? ConstantNode.unknown()
                : folded(Conditions.inPolygon(longitude, latitude, ExpressionTypes.polygon(call)), longitude, latitude);
    }

    private ColumnNode coalesce(Expression.Call call) {
        List<ColumnNode> arguments = new ArrayList<>();
        for (Expression argument : call.arguments()) {
            ColumnNode compiled = compile(argument);
            if (!ConstantNode.isNull(compiled)) {
                arguments.add(compiled);
            }
        }
        ValueType type = types.typeOf(call);
        if (arguments.isEmpty()) {
            return new ConstantNode(type, null);
        }
        ColumnNode[] nodes = arguments.toArray(ColumnNode[]::new);
        return folded(Functions.call(call, type, nodes), nodes);
    }
}
