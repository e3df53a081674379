package io.waterwheel.sql.leaf;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.Field;
import io.waterwheel.tuple.TupleBlock;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.logical.LogicalFilter;
import org.apache.calcite.rel.logical.LogicalProject;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexOver;
import org.apache.calcite.rex.RexShuttle;
import org.apache.calcite.rex.RexUtil;
import org.apache.calcite.schema.TransientTable;
import org.jspecify.annotations.Nullable;

/**
 * Takes operators into the leaves below them, from the leaves up, as long as the engine answers them as SQL says. Made
 * for one plan.
 */
public final class LeafPushdown {
    /**
     * Rows of a page, with those before it, that the engine sorts where it need not: it holds an ordered answer in
     * memory, and DuckDB spills one to disk.
     */
    private static final int MOST_PAGED = 10_000;

    /** Bytes of such rows, were each value as long as any is: half of what the engine holds to order rows. */
    private static final long MOST_PAGED_BYTES = 64L << 20;

    /** Of the text of a number, a time, an address or a UUID, or of any value that is no text; about. */
    private static final int SHORT_VALUE_BYTES = 64;

    /** By name of the function, as {@link #notFewer} says. */
    private final Map<String, String> notFewer = new HashMap<>();

    private final IdentityHashMap<RelNode, RelNode> pushed = new IdentityHashMap<>();
    private final boolean pushes;

    /** @param pushes whether leaves take more than the streams themselves */
    public LeafPushdown(boolean pushes) {
        this.pushes = pushes;
    }

    /** Why a function that asks for fewer tuples of a series is not in a leaf; null where it is, or nothing does. */
    public @Nullable String notFewer(@Nullable String function) {
        return function == null ? null : notFewer.get(function.toUpperCase(Locale.ROOT));
    }

    /** The same plan with as much in leaves as can be. Each operator is looked at once. */
    public RelNode push(RelNode node) {
        RelNode known = pushed.get(node);
        if (known == null) {
            known = pushedAnew(node);
            pushed.put(node, known);
        }
        return known;
    }

    private RelNode pushedAnew(RelNode node) {
        if (node instanceof TableScan scan) {
            SystemRelation system = scan.getTable().unwrap(SystemRelation.class);
            if (system != null) {
                return new SystemNode(scan.getCluster(), system, scan.getRowType());
            }
            if (scan.getTable().unwrap(TransientTable.class) != null) {
                return scan; // rows of the step before, of a recursion
            }
            StreamTable table = scan.getTable().unwrap(StreamTable.class);
            if (table == null) {
                throw new IllegalStateException("a table that is no stream: " + scan);
            }
            return new LeafNode(scan.getCluster(), table.leaf(), scan.getRowType());
        }
        if (!pushes) {
            List<RelNode> whole = node.getInputs().stream().map(this::push).toList();
            return node.copy(node.getTraitSet(), whole);
        }
        RelNode newest = newest(node);
        if (newest != null) {
            return newest;
        }
        RelNode fewer = node instanceof Filter filter ? fewer(filter) : null;
        if (fewer != null) {
            return fewer;
        }
        RelNode grouped = node instanceof Aggregate aggregate ? groups(aggregate) : null;
        if (grouped != null) {
            return grouped;
        }
        List<RelNode> inputs = new ArrayList<>();
        for (RelNode input : node.getInputs()) {
            inputs.add(push(input));
        }
        RelNode same = inputs.equals(node.getInputs()) ? node : node.copy(node.getTraitSet(), inputs);
        if (inputs.size() != 1 || !(inputs.get(0) instanceof LeafNode below)) {
            return same;
        }
        try {
            RelNode taken = taken(same, below);
            return taken == null ? same : taken;
        } catch (NotPushed | WaterwheelException | IllegalArgumentException e) {
            return same;
        }
    }

    private @Nullable RelNode taken(RelNode node, LeafNode below) throws NotPushed {
        RexBuilder rex = node.getCluster().getRexBuilder();
        if (node instanceof Filter filter) {
            return filtered(filter, below, rex);
        } else if (node instanceof Project project) {
            return projected(project, below, rex);
        } else if (node instanceof Sort sort) {
            return sorted(sort, below);
        }
        return null;
    }

