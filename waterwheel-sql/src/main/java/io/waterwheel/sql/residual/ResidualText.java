package io.waterwheel.sql.residual;

import io.waterwheel.sql.ResidualPlan;
import io.waterwheel.sql.leaf.Leaf;
import io.waterwheel.sql.leaf.LeafNode;
import io.waterwheel.sql.leaf.LeafPushdown;
import io.waterwheel.sql.leaf.MixedNumbers;
import io.waterwheel.sql.leaf.NotPushed;
import io.waterwheel.sql.leaf.SystemNode;
import io.waterwheel.sql.leaf.SystemRelation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelFieldCollation;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Aggregate;
import org.apache.calcite.rel.core.AsofJoin;
import org.apache.calcite.rel.core.Correlate;
import org.apache.calcite.rel.core.Filter;
import org.apache.calcite.rel.core.Intersect;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rel.core.Minus;
import org.apache.calcite.rel.core.Project;
import org.apache.calcite.rel.core.RepeatUnion;
import org.apache.calcite.rel.core.SetOp;
import org.apache.calcite.rel.core.Sort;
import org.apache.calcite.rel.core.TableScan;
import org.apache.calcite.rel.core.TableSpool;
import org.apache.calcite.rel.core.Values;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexCall;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.jspecify.annotations.Nullable;

/**
 * What lies above the leaves of a plan as a SELECT of DuckDB: one sub-select an operator, or a join and what is
 * selected of it, whose columns are called c0, c1 and so on. It is made by ourselves, not by Calcite's own translation,
 * so that each operator and function that is let through is one whose meaning was compared. Made for one plan.
 */
final class ResidualText {
    private final Map<Leaf, Integer> leaves = new LinkedHashMap<>();
    private final Map<Leaf, Integer> uses = new HashMap<>();
    private final List<SystemRelation> systems = new ArrayList<>();
    private final Set<String> files = new TreeSet<>();
    private final ResidualRegions regions = new ResidualRegions();
    private final Set<RelNode> apart;
    private final boolean finite;

    /**
     * The table of the rows that the step before has made.
     *
     * @param type of all rows
     */
    private record Step(String table, RelDataType type) {}

    /** By name of WITH RECURSIVE, that of the one whose step is written. */
    private final Map<String, Step> steps = new HashMap<>();

    private int recursions;

    /** By node its SELECT, in the order of the numbers. */
    private final Map<RelNode, String> sides = new LinkedHashMap<>();

    /**
     * No text yet.
     *
     * @param apart what becomes a table of its own where it is an input of a join
     * @param finite whether all doubles of leaves are, and no sum of them is infinite
     */
    ResidualText(Set<RelNode> apart, boolean finite) {
        this.apart = apart;
        this.finite = finite;
    }

    /** SELECTs of the sides, in the order of their numbers. */
    List<String> sides() {
        return List.copyOf(sides.values());
    }

    /** The table of a leaf or a side; null where the text has none. */
    @Nullable
    String name(RelNode node) {
        if (node instanceof LeafNode leaf) {
            Integer number = leaves.get(leaf.leaf());
            return number == null ? null : ResidualPlan.table(number);
        }
        int number = List.copyOf(sides.keySet()).indexOf(node);
        return number < 0 ? null : ResidualPlan.sideTable(number);
    }

    /** SELECTs of the tables of regions, in the order of their numbers. */
    List<String> regions() {
        return regions.selects();
    }

    /** The leaves in the order of their numbers. */
    List<Leaf> leaves() {
        return List.copyOf(leaves.keySet());
    }

    /** The system tables in the order of their numbers. */
    List<SystemRelation> systems() {
        return List.copyOf(systems);
    }

    /** Paths of the files that the text reads. */
    List<String> files() {
        return List.copyOf(files);
    }

    private String table(SystemRelation system) {
        if (system.file() != null && system.select() != null) {
            files.add(system.file());
            return "(" + system.select() + ") AS t";
        }
        int number = systems.indexOf(system);
        if (number < 0) {
            number = systems.size();
            systems.add(system);
        }
        return ResidualPlan.systemTable(number);
    }

    /** The number of a leaf that the text names. */
    int number(Leaf leaf) {
        return Objects.requireNonNull(leaves.get(leaf));
    }

    /** How often the text names a leaf. */
    int uses(Leaf leaf) {
        return uses.getOrDefault(leaf, 0);
    }

    /** The table of a leaf; equal ones have one. */
    private String table(Leaf leaf) {
        uses.merge(leaf, 1, Integer::sum);
        return ResidualPlan.table(leaves.computeIfAbsent(leaf, unused -> leaves.size()));
    }

