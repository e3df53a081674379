package io.waterwheel.sql.residual;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.text.Decimals;
import io.waterwheel.sql.leaf.EngineFunctions;
import io.waterwheel.sql.leaf.LeafNode;
import io.waterwheel.sql.leaf.NotPushed;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.sql.SqlAggFunction;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Aggregates of joined rows computed in part below the join, by the engine:
 *
 * <pre>
 *   SELECT r.name, COUNT(*), SUM(v) FROM readings JOIN sensors r ON sensor = r.id GROUP BY r.name
 *   the leaf of readings:  sensor, COUNT(*) AS n, SUM(v) AS s, by sensor
 *   above the join:        r.name, SUM(n), SUM(s), by r.name
 * </pre>
 *
 * <p>All tuples of a group are alike in whatever the join, and what stands between it and the aggregate, looks at. So a
 * group is joined with what each of its tuples is joined with, as often. That holds for outer joins: where the leaf has
 * no partner its row stands for as many rows; where the other side has none, the leaf's columns are null, and the row
 * counts as one.
 *
 * <p>Counts, least and greatest values, and sums of integers and decimals are merged without a difference. The sum of a
 * group's doubles is exact and rounded once, and DuckDB's fsum above compensates its errors: together at most three
 * units of rounding of the sum of all magnitudes, where fsum of the rows has two. A mean is such a sum by a count.
 * Nothing that is computed above the join moves below it, for it may fail of a row that the join drops.
 */
public final class PartialAggregates {
    private static final Logger LOG = LoggerFactory.getLogger(PartialAggregates.class);

    /**
     * Columns that make a group of sums of doubles, of means or of choices, at most. Tuples hardly repeat in more, and
     * where they do not, such a sum of tuples and a column more for each mean cost more than the aggregate of the rows.
     */
    private static final int MOST_KEYS = 2;

    private final Aggregate aggregate;
    /** From the aggregate to the leaf, of each join the number of its input. */
    private final List<Integer> path;

    private PartialAggregates(Aggregate aggregate, List<Integer> path) {
        this.aggregate = aggregate;
        this.path = path;
    }

    /** The same plan with such leaves where there can be. */
    public static RelNode in(RelNode root) {
        return rewritten(root, PartialPlaces.in(root));
    }

    private static RelNode rewritten(RelNode node, PartialPlaces places) {
        List<RelNode> inputs =
                node.getInputs().stream().map(input -> rewritten(input, places)).toList();
        RelNode same = inputs.equals(node.getInputs()) ? node : node.copy(node.getTraitSet(), inputs);
        RelNode partial = same instanceof Aggregate aggregate && aggregate.getGroupType() == Aggregate.Group.SIMPLE
                ? partial(aggregate, (Aggregate) node, places)
                : null;
        return partial == null ? same : partial;
    }

    /** @param before the same aggregate as it is in the plan that was counted */
    private static @Nullable RelNode partial(Aggregate aggregate, Aggregate before, PartialPlaces places) {
        Made best = null;
        for (PartialPlaces.Place place : places.of(aggregate, before)) {
            try {
                Made one = new PartialAggregates(aggregate, place.path()).made(place.leaf());
                if (best == null || one.compareTo(best) < 0) {
                    best = one;
                }
            } catch (NotPushed | WaterwheelException | IllegalArgumentException e) {
                // Another one may do; without any the aggregate is of the joined rows.
                LOG.debug("no groups of '{}' below a join", place.leaf().leaf().stream(), e);
            }
        }
        return best == null ? null : best.node();
    }

    /**
     * A plan with one leaf of groups. The best is of the leaf that reads most, as far as that can be told: of one
     * without a condition there is more. Of such, the one with the fewest groups.
     */
    private record Made(RelNode node, boolean narrow, int keys) implements Comparable<Made> {
        @Override
        public int compareTo(Made other) {
            return Comparator.comparing(Made::narrow).thenComparing(Made::keys).compare(this, other);
        }
    }

