package io.waterwheel.sql.residual;

import io.waterwheel.query.Query;
import io.waterwheel.sql.leaf.Leaf;
import io.waterwheel.sql.leaf.LeafNode;
import io.waterwheel.sql.leaf.NotPushed;
import io.waterwheel.sql.leaf.SpatialCall;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.plan.RelOptUtil;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.AsofJoin;
import org.apache.calcite.rel.core.Join;
import org.apache.calcite.rex.RexBuilder;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.util.ImmutableBitSet;
import org.jspecify.annotations.Nullable;

/**
 * A join of positions with regions, such as {@code ON ST_Within(ST_Point(p.lon, p.lat), ST_GeomFromText(z.shape))}. The
 * side with the regions becomes a table with a number a row, and an index over their bounds; of each position the index
 * finds the numbers of the regions that it lies in, so no position is compared with all regions.
 */
final class ResidualRegionJoin {
    /** Makes what a FROM names of a side. */
    interface Sides {
        String from(RelNode side) throws NotPushed;
    }

    private final Join join;
    private final ResidualRegions regions;
    private final Sides sides;
    private final RexBuilder rex;
    private final int left;

    ResidualRegionJoin(Join join, ResidualRegions regions, Sides sides) {
        this.join = join;
        this.regions = regions;
        this.sides = sides;
        this.rex = join.getCluster().getRexBuilder();
        this.left = join.getLeft().getRowType().getFieldCount();
    }

    /** The SELECT of the join; null when no term of its condition is of a position and a region. */
    @Nullable
    String text() throws NotPushed {
        if (join instanceof AsofJoin || !join.analyzeCondition().leftKeys.isEmpty()) {
            // By what is equal DuckDB joins without an index, and within its memory.
            return null;
        } else if (!RelOptUtil.getVariablesUsed(join).isEmpty()) {
            // The table would be another one for each row of the query around it.
            return null;
        }
        List<RexNode> terms = new ArrayList<>(RelOptUtil.conjunctions(join.getCondition()));
        for (int t = 0; t < terms.size(); t++) {
            SpatialCall.Holds holds = turned(SpatialCall.near(terms.get(t), rex));
            Boolean regionsOnLeft = holds == null ? null : regionsOnLeft(holds);
            if (holds != null && regionsOnLeft != null) {
                terms.remove(t);
                return text(holds, regionsOnLeft, terms);
            }
        }
        return null;
    }

    private static ImmutableBitSet inputs(List<RexNode> nodes) {
        return RelOptUtil.InputFinder.bits(nodes, null);
    }

    private boolean ofLeft(ImmutableBitSet inputs) {
        return !inputs.isEmpty() && inputs.length() <= left;
    }

    private boolean ofRight(ImmutableBitSet inputs) {
        return !inputs.isEmpty() && inputs.nextSetBit(0) >= left;
    }

    /** Which side the regions are of, with the positions on the other; null when they are of no side. */
    private @Nullable Boolean regionsOnLeft(SpatialCall.Holds holds) {
        ImmutableBitSet position =
                inputs(List.of(holds.position().longitude(), holds.position().latitude()));
        ImmutableBitSet region = inputs(parts(holds.region()));
        if (ofLeft(position) && ofRight(region)) {
            return false;
        } else if (ofRight(position) && ofLeft(region)) {
            return true;
        }
        return null;
    }

    /** The same with the other position as the centre, where only so the region is of one side, or of the smaller. */
    private SpatialCall.@Nullable Holds turned(SpatialCall.@Nullable Holds holds) {
        if (holds == null || !(holds.region() instanceof SpatialCall.Around around)) {
            return holds;
        }
        SpatialCall.Holds other =
                new SpatialCall.Holds(around.centre(), new SpatialCall.Around(holds.position(), around.metres()));
        Boolean asWritten = regionsOnLeft(holds);
        Boolean turned = regionsOnLeft(other);
        if (asWritten == null || turned == null) {
            return asWritten == null ? other : holds;
        }
        return size(turned ? join.getLeft() : join.getRight()) < size(asWritten ? join.getLeft() : join.getRight())
                ? other
                : holds;
    }

    /** What is likely the smaller side has the lower number. */
    private static int size(RelNode node) {
        if (node instanceof LeafNode leaf) {
            // Of groups that are merged again there may be as many as tuples.
            boolean all =
                    leaf.leaf().what() instanceof Leaf.Tuples || leaf.leaf().ofSingles() != null;
            boolean few = !all || leaf.leaf().limit() != Query.NO_LIMIT;
            return few ? 0 : leaf.leaf().where() != null || leaf.leaf().shape() != null ? 1 : 2;
        }
        return node.getInputs().stream()
                .mapToInt(ResidualRegionJoin::size)
                .max()
                .orElse(0);
    }

    private static List<RexNode> parts(SpatialCall.Region region) {
        if (region instanceof SpatialCall.Envelope envelope) {
            return envelope.bounds();
        } else if (region instanceof SpatialCall.Around around) {
            return List.of(around.centre().longitude(), around.centre().latitude(), around.metres());
        }
        return List.of(((SpatialCall.Written) region).text());
    }

