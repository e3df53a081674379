package io.waterwheel.cli.proposal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.waterwheel.cli.input.FieldNames;
import io.waterwheel.cli.input.InputLines;
import io.waterwheel.cli.losses.KnownMember;
import io.waterwheel.decode.RejectedRecordException;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.text.MemberPath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What JSON objects, one a line, look like: each member that holds a number, a text or a boolean is a column, those
 * within objects and within short arrays of one length too. Or each element of one array is a row, as {@code --rows}
 * says. One thread.
 */
final class JsonLook extends FileLook {
    /** Elements of an array that may become fields of their own. */
    static final int MOST_ELEMENTS = 8;

    /** The name of the place of all elements that are rows. */
    private static final String EACH = "*";

    /** Places that are followed; files of more distinct names have data in their names. */
    private static final int MOST_PLACES = 2_000;

    private static final int MOST_DEEP = 64;
    private static final int MOST_REMARKS = 10;

    /** A place in the objects. */
    private static final class Place {
        final String name;
        final boolean element;
        /** Where it was first, if that is behind the rows that were looked at first; null: it is not. */
        final @Nullable RowPlace late;

        final Map<String, Place> below = new LinkedHashMap<>();

        @Nullable
        ColumnSample scalars;

        long objects;
        long arrays;
        /** Values within the arrays, at any depth, and the elements that are objects, arrays, and all. */
        long inside;

        long ofObjects;
        long ofArrays;
        long elements;

        /** Of the steps to the array whose elements are rows, how many lead here; -1: this is not on its way. */
        final int stepsToRows;
        /** Of the arrays. */
        int shortest = Integer.MAX_VALUE;

        int longest;
        /** Where an array has more elements than those that are fields; null: none has. */
        @Nullable
        RowPlace longer;

        Place(String name, boolean element, int stepsToRows, @Nullable RowPlace late) {
            this.name = name;
            this.stepsToRows = stepsToRows;
            this.element = element;
            this.late = late;
        }
    }

