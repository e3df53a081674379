package io.waterwheel.query.result;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.ResultSpec;
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
import java.util.Locale;
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
    /** Type of each aggregate's argument; null for {@code count(*)}. */
    private final List<@Nullable ValueType> argumentTypes = new ArrayList<>();

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
        for (int a = 0; a < states.size(); a++) {
            boolean extreme = wanted.values().get(a).function() == Aggregate.Function.MIN
                    || wanted.values().get(a).function() == Aggregate.Function.MAX;
            for (FieldType type : states.get(a).columns()) {
                columns.add(new Field("s" + columns.size(), type, extreme));
            }
        }
        this.part = RowLayout.ofFields(columns);
    }

    private void add(Aggregate aggregate, ExpressionTypes types) {
        Expression argument = aggregate.argument();
        ValueType type = argument == null ? null : types.typeOf(argument);
        Aggregate.Function function = aggregate.function();
        boolean fits = type == null
                || function == Aggregate.Function.COUNT
                || type.numeric()
                || (type != ValueType.NULL
                        && (function == Aggregate.Function.MIN || function == Aggregate.Function.MAX));
        if (!fits) {
            throw new WaterwheelException(
                    ErrorCode.TYPE_MISMATCH,
                    "aggregate " + function.name().toLowerCase(Locale.ROOT) + "(" + argument
                            + "): expected numbers, got "
                            + java.util.Objects.requireNonNull(type).spoken());
        }
        argumentTypes.add(type);
        FieldType answerType =
                switch (function) {
                    case COUNT -> FieldType.LONG;
                    case AVG -> FieldType.DOUBLE;
                    case SUM -> type == ValueType.INTEGER ? FieldType.LONG : FieldType.DOUBLE;
                    case MIN, MAX ->
                        argument instanceof Expression.FieldValue field
                                ? types.field(field.name()).type()
                                : java.util.Objects.requireNonNull(type).fieldType();
                };
        answer.add(new Field(aggregate.name(), answerType, function != Aggregate.Function.COUNT));
    }

    /** New states of the aggregates, in their order. */
    List<AggregateState> states() {
        List<AggregateState> states = new ArrayList<>();
        for (int a = 0; a < wanted.values().size(); a++) {
            Aggregate aggregate = wanted.values().get(a);
            ValueType type = argumentTypes.get(a);
            FieldType answerType = answer.get(groupTypes.size() + a).type();
            boolean average = aggregate.function() == Aggregate.Function.AVG;
            boolean greatest = aggregate.function() == Aggregate.Function.MAX;
            states.add(
                    switch (aggregate.function()) {
                        case COUNT -> new AggregateState.Count();
                        case SUM, AVG ->
                            type == ValueType.INTEGER
                                    ? new NumberStates.WholeSum(aggregate.name(), average)
                                    : new NumberStates.DoubleSum(average);
                        case MIN, MAX ->
                            type != null && type.variable()
                                    ? new AggregateState.ExtremeBytes(answerType, greatest)
                                    : new NumberStates.Extreme(
                                            java.util.Objects.requireNonNull(type), answerType, greatest);
                    });
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