    /**
     * A node with the leaf of groups in place of that of tuples.
     *
     * @param columns by column of the node before, its column now; -1 for one that is no longer there
     * @param partials column of the first of what is computed of groups
     * @param choices of these, which stand behind them
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Rebuilt(RelNode node, int[] columns, int partials, List<Chosen> choices) {}

    private Made made(LeafNode leaf) throws NotPushed {
        List<Value> values = new ArrayList<>();
        ImmutableBitSet.Builder looked = ImmutableBitSet.builder().addAll(aggregate.getGroupSet());
        for (AggregateCall call : aggregate.getAggCallList()) {
            Value value = value(call);
            values.add(value);
            PartialLeaf.Value partial = value.part().partial();
            if (partial == null || partial.column() < 0) {
                looked.addAll(call.getArgList());
            }
            if (call.filterArg >= 0) {
                looked.set(call.filterArg);
            }
        }
        List<PartialLeaf.Value> partials = new ArrayList<>();
        List<Chosen> choices = new ArrayList<>();
        for (Part part : values.stream().flatMap(Value::parts).toList()) {
            if (part.partial() != null && !partials.contains(part.partial())) {
                partials.add(part.partial());
            }
            if (part.choice() != null && !choices.contains(part.choice())) {
                choices.add(part.choice());
            }
        }
        TreeSet<Integer> keys = new TreeSet<>();
        collect(aggregate.getInput(), 0, looked.build(), keys);
        for (Chosen chosen : choices) {
            Place place = chosen.place();
            collect(place.project().getInput(), place.depth(), chosen.choice().looked(), keys);
        }
        if (keys.isEmpty()) {
            // Such a group is there even without a tuple.
            throw new NotPushed("groups of nothing");
        } else if (keys.size() > MOST_KEYS && values.stream().anyMatch(value -> value.costsOfTuples(leaf))) {
            throw new NotPushed("sums of doubles, means or choices by " + keys.size() + " columns");
        }
        LeafNode groups = PartialLeaf.of(leaf, List.copyOf(keys), partials);
        int[] columns = new int[leaf.getRowType().getFieldCount()];
        Arrays.fill(columns, -1);
        int next = 0;
        for (int key : keys) {
            columns[key] = next++;
        }
        Rebuilt below =
                rebuilt(aggregate.getInput(), 0, new Rebuilt(groups, columns, next, List.of()), partials, choices);
        boolean narrow = leaf.leaf().where() != null || leaf.leaf().shape() != null;
        return new Made(merged(below, values, partials), narrow, keys.size());
    }

    /**
     * Where a choice is made.
     *
     * @param depth how many joins are above
     */
    private record Place(Project project, int depth) {}

    /** A choice of what is computed of groups. */
    private record Chosen(PartialChoice choice, Place place, PartialLeaf.Value partial) {}

    /** A choice before it is known of what. */
    private record Found(PartialChoice choice, Place place) {}

    /**
     * How an aggregate is merged.
     *
     * @param partial what it needs of the leaf; null when it is of another column alone
     * @param choice where it counts; null for everywhere
     */
    private record Part(
            SqlAggFunction merge,
            PartialLeaf.@Nullable Value partial,
            @Nullable Chosen choice) {}

    /**
     * How a call is made of merged parts.
     *
     * @param count what the part is divided by; null for a call that is its part
     */
    private record Value(Part part, @Nullable Part count) {
        Stream<Part> parts() {
            return Stream.of(Optional.of(part), Optional.ofNullable(count)).flatMap(Optional::stream);
        }

        /** Whether it costs more than the call does where the leaf is read as tuples. */
        boolean costsOfTuples(LeafNode leaf) {
            PartialLeaf.Value partial = part.partial();
            return count != null
                    || part.choice() != null
                    || (partial != null && partial.isSumOfDoubles(leaf.getRowType()));
        }
    }

