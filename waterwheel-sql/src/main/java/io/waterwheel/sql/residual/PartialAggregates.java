package io.waterwheel.sql.residual;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.sql.leaf.Leaf;
import io.waterwheel.sql.leaf.LeafNode;
import io.waterwheel.sql.leaf.NotPushed;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.calcite.rel.core.AsofJoin;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.logical.LogicalAggregate;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
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
 * <p>Only what is merged without a difference: counts, least and greatest values, and exact sums. A sum of doubles is
 * rounded, and its parts would be too. Nothing that is computed above the join moves below it, for it may fail of a row
 * that the join drops.
 */
public final class PartialAggregates {
    private static final Logger LOG = LoggerFactory.getLogger(PartialAggregates.class);

    private final Aggregate aggregate;
    /** From the aggregate to the leaf, of each join the number of its input. */
    private final List<Integer> path;

    private PartialAggregates(Aggregate aggregate, List<Integer> path) {
        this.aggregate = aggregate;
        this.path = path;
    }

    /** The same plan with such leaves where there can be. */
    public static RelNode in(RelNode root) {
        Map<Leaf, Integer> uses = new HashMap<>();
        count(root, uses);
        return rewritten(root, uses);
    }

    private static void count(RelNode node, Map<Leaf, Integer> uses) {
        if (node instanceof LeafNode leaf) {
            uses.merge(leaf.leaf(), 1, Integer::sum);
        }
        node.getInputs().forEach(input -> count(input, uses));
    }

    private static RelNode rewritten(RelNode node, Map<Leaf, Integer> uses) {
        List<RelNode> inputs =
                node.getInputs().stream().map(input -> rewritten(input, uses)).toList();
        RelNode same = inputs.equals(node.getInputs()) ? node : node.copy(node.getTraitSet(), inputs);
        RelNode partial = same instanceof Aggregate aggregate && aggregate.getGroupType() == Aggregate.Group.SIMPLE
                ? partial(aggregate, uses)
                : null;
        return partial == null ? same : partial;
    }