    private String text(SpatialCall.Holds holds, boolean regionsOnLeft, List<RexNode> others) throws NotPushed {
        RelNode ofPositions = regionsOnLeft ? join.getRight() : join.getLeft();
        RelNode ofRegions = regionsOnLeft ? join.getLeft() : join.getRight();
        // Inputs of the condition, as columns of one side alone called t.
        ResidualExpressions single =
                new ResidualExpressions(rex, column -> "t.c" + (column < left ? column : column - left), regions);
        String positions = sides.from(ofPositions);
        int number = regions.add("SELECT row_number() OVER () AS n, "
                + wanted(single, single.shapes().shape(holds.region()), regionsOnLeft, others)
                + " AS shape, t.* FROM " + sides.from(ofRegions) + " AS t");
        String found = "ww_regions(" + ResidualRegions.id(number) + ", "
                + single.shapes().position(holds.position()) + ")";
        String l = regionsOnLeft ? "r" : "p";
        String r = regionsOnLeft ? "p" : "r";
        ResidualExpressions both = new ResidualExpressions(
                rex, column -> column < left ? l + ".c" + column : r + ".c" + (column - left), regions);
        StringBuilder on = new StringBuilder();
        for (RexNode other : others) {
            on.append(" AND ").append(both.of(other));
        }
        String columns = columns(l, r);
        switch (join.getJoinType()) {
            case INNER -> {
                String source = "(SELECT t.*, " + found + " AS found FROM " + positions + " AS t)";
                return "SELECT " + columns + " FROM " + pairs(source, number, on.toString());
            }
            case LEFT, RIGHT, FULL, SEMI, ANTI -> {
                // Rows without a partner are known by their numbers.
                String numbered = "WITH p AS MATERIALIZED (SELECT row_number() OVER () AS pn, " + found
                        + " AS found, t.* FROM " + positions + " AS t), m AS MATERIALIZED (SELECT p.pn, r.n FROM "
                        + pairs("p", number, on.toString()) + ") ";
                return numbered + "SELECT " + columns + " FROM " + outer(regionsOnLeft, number);
            }
            default -> throw new NotPushed(join.getJoinType() + " JOIN of positions with shapes");
        }
    }

    /** The shape of rows alone that the other terms let through. */
    private String wanted(ResidualExpressions single, String shape, boolean regionsOnLeft, List<RexNode> others)
            throws NotPushed {
        List<String> conditions = new ArrayList<>();
        for (RexNode other : others) {
            ImmutableBitSet inputs = inputs(List.of(other));
            if (regionsOnLeft ? ofLeft(inputs) : ofRight(inputs)) {
                conditions.add(single.of(other));
            }
        }
        return conditions.isEmpty()
                ? shape
                : "CASE WHEN " + String.join(" AND ", conditions) + " THEN " + shape + " END";
    }

    /** What FROM names: a row for each position and region that it lies in. */
    private static String pairs(String positions, int number, String on) {
        return "(SELECT *, unnest(CAST(string_split(found, ',') AS BIGINT[])) AS region FROM " + positions
                + " WHERE found IS NOT NULL) AS p JOIN " + ResidualRegions.table(number) + " AS r ON p.region = r.n"
                + on;
    }

    /** The join of both sides by the table of pairs. */
    private String outer(boolean regionsOnLeft, int number) throws NotPushed {
        String first = regionsOnLeft ? ResidualRegions.table(number) + " AS r" : "p";
        String firstOn = regionsOnLeft ? "r.n = m.n" : "p.pn = m.pn";
        String second = regionsOnLeft ? "p" : ResidualRegions.table(number) + " AS r";
        String secondOn = regionsOnLeft ? "p.pn = m.pn" : "r.n = m.n";
        return switch (join.getJoinType()) {
            case LEFT -> first + " LEFT JOIN m ON " + firstOn + " LEFT JOIN " + second + " ON " + secondOn;
            case RIGHT -> second + " LEFT JOIN m ON " + secondOn + " LEFT JOIN " + first + " ON " + firstOn;
            case FULL -> first + " LEFT JOIN m ON " + firstOn + " FULL JOIN " + second + " ON " + secondOn;
            case SEMI -> first + " SEMI JOIN m ON " + firstOn;
            case ANTI -> first + " ANTI JOIN m ON " + firstOn;
            default -> throw new NotPushed(join.getJoinType() + " JOIN of positions with shapes");
        };
    }

    private String columns(String l, String r) {
        List<String> columns = new ArrayList<>();
        for (int c = 0; c < left; c++) {
            columns.add(l + ".c" + c + " AS c" + columns.size());
        }
        int right = join.getRight().getRowType().getFieldCount();
        for (int c = 0; c < right && join.getJoinType().projectsRight(); c++) {
            columns.add(r + ".c" + c + " AS c" + columns.size());
        }
        return columns.isEmpty() ? "1 AS nothing" : String.join(", ", columns);
    }
}
