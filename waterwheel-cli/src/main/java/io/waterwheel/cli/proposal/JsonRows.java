package io.waterwheel.cli.proposal;

import io.waterwheel.schema.text.MemberPath;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decides what of JSON is a row: each record, or each element of an array in it. Stateless. */
final class JsonRows {
    /** Tuples that one record may become. */
    private static final int MOST_ROWS = 10_000;

    /** One record in as many may lack the array: it is rejected then. */
    private static final int FEW = 20;

    private JsonRows() {}

    /** Looks at the file again, with other facts. */
    interface Look {
        SchemaProposal at(FileFacts facts) throws IOException;
    }

    /**
     * An array in records.
     *
     * @param path of it
     * @param inside values in it, of all records
     * @param outside the other values
     * @param arrays records that have it
     * @param shortest of the arrays, as {@code longest}
     * @param ofObjects whether all elements are objects, as {@code ofArrays}
     */
    record Found(
            String path,
            long inside,
            long outside,
            long arrays,
            int shortest,
            int longest,
            boolean ofObjects,
            boolean ofArrays) {
        private boolean holdsMost() {
            return inside > outside;
        }

        private String jq() {
            return path.substring(MemberPath.ROOT.length()) + "[]";
        }
    }

    /**
     * The proposal by elements, where these are the rows.
     *
     * @param flat the proposal by records
     * @throws io.waterwheel.error.WaterwheelException when the file is one object whose rows no path can name
     */
    static SchemaProposal of(SchemaProposal flat, JsonLook records, Look look) throws IOException {
        Found array = records.array();
        if (array == null || records.facts.rows != null) {
            return flat;
        }
        requireNamed(records, array);
        List<ColumnSample> columns = TimePairs.paired(records.columns(), records.facts);
        boolean timed = ColumnRoles.time(columns.stream()
                        .filter(column -> !column.isAt(array.path + "["))
                        .toList())
                != null;
        boolean mostHaveIt = (records.objects() - array.arrays) * FEW <= records.objects();
        if (!array.ofObjects || !mostHaveIt || (timed && !array.holdsMost())) {
            return flat;
        }
        SchemaProposal each = look.at(records.facts.ofRows(array.path + "[*]"));
        JsonLook rows = (JsonLook) each.look();
        List<ColumnSample> ofRows = TimePairs.paired(rows.columns(), rows.facts);
        boolean timedWithin =
                ColumnRoles.time(ofRows.stream().filter(rows::isWithin).toList()) != null;
        if ((!timed && !timedWithin)
                || isOf(columns, ofRows, records.facts.time)
                || isOf(columns, ofRows, records.facts.key)) {
            return flat;
        }
        if (records.isOneObject() && array.longest > MOST_ROWS) {
            throw FileLook.bad(records.source + ": " + array.path + " has " + array.longest + " elements, and one"
                    + " object becomes at most " + MOST_ROWS + " rows. Write each as a line of its own, as jq -c '"
                    + array.jq() + "' does");
        }
        boolean mayBeFields = array.shortest == array.longest
                && array.longest > 1
                && array.longest <= JsonLook.MOST_ELEMENTS
                && records.objects() > 1;
        if (mayBeFields && (timed || !array.holdsMost())) {
            rows.doubt = "each record has " + array.longest + " elements in " + array.path + ", which may be rows, or"
                    + " fields of one row: say --rows '" + array.path + "[*]' or --rows '$'";
        }
        return each;
    }

    /** Whether a person names a column that there is only where each record is a row. */
    private static boolean isOf(List<ColumnSample> columns, List<ColumnSample> others, @Nullable String named) {
        return named != null
                && columns.stream().anyMatch(column -> column.isCalled(named))
                && others.stream().noneMatch(column -> column.isCalled(named));
    }

    /** Refuses one object whose rows are arrays: their values have no names. */
    private static void requireNamed(JsonLook records, Found array) {
        if (records.isOneObject() && array.ofArrays && array.holdsMost()) {
            throw FileLook.bad(records.source + " is one object, and its rows are arrays without names, the elements"
                    + " of " + array.path + ", as it seems: write each as an object on a line of its own, as jq -c '"
                    + array.jq() + " | {a: .[0], b: .[1]}' does, with names for all values"
                    + (records.isSplit() ? "; or by to_json(FILE, orient='records', lines=True) of pandas" : ""));
        }
    }
}
