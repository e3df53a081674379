package io.waterwheel.query.result;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.aggregate.AggregateFunction;
import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.compile.ExpressionCompiler;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.query.rows.PartialMerge;
import io.waterwheel.query.rows.RowCollector;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.TimeInterval;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Aggregates, by group or of all. A part has a row a group, or several of a large one: the fields that are grouped by,
 * the beginning of the time bucket if there are such, then the columns of each aggregate's state.
 */
final class GatherGroups extends Gather {
    private final RowLayout stored;
    private final ResultSpec.Aggregates wanted;
    /** What is grouped by, without the bucket. */
    private final List<Expression> groups = new ArrayList<>();

    private final List<ValueType> groupTypes = new ArrayList<>();
    /** Of each aggregate its arguments, with the time where it is by time; none for one of rows. */
    private final List<List<Expression>> arguments = new ArrayList<>();

    private final List<List<AggregateFunction.Argument>> argumentTypes = new ArrayList<>();
    private final List<Field> answer = new ArrayList<>();
    private final RowLayout part;
    /** Chooses and orders the groups; null when all are returned in their order. */
    private final @Nullable GroupOrder order;

    private final TimeInterval times;

    /**
     * Gathers groups.
     *
     * @param timeField name of the field that is the tuples' time
     * @param times that the query asks for
     */
    GatherGroups(ResultSpec.Aggregates wanted, RowLayout stored, String timeField, TimeInterval times) {
        this.stored = stored;
        this.times = times;
        this.wanted = wanted;
        ExpressionTypes types = new ExpressionTypes(stored.fields());
        for (NamedExpression group : wanted.groupBy()) {
            addGroup(group, types);
        }
        if (wanted.bucket() != null) {
            answer.add(new Field(ResultSpec.Aggregates.BUCKET, FieldType.TIMESTAMP, false));
            groupTypes.add(ValueType.TIMESTAMP);
        }
        requireTime(wanted.filledCalendar(), timeField);
        for (Aggregate aggregate : wanted.values()) {
            add(aggregate, types, timeField);
        }
        List<Field> columns = new ArrayList<>(answer.subList(0, groupTypes.size()));
        for (AggregateState state : states()) {
            for (AggregateState.Column column : state.columns()) {
                columns.add(new Field("s" + columns.size(), column.type(), column.nullable()));
            }
        }
        this.part = layout(columns);
        this.order = wanted.inOrderOfGroups() ? null : new GroupOrder(wanted, layout(answer));
    }

    /** Buckets that are filled go as far as the query's times. */
    private static void requireTime(Expression.@Nullable Call filled, String timeField) {
        if (filled != null && !filled.arguments().get(1).equals(new Expression.FieldValue(timeField))) {
            throw new WaterwheelException(
                    ErrorCode.BAD_QUERY,
                    "query: fill: expected steps of the stream's time, " + timeField + ", got " + filled);
        }
    }

    private void addGroup(NamedExpression group, ExpressionTypes types) {
        ValueType type = types.typeOf(group.expression());
        if (type == ValueType.NULL) {
            throw new WaterwheelException(
                    ErrorCode.TYPE_MISMATCH, "group by " + group.name() + ": expected a value of a type, got NULL");
        }
        groups.add(group.expression());
        groupTypes.add(type);
        if (group.expression() instanceof Expression.FieldValue value) {
            Field field = types.field(value.name());
            answer.add(new Field(group.name(), field.type(), field.nullable()));
        } else {
            answer.add(new Field(group.name(), type.fieldType(), true));
        }
    }

    private void add(Aggregate aggregate, ExpressionTypes types, String timeField) {
        AggregateFunction function = aggregate.function();
        if (aggregate.filter() != null) {
            types.requireCondition(aggregate.filter());
        }
        List<Expression> all = new ArrayList<>(aggregate.arguments());
        if (function.byTime()) {
            all.add(new Expression.FieldValue(timeField));
        }
        List<AggregateFunction.Argument> described = new ArrayList<>();
        for (Expression expression : all) {
            ValueType type = types.typeOf(expression);
            boolean fits = described.isEmpty() ? function.takes(type) : type != ValueType.NULL;
            if (!fits) {
                throw new WaterwheelException(
                        ErrorCode.TYPE_MISMATCH,
                        "aggregate " + function.name() + "(" + expression + "): expected "
                                + (described.isEmpty() ? function.expected() : "values of a type") + ", got "
                                + type.spoken());
            }
            FieldType field = expression instanceof Expression.FieldValue value
                    ? types.field(value.name()).type()
                    : null;
            described.add(new AggregateFunction.Argument(
                    type, field, expression instanceof Expression.Literal literal ? literal : null));
        }
        arguments.add(all);
        argumentTypes.add(described);
        answer.add(new Field(aggregate.name(), function.answerType(described), function.nullable()));
    }

    /** New states of the aggregates, in their order. */
    List<AggregateState> states() {
        List<AggregateState> states = new ArrayList<>();
        for (int a = 0; a < wanted.values().size(); a++) {
            Aggregate aggregate = wanted.values().get(a);
            states.add(aggregate.function().state(argumentTypes.get(a), aggregate.about()));
        }
        return states;
    }

    ResultSpec.Aggregates wanted() {
        return wanted;
    }

    /** The times that the query asks for: what is filled lies in them. */
    TimeInterval times() {
        return times;
    }

    /** What is grouped by, without the bucket. */
    List<Expression> groups() {
        return groups;
    }

    /** The arguments of an aggregate whose values a state takes: literals are part of its function. */
    List<Expression> arguments(int aggregate) {
        List<Expression> all = arguments.get(aggregate);
        boolean fraction =
                wanted.values().get(aggregate).function().parameters().contains(AggregateFunction.Parameter.FRACTION);
        return fraction ? all.subList(0, 1) : all;
    }

    /** @param memory what the table is reserved from */
    GroupTable table(Reservation memory) {
        List<String> names = new ArrayList<>();
        for (NamedExpression group : wanted.groupBy()) {
            names.add(group.name());
        }
        if (wanted.bucket() != null) {
            names.add("time bucket");
        }
        return new GroupTable(groupTypes, String.join(", ", names), memory);
    }

    int groupColumns() {
        return groupTypes.size();
    }

    /** The layout of the answer. */
    RowLayout answerLayout() {
        return RowLayout.ofFields(answer);
    }

    /** What chooses and orders the groups; null when all are returned in their order. */
    @Nullable
    GroupOrder order() {
        return order;
    }

    @Override
    public List<Field> fields() {
        return List.copyOf(answer);
    }

    @Override
    public boolean isAggregate() {
        return true;
    }

    @Override
    public RowLayout partLayout() {
        return part;
    }

    @Override
    public void needs(BitSet needed) {
        ExpressionCompiler compiler = new ExpressionCompiler(stored);
        for (Expression group : groups) {
            compiler.fields(group, needed::set);
        }
        for (List<Expression> some : arguments) {
            for (Expression argument : some) {
                compiler.fields(argument, needed::set);
            }
        }
        for (Aggregate aggregate : wanted.values()) {
            if (aggregate.filter() != null) {
                compiler.fields(aggregate.filter(), needed::set);
            }
        }
    }

    @Override
    public boolean needsTimes() {
        return wanted.bucket() != null;
    }

    @Override
    public RowCollector collector(RowSink sink, Workspace workspace) {
        return new GroupRows(this, stored, sink, workspace);
    }

    @Override
    public PartialMerge merge(Workspace workspace) {
        return new GroupMerge(this, workspace);
    }
}