    private Value value(AggregateCall call) throws NotPushed {
        boolean plain = !call.isDistinct()
                && !call.isApproximate()
                && !call.ignoreNulls()
                && call.distinctKeys == null
                && call.getCollation().getFieldCollations().isEmpty()
                && call.rexList.isEmpty()
                && call.getArgList().size() <= 1;
        if (!plain) {
            throw new NotPushed("an aggregate that has no parts");
        }
        String name = call.getAggregation().getName().toUpperCase(Locale.ROOT);
        int argument = call.getArgList().isEmpty() ? -1 : call.getArgList().get(0);
        int column = argument < 0 ? -1 : origin(aggregate.getInput(), 0, argument);
        Found choice = column < 0 && argument >= 0 ? choice(aggregate.getInput(), 0, argument, name) : null;
        if (choice != null) {
            Place place = choice.place();
            column = origin(
                    place.project().getInput(), place.depth(), choice.choice().column());
        }
        return switch (name) {
            case "COUNT" ->
                new Value(
                        part(
                                SqlStdOperatorTable.SUM0,
                                column < 0 ? PartialLeaf.Function.ALL : PartialLeaf.Function.COUNT,
                                column,
                                choice),
                        null);
            case "SUM", "$SUM0" -> {
                requireOfLeaf(column, "a sum");
                yield new Value(part(call.getAggregation(), PartialLeaf.Function.SUM, column, choice), null);
            }
            case "AVG" -> {
                requireOfLeaf(column, "a mean");
                RelDataType type = aggregate
                        .getInput()
                        .getRowType()
                        .getFieldList()
                        .get(argument)
                        .getType();
                if (type.getSqlTypeName() != SqlTypeName.BIGINT && type.getSqlTypeName() != SqlTypeName.DOUBLE) {
                    throw new NotPushed("a mean of " + type + " in parts");
                }
                yield new Value(
                        part(SqlStdOperatorTable.SUM, PartialLeaf.Function.SUM, column, choice),
                        part(SqlStdOperatorTable.SUM0, PartialLeaf.Function.COUNT, column, choice));
            }
            case "MIN" -> least(call, PartialLeaf.Function.MIN, column, choice);
            case "MAX" -> least(call, PartialLeaf.Function.MAX, column, choice);
            default -> throw new NotPushed(call.getAggregation().getName() + " in parts");
        };
    }

    /** The choice of a column of the leaf that a column is; null for any other. */
    private @Nullable Found choice(RelNode node, int depth, int column, String name) {
        if (node instanceof Project project) {
            RexNode value = project.getProjects().get(column);
            if (value instanceof RexInputRef input) {
                return choice(project.getInput(), depth, input.getIndex(), name);
            }
            PartialChoice choice = PartialChoice.of(value, name.equals("SUM") || name.equals("$SUM0"));
            return choice == null || origin(project.getInput(), depth, choice.column()) < 0
                    ? null
                    : new Found(choice, new Place(project, depth));
        } else if (node instanceof Join join) {
            int left = join.getLeft().getRowType().getFieldCount();
            int side = path.get(depth);
            return column < left == (side == 0)
                    ? choice(join.getInput(side), depth + 1, column - side * left, name)
                    : null;
        }
        return node instanceof Filter filter ? choice(filter.getInput(), depth, column, name) : null;
    }

    private static void requireOfLeaf(int column, String what) throws NotPushed {
        if (column < 0) {
            throw new NotPushed(what + " of another side");
        }
    }

    private static Part part(SqlAggFunction merge, PartialLeaf.Function function, int column, @Nullable Found choice) {
        PartialLeaf.Value partial = new PartialLeaf.Value(function, column);
        return new Part(merge, partial, choice == null ? null : new Chosen(choice.choice(), choice.place(), partial));
    }

    private static Value least(AggregateCall call, PartialLeaf.Function function, int column, @Nullable Found choice) {
        return new Value(
                column < 0
                        ? new Part(call.getAggregation(), null, null)
                        : part(call.getAggregation(), function, column, choice),
                null);
    }

