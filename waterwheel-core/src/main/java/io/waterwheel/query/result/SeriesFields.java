package io.waterwheel.query.result;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Downsampling;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.NeighbourValue;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.compile.ExpressionCompiler;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.query.rows.NumberColumn;
import io.waterwheel.query.rows.RowCopy;
import io.waterwheel.query.rows.RowOrder;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.TimestampUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a series, stage by stage: the stored fields that are held and ordered; what is computed of each tuple
 * alone (the selected fields, the arguments of the values, what makes the series, the time); and the answer. Immutable;
 * any thread.
 */
final class SeriesFields {
    private final List<String> by;
    private final List<NamedExpression> select;
    private final List<NeighbourValue> values;
    private final @Nullable Downsampling downsampling;
    private final int[] held;
    private final Projection projection;
    private final RowLayout answer;
    private final RowOrder bySeries;
    private final NumberColumn times;
    private final TimestampUnit unit;
    /** What is plotted, in the answer or, when that has no such field, in the computed rows. */
    private final @Nullable NumberColumn plotted;

    private final boolean plotsAnswer;

    /**
     * Looks the fields up.
     *
     * @throws WaterwheelException of kind USER when the query asks for what the stream has not
     */
    SeriesFields(ResultSpec.Series wanted, RowLayout stored, Schema schema) {
        this.by = by(wanted, schema);
        this.select = wanted.select().isEmpty()
                ? NamedExpression.fields(
                        stored.fields().stream().map(Field::name).toArray(String[]::new))
                : wanted.select();
        this.values = wanted.values();
        this.downsampling = wanted.downsampling();
        List<NamedExpression> computed = new ArrayList<>(select);
        values.forEach(value -> computed.add(new NamedExpression(value.argument(), value.name())));
        ExpressionTypes types = new ExpressionTypes(stored.fields());
        for (String name : by) {
            // Checks that there is one.
            types.indexOf(name);
            computed.add(NamedExpression.field(name));
        }
        computed.add(NamedExpression.field(schema.timeField()));
        String plot = downsampling == null ? null : downsampling.field();
        this.plotsAnswer = select.stream().anyMatch(one -> one.name().equals(plot))
                || values.stream().anyMatch(value -> value.name().equals(plot));
        if (plot != null && !plotsAnswer) {
            types.indexOf(plot);
            computed.add(NamedExpression.field(plot));
        }
        Set<Integer> needed = new LinkedHashSet<>();
        ExpressionCompiler compiler = new ExpressionCompiler(stored);
        // Names and types first: the error names the field.
        new Projection(stored, computed);
        computed.forEach(one -> compiler.fields(one.expression(), needed::add));
        this.held = needed.stream().mapToInt(Integer::intValue).toArray();
        this.projection = new Projection(Gather.layout(Gather.fields(stored, held)), computed);
        RowLayout rows = projection.layout();
        this.answer = namedApart();
        int[] series = new int[by.size()];
        for (int s = 0; s < series.length; s++) {
            series[s] = select.size() + values.size() + s;
        }
        this.bySeries = new RowOrder(rows, series, new boolean[series.length]);
        this.times = new NumberColumn(rows, select.size() + values.size() + by.size());
        this.unit = rows.fields().get(times.field()).type().resolution();
        this.plotted = downsampling == null ? null : plotted(downsampling);
    }

    private NumberColumn plotted(Downsampling wanted) {
        RowLayout of = plotsAnswer ? answer : projection.layout();
        int field = of.fields().size() - 1;
        while (!of.fields().get(field).name().equals(wanted.field())) {
            field--;
        }
        ValueType type = ValueType.of(of.fields().get(field).type());
        if (!type.numeric()) {
            throw new WaterwheelException(
                    ErrorCode.TYPE_MISMATCH, "downsample " + wanted + ": expected a number, got " + type.spoken());
        }
        return new NumberColumn(of, field);
    }