    private static @Nullable RelNode partial(Aggregate aggregate, Map<Leaf, Integer> uses) {
        List<Place> places = new ArrayList<>();
        places(aggregate.getInput(), List.of(), places);
        // A leaf that is in the plan twice is read once: both places see the same rows.
        places.removeIf(place -> uses.getOrDefault(place.leaf().leaf(), 0) > 1);
        Made best = null;
        for (Place place : places) {
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

    private record Place(LeafNode leaf, List<Integer> path) {}

    /** Leaves of tuples below joins, under operators that look at nothing but the values of a row. */
    private static void places(RelNode node, List<Integer> path, List<Place> into) {
        if (node instanceof LeafNode leaf) {
            if (!path.isEmpty() && leaf.leaf().plain()) {
                into.add(new Place(leaf, path));
            }
        } else if ((node instanceof Project project
                        && !project.containsOver()
                        && project.getVariablesSet().isEmpty())
                || (node instanceof Filter filter
                        && !filter.containsOver()
                        && filter.getVariablesSet().isEmpty())) {
            places(node.getInput(0), path, into);
        } else if (node instanceof Join join
                && !(node instanceof AsofJoin)
                && join.getVariablesSet().isEmpty()) {
            int sides = join.getJoinType().projectsRight() ? 2 : 1;
            for (int side = 0; side < sides; side++) {
                List<Integer> longer = new ArrayList<>(path);
                longer.add(side);
                places(join.getInput(side), List.copyOf(longer), into);
            }
        }
    }

    /**
     * A node with the leaf of groups in place of that of tuples.
     *
     * @param columns by column of the node before, its column now; -1 for one that is no longer there
     * @param partials column of the first of what is computed of groups
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Rebuilt(RelNode node, int[] columns, int partials) {}

    private Made made(LeafNode leaf) throws NotPushed {
        List<Value> values = new ArrayList<>();
        ImmutableBitSet.Builder looked = ImmutableBitSet.builder().addAll(aggregate.getGroupSet());
        for (AggregateCall call : aggregate.getAggCallList()) {
            Value value = value(call);
            values.add(value);
            boolean ofLeaf = value.partial() != null && value.partial().column() >= 0;
            if (!ofLeaf) {
                looked.addAll(call.getArgList());
            }
            if (call.filterArg >= 0) {
                looked.set(call.filterArg);
            }
        }
        TreeSet<Integer> keys = new TreeSet<>();
        collect(aggregate.getInput(), 0, looked.build(), keys);
        if (keys.isEmpty()) {
            // Such a group is there even without a tuple.
            throw new NotPushed("groups of nothing");
        }
        List<PartialLeaf.Value> partials = new ArrayList<>();
        for (Value value : values) {
            if (value.partial() != null && !partials.contains(value.partial())) {
                partials.add(value.partial());
            }
        }
        LeafNode groups = PartialLeaf.of(leaf, List.copyOf(keys), partials);
        int[] columns = new int[leaf.getRowType().getFieldCount()];
        Arrays.fill(columns, -1);
        int next = 0;
        for (int key : keys) {
            columns[key] = next++;
        }
        Rebuilt below = rebuilt(aggregate.getInput(), 0, new Rebuilt(groups, columns, next), partials.size());
        boolean narrow = leaf.leaf().where() != null || leaf.leaf().shape() != null;
        return new Made(merged(below, values, partials), narrow, keys.size());
    }

    /**
     * How a call is merged.
     *
     * @param partial what it needs of the leaf; null when it is of another column alone
     */
    private record Value(SqlAggFunction merge, PartialLeaf.@Nullable Value partial) {}

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
        int argument = call.getArgList().isEmpty() ? -1 : call.getArgList().get(0);
        int column = argument < 0 ? -1 : origin(aggregate.getInput(), 0, argument);
        return switch (call.getAggregation().getName().toUpperCase(Locale.ROOT)) {
            case "COUNT" ->
                new Value(
                        SqlStdOperatorTable.SUM0,
                        column < 0
                                ? new PartialLeaf.Value(PartialLeaf.Function.ALL, -1)
                                : new PartialLeaf.Value(PartialLeaf.Function.COUNT, column));
            case "SUM", "$SUM0" -> {
                if (column < 0) {
                    throw new NotPushed("a sum of another side");
                }
                yield new Value(call.getAggregation(), new PartialLeaf.Value(PartialLeaf.Function.SUM, column));
            }
            case "MIN" -> least(call, PartialLeaf.Function.MIN, column);
            case "MAX" -> least(call, PartialLeaf.Function.MAX, column);
            default -> throw new NotPushed(call.getAggregation().getName() + " in parts");
        };
    }

    private static Value least(AggregateCall call, PartialLeaf.Function function, int column) {
        return new Value(call.getAggregation(), column < 0 ? null : new PartialLeaf.Value(function, column));
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

    /** @param count of what is computed of groups */
    private Rebuilt rebuilt(RelNode node, int depth, Rebuilt leaf, int count) {
        if (node instanceof LeafNode) {
            return leaf;
        } else if (node instanceof Project project) {
            Rebuilt input = rebuilt(project.getInput(), depth, leaf, count);
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
            for (int p = 0; p < count; p++) {
                shown.add(RexInputRef.of(input.partials() + p, input.node().getRowType()));
                names.add("partial" + p);
            }
            return new Rebuilt(
                    LogicalProject.create(input.node(), List.of(), shown, names, project.getVariablesSet()),
                    columns,
                    first);
        } else if (node instanceof Join join) {
            return rebuilt(join, depth, leaf, count);
        }
        Filter filter = (Filter) node;
        Rebuilt input = rebuilt(filter.getInput(), depth, leaf, count);
        RelNode same = filter.copy(filter.getTraitSet(), input.node(), moved(filter.getCondition(), input.columns()));
        return new Rebuilt(same, input.columns(), input.partials());
    }

    private Rebuilt rebuilt(Join join, int depth, Rebuilt leaf, int count) {
        int side = path.get(depth);
        int left = join.getLeft().getRowType().getFieldCount();
        Rebuilt input = rebuilt(join.getInput(side), depth + 1, leaf, count);
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
        return new Rebuilt(same, columns, input.partials() + (side == 0 ? 0 : newLeft));
    }

    private static RexNode moved(RexNode node, int[] columns) {
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
        List<AggregateCall> before = aggregate.getAggCallList();
        List<List<Integer>> arguments = new ArrayList<>();
        List<Integer> filters = new ArrayList<>();
        for (int v = 0; v < values.size(); v++) {
            arguments.add(List.of(columns.size()));
            columns.add(argument(before.get(v), values.get(v), below, partials, rex));
            filters.add(before.get(v).filterArg < 0 ? -1 : columns.size());
            if (before.get(v).filterArg >= 0) {
                columns.add(RexInputRef.of(below.columns()[before.get(v).filterArg], row));
            }
        }
        RelNode input = LogicalProject.create(below.node(), List.of(), columns, (List<String>) null, Set.of());
        List<AggregateCall> calls = new ArrayList<>();
        for (int v = 0; v < values.size(); v++) {
            AggregateCall call = before.get(v);
            calls.add(AggregateCall.create(
                    SqlParserPos.ZERO,
                    values.get(v).merge(),
                    false,
                    false,
                    false,
                    List.of(),
                    arguments.get(v),
                    filters.get(v),
                    null,
                    call.getCollation(),
                    groups == 0,
                    input,
                    null,
                    call.getName()));
        }
        ImmutableBitSet by = ImmutableBitSet.range(groups);
        RelNode made = LogicalAggregate.create(input, List.of(), by, List.of(by), calls);
        return RelOptUtil.createCastRel(made, aggregate.getRowType(), true);
    }

    private static RexNode argument(
            AggregateCall call, Value value, Rebuilt below, List<PartialLeaf.Value> partials, RexBuilder rex) {
        RelDataType row = below.node().getRowType();
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