    /** The column of the leaf that a column is as it is; -1 for any other. */
    private int origin(RelNode node, int depth, int column) {
        if (node instanceof LeafNode) {
            return column;
        } else if (node instanceof Project project) {
            return project.getProjects().get(column) instanceof RexInputRef input
                    ? origin(project.getInput(), depth, input.getIndex())
                    : -1;
        } else if (node instanceof Join join) {
            int left = join.getLeft().getRowType().getFieldCount();
            int side = path.get(depth);
            return column < left == (side == 0) ? origin(join.getInput(side), depth + 1, column - side * left) : -1;
        }
        return origin(node.getInput(0), depth, column);
    }

    /** Adds the columns of the leaf that something looks at, of those that are wanted of a node. */
    private void collect(RelNode node, int depth, ImmutableBitSet wanted, Collection<Integer> keys) {
        if (node instanceof LeafNode) {
            keys.addAll(wanted.asList());
        } else if (node instanceof Project project) {
            List<RexNode> nodes = new ArrayList<>();
            wanted.forEach(column -> nodes.add(project.getProjects().get(column)));
            collect(project.getInput(), depth, RelOptUtil.InputFinder.bits(nodes, null), keys);
        } else if (node instanceof Join join) {
            int left = join.getLeft().getRowType().getFieldCount();
            int side = path.get(depth);
            ImmutableBitSet all = wanted.union(RelOptUtil.InputFinder.bits(join.getCondition()));
            ImmutableBitSet.Builder below = ImmutableBitSet.builder();
            for (int column : all) {
                if (column < left == (side == 0)) {
                    below.set(column - side * left);
                }
            }
            collect(join.getInput(side), depth + 1, below.build(), keys);
        } else {
            Filter filter = (Filter) node;
            ImmutableBitSet all = wanted.union(RelOptUtil.InputFinder.bits(filter.getCondition()));
            collect(filter.getInput(), depth, all, keys);
        }
    }

    /**
     * The node above the leaf of groups.
     *
     * @param partials what is computed of groups
     * @param choices of these, each made in its place
     */
    private Rebuilt rebuilt(
            RelNode node, int depth, Rebuilt leaf, List<PartialLeaf.Value> partials, List<Chosen> choices) {
        if (node instanceof LeafNode) {
            return leaf;
        } else if (node instanceof Project project) {
            Rebuilt input = rebuilt(project.getInput(), depth, leaf, partials, choices);
            List<RexNode> shown = new ArrayList<>();
            List<String> names = new ArrayList<>();
            int[] columns = new int[project.getProjects().size()];
            for (int c = 0; c < columns.length; c++) {
                RexNode value = project.getProjects().get(c);
                boolean there = RelOptUtil.InputFinder.bits(value).asList().stream()
                        .allMatch(below -> input.columns()[below] >= 0);
                columns[c] = there ? shown.size() : -1;
                if (there) {
                    shown.add(moved(value, input.columns()));
                    names.add(project.getRowType().getFieldNames().get(c));
                }
            }
            int first = shown.size();
            for (int p = 0; p < partials.size() + input.choices().size(); p++) {
                shown.add(RexInputRef.of(input.partials() + p, input.node().getRowType()));
                names.add("partial" + p);
            }
            List<Chosen> made = new ArrayList<>(input.choices());
            for (Chosen chosen : choices) {
                if (!chosen.place().project().equals(project)) {
                    continue;
                }
                RexNode part = shown.get(first + partials.indexOf(chosen.partial()));
                shown.add(chosen.choice()
                        .of(input.columns(), part, project.getCluster().getRexBuilder()));
                names.add("chosen" + shown.size());
                made.add(chosen);
            }
            return new Rebuilt(
                    LogicalProject.create(input.node(), List.of(), shown, names, project.getVariablesSet()),
                    columns,
                    first,
                    made);
        } else if (node instanceof Join join) {
            return rebuilt(join, depth, leaf, partials, choices);
        }
        Filter filter = (Filter) node;
        Rebuilt input = rebuilt(filter.getInput(), depth, leaf, partials, choices);
        RelNode same = filter.copy(filter.getTraitSet(), input.node(), moved(filter.getCondition(), input.columns()));
        return new Rebuilt(same, input.columns(), input.partials(), input.choices());
    }