    private static List<String> by(ResultSpec.Series wanted, Schema schema) {
        if (!wanted.by().isEmpty()) {
            return wanted.by();
        }
        String key = schema.key().onlyField();
        if (key == null) {
            throw new WaterwheelException(
                    ErrorCode.BAD_QUERY,
                    "series: the stream's key is not one field: name the fields to group by, such as an id");
        }
        return List.of(key);
    }

    private RowLayout namedApart() {
        List<Field> fields = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (int f = 0; f < select.size() + values.size(); f++) {
            Field field = projection.layout().fields().get(f);
            if (!names.add(field.name())) {
                throw new WaterwheelException(
                        ErrorCode.BAD_QUERY,
                        "two fields of the answer are called '" + field.name()
                                + "'; name them apart with AS, and name each value once");
            }
            fields.add(f < select.size() ? field : valueField(values.get(f - select.size()), field));
        }
        return Gather.layout(fields);
    }

    private static Field valueField(NeighbourValue value, Field argument) {
        ValueType type = ValueType.of(argument.type());
        if (value.kind() == NeighbourValue.Kind.LAG) {
            return new Field(value.name(), argument.type(), true);
        }
        if (!type.numeric()) {
            throw new WaterwheelException(
                    ErrorCode.TYPE_MISMATCH, "series " + value + ": expected a number, got " + type.spoken());
        }
        boolean whole = type == ValueType.INTEGER && value.kind() == NeighbourValue.Kind.DELTA;
        return new Field(value.name(), whole ? FieldType.LONG : FieldType.DOUBLE, true);
    }

    /** Names of the fields that make a series. */
    List<String> by() {
        return by;
    }

    /** The stored fields that are held, those that the query names first, in its order. */
    int[] held() {
        return held.clone();
    }

    /** Computes, of held tuples, what is needed of each alone. */
    Projection projection() {
        return projection;
    }

    RowLayout answer() {
        return answer;
    }

    /** Copies the selected fields of computed rows into the first fields of the answer. */
    RowCopy selected() {
        int[] first = new int[select.size()];
        for (int f = 0; f < first.length; f++) {
            first[f] = f;
        }
        return new RowCopy(projection.layout(), first, answer);
    }

    /** The values of two neighbours. */
    List<NeighbourValue> values() {
        return values;
    }

    /** Among the fields of the answer, and of the computed rows, the first of the values and of their arguments. */
    int firstValue() {
        return select.size();
    }

    /** Computed rows that are equal in it are of one series. */
    RowOrder bySeries() {
        return bySeries;
    }

    /** The times of computed rows. */
    NumberColumn times() {
        return times;
    }

    /** The name of the field of the times. */
    String timeField() {
        return projection.layout().fields().get(times.field()).name();
    }

    /** What {@link #times} are counted in. */
    TimestampUnit unit() {
        return unit;
    }

    /** Which rows are kept; null for all. */
    @Nullable
    Downsampling downsampling() {
        return downsampling;
    }

    /** What is plotted; null when all rows are kept. */
    @Nullable
    NumberColumn plotted() {
        return plotted;
    }

    /** Whether {@link #plotted} is of the answer, and not of the computed rows. */
    boolean plotsAnswer() {
        return plotsAnswer;
    }

    /** The stored field that is plotted, its place among the held ones; -1 when it is computed, or none is. */
    int plottedHeld() {
        if (downsampling == null) {
            return -1;
        }
        String name = downsampling.field();
        if (values.stream().anyMatch(value -> value.name().equals(name))) {
            return -1;
        }
        for (NamedExpression one : select) {
            if (one.name().equals(name) && !one.isField()) {
                return -1;
            }
        }
        List<Field> fields = projection.stored().fields();
        for (int f = 0; f < fields.size(); f++) {
            if (fields.get(f).name().equals(name)) {
                return f;
            }
        }
        return -1;
    }
}