    /**
     * The SELECT of a whole plan, whose columns are such as {@link ResidualPlan#text} says. Only the outermost SELECT
     * keeps an order, so what it selects is converted there.
     */
    String answer(RelNode root) throws NotPushed {
        Project project = root instanceof Project top ? top : null;
        RelNode below = project == null ? root : project.getInput();
        Sort sort = below instanceof Sort ordered ? ordered : null;
        if (project != null && project.containsOver()) {
            // The window is one over the rows that the order leaves.
            sort = null;
        }
        ResidualExpressions expressions = new ResidualExpressions(rex(root), ResidualText::input, regions);
        List<String> columns = new ArrayList<>();
        for (RelDataTypeField field : root.getRowType().getFieldList()) {
            int c = field.getIndex();
            String value = sort != null && project != null
                    ? expressions.of(project.getProjects().get(c))
                    : input(c);
            columns.add(converted(value, field.getType()));
        }
        if (sort != null) {
            return "SELECT " + named(columns) + " FROM " + from(sort.getInput()) + " AS t" + order(sort);
        }
        return "SELECT " + named(columns) + " FROM " + from(root) + " AS t";
    }

    private static String converted(String value, RelDataType type) throws NotPushed {
        String typed = "CAST(" + value + " AS " + ResidualExpressions.type(type) + ")";
        return switch (ResidualExpressions.type(type)) {
            case "TIMESTAMP_MS" -> "epoch_ms(" + typed + ")";
            case "TIMESTAMP" -> "epoch_us(" + typed + ")";
            case "TIMESTAMP_NS" -> "epoch_ns(" + typed + ")";
            case "BLOB" -> "to_base64(" + typed + ")";
            default -> typed;
        };
    }

    /** A SELECT. */
    String select(RelNode node) throws NotPushed {
        if (node instanceof LeafNode leaf) {
            return "SELECT * FROM " + table(leaf.leaf());
        } else if (node instanceof SystemNode system) {
            return "SELECT * FROM " + table(system.table());
        } else if (node instanceof Project project) {
            return project(project);
        } else if (node instanceof Filter filter) {
            RexBuilder rex = rex(node);
            return "SELECT * FROM " + from(filter.getInput()) + " AS t WHERE "
                    + new ResidualExpressions(rex, ResidualText::input, regions).of(filter.getCondition());
        } else if (node instanceof Join join) {
            return join(join, null);
        } else if (node instanceof Correlate correlate) {
            return forEach(correlate);
        } else if (node instanceof Aggregate aggregate) {
            return aggregate(aggregate);
        } else if (node instanceof Sort sort) {
            return "SELECT * FROM " + from(sort.getInput()) + " AS t" + order(sort);
        } else if (node instanceof SetOp set) {
            return set(set);
        } else if (node instanceof Values values) {
            return values(values);
        } else if (node instanceof RepeatUnion union) {
            return recursive(union);
        } else if (node instanceof TableSpool spool) {
            return select(spool.getInput());
        } else if (node instanceof TableScan scan) {
            return "SELECT * FROM " + step(scan);
        }
        throw new NotPushed(node.getRelTypeName().replace("Logical", ""));
    }

    private String aggregate(Aggregate aggregate) throws NotPushed {
        ResidualAggregates.Text text = ResidualAggregates.of(aggregate, finite);
        // DuckDB has no row for a row of the outer query that nothing matches, where a join stands above the
        // aggregate; it has one where something is counted.
        boolean counted = aggregate.getGroupSet().isEmpty()
                && !RelOptUtil.getVariablesUsed(aggregate).isEmpty();
        return "SELECT " + named(text.columns()) + " FROM " + from(aggregate.getInput()) + " AS t" + text.groupBy()
                + (counted ? " HAVING count(*) >= 0" : "");
    }

    private static RexBuilder rex(RelNode node) {
        return node.getCluster().getRexBuilder();
    }

    private static String input(int column) {
        return "t.c" + column;
    }

    private String from(RelNode node) throws NotPushed {
        if (node instanceof LeafNode leaf) {
            return table(leaf.leaf());
        } else if (!apart.contains(node)) {
            return "(" + select(node) + ")";
        }
        if (!sides.containsKey(node)) {
            sides.put(node, select(node));
        }
        return Objects.requireNonNull(name(node));
    }

    /** Each with its name; a row without columns has one that is not looked at. */
    private static String named(List<String> columns) {
        List<String> named = new ArrayList<>();
        for (int c = 0; c < columns.size(); c++) {
            named.add(columns.get(c) + " AS c" + c);
        }
        return named.isEmpty() ? "1 AS nothing" : String.join(", ", named);
    }