    private Rebuilt rebuilt(
            Join join, int depth, Rebuilt leaf, List<PartialLeaf.Value> partials, List<Chosen> choices) {
        int side = path.get(depth);
        int left = join.getLeft().getRowType().getFieldCount();
        Rebuilt input = rebuilt(join.getInput(side), depth + 1, leaf, partials, choices);
        int newLeft = side == 0 ? input.node().getRowType().getFieldCount() : left;
        int[] columns = new int[left + join.getRight().getRowType().getFieldCount()];
        for (int c = 0; c < columns.length; c++) {
            boolean inside = c < left == (side == 0);
            int below = inside ? input.columns()[c - side * left] : c < left ? c : c - left;
            columns[c] = below < 0 || c < left ? below : newLeft + below;
        }
        RelNode same = join.copy(
                join.getTraitSet(),
                moved(join.getCondition(), columns),
                side == 0 ? input.node() : join.getLeft(),
                side == 0 ? join.getRight() : input.node(),
                join.getJoinType(),
                join.isSemiJoinDone());
        return new Rebuilt(same, columns, input.partials() + (side == 0 ? 0 : newLeft), input.choices());
    }

    static RexNode moved(RexNode node, int[] columns) {
        return node.accept(new RexShuttle() {
            @Override
            public RexNode visitInputRef(RexInputRef input) {
                int column = columns[input.getIndex()];
                if (column < 0) {
                    throw new IllegalStateException("a column that is no key is looked at: " + input);
                }
                return new RexInputRef(column, input.getType());
            }
        });
    }

    /** The aggregate of what is below. */
    private RelNode merged(Rebuilt below, List<Value> values, List<PartialLeaf.Value> partials) {
        RexBuilder rex = aggregate.getCluster().getRexBuilder();
        RelDataType row = below.node().getRowType();
        List<RexNode> columns = new ArrayList<>();
        for (int group : aggregate.getGroupSet()) {
            columns.add(RexInputRef.of(below.columns()[group], row));
        }
        int groups = columns.size();
        List<Merge> merges = new ArrayList<>();
        for (int v = 0; v < values.size(); v++) {
            AggregateCall before = aggregate.getAggCallList().get(v);
            int filter = -1;
            if (before.filterArg >= 0) {
                filter = columns.size();
                columns.add(RexInputRef.of(below.columns()[before.filterArg], row));
            }
            Value value = values.get(v);
            merges.add(new Merge(before, value.part(), columns.size(), filter));
            RexNode argument = argument(before, value.part(), below, partials, rex);
            columns.add(value.count() == null ? argument : summand(argument, rex));
            if (value.count() != null) {
                merges.add(new Merge(before, value.count(), columns.size(), filter));
                columns.add(argument(before, value.count(), below, partials, rex));
            }
        }
        RelNode input = LogicalProject.create(below.node(), List.of(), columns, (List<String>) null, Set.of());
        List<AggregateCall> calls = new ArrayList<>();
        for (Merge merge : merges) {
            calls.add(AggregateCall.create(
                    SqlParserPos.ZERO,
                    merge.part().merge(),
                    false,
                    false,
                    false,
                    List.of(),
                    List.of(merge.argument()),
                    merge.filter(),
                    null,
                    merge.before().getCollation(),
                    groups == 0,
                    input,
                    null,
                    null));
        }
        ImmutableBitSet by = ImmutableBitSet.range(groups);
        RelNode made = LogicalAggregate.create(input, List.of(), by, List.of(by), calls);
        return RelOptUtil.createCastRel(withMeans(made, groups, values, rex), aggregate.getRowType(), true);
    }

