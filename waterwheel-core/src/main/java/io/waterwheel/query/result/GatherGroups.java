package io.waterwheel.query.result;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.aggregate.AggregateFunction;
import io.waterwheel.query.aggregate.AggregateState;
import io.waterwheel.query.column.ExpressionCompiler;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.query.memory.Reservation;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Aggregates, by group or of all. A part has a row a group: the fields that are grouped by, the beginning of the time
 * bucket if there are such, then the columns of each aggregate's state.
 */
final class GatherGroups extends Gather {
    private final RowLayout stored;
    private final ResultSpec.Aggregates wanted;
    private final int[] groupFields;
    private final List<ValueType> groupTypes = new ArrayList<>();
    /** Of each aggregate; null for one of rows. */
    private final List<AggregateFunction.@Nullable Argument> arguments = new ArrayList<>();

    private final List<Field> answer = new ArrayList<>();
    private final RowLayout part;

    GatherGroups(ResultSpec.Aggregates wanted, RowLayout stored) {
        this.stored = stored;
        this.wanted = wanted;
        ExpressionTypes types = new ExpressionTypes(stored.fields());
        this.groupFields = new int[wanted.groupBy().size()];
        for (int g = 0; g < groupFields.length; g++) {
            groupFields[g] = types.indexOf(wanted.groupBy().get(g));
            Field field = stored.fields().get(groupFields[g]);
            answer.add(field);
            groupTypes.add(ValueType.of(field.type()));
        }
        if (wanted.bucket() != null) {
            answer.add(new Field(ResultSpec.Aggregates.BUCKET, FieldType.TIMESTAMP, false));
            groupTypes.add(ValueType.TIMESTAMP);
        }
        for (Aggregate aggregate : wanted.values()) {
            add(aggregate, types);
        }
        List<Field> columns = new ArrayList<>(answer.subList(0, groupTypes.size()));
        List<AggregateState> states = states();
        for (AggregateState state : states) {
            for (AggregateState.Column column : state.columns()) {
                columns.add(new Field("s" + columns.size(), column.type(), column.nullable()));
            }
        }
        this.part = RowLayout.ofFields(columns);
    }

    private void add(Aggregate aggregate, ExpressionTypes types) {
        Expression expression = aggregate.argument();
        AggregateFunction function = aggregate.function();
        AggregateFunction.Argument argument = null;
        if (expression != null) {
            ValueType type = types.typeOf(expression);
            if (!function.takes(type)) {
                throw new WaterwheelException(
                        ErrorCode.TYPE_MISMATCH,
                        "aggregate " + function.name() + "(" + expression + "): expected " + function.expected()
                                + ", got " + type.spoken());
            }
            FieldType field = expression instanceof Expression.FieldValue value
                    ? types.field(value.name()).type()
                    : null;
            argument = new AggregateFunction.Argument(type, field);
        }
        arguments.add(argument);
        answer.add(new Field(aggregate.name(), function.answerType(argument), function.nullable()));
    }

    /** New states of the aggregates, in their order. */
    List<AggregateState> states() {
        List<AggregateState> states = new ArrayList<>();
        for (int a = 0; a < wanted.values().size(); a++) {
            Aggregate aggregate = wanted.values().get(a);
            states.add(aggregate.function().state(arguments.get(a), aggregate.name()));
        }
        return states;
    }

    ResultSpec.Aggregates wanted() {
        return wanted;
    }

    int[] groupFields() {
        return groupFields;
    }

    /** @param memory what the table is reserved from */
    GroupTable table(Reservation memory) {
        String about = String.join(", ", wanted.groupBy())
                + (wanted.bucket() == null ? "" : (wanted.groupBy().isEmpty() ? "" : ", ") + "time bucket");
        return new GroupTable(groupTypes, about, memory);
    }

    int groupColumns() {
        return groupTypes.size();
    }

    /** The layout of the answer. */
    RowLayout answerLayout() {
        return RowLayout.ofFields(answer);
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
        for (int field : groupFields) {
            needed.set(field);
        }
        ExpressionCompiler compiler = new ExpressionCompiler(stored);
        for (Aggregate aggregate : wanted.values()) {
            if (aggregate.argument() != null) {
                compiler.fields(aggregate.argument(), needed::set);
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