    private static LeafNode checked(LeafNode node) {
        node.leaf().require();
        return node;
    }

    /** A filter: what of its terms the engine takes is in the leaf, the rest stays above it. */
    private @Nullable RelNode filtered(Filter filter, LeafNode below, RexBuilder rex) throws NotPushed {
        Leaf leaf = below.leaf();
        boolean groups = leaf.what() instanceof Leaf.Groups;
        if (leaf.ordered() || !(leaf.plain() || groups)) {
            return null;
        } else if (leaf.what() instanceof Leaf.Groups filled && filled.fill() != null) {
            throw new NotPushed("a condition on groups with filled gaps");
        }
        ConditionTranslator translator = ConditionTranslator.of(leaf, rex);
        List<RexNode> rest = new ArrayList<>();
        NotPushed why = null;
        Leaf taken = leaf;
        for (RexNode term : RelOptUtil.conjunctions(filter.getCondition())) {
            try {
                Leaf shaped = groups ? null : new ShapeCondition(leaf, translator, rex).push(term);
                leaf = shaped == null ? with(leaf, translator.translate(term)) : shaped;
                leaf.require();
                taken = leaf;
            } catch (NotPushed e) {
                why = e;
                rest.add(term);
                leaf = taken;
            } catch (WaterwheelException | IllegalArgumentException e) {
                why = new NotPushed(String.valueOf(e.getMessage()));
                rest.add(term);
                leaf = taken;
            }
        }
        if (why == null) {
            return checked(below.with(leaf, filter.getRowType()));
        }
        if (rest.size() == RelOptUtil.conjunctions(filter.getCondition()).size()) {
            throw why;
        }
        return LogicalFilter.create(
                checked(below.with(leaf, filter.getInput().getRowType())), RexUtil.composeConjunction(rex, rest));
    }

    private static Leaf with(Leaf leaf, Expression condition) {
        new ExpressionTypes(leaf.fields()).requireCondition(condition);
        if (leaf.what() instanceof Leaf.Groups groups) {
            return leaf.withWhat(groups.withHaving(Conditions.and(groups.having(), condition)), leaf.columns());
        }
        return leaf.withWhere(Conditions.and(leaf.where(), condition), leaf.shape());
    }

    /** A project: columns that are computed of tuples, or another order of those of groups. */
    private @Nullable RelNode projected(Project project, LeafNode below, RexBuilder rex) throws NotPushed {
        Leaf leaf = below.leaf();
        Leaf filled = GapFill.of(project, leaf);
        if (filled != null) {
            return checked(below.with(filled, project.getRowType()));
        }
        boolean computes = leaf.what() instanceof Leaf.Tuples || leaf.what() instanceof Leaf.Plot;
        ConditionTranslator translator = ConditionTranslator.of(leaf, rex);
        List<Expression> columns = new ArrayList<>();
        NotPushed why = null;
        for (RexNode node : project.getProjects()) {
            try {
                boolean plain = node instanceof RexInputRef;
                Expression value = translator.translate(node);
                if (value instanceof Expression.Null || !(plain || computes)) {
                    throw new NotPushed("a value that is computed of groups");
                }
                columns.add(value);
            } catch (NotPushed e) {
                why = e;
            }
        }
        if (why == null) {
            return checked(below.with(leaf.withColumns(columns), project.getRowType()));
        }
        RelNode narrowed = narrowed(project, below, rex);
        if (narrowed == null) {
            throw why;
        }
        return narrowed;
    }

    /** The project above a leaf of no more columns than it needs; null when it needs all. */
    private static @Nullable RelNode narrowed(Project project, LeafNode below, RexBuilder rex) {
        Set<Integer> used = used(project.getProjects());
        if (used.size() == below.leaf().columns().size() || used.isEmpty()) {
            return null;
        }
        List<Integer> kept = List.copyOf(used);
        List<Expression> columns = new ArrayList<>();
        RelDataTypeFactory.Builder row = project.getCluster().getTypeFactory().builder();
        for (int column : kept) {
            columns.add(below.leaf().columns().get(column));
            row.add(below.getRowType().getFieldList().get(column));
        }
        RelDataType type = row.build();
        LeafNode narrow = below.with(below.leaf().withColumns(columns), type);
        List<RexNode> moved = moved(project.getProjects(), narrow, kept, rex);
        return LogicalProject.create(narrow, List.of(), moved, project.getRowType(), project.getVariablesSet());
    }