    /**
     * A call above the groups.
     *
     * @param before the call whose part it merges
     * @param argument its column
     * @param filter the column of its condition; -1 for none
     */
    private record Merge(AggregateCall before, Part part, int argument, int filter) {}

    /** Divides the sums of means. */
    private static RelNode withMeans(RelNode merged, int groups, List<Value> values, RexBuilder rex) {
        if (values.stream().allMatch(value -> value.count() == null)) {
            return merged;
        }
        RelDataType row = merged.getRowType();
        List<RexNode> shown = new ArrayList<>();
        for (int group = 0; group < groups; group++) {
            shown.add(RexInputRef.of(group, row));
        }
        int next = groups;
        for (Value value : values) {
            RexNode part = RexInputRef.of(next++, row);
            shown.add(value.count() == null ? part : mean(part, RexInputRef.of(next++, row), rex));
        }
        return LogicalProject.create(merged, List.of(), shown, (List<String>) null, Set.of());
    }

    /** Of a mean, whose sum may exceed 64 bits where the mean does not. */
    private static RexNode summand(RexNode part, RexBuilder rex) {
        if (part.getType().getSqlTypeName() != SqlTypeName.BIGINT) {
            return part;
        }
        RelDataTypeFactory types = rex.getTypeFactory();
        RelDataType wide = types.createSqlType(SqlTypeName.DECIMAL, Decimals.MOST_DIGITS, 0);
        return rex.makeAbstractCast(
                types.createTypeWithNullability(wide, part.getType().isNullable()), part, false);
    }

    /** NULL of no values. */
    private static RexNode mean(RexNode sum, RexNode count, RexBuilder rex) {
        RelDataType type = rex.getTypeFactory()
                .createTypeWithNullability(rex.getTypeFactory().createSqlType(SqlTypeName.DOUBLE), true);
        RexNode none = rex.makeExactLiteral(BigDecimal.ZERO, count.getType());
        return rex.makeCall(
                SqlStdOperatorTable.CASE,
                rex.makeCall(SqlStdOperatorTable.EQUALS, count, none),
                rex.makeNullLiteral(type),
                rex.makeCall(
                        SqlStdOperatorTable.DIVIDE,
                        sum.getType().getSqlTypeName() == SqlTypeName.DOUBLE
                                ? sum
                                : rex.makeCall(
                                        type, new EngineFunctions().required(EngineFunctions.TO_DOUBLE), List.of(sum)),
                        rex.makeAbstractCast(type, count, false)));
    }

    private static RexNode argument(
            AggregateCall call, Part value, Rebuilt below, List<PartialLeaf.Value> partials, RexBuilder rex) {
        RelDataType row = below.node().getRowType();
        if (value.choice() != null) {
            return RexInputRef.of(
                    below.partials() + partials.size() + below.choices().indexOf(value.choice()), row);
        }
        int place = call.getArgList().isEmpty()
                ? -1
                : below.columns()[call.getArgList().get(0)];
        RexNode own = place < 0 ? null : RexInputRef.of(place, row);
        if (value.partial() == null) {
            return Objects.requireNonNull(own);
        }
        RexNode part = RexInputRef.of(below.partials() + partials.indexOf(value.partial()), row);
        if (value.partial().function() != PartialLeaf.Function.ALL) {
            return part;
        }
        RexNode one = rex.makeExactLiteral(BigDecimal.ONE, rex.getTypeFactory().createSqlType(SqlTypeName.BIGINT));
        RexNode rows = part.getType().isNullable() ? rex.makeCall(SqlStdOperatorTable.COALESCE, part, one) : part;
        if (own == null || !own.getType().isNullable()) {
            return rows;
        }
        RexNode none = rex.makeExactLiteral(BigDecimal.ZERO, one.getType());
        return rex.makeCall(SqlStdOperatorTable.CASE, rex.makeCall(SqlStdOperatorTable.IS_NULL, own), none, rows);
    }
}
