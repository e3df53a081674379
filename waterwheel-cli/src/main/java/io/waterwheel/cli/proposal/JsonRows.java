package io.waterwheel.cli.proposal;

import io.waterwheel.schema.text.MemberPath;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Decides what of JSON is a row: each record, or each element of an array in it. Stateless. */
final class JsonRows {
    /** Tuples that one record may become. */
    private static final int MOST_ROWS = 10_000;

    /** Arrays that a sentence names. */
    private static final int MOST_NAMED = 3;

    private JsonRows() {}

    /** Looks at the file again, with other facts. */
    interface Look {
        SchemaProposal at(FileFacts facts) throws IOException;
    }

    /**
     * An array in records that is in no other array.
     *
     * @param path of it
     * @param inside values in it, of all records
     * @param outside the other values
     * @param longest its most elements in one record
     * @param ofObjects whether all elements are objects, as {@code ofArrays}
     */
    record Found(String path, long inside, long outside, int longest, boolean ofObjects, boolean ofArrays) {
        private boolean holdsMost() {
            return inside > outside;
        }

        String jq() {
            return path.substring(MemberPath.ROOT.length()) + "[]";
        }
    }

    /**
     * The proposal by elements, where these are the rows: they have a time, and the records have none of their own.
     *
     * @param flat the proposal by records
     * @throws io.waterwheel.error.WaterwheelException when the file is one object whose rows no path can name
     */
    static SchemaProposal of(SchemaProposal flat, JsonLook records, Look look) throws IOException {
        if (records.facts.rows != null) {
            return flat;
        }
        List<Found> arrays = ofObjects(records);
        requireNamed(records);
        requireFew(records, arrays);
        if (arrays.isEmpty() || isTimed(records, arrays)) {
            return flat;
        }
        List<ColumnSample> columns = TimePairs.paired(records.columns(), records.facts);
        for (Found array : arrays) {
            SchemaProposal each = look.at(records.facts.ofRows(array.path + "[*]"));
            JsonLook rows = (JsonLook) each.look();
            List<ColumnSample> ofRows = TimePairs.paired(rows.columns(), rows.facts);
            if (ColumnRoles.time(ofRows.stream().filter(rows::isWithin).toList()) != null
                    && !isOf(columns, ofRows, records.facts.time)
                    && !isOf(columns, ofRows, records.facts.key)) {
                return each;
            }
        }
        return flat;
    }

    /**
     * What a person should say: whether records or elements are rows, as a sentence without its full stop. Empty where
     * it is said, or where one array alone has objects and times.
     */
    static String undecided(JsonLook look) {
        boolean said = look.facts.rows != null && !look.facts.guessesRows;
        List<Found> arrays = said || !look.countsLines ? List.of() : ofObjects(look);
        if (arrays.isEmpty() || (look.facts.guessesRows && arrays.size() == 1 && !isTimed(look, arrays))) {
            return "";
        }
        return "what a row is: --rows '$' makes a row of each record, "
                + arrays.stream()
                        .limit(MOST_NAMED)
                        .map(array -> "--rows " + FileLook.word(array.path + "[*]"))
                        .collect(Collectors.joining(" or "))
                + " one of each element";
    }

    /** The arrays that have nothing but objects, which can be rows: those of most values first. */
    static List<Found> ofObjects(JsonLook look) {
        return look.arrays().stream().filter(Found::ofObjects).toList();
    }

    /** Whether there may be a time outside of arrays of objects, in any record. */
    private static boolean isTimed(JsonLook look, List<Found> arrays) {
        return TimePairs.paired(look.columns(), look.facts).stream()
                .filter(column -> arrays.stream().noneMatch(array -> column.isAt(array.path + "[")))
                .anyMatch(column -> ColumnRoles.time(List.of(column)) != null);
    }

    /** Refuses one object that has more elements than rows. */
    private static void requireFew(JsonLook records, List<Found> arrays) {
        if (!records.isOneObject() || arrays.isEmpty()) {
            return;
        }
        Found most = arrays.get(0);
        if (most.longest > MOST_ROWS) {
            throw FileLook.bad(records.source + ": " + most.path + " has " + most.longest + " elements, and one"
                    + " object becomes at most " + MOST_ROWS + " rows. Write each as a line of its own, as jq -c '"
                    + most.jq() + "' does; or make one row of it by --rows '$'");
        }
    }

    /** Whether a person names a column that there is only where each record is a row. */
    private static boolean isOf(List<ColumnSample> columns, List<ColumnSample> others, @Nullable String named) {
        return named != null
                && columns.stream().anyMatch(column -> column.isCalled(named))
                && others.stream().noneMatch(column -> column.isCalled(named));
    }

    /** Refuses one object whose rows are arrays: their values have no names. */
    private static void requireNamed(JsonLook records) {
        List<Found> all = records.arrays();
        if (!records.isOneObject() || all.isEmpty()) {
            return;
        }
        Found array = all.get(0);
        if (array.ofArrays && array.holdsMost()) {
            throw FileLook.bad(records.source + " is one object, and its rows are arrays without names, the elements"
                    + " of " + array.path + ", as it seems: write each as an object on a line of its own, as jq -c '"
                    + array.jq() + " | {a: .[0], b: .[1]}' does, with names for all values"
                    + (records.isSplit() ? "; or by to_json(FILE, orient='records', lines=True) of pandas" : "")
                    + "; or make one row of it by --rows '$'");
        }
    }
}