    private static Set<Integer> used(Collection<RexNode> nodes) {
        return new TreeSet<>(
                RelOptUtil.InputFinder.bits(List.copyOf(nodes), null).asList());
    }

    /**
     * A sort. With an offset the leaf has the rows up to the last that is wanted, and the sort stays above it: it drops
     * those before the first.
     */
    private @Nullable RelNode sorted(Sort sort, LeafNode below) throws NotPushed {
        Leaf leaf = below.leaf();
        if (leaf.limit() != Query.NO_LIMIT || leaf.what() instanceof Leaf.Newest) {
            return null;
        }
        long offset = sort.offset == null ? 0 : count(sort.offset, "an OFFSET");
        long limit = sort.fetch == null ? Query.NO_LIMIT : count(sort.fetch, "a LIMIT");
        if (leaf.what() instanceof Leaf.Plot plot) {
            return offset == 0 && isOrderOfSeries(sort, plot, leaf, below.getRowType())
                    ? checked(below.with(leaf.withOrder(List.of(), limit), sort.getRowType()))
                    : null;
        }
        long most = mostPaged(leaf);
        boolean few = offset <= most && limit <= most && limit + offset <= most;
        if (offset > 0 && !few) {
            throw new NotPushed("OFFSET without a LIMIT, or beyond row " + most);
        }
        List<Leaf.By> orders = new ArrayList<>();
        for (RelFieldCollation by : sort.getCollation().getFieldCollations()) {
            Expression value = leaf.columns().get(by.getFieldIndex());
            if (orders.stream().anyMatch(one -> one.value().equals(value))) {
                continue;
            }
            if (ordersNullsOtherwise(by, below.getRowType())) {
                if (!(leaf.what() instanceof Leaf.Tuples) || !few) {
                    throw new NotPushed("NULLS " + by.nullDirection
                            + " of such an order of groups, or without a LIMIT of at most " + most);
                }
                // False comes before true, and so all values before nulls; descending it is the other way round.
                orders.add(new Leaf.By(new Expression.IsNull(value, false), by.direction.isDescending()));
            }
            orders.add(new Leaf.By(value, by.direction.isDescending()));
        }
        // Equal ones keep no order that was asked for below.
        if (orders.isEmpty()) {
            orders = leaf.orders();
        }
        if (offset == 0) {
            return checked(below.with(leaf.withOrder(orders, limit), sort.getRowType()));
        }
        LeafNode first = checked(below.with(leaf.withOrder(orders, limit + offset), below.getRowType()));
        return sort.copy(sort.getTraitSet(), first, sort.getCollation(), sort.offset, sort.fetch);
    }

    /**
     * Whether the engine has the tuples of series in this order: by what makes a series, then by time. Of what has one
     * value in all tuples, no order is asked.
     */
    private static boolean isOrderOfSeries(Sort sort, Leaf.Plot plot, Leaf leaf, RelDataType row) {
        List<Expression> order = new ArrayList<>();
        for (String field : plot.by()) {
            if (!isOne(leaf, field)) {
                order.add(new Expression.FieldValue(field));
            }
        }
        order.add(new Expression.FieldValue(leaf.schema().timeField()));
        List<RelFieldCollation> wanted = new ArrayList<>(sort.getCollation().getFieldCollations());
        wanted.removeIf(by -> plot.by().stream()
                .anyMatch(field -> isOne(leaf, field)
                        && leaf.columns().get(by.getFieldIndex()).equals(new Expression.FieldValue(field))));
        boolean same = wanted.size() <= order.size();
        for (int i = 0; same && i < wanted.size(); i++) {
            RelFieldCollation by = wanted.get(i);
            same = !by.direction.isDescending()
                    && !ordersNullsOtherwise(by, row)
                    && leaf.columns().get(by.getFieldIndex()).equals(order.get(i));
        }
        return same;
    }