    private final JsonFactory factory = JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(MOST_DEEP).build())
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .build();
    private final Place root = new Place("", false, 0, null);
    /** The steps to the array whose elements are rows; empty: each record is one. */
    private final List<MemberPath.Step> toRows;
    /** The path of those elements; empty: each record is a row. */
    private final String each;
    /** Elements that are rows. */
    private long elements;
    /** Values of all records. */
    private long scalars;

    private final List<String> leftOut = new ArrayList<>();
    /** By column where it was first, if that is behind the first rows. */
    private final List<@Nullable RowPlace> lates = new ArrayList<>();

    /** Whether there are members that have no place. */
    private boolean tooMany;

    private int places;
    /** Whether the first rows have been looked at. */
    private boolean looked;
    /** Where the row stands that is looked at. */
    private RowPlace present = RowPlace.row(0);

    private String trouble = "";

    private Map<String, FieldType> known;

    JsonLook(String source, long mostBytes, FileFacts facts) {
        this(source, mostBytes, facts, Map.of());
    }

    /** @param known types of fields by their paths, where the values need not tell them */
    JsonLook(String source, long mostBytes, FileFacts facts, Map<String, FieldType> known) {
        super(source, mostBytes, facts);
        this.known = known;
        String said = facts.rows;
        this.toRows = said == null || said.equals(MemberPath.ROOT) ? List.of() : FileFacts.eachOf(said);
        this.each = toRows.isEmpty()
                ? ""
                : toRows.stream().map(one -> step(one.name())).collect(Collectors.joining("", MemberPath.ROOT, "[*]"));
        if (facts.givenOfCsv() != null) {
            throw bad(facts.givenOfCsv() + " is for CSV, and " + source + " is JSON");
        }
    }

    @Override
    RecordFormat format() {
        return RecordFormat.JSON;
    }

    @Override
    void look(InputLines lines) throws IOException {
        if (lines.isAvro()) {
            known = lines.decimals();
        }
        while (!enough()) {
            byte[] line = next(lines);
            if (!whole) {
                add(line, place(lines));
                if (uneven > 0 && trouble.indexOf('\n') < 0) {
                    trouble = "line " + lines.lineNumber() + ": " + trouble + "\n";
                }
            }
        }
        if (rows == uneven) {
            throw bad(source + (rows == 0 ? " is empty" : ", " + trouble.strip())
                    + ": expected a file with one JSON object a line");
        }
        looked = true;
        Place type = root.below.get("type");
        if (facts.rows == null
                && !adviceOfLines().isEmpty()
                && type != null
                && type.scalars != null
                && type.scalars.isFirst("FeatureCollection")) {
            throw bad(source + " is one object of GeoJSON" + adviceOfLines());
        }
        if (!each.isEmpty() && elements == 0) {
            throw bad("--rows " + each + ": " + source + " has no elements there");
        }
        if (facts.rows == null && isOneObject()) {
            requireNoColumns();
        }
    }

    /** Of a file that is one object, with an array of objects in it: these are the rows, most likely. */
    @Override
    String adviceOfLines() {
        List<JsonRows.Found> arrays =
                facts.rows == null && isOneObject() ? JsonRows.ofObjects(this) : List.<JsonRows.Found>of();
        if (arrays.isEmpty()) {
            return "";
        }
        JsonRows.Found array = arrays.get(0);
        return ". The rows are the elements of " + array.path() + ", as it seems: say --rows "
                + word(array.path() + "[*]") + ", or write each as a line of its own, as jq -c '" + array.jq()
                + "' does";
    }

    @Override
    void add(byte[] line, RowPlace where) throws IOException {
        rows++;
        present = where;
        // Looked at twice: an object that is none in its middle must leave nothing behind.
        String why = check(line);
        if (why != null) {
            uneven++;
            trouble = trouble.isEmpty() ? why : trouble;
            return;
        }
        try (JsonParser parser = factory.createParser(line)) {
            parser.nextToken();
            members(root, parser);
        }
    }

    private @Nullable String check(byte[] line) throws IOException {
        try (JsonParser parser = factory.createParser(line)) {
            JsonToken first = parser.nextToken();
            if (first != JsonToken.START_OBJECT) {
                return "not a JSON object";
            }
            parser.skipChildren();
            return parser.nextToken() == null ? null : "more than one JSON object";
        } catch (JsonProcessingException e) {
            return "not a JSON object: " + RejectedRecordException.notJson(e);
        }
    }

    private void members(Place place, JsonParser parser) throws IOException {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            Place member = below(place, parser.currentName(), false);
            JsonToken token = parser.nextToken();
            value(member, token, parser);
        }
    }

    private @Nullable Place below(Place place, String name, boolean element) {
        Place found = place.below.get(name);
        if (found == null && places < MOST_PLACES) {
            places++;
            boolean onTheWay = !element
                    && place.stepsToRows >= 0
                    && place.stepsToRows < toRows.size()
                    && toRows.get(place.stepsToRows).name().equals(name);
            found = new Place(name, element, onTheWay ? place.stepsToRows + 1 : -1, looked ? present : null);
            place.below.put(name, found);
        }
        tooMany |= found == null;
        return found;
    }

    private void value(@Nullable Place place, JsonToken token, JsonParser parser) throws IOException {
        if (place == null) {
            passOver(token, parser);
        } else if (token == JsonToken.START_OBJECT) {
            place.objects++;
            members(place, parser);
        } else if (token == JsonToken.START_ARRAY) {
            place.arrays++;
            boolean areRows = holdsRows(place);
            long before = scalars;
            // What fields were made of stays fields.
            boolean settled = looked && place.late == null && place.longest > 0 && place.shortest == place.longest;
            int most = settled ? Math.min(place.longest, MOST_ELEMENTS) : MOST_ELEMENTS;
            int number = 0;
            for (JsonToken next = parser.nextToken(); next != JsonToken.END_ARRAY; next = parser.nextToken()) {
                place.ofObjects += next == JsonToken.START_OBJECT ? 1 : 0;
                place.ofArrays += next == JsonToken.START_ARRAY ? 1 : 0;
                String name = areRows ? EACH : Integer.toString(number);
                value(areRows || number < most ? below(place, name, true) : null, next, parser);
                number++;
            }
            place.inside += scalars - before;
            place.elements += number;
            elements += areRows ? number : 0;
            if (settled) {
                place.longer = place.longer == null && number > most ? present : place.longer;
            } else {
                place.shortest = Math.min(place.shortest, number);
                place.longest = Math.max(place.longest, number);
            }
        } else if (token == JsonToken.VALUE_NULL) {
            scalars++;
        } else {
            scalars++;
            if (place.scalars == null) {
                place.scalars = new ColumnSample("", style);
            }
            place.scalars.place = present;
            place.scalars.addJson(parser.getText(), token == JsonToken.VALUE_STRING);
        }
    }

    /** Passes over a value, whose scalars count. */
    private void passOver(JsonToken first, JsonParser parser) throws IOException {
        scalars += first.isScalarValue() ? 1 : 0;
        for (int open = first.isStructStart() ? 1 : 0; open > 0; ) {
            JsonToken next = parser.nextToken();
            open += next.isStructStart() ? 1 : next.isStructEnd() ? -1 : 0;
            scalars += next.isScalarValue() ? 1 : 0;
        }
    }

    private boolean holdsRows(Place place) {
        return !toRows.isEmpty() && place.stepsToRows == toRows.size();
    }

    /** Whether the file is one object. */
    boolean isOneObject() {
        return whole && countsLines && rows == 1;
    }

    /** The arrays whose elements can be named, those that hold the most values first; none is in another. */
    List<JsonRows.Found> arrays() {
        List<JsonRows.Found> arrays = new ArrayList<>();
        arrays(root, MemberPath.ROOT, arrays);
        arrays.sort(Comparator.comparingLong(JsonRows.Found::inside).reversed());
        return arrays;
    }

    private void arrays(Place place, String path, List<JsonRows.Found> found) {
        for (Place member : place.below.values()) {
            String below = path + step(member);
            if (member.objects > 0 && member.arrays == 0) {
                arrays(member, below, found);
            } else if (member.objects == 0
                    && member.scalars == null
                    && member.elements > 0
                    && isPath(below + "[*].x", "x")
                    && isPath(below, member.name)) {
                found.add(new JsonRows.Found(
                        below,
                        member.inside,
                        scalars - member.inside,
                        member.longest,
                        member.ofObjects == member.elements,
                        member.ofArrays == member.elements));
            }
        }
    }

    /** Whether it is a table of pandas with its columns, index and data apart. */
    boolean isSplit() {
        return root.below.keySet().equals(Set.of("columns", "index", "data"));
    }

    /** Refuses a table that is one object of columns, or has its rows by their numbers. */
    private void requireNoColumns() {
        List<Place> members = List.copyOf(root.below.values());
        boolean ofObjects = members.size() > 1
                && members.stream()
                        .allMatch(member -> member.objects > 0
                                && member.scalars == null
                                && member.arrays == 0
                                && !member.below.isEmpty());
        if (!ofObjects) {
            return;
        }
        String jq = "";
        if (isNumbered(root)) {
            jq = ".[]";
        } else if (members.stream().allMatch(JsonLook::isNumbered)) {
            jq = ". as $all | " + step(members.get(0)) + " | keys_unsorted[] as $n | $all | map_values(.[$n])";
        }
        if (!jq.isEmpty()) {
            throw bad(source + " is one object with members for the numbers of rows, as to_json() of pandas writes it:"
                    + " write each row as an object on a line of its own, by to_json(FILE, orient='records',"
                    + " lines=True) or by jq -c '" + jq + "'; or make one row of it by --rows '$'");
        }
    }

    private static boolean isNumbered(Place place) {
        return place.below.keySet().stream().allMatch(name -> name.matches("[0-9]+"));
    }

    @Override
    long tuples() {
        return each.isEmpty() ? rows : elements;
    }

    @Override
    List<String> undecided() {
        List<String> open = super.undecided();
        String rowsOf = JsonRows.undecided(this);
        if (!rowsOf.isEmpty()) {
            open.add(rowsOf);
        }
        return open;
    }

    /** The own time of a row comes first, if all have one: that of the element, or that outside of all arrays. */
    @Override
    @Nullable
    ColumnSample time(List<ColumnSample> used) {
        ColumnSample own = ColumnRoles.time(used.stream()
                .filter(column -> each.isEmpty() ? !column.isInArray() : isWithin(column))
                .toList());
        boolean ofAll = own != null
                && !own.lacksSome()
                && (each.isEmpty() || ColumnRoles.isSureTime(own) || own.name.equalsIgnoreCase("t"));
        return ofAll ? own : super.time(used);
    }

    /** Says that both records and elements have times. */
    private void otherTime(List<String> remarks) {
        List<ColumnSample> all = TimePairs.paired(columns(), facts);
        ColumnSample own = ColumnRoles.time(all.stream().filter(this::isWithin).toList());
        ColumnSample outer = ColumnRoles.time(
                all.stream().filter(column -> !column.isInArray()).toList());
        if (facts.time == null && own != null && outer != null) {
            boolean isOwn = own.equals(time(all));
            remarks.add("The time is that of " + (isOwn ? "the elements" : "the record") + ": --time-field "
                    + (isOwn ? outer.name + " takes that of the record" : own.name + " takes that of the elements"));
        }
    }

    @Override
    List<ColumnSample> columns() {
        leftOut.clear();
        lates.clear();
        List<String> paths = new ArrayList<>();
        List<String> called = new ArrayList<>();
        List<ColumnSample> found = new ArrayList<>();
        collect(root, MemberPath.ROOT, "", paths, called, found);
        List<String> names = FieldNames.of(apart(paths, called));
        List<ColumnSample> columns = new ArrayList<>();
        for (int c = 0; c < found.size(); c++) {
            ColumnSample column = found.get(c).named(names.get(c));
            column.empty = (isWithin(paths.get(c)) ? elements : rows - uneven) - column.values;
            column.from = paths.get(c).equals(column.name) ? "" : paths.get(c);
            columns.add(column);
        }
        leaveLate(columns);
        if (columns.size() > MAX_FIELDS) {
            leave(columns.size() - MAX_FIELDS + " members beyond the first " + MAX_FIELDS);
            return columns.subList(0, MAX_FIELDS);
        }
        return columns;
    }

    /** Whether it is in the elements that are rows. */
    boolean isWithin(ColumnSample column) {
        return !each.isEmpty() && column.isAt(each);
    }

    private boolean isWithin(String path) {
        return !each.isEmpty() && path.startsWith(each);
    }

    /**
     * Members of elements are called as they are, unless one outside of the array is: then the array's name is before.
     */
    private List<String> apart(List<String> paths, List<String> called) {
        Set<String> outside = new HashSet<>();
        for (int c = 0; c < called.size(); c++) {
            if (!isWithin(paths.get(c))) {
                outside.add(called.get(c).toLowerCase(Locale.ROOT));
            }
        }
        List<String> apart = new ArrayList<>();
        for (int c = 0; c < called.size(); c++) {
            boolean taken =
                    isWithin(paths.get(c)) && outside.contains(called.get(c).toLowerCase(Locale.ROOT));
            apart.add((taken ? toRows.get(toRows.size() - 1).name() + "." : "") + called.get(c));
        }
        return apart;
    }

    /** Leaves out what was first seen late, where more columns have gaps than rows may lack. */
    private void leaveLate(List<ColumnSample> columns) {
        long gaps = columns.stream().filter(ColumnSample::lacksSome).count();
        for (int c = columns.size() - 1; c >= 0 && gaps > ProposalText.MAX_NULLABLE; c--) {
            RowPlace late = lates.get(c);
            if (late != null) {
                ColumnSample column = columns.remove(c);
                leave((column.from.isEmpty() ? column.name : column.from) + ", first in " + late + ": "
                        + ProposalText.MAX_NULLABLE + " others are not in all rows, either, as many as may be null");
                gaps--;
            }
        }
    }

    private void collect(
            Place place, String path, String called, List<String> paths, List<String> names, List<ColumnSample> found) {
        for (Place member : place.below.values()) {
            String below = path + step(member);
            String name = holdsRows(place)
                    ? (member.objects > 0 ? "" : place.name)
                    : called.isEmpty() ? member.name : called + "." + member.name;
            int kinds = (member.scalars != null ? 1 : 0) + (member.objects > 0 ? 1 : 0) + (member.arrays > 0 ? 1 : 0);
            boolean top = path.equals(MemberPath.ROOT);
            if (kinds > 1) {
                leave(below + " is an object or an array in some records, and not in others");
            } else if (!isPath(below, member.name)
                    && !(top && member.objects + member.arrays == 0 && isName(member.name))) {
                leave(below + " has a name that no path can say");
            } else if (member.objects > 0) {
                collect(member, below, name, paths, names, found);
            } else if (member.arrays > 0 && holdsRows(member)) {
                collect(member, below, name, paths, names, found);
            } else if (member.arrays > 0 && (member.shortest != member.longest || member.longest > MOST_ELEMENTS)) {
                boolean ofObjects = member.below.values().stream().anyMatch(element -> element.objects > 0);
                leave(below + " is an array of " + member.shortest + " to " + member.longest + " elements"
                        + (ofObjects && each.isEmpty() ? "; with from: " + below + "[*].MEMBER each is a tuple" : ""));
            } else if (member.arrays > 0) {
                if (member.longer != null) {
                    leave(below + " has more elements in " + member.longer + ": those behind the first "
                            + member.longest);
                }
                collect(member, below, name, paths, names, found);
            } else {
                // The plain name of a member of the object itself is shorter, and any name will do.
                paths.add(top && isName(member.name) ? member.name : below);
                names.add(name);
                ColumnSample column = member.scalars != null ? member.scalars : new ColumnSample("", style);
                column.known = known.get(below);
                found.add(column);
                lates.add(member.late);
            }
        }
    }

    @Override
    KnownMember known() {
        return known(root, MemberPath.ROOT, new KnownMember());
    }

    private KnownMember known(Place place, String path, KnownMember into) {
        for (Place member : place.below.values()) {
            String below = path + step(member);
            KnownMember known = holdsRows(place) ? into.ofEach() : into.below(member.name);
            boolean arrays = member.arrays > 0;
            known.saw(member.scalars != null, member.objects > 0, arrays, arrays ? member.longest : 0);
            boolean uneven = arrays
                    && !holdsRows(member)
                    && (member.shortest != member.longest || member.longest > MOST_ELEMENTS);
            if (uneven
                    || member.longer != null
                    || (member.objects + member.arrays > 0 && !isPath(below, member.name))) {
                known.leaveOut();
            }
            known(member, below, known);
        }
        return into;
    }

    private static String step(Place place) {
        if (place.element) {
            return "[" + place.name + "]";
        }
        return step(place.name);
    }

    private static String step(String name) {
        return name.matches("[A-Za-z0-9_-]+") ? "." + name : "['" + name + "']";
    }

    private static boolean isName(String name) {
        return !name.isEmpty() && name.length() <= 256 && !name.startsWith(MemberPath.ROOT);
    }

    private static boolean isPath(String path, String last) {
        try {
            List<MemberPath.Step> steps = MemberPath.ofRecord(path);
            return path.length() <= 256 && steps.get(steps.size() - 1).name().equals(last);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private void leave(String what) {
        leftOut.add(what);
    }

    @Override
    List<String> remarks() {
        List<String> remarks = super.remarks();
        if (!each.isEmpty()) {
            remarks.add("Each element of " + each.substring(0, each.length() - "[*]".length()) + " is a row, "
                    + elements + " in " + (rows - uneven) + (rows - uneven == 1 ? " record" : " records")
                    + ", with what stands outside of it"
                    + (facts.guessesRows ? ": --rows $ makes one row of each record" : ""));
            otherTime(remarks);
        }
        if (uneven > 0) {
            remarks.add(uneven + " lines are no JSON objects, first " + trouble.strip() + ": they will be rejected.");
        }
        leftOut.stream().limit(MOST_REMARKS).forEach(what -> remarks.add("left out: " + what));
        if (tooMany) {
            remarks.add("left out: members beyond the first " + MOST_PLACES + ", which were not looked at");
        }
        if (leftOut.size() > MOST_REMARKS) {
            remarks.add("left out: " + (leftOut.size() - MOST_REMARKS) + " more");
        }
        return remarks;
    }
}