    /** A project, with the order below it: a SELECT keeps the order of its own ORDER BY alone. */
    private String project(Project project) throws NotPushed {
        if (project.getInput() instanceof Join join && !apart.contains(join)) {
            return join(join, project.getProjects());
        }
        Sort sort = project.getInput() instanceof Sort below ? below : null;
        ResidualExpressions expressions = new ResidualExpressions(rex(project), ResidualText::input, regions);
        List<String> columns = expressions.of(project.getProjects());
        RelNode input = sort == null ? project.getInput() : sort.getInput();
        boolean window = project.containsOver();
        if (sort != null && window && (sort.fetch != null || sort.offset != null)) {
            // The window is one over the rows that are left.
            return "SELECT " + named(columns) + " FROM " + from(sort) + " AS t";
        }
        return "SELECT " + named(columns) + " FROM " + from(input) + " AS t" + (sort == null ? "" : order(sort));
    }

    private static String order(Sort sort) throws NotPushed {
        StringBuilder text = new StringBuilder();
        List<String> keys = new ArrayList<>();
        for (RelFieldCollation key : sort.getCollation().getFieldCollations()) {
            boolean descending = key.direction.isDescending();
            keys.add(input(key.getFieldIndex())
                    + (descending ? " DESC" : " ASC")
                    + ResidualWindows.nulls(key.nullDirection, descending));
        }
        if (!keys.isEmpty()) {
            text.append(" ORDER BY ").append(String.join(", ", keys));
        }
        if (sort.fetch != null) {
            text.append(" LIMIT ").append(count(sort.fetch));
        } else if (sort.offset == null) {
            // DuckDB's threads hand out rows of an order as they have them, unless it keeps the order of all there is
            // (preserve_insertion_order), or a limit keeps that of the answer.
            text.append(" LIMIT ").append(Long.MAX_VALUE);
        }
        if (sort.offset != null) {
            text.append(" OFFSET ").append(count(sort.offset));
        }
        return text.toString();
    }

    private static long count(RexNode node) throws NotPushed {
        return LeafPushdown.count(node, "a LIMIT or an OFFSET");
    }

    /**
     * A join with what is selected of it, in one SELECT: a sub-select names all columns again, and the text's length
     * tells in the time that DuckDB takes to prepare it.
     *
     * @param selected of its columns; null for all
     */
    private String join(Join join, @Nullable List<RexNode> selected) throws NotPushed {
        int left = join.getLeft().getRowType().getFieldCount();
        int right = join.getRight().getRowType().getFieldCount();
        ResidualExpressions expressions = new ResidualExpressions(
                rex(join), column -> column < left ? "l.c" + column : "r.c" + (column - left), regions);
        String kind =
                switch (join.getJoinType()) {
                    case INNER -> "JOIN";
                    case LEFT -> "LEFT JOIN";
                    case RIGHT -> "RIGHT JOIN";
                    case FULL -> "FULL JOIN";
                    case SEMI -> "SEMI JOIN";
                    case ANTI -> "ANTI JOIN";
                    case ASOF -> "ASOF JOIN";
                    case LEFT_ASOF -> "ASOF LEFT JOIN";
                    default -> throw new NotPushed(join.getJoinType() + " JOIN");
                };
        String byRegions = new ResidualRegionJoin(join, regions, this::from).text();
        if (byRegions != null) {
            return selected == null
                    ? byRegions
                    : "SELECT " + named(new ResidualExpressions(rex(join), ResidualText::input, regions).of(selected))
                            + " FROM (" + byRegions + ") AS t";
        }
        String on = expressions.of(join.getCondition());
        if (join instanceof AsofJoin asof) {
            requireAlike(join.getCondition());
            requireAlike(asof.getMatchCondition());
            on = "(" + on + ") AND " + expressions.of(asof.getMatchCondition());
        }
        List<String> columns = selected == null
                ? columns("l", left, join.getJoinType().projectsRight() ? right : 0)
                : expressions.of(selected);
        return "SELECT " + named(columns) + " FROM " + from(join.getLeft()) + " AS l " + kind + " "
                + from(join.getRight()) + " AS r ON " + on;
    }

    /** Columns of two sides, the right one called r. */
    private static List<String> columns(String name, int left, int right) {
        List<String> columns = new ArrayList<>();
        for (int c = 0; c < left; c++) {
            columns.add(name + ".c" + c);
        }
        for (int c = 0; c < right; c++) {
            columns.add("r.c" + c);
        }
        return columns;
    }

    /** A sub-query that is asked for each row of the other side, which has a name of its own in it. */
    private String forEach(Correlate correlate) throws NotPushed {
        String kind =
                switch (correlate.getJoinType()) {
                    case INNER -> "JOIN";
                    case LEFT -> "LEFT JOIN";
                    default ->
                        throw new NotPushed("a sub-query that names a column of the query around it in such a place");
                };
        String row = ResidualExpressions.row(correlate.getCorrelationId());
        int left = correlate.getLeft().getRowType().getFieldCount();
        int right = correlate.getRight().getRowType().getFieldCount();
        return "SELECT " + named(columns(row, left, right)) + " FROM " + from(correlate.getLeft()) + " AS " + row + " "
                + kind + " LATERAL (" + select(correlate.getRight()) + ") AS r ON true";
    }