    /** Whether a condition gives a field one value. Doubles that are equal may be two, by their signs. */
    private static boolean isOne(Leaf leaf, String name) {
        Expression where = leaf.where();
        Field field = leaf.schema().fields().get(leaf.schema().indexOf(name));
        if (where == null || (field.type().isNumber() && !field.type().isWholeNumber())) {
            return false;
        }
        List<? extends Expression> terms = where instanceof Expression.And and ? and.terms() : List.of(where);
        return terms.stream()
                .anyMatch(term -> term instanceof Expression.Comparison comparison
                        && comparison.operator() == Expression.Comparison.Relation.EQUAL
                        && (comparison.left().equals(new Expression.FieldValue(name))
                                || comparison.left().equals(ConditionTranslator.read(field)))
                        && comparison.right() instanceof Expression.Literal);
    }

    /** Rows of a page that are within both bounds, whatever their texts are. */
    private static long mostPaged(Leaf leaf) {
        ExpressionTypes types = new ExpressionTypes(leaf.fields());
        long bytes = 0;
        for (Expression column : leaf.columns()) {
            ValueType type = types.typeOf(column);
            boolean isLong = type == ValueType.BYTES || (type == ValueType.STRING && !isShort(column, types));
            bytes += isLong ? TupleBlock.MAX_VALUE_BYTES : SHORT_VALUE_BYTES;
        }
        return Math.min(MOST_PAGED, MOST_PAGED_BYTES / Math.max(1, bytes));
    }

    private static boolean isShort(Expression text, ExpressionTypes types) {
        return text instanceof Expression.Cast cast && types.typeOf(cast.operand()) != ValueType.STRING;
    }

    /** Whether nulls stand elsewhere than the engine has them: before all values, last when descending. */
    private static boolean ordersNullsOtherwise(RelFieldCollation by, RelDataType row) {
        RelFieldCollation.NullDirection engines = by.direction.isDescending()
                ? RelFieldCollation.NullDirection.LAST
                : RelFieldCollation.NullDirection.FIRST;
        return row.getFieldList().get(by.getFieldIndex()).getType().isNullable()
                && by.nullDirection != engines
                && by.nullDirection != RelFieldCollation.NullDirection.UNSPECIFIED;
    }

    /** A number of rows that is written. */
    public static long count(RexNode rows, String what) throws NotPushed {
        BigDecimal count = rows instanceof RexLiteral literal ? literal.getValueAs(BigDecimal.class) : null;
        if (count == null) {
            throw new NotPushed(what + " that is computed");
        }
        try {
            return count.longValueExact();
        } catch (ArithmeticException e) {
            throw new NotPushed(
                    what + " of " + count.toPlainString() + ", expected a whole number of at most " + Long.MAX_VALUE);
        }
    }

    /**
     * An aggregate of tuples, with the project below it that computes what it needs; null when it is none of a leaf.
     */
    private @Nullable RelNode groups(Aggregate aggregate) {
        RexBuilder rex = aggregate.getCluster().getRexBuilder();
        RelNode input = aggregate.getInput();
        List<RexNode> projects = input instanceof Project project && !RexOver.containsOver(project.getProjects(), null)
                ? project.getProjects()
                : null;
        RelNode below = push(projects == null ? input : input.getInput(0));
        if (!(below instanceof LeafNode node) || !node.leaf().plain()) {
            return null;
        }
        try {
            Leaf groups = new GroupPushdown(node.leaf(), projects, rex).push(aggregate);
            return checked(node.with(groups, aggregate.getRowType()));
        } catch (NotPushed | WaterwheelException | IllegalArgumentException e) {
            return null;
        }
    }

