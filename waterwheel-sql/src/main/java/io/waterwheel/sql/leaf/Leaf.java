package io.waterwheel.sql.leaf;

import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.geo.Shape;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.Downsampling;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Order;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.plan.ResolvedQuery;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one query of one stream returns, while a plan is made: each operator of SQL that the engine answers makes the
 * leaf below it another leaf. Immutable.
 *
 * @param stream its name
 * @param schema its fields
 * @param where which tuples match, or null for all
 * @param shape where their positions lie, or null for everywhere
 * @param what is made of them
 * @param columns of the leaf, computed of the fields that {@link #fields()} names
 * @param orders of the rows; empty for none
 * @param limit most rows
 */
public record Leaf(
        String stream,
        Schema schema,
        @Nullable Expression where,
        @Nullable Shape shape,
        What what,
        List<Expression> columns,
        List<By> orders,
        long limit) {
    /** What a leaf is of. */
    public sealed interface What {}

    /** The tuples. */
    public record Tuples() implements What {}

    /** The newest of each key. */
    public record Newest(int perKey) implements What {}

    /**
     * Fewer tuples of each series, for a plot.
     *
     * @param by fields of the stream that make a series
     * @param value that is plotted
     * @param points most tuples of a series
     */
    public record Plot(List<String> by, Downsampling.Method method, Expression value, int points) implements What {}

    /**
     * Groups of tuples, and their aggregates.
     *
     * @param fill what is in buckets without tuples; null where there are none of these
     * @param single by column of the leaf, what it is of one tuple that is a group of its own, where what stands above
     *     merges such groups again; null where a group must be whole
     */
    public record Groups(
            List<NamedExpression> by,
            ResultSpec.@Nullable Bucket bucket,
            ResultSpec.@Nullable Fill fill,
            List<Aggregate> values,
            @Nullable Expression having,
            @Nullable List<Expression> single)
            implements What {
        Groups withHaving(Expression condition) {
            return new Groups(by, bucket, fill, values, condition, single);
        }

        Groups withFill(ResultSpec.Fill other) {
            return new Groups(by, bucket, other, values, having, single);
        }
    }

    /** A value that rows are ordered by. */
    public record By(Expression value, boolean descending) {}

    /** A query, and of each column of the leaf the field of the answer that holds it. */
    public record Asked(Query query, List<Field> fields, List<Integer> places) {}

    public Leaf {
        columns = List.copyOf(columns);
        orders = List.copyOf(orders);
    }

    /** All tuples of a stream with all fields. */
    static Leaf of(String stream, Schema schema) {
        List<Expression> columns = new ArrayList<>();
        for (Field field : schema.fields()) {
            columns.add(ConditionTranslator.read(field));
        }
        return new Leaf(stream, schema, null, null, new Tuples(), columns, List.of(), Query.NO_LIMIT);
    }

    boolean ordered() {
        return !orders.isEmpty() || limit != Query.NO_LIMIT;
    }

    /** Whether it is all tuples that match, in no order. */
    public boolean plain() {
        return what instanceof Tuples && !ordered();
    }

    /** Of groups that may be smaller, the tuples, each as a group of its own; null of any other leaf. */
    public @Nullable Leaf ofSingles() {
        return what instanceof Groups groups && groups.single() != null
                ? withWhat(new Tuples(), groups.single())
                : null;
    }

    /**
     * What a column is of a tuple, where tuples may be left out by it: the leaf lacks then the rows alone that have
     * these values. Null for any other column.
     */
    public @Nullable Expression ofTuple(int column) {
        if (plain()) {
            return columns.get(column);
        }
        Leaf singles = ofSingles();
        boolean isKey = what instanceof Groups groups
                && groups.by().stream()
                        .anyMatch(one -> columns.get(column).equals(new Expression.FieldValue(one.name())));
        return singles != null && isKey ? singles.columns().get(column) : null;
    }

    /** What the columns, and conditions, are computed of. */
    List<Field> fields() {
        return what instanceof Groups
                ? resolve(query(columns, List.of()).query()).fields()
                : schema.fields();
    }

    Leaf withWhere(@Nullable Expression condition, @Nullable Shape area) {
        return new Leaf(stream, schema, condition, area, what, columns, orders, limit);
    }

    /** The same tuples, of which something else is made. */
    public Leaf withWhat(What other, List<Expression> shown) {
        return new Leaf(stream, schema, where, shape, other, shown, orders, limit);
    }

    /** The same with other columns. */
    public Leaf withColumns(List<Expression> shown) {
        return withWhat(what, shown);
    }

    Leaf withOrder(List<By> by, long most) {
        return new Leaf(stream, schema, where, shape, what, columns, by, most);
    }

    /** The query, whose answer calls columns as the labels do where it can. */
    public Asked ask(List<String> labels) {
        Asked asked = query(columns, labels);
        return new Asked(asked.query(), resolve(asked.query()).fields(), asked.places());
    }

    /**
     * Checks that the engine takes the query.
     *
     * @throws io.waterwheel.error.WaterwheelException when it does not
     */
    public void require() {
        ResolvedQuery unused = resolve(query(columns, List.of()).query());
    }

    private ResolvedQuery resolve(Query query) {
        return ResolvedQuery.of(query, new StreamInfo(stream, 1, schema, RecordFormat.BLOCK, stream, 1, 1));
    }

    private Asked query(List<Expression> shown, List<String> labels) {
        Query query = Query.builder(stream).where(where).shape(shape).build();
        AnswerNames names = new AnswerNames(schema);
        List<Integer> places = new ArrayList<>();
        if (what instanceof Groups groups) {
            ResultSpec.Aggregates result = new ResultSpec.Aggregates(
                    groups.values(),
                    groups.by(),
                    groups.bucket(),
                    groups.fill(),
                    groups.having(),
                    byName(names),
                    limit);
            List<String> fields = groupFields(groups);
            shown.forEach(column -> places.add(fields.indexOf(((Expression.FieldValue) column).name())));
            return new Asked(query.withResult(result), List.of(), places);
        }
        for (int c = 0; c < shown.size(); c++) {
            places.add(names.place(shown.get(c), c < labels.size() ? labels.get(c) : ""));
        }
        if (what instanceof Newest newest) {
            List<String> fields =
                    names.selected().stream().map(NamedExpression::name).toList();
            return new Asked(query.withResult(new ResultSpec.Latest(newest.perKey(), fields)), List.of(), places);
        }
        if (what instanceof Plot plot) {
            String plotted =
                    plot.value() instanceof Expression.FieldValue field ? field.name() : names.nameOf(plot.value());
            Downsampling downsampling = new Downsampling(plot.method(), plotted, plot.points());
            ResultSpec.Series series =
                    new ResultSpec.Series(plot.by(), names.selected(), List.of(), downsampling, limit);
            return new Asked(query.withResult(series), List.of(), places);
        }
        List<Order> order = byName(names);
        return new Asked(query.withResult(new ResultSpec.Rows(names.selected(), order, limit)), List.of(), places);
    }

    /** What a group of this name is called in the answer, in the order in which the engine returns fields. */
    private static List<String> groupFields(Groups groups) {
        List<String> fields = new ArrayList<>();
        groups.by().forEach(one -> fields.add(one.name()));
        if (groups.bucket() != null) {
            fields.add(ResultSpec.Aggregates.BUCKET);
        }
        groups.values().forEach(one -> fields.add(one.name()));
        return fields;
    }

    private List<Order> byName(AnswerNames names) {
        List<Order> order = new ArrayList<>();
        for (By by : orders) {
            order.add(new Order(
                    by.value() instanceof Expression.FieldValue field ? field.name() : names.nameOf(by.value()),
                    by.descending()));
        }
        return order;
    }

    /** The query as text, for explanations. */
    @Override
    public String toString() {
        return query(columns, List.of()).query().toString();
    }
}