    /** DuckDB's ASOF takes plain comparisons alone. */
    private static void requireAlike(RexNode condition) throws NotPushed {
        for (RexNode term : RelOptUtil.conjunctions(condition)) {
            if (term instanceof RexCall call && call.getOperands().stream().anyMatch(MixedNumbers::isWidened)) {
                throw new NotPushed("an ASOF JOIN that compares a whole number with a double");
            }
        }
    }

    private String set(SetOp set) throws NotPushed {
        String word = set instanceof Intersect ? "INTERSECT" : set instanceof Minus ? "EXCEPT" : "UNION";
        List<String> inputs = new ArrayList<>();
        for (RelNode input : set.getInputs()) {
            inputs.add("(" + select(input) + ")");
        }
        // Names are those of the first.
        return "SELECT * FROM (" + String.join(" " + word + (set.all ? " ALL " : " "), inputs) + ") AS t";
    }

    /** A WITH RECURSIVE. Both its parts have the types of the whole: DuckDB would take those of the first. */
    private String recursive(RepeatUnion union) throws NotPushed {
        String name = Objects.requireNonNull(union.getTransientTable())
                .getQualifiedName()
                .get(0);
        if (union.iterationLimit >= 0) {
            throw new NotPushed("a bound of the steps of WITH RECURSIVE");
        }
        String table = "step" + recursions++;
        String first = typed(union.getSeedRel(), union.getRowType());
        Step around = steps.put(name, new Step(table, union.getRowType()));
        String step = typed(union.getIterativeRel(), union.getRowType());
        if (around == null) {
            steps.remove(name);
        } else {
            steps.put(name, around);
        }
        return "WITH RECURSIVE " + table + "("
                + names(union.getRowType().getFieldCount()) + ") AS ((" + first + ") UNION "
                + (union.all ? "ALL " : "") + "(" + step + ")) SELECT * FROM " + table;
    }

    private String typed(RelNode node, RelDataType type) throws NotPushed {
        List<String> columns = new ArrayList<>();
        for (RelDataTypeField field : type.getFieldList()) {
            columns.add("CAST(" + input(field.getIndex()) + " AS " + ResidualExpressions.type(field.getType()) + ")");
        }
        return "SELECT " + named(columns) + " FROM " + from(node) + " AS t";
    }

    private String step(TableScan scan) throws NotPushed {
        Step step = steps.get(scan.getTable().getQualifiedName().get(0));
        if (step == null) {
            throw new NotPushed("WITH RECURSIVE that is named outside of its second part");
        }
        for (RelDataTypeField field : scan.getRowType().getFieldList()) {
            RelDataType all = step.type.getFieldList().get(field.getIndex()).getType();
            boolean same = ResidualExpressions.type(field.getType()).equals(ResidualExpressions.type(all));
            if (!same || (all.isNullable() && !field.getType().isNullable())) {
                // What the plan concludes of the one is not true of the other.
                throw new NotPushed("WITH RECURSIVE whose column " + (field.getIndex() + 1)
                        + " has another type in its second part; CAST it");
            }
        }
        return step.table;
    }

    private static String values(Values values) throws NotPushed {
        int count = values.getRowType().getFieldCount();
        List<String> rows = new ArrayList<>();
        for (List<RexLiteral> tuple : values.getTuples()) {
            List<String> row = new ArrayList<>();
            for (int c = 0; c < count; c++) {
                row.add("CAST(" + ResidualExpressions.literal(tuple.get(c)) + " AS " + type(values, c) + ")");
            }
            rows.add(
                    values.getTuples().size() == 1
                            ? "SELECT " + named(row)
                            : row.isEmpty() ? "(1)" : "(" + String.join(", ", row) + ")");
        }
        if (rows.isEmpty()) {
            List<String> row = new ArrayList<>();
            for (int c = 0; c < count; c++) {
                row.add("CAST(NULL AS " + type(values, c) + ")");
            }
            rows.add("SELECT " + named(row) + " WHERE false");
        }
        // DuckDB takes seconds to plan a UNION ALL of thousands.
        return rows.size() == 1
                ? rows.get(0)
                : "SELECT * FROM (VALUES " + String.join(", ", rows) + ") AS t(" + names(count) + ")";
    }

    private static String names(int count) {
        return count == 0
                ? "nothing"
                : IntStream.range(0, count).mapToObj(c -> "c" + c).collect(Collectors.joining(", "));
    }

    private static String type(Values values, int column) throws NotPushed {
        return ResidualExpressions.type(
                values.getRowType().getFieldList().get(column).getType());
    }
}