    /**
     * The newest of each key, below the project that leaves their numbers out, and below those terms of the filter that
     * are of the newest alone; null for anything else.
     */
    private @Nullable RelNode newest(RelNode node) {
        if (!(node instanceof Project above)
                || !(above.getInput() instanceof Filter filter)
                || !(filter.getInput() instanceof Project project)
                || !RexOver.containsOver(project.getProjects(), null)
                || DownsamplingPattern.isIn(project)) {
            return null;
        }
        RelNode below = push(project.getInput());
        if (!(below instanceof LeafNode leafNode)) {
            return null;
        }
        List<RexNode> terms = RelOptUtil.conjunctions(filter.getCondition());
        for (int t = 0; t < terms.size(); t++) {
            List<RexNode> others = new ArrayList<>(terms);
            RexNode term = others.remove(t);
            List<RexNode> users = new ArrayList<>(above.getProjects());
            users.addAll(others);
            List<Integer> used = List.copyOf(used(users));
            Leaf leaf = NewestPattern.of(term, project, leafNode.leaf(), used);
            if (leaf != null) {
                return newest(above, others, leafNode, leaf, used);
            }
        }
        return null;
    }

    /** Fewer tuples of each series, below those terms of the filter that are of these; null for anything else. */
    private @Nullable RelNode fewer(Filter filter) {
        if (!(filter.getInput() instanceof Project project)
                || !DownsamplingPattern.isIn(project)
                || !(push(project.getInput()) instanceof LeafNode below)) {
            return null;
        }
        RexBuilder rex = filter.getCluster().getRexBuilder();
        List<RexNode> terms = RelOptUtil.conjunctions(filter.getCondition());
        for (int t = 0; t < terms.size(); t++) {
            List<RexNode> others = new ArrayList<>(terms);
            RexNode term = others.remove(t);
            try {
                Leaf leaf = DownsamplingPattern.of(term, project, below.leaf(), rex);
                if (leaf != null) {
                    LeafNode kept = checked(below.with(leaf, filter.getRowType()));
                    return others.isEmpty()
                            ? kept
                            : LogicalFilter.create(kept, RexUtil.composeConjunction(rex, others));
                }
            } catch (NotPushed | WaterwheelException | IllegalArgumentException e) {
                String function = DownsamplingPattern.function(term, project);
                if (function != null) {
                    notFewer.putIfAbsent(function, String.valueOf(e.getMessage()));
                }
                return null;
            }
        }
        return null;
    }

    /**
     * What a project shows of the newest.
     *
     * @param conditions on the newest
     * @param used columns of the leaf
     */
    private @Nullable RelNode newest(
            Project above, List<RexNode> conditions, LeafNode node, Leaf leaf, List<Integer> used) {
        boolean plain = conditions.isEmpty() && above.getProjects().stream().allMatch(RexInputRef.class::isInstance);
        if (plain) {
            List<Expression> columns = new ArrayList<>();
            above.getProjects().forEach(shown -> columns.add(leaf.columns().get(((RexInputRef) shown).getIndex())));
            return checked(node.with(leaf.withColumns(columns), above.getRowType()));
        }
        if (used.isEmpty()) {
            return null;
        }
        RexBuilder rex = above.getCluster().getRexBuilder();
        RelDataTypeFactory.Builder row = above.getCluster().getTypeFactory().builder();
        List<Expression> columns = new ArrayList<>();
        for (int column : used) {
            columns.add(leaf.columns().get(column));
            row.add(above.getInput().getRowType().getFieldList().get(column));
        }
        LeafNode narrow = checked(node.with(leaf.withColumns(columns), row.build()));
        RelNode filtered = conditions.isEmpty()
                ? narrow
                : LogicalFilter.create(narrow, RexUtil.composeConjunction(rex, moved(conditions, narrow, used, rex)));
        return LogicalProject.create(
                filtered,
                List.of(),
                moved(above.getProjects(), narrow, used, rex),
                above.getRowType(),
                above.getVariablesSet());
    }

    /** Expressions over some columns as those over a node of these columns alone. */
    private static List<RexNode> moved(List<RexNode> nodes, LeafNode narrow, List<Integer> kept, RexBuilder rex) {
        List<RexNode> moved = new ArrayList<>();
        for (RexNode node : nodes) {
            moved.add(node.accept(new RexShuttle() {
                @Override
                public RexNode visitInputRef(RexInputRef input) {
                    return rex.makeInputRef(narrow, kept.indexOf(input.getIndex()));
                }
            }));
        }
        return moved;
    }
}
