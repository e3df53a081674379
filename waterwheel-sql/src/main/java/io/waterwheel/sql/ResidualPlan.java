package io.waterwheel.sql;

import io.waterwheel.query.Query;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.Field;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How a statement is answered that is more than one query: the engine reads the leaves into tables, and an executor
 * answers the rest of the plan over these tables. Immutable.
 *
 * <p>An example: {@code SELECT f.callsign FROM flights f JOIN alerts a ON f.icao24 = a.icao24 WHERE a.level > 3} has
 * two leaves: the alerts above level 3, and the flights. The flights are narrowed by the aircraft that the alerts name.
 *
 * @param leaves what is read, in no order; no two are equal
 * @param systems system tables that are read, no two alike
 * @param files paths of the files that the text reads, relative to the folder of such files
 * @param sides tables that the executor makes before it reads leaves, each a SELECT over system tables, files and
 *     written rows: what they hold narrows leaves
 * @param regions tables of regions that the executor makes of the leaves, each a SELECT whose columns {@code n} and
 *     {@code shape} are a region's number and its shape as a text. Each may name those before it
 * @param text the rest, as a SELECT over tables called {@link #table}, {@link #systemTable}, {@link #sideTable} and
 *     {@link #regionTable}, in the dialect of the executor (DuckDB). Its columns are those of {@code fields},
 *     timestamps as whole numbers, bytes in base 64
 * @param finiteText the same where no double of a leaf is infinite, NaN, or beyond {@link #MOST_FINITE}: sums of such
 *     columns need not be looked at for infinities then
 * @param fields of the answer: long, double, boolean, timestamps, string and bytes, each nullable, called c0, c1 and so
 *     on
 * @param labels the statement's names of these columns; any text
 * @param narrowings by which what is read of one leaf may be narrowed by what another table has
 */
public record ResidualPlan(
        List<Leaf> leaves,
        List<SystemLeaf> systems,
        List<String> files,
        List<String> sides,
        List<String> regions,
        String text,
        String finiteText,
        List<Field> fields,
        List<String> labels,
        List<Narrowing> narrowings)
        implements StatementPlan {
    /** No sum of fewer than 2^63 doubles of this magnitude is infinite. */
    public static final double MOST_FINITE = 0x1p960;

    /**
     * A system table that the text names.
     *
     * @param name the qualified one
     */
    public record SystemLeaf(String name, List<Field> fields) {
        public SystemLeaf {
            fields = List.copyOf(fields);
        }
    }

    /** A plan whose text is the same whatever doubles there are. */
    public ResidualPlan(
            List<Leaf> leaves,
            List<SystemLeaf> systems,
            List<String> files,
            List<String> sides,
            List<String> regions,
            String text,
            List<Field> fields,
            List<String> labels,
            List<Narrowing> narrowings) {
        this(leaves, systems, files, sides, regions, text, text, fields, labels, narrowings);
    }

    /** A plan of leaves and nothing else. */
    public ResidualPlan(
            List<Leaf> leaves, String text, List<Field> fields, List<String> labels, List<Narrowing> narrowings) {
        this(leaves, List.of(), List.of(), List.of(), List.of(), text, fields, labels, narrowings);
    }

    /**
     * One query, and how its answer becomes a table.
     *
     * @param query what the engine answers, without timeout and demands
     * @param fields of the query's answer
     * @param places by column of the table, the field of the answer that it holds
     * @param singles where the query has groups which the text merges again: the tuples as such a table, each a group
     *     of its own, which give the same answer. Else null
     */
    public record Leaf(
            Query query,
            List<Field> fields,
            List<Integer> places,
            @Nullable Leaf singles) {
        public Leaf(Query query, List<Field> fields, List<Integer> places) {
            this(query, fields, places, null);
        }

        public Leaf {
            fields = List.copyOf(fields);
            places = List.copyOf(places);
        }
    }

    /**
     * Rows of a leaf whose value is in no row of another table reach no answer, so they need not be read.
     *
     * @param from name of the table that is there first: of a leaf or a side
     * @param column of it, of type long or string
     * @param to number of the leaf that is narrowed; of tuples, or of groups of equal values
     * @param value over its stream's fields, which must be one of the column's values
     * @param type of that value; of an address or a UUID the column has the canonical texts
     */
    public record Narrowing(String from, int column, int to, Expression value, ValueType type) {}

    public ResidualPlan {
        leaves = List.copyOf(leaves);
        systems = List.copyOf(systems);
        files = List.copyOf(files);
        sides = List.copyOf(sides);
        regions = List.copyOf(regions);
        fields = List.copyOf(fields);
        labels = List.copyOf(labels);
        narrowings = List.copyOf(narrowings);
    }

    @Override
    public List<String> streams() {
        return leaves.stream().map(leaf -> leaf.query().stream()).distinct().toList();
    }

    @Override
    public List<SqlColumn> columns() {
        return IntStream.range(0, labels.size())
                .mapToObj(c -> new SqlColumn(labels.get(c), c))
                .toList();
    }

    /** The name of a system table in the text. Its columns are called as those of leaves are. */
    public static String systemTable(int number) {
        return "system" + number;
    }

    /** The name of a side in the text. Its columns are called as those of leaves are. */
    public static String sideTable(int number) {
        return "side" + number;
    }

    /** The name of a table of regions in the text. */
    public static String regionTable(int number) {
        return "regions" + number;
    }

    /** The name of a leaf's table. Its columns are called c0, c1 and so on. */
    public static String table(int leaf) {
        return "leaf" + leaf;
    }
}
