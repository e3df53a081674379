package io.waterwheel.cli.proposal;

import io.waterwheel.cli.input.CsvCells;
import io.waterwheel.cli.input.CsvColumns;
import io.waterwheel.cli.input.CsvQuotes;
import io.waterwheel.cli.input.FieldNames;
import io.waterwheel.cli.input.InputLines;
import io.waterwheel.cli.input.LinesLeftOut;
import io.waterwheel.cli.input.Totals;
import io.waterwheel.cli.text.DefinitionYaml;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RecordText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a CSV file looks like. One thread. */
final class CsvLook extends FileLook {
    /** Lines that show how the file is written. */
    private static final int STYLE_LINES = 1_000;

    private static final int STYLE_BYTES = 4 << 20;

    /** As loggers of weather stations write: units, and what was done with the values. */
    private static final int MOST_UNIT_ROWS = 3;

    /** Each line is a record. */
    private static final RecordText.Csv LINES = new RecordText.Csv(',', '.', '\0', List.of(), '\0', '\0');

    private final List<String> named;
    private final boolean mayBeHeaded;
    private final List<ColumnSample> columns = new ArrayList<>();
    private boolean headed;

    /** On a first line that was taken for a row, and may be names. */
    private String adviceOfFirst = "";
    /** Whether the first line, of names, has empty ones, as titles have that are filled up with delimiters. */
    private boolean padded;

    private String evidence = "";
    /** Those of the style, for lines that follow. */
    private RecordText.Csv signs = LINES;

    private List<String> firstOnes = List.of();
    /** What lines begin with that are no rows, as the first lines show; 0: none do. */
    private char comment;

    private @Nullable RowPlace commented;
    /** The last row that was read and tells of no column yet; null: none. */
    private @Nullable List<CsvCells.Cell> pending;

    private RowPlace pendingPlace = RowPlace.row(0);
    private boolean looked;
    /**
     * How many rows behind the names are none of values, and what stands in the first; where the first and last are.
     */
    private int units;

    private String unitsText = "";
    /** What those rows say, cell by cell. */
    private List<List<String>> unitCells = List.of();

    private RowPlace lineOfUnits = RowPlace.row(0);
    private RowPlace lastOfUnits = RowPlace.row(0);
    /** The last line of the file, where it is a total, as it seems. */
    private @Nullable RowPlace total;

    /**
     * @param named what its columns are called; empty: its first line says, or nothing does
     * @param mayBeHeaded whether a first line may say it
     */
    CsvLook(String source, long mostBytes, List<String> named, boolean mayBeHeaded, FileFacts facts) {
        super(source, mostBytes, facts);
        this.named = named;
        this.mayBeHeaded = mayBeHeaded;
    }

    @Override
    RecordFormat format() {
        return RecordFormat.CSV;
    }

    @Override
    String adviceOfLines() {
        if (padded) {
            return ". Some names in its first line are empty: --skip-lines N leaves out lines before the names";
        }
        return columns.size() > 1
                ? adviceOfFirst
                : ". Each row has one value: --delimiter SIGN says what divides values, --skip-lines N leaves out lines"
                        + " before the names"
                        + adviceOfReturns();
    }

    private String adviceOfReturns() {
        return firstOnes.stream().anyMatch(line -> line.indexOf('\r') >= 0)
                ? "; lines that end with a carriage return alone are not told apart: let them end with line feeds"
                : "";
    }

    @Override
    void look(InputLines lines) throws IOException {
        // Where quotes stand is seen by the lines themselves.
        lines.divideBy(LINES);
        LinesLeftOut leftOut = facts.leftOut(RecordText.DEFAULT, !named.isEmpty() || !mayBeHeaded);
        // Which rows are the last is known when comments and quotes are.
        lines.leaveOut(leftOut.first(), leftOut.comment(), 0, false);
        byte[] first = next(lines);
        if (whole) {
            throw bad(source + " is empty: expected a CSV file with a line of names, or rows");
        }
        char announced = facts.delimiter != null ? facts.delimiter : lines.announced();
        if (facts.delimiter == null && announced != '\0' && ",;|\t: ".indexOf(announced) < 0) {
            throw bad(source + ": its first line says sep=" + announced + ", which divides no values: expected a comma,"
                    + " a semicolon, a tab, a bar, a colon or a space");
        }
        requireNoContradiction(facts.contradiction(announced));
        List<String> begin = new ArrayList<>(List.of(text(first)));
        List<RowPlace> places = new ArrayList<>(List.of(place(lines)));
        int bytes = first.length;
        while (begin.size() < STYLE_LINES && bytes < STYLE_BYTES && !enough()) {
            byte[] line = next(lines);
            bytes += line.length;
            if (!whole) {
                begin.add(text(line));
                places.add(place(lines));
            }
        }
        if (facts.comment == null && mayBeHeaded) {
            comment = comments(begin);
            if (comment != '\0') {
                leaveOutComments(begin, places);
            } else if (facts.skipLines == null && named.isEmpty()) {
                requireNoRemarksFirst(begin, places);
            }
        }
        int last = leftOut.last();
        if (whole) {
            leaveOutLast(last, begin);
        }
        // Not again: the lines before the names are passed.
        lines.leaveOut(0, comment(), whole ? 0 : last, false);
        CsvDialect dialect = CsvDialect.of(begin, whole, announced, named.size(), facts);
        CsvDialect.Evidence shown = dialect.evidence();
        // Comments and lines before the names are not among those looked at.
        evidence = shown == null ? "" : places.get(shown.line()) + " has " + shown.part();
        firstOnes = begin;
        signs = dialect.signs();
        requireNoContradiction(facts.contradiction(signs.delimiter(), signs.quote(), signs.escape()));
        lines.divideBy(signs);
        List<String> records = new ArrayList<>(dialect.records());
        List<Integer> firstLines = new ArrayList<>(dialect.firstLines());
        int firstOfRest = begin.size()
                - (int) dialect.rest().chars().filter(c -> c == '\n').count();
        if (!dialect.rest().isEmpty() && (whole || records.isEmpty())) {
            records.add(dialect.rest());
            firstLines.add(firstOfRest);
        } else if (!dialect.rest().isEmpty()) {
            lines.begins(
                    dialect.rest().getBytes(StandardCharsets.UTF_8),
                    places.get(firstOfRest).number());
        }
        if (!whole) {
            leaveOutLast(last - lines.lastRowsBehind(), records);
        }
        List<List<CsvCells.Cell>> rowsOfBegin =
                records.stream().map(line -> CsvCells.of(line, signs)).toList();
        List<CsvCells.Cell> names = rowsOfBegin.get(0);
        requireNamesFirst(rowsOfBegin, places);
        headed = mayBeHeaded && named.isEmpty() && isHeader(names);
        boolean someNamed = names.stream().anyMatch(cell -> mayBeName(cell, facts.zone));
        if (!headed && mayBeHeaded && named.isEmpty() && someNamed) {
            adviceOfFirst =
                    adviceOfFirst(cells(names), places.get(firstLines.get(0)).number());
        }
        padded = headed && names.stream().anyMatch(cell -> cell.text().isBlank());
        List<List<CsvCells.Cell>> values = headed ? rowsOfBegin.subList(1, rowsOfBegin.size()) : rowsOfBegin;
        units = headed ? unitRows(values, names.size()) : 0;
        style = CsvStyle.of(signs, values.subList(units, values.size()), facts);
        signs = style.signs(List.of());
        name(names);
        rows = units;
        if (units > 0) {
            unitsText = DefinitionYaml.oneLine(String.join(", ", texts(values.get(0))), " ");
            lineOfUnits = places.get(firstLines.get(1));
            lastOfUnits = places.get(firstLines.get(units));
            unitCells = values.subList(0, units).stream().map(CsvLook::cells).toList();
        }
        for (int row = units; row < values.size(); row++) {
            row(values.get(row), places.get(firstLines.get(headed ? row + 1 : row)));
        }
        while (!enough()) {
            byte[] line = next(lines);
            if (!whole) {
                add(line, place(lines));
            }
        }
        List<CsvCells.Cell> behind = pending;
        if (behind != null && !(whole && rows > 1 && Totals.isTotal(behind))) {
            look(behind, pendingPlace);
        } else if (behind != null) {
            total = pendingPlace;
        }
        pending = null;
        looked = true;
        if (rows == 0) {
            throw bad(source + " has no row"
                    + (damaged > 0 ? " that can be read" : headed ? " behind its line of names" : "")
                    + ": expected at least one, which tells what the fields are"
                    + adviceOfReturns());
        }
    }

    /**
     * How many rows directly behind the names hold no values but what loggers write there, units for one: each has
     * texts, where all rows behind it have numbers, and neither a number nor a time. Such a row is no tuple of a stream
     * whose columns are what the others are.
     */
    private int unitRows(List<List<CsvCells.Cell>> values, int width) {
        int most = 0;
        while (most < Math.min(MOST_UNIT_ROWS, values.size() - 1)
                && values.get(most).size() == width
                && isHeader(values.get(most))) {
            most++;
        }
        if (most == 0) {
            return 0;
        }
        List<List<CsvCells.Cell>> others = values.subList(most, values.size());
        CsvStyle told = CsvStyle.of(signs, others, facts);
        boolean[] ofUnits = new boolean[most];
        for (int c = 0; c < width; c++) {
            ColumnSample sample = new ColumnSample("", told);
            for (List<CsvCells.Cell> row : others) {
                if (c < row.size()) {
                    sample.add(row.get(c).text(), row.get(c).quoted());
                }
            }
            sample = sample.withoutUnit();
            boolean number = sample.type().isNumber();
            for (int row = 0; row < most; row++) {
                String text = CsvStyle.trimmed(values.get(row).get(c).text());
                ofUnits[row] |= number && !text.isEmpty() && !told.isNothing(text);
                if (number && (told.number(text) != null || CsvStyle.NOT_FINITE.contains(text))) {
                    return 0;
                }
            }
        }
        for (int row = 0; row < most; row++) {
            if (!ofUnits[row]) {
                return row;
            }
        }
        return most;
    }

    /**
     * Whether a row is one of units, as behind the names of the file that was looked at: another file has them, too.
     */
    boolean isOfUnits(byte[] line) {
        return !unitCells.isEmpty() && unitCells.contains(cells(CsvCells.of(text(line), signs)));
    }

    private static List<String> cells(List<CsvCells.Cell> cells) {
        return cells.stream().map(cell -> cell.text().strip()).toList();
    }

    private static List<String> texts(List<CsvCells.Cell> cells) {
        return cells.stream()
                .map(cell -> cell.text().strip())
                .filter(text -> !text.isEmpty())
                .toList();
    }

    /** Passes over remarks before the names, in a file with rows that begin as they do. */
    private void requireNoRemarksFirst(List<String> lines, List<RowPlace> places) {
        int top = 0;
        while (top < lines.size() && lines.get(top).startsWith("#")) {
            top++;
        }
        if (top == 0 || top + 1 >= lines.size()) {
            return;
        }
        List<String> behind = lines.subList(top, lines.size());
        RecordText.Csv divided = lines(delimiter(behind));
        int width = CsvCells.of(behind.get(0), divided).size();
        boolean remarks = lines.subList(0, top).stream()
                .allMatch(line -> isRemark(line) || CsvCells.of(line, divided).size() != width);
        int line = (int) places.get(top).number();
        if (remarks && width > 1 && isHeader(CsvCells.of(behind.get(0), divided))) {
            throw new LinesBefore(
                    line - 1,
                    source + ": line " + line + " names the columns. Leave out what stands before it: "
                            + without(line, named));
        }
    }

    /** Refuses a file whose first line is not like the others: nearly all of these would be rejected. */
    private void requireNamesFirst(List<List<CsvCells.Cell>> records, List<RowPlace> places) {
        long even = records.stream()
                .filter(cells -> cells.size() == records.get(0).size())
                .count();
        // A title alone tells no delimiter: then nothing may divide the other lines either.
        boolean undivided = mayBeHeaded && records.get(0).size() == 1;
        if (undivided && named.isEmpty() && facts.skipLines == null) {
            int titles = CsvDialect.titles(
                    firstOnes, facts.delimiter == null ? '\0' : facts.delimiter, facts, this::isHeader);
            requireNoTitles(titles == 0 ? 0 : places.get(titles).number());
        }
        CsvStyle.Alike alike =
                undivided || even * 2 < records.size() ? CsvStyle.alike(firstOnes, facts.delimiter) : null;
        if (alike == null || alike.before() == 0) {
            return;
        }
        List<CsvCells.Cell> first = alike.lines().get(0);
        List<CsvCells.Cell> likeMost = alike.lines().get(alike.before());
        long line = places.get(alike.before()).number();
        boolean titled = isHeader(likeMost) || first.size() == 1;
        if (named.isEmpty()
                && mayBeHeaded
                && !titled
                && isHeader(first)
                && likeMost.size() == first.size() + 1
                && line == 2) {
            throw bad(source + ": each row has one value more than line 1 has names. Name all columns, in the place of"
                    + " line 1: " + without(line, oneMore(first, alike)));
        }
        String others = source + ": line " + line + " is the first with the " + likeMost.size()
                + " values that most lines have";
        if (named.isEmpty() && mayBeHeaded && !isHeader(likeMost)) {
            throw bad(others + ", and names no columns. Leave out what stands before it, and name them: "
                    + without(line, List.of("NAME,NAME,...")));
        }
        String message = others + ". Leave out what stands before it: " + without(line, named);
        if (named.isEmpty() && mayBeHeaded && facts.skipLines == null && line - 1 <= RecordText.Export.MOST_SKIPPED) {
            throw new LinesBefore((int) line - 1, message);
        }
        throw bad(message);
    }

    /** @param line that names the columns; 0: it is the first */
    private void requireNoTitles(long line) {
        if (line > 1 && line - 1 <= RecordText.Export.MOST_SKIPPED) {
            throw new LinesBefore(
                    (int) line - 1,
                    source + ": line " + line + " is the first that is divided as the others are. Leave"
                            + " out what stands before it: " + without(line, named));
        }
    }

    /** Names for rows that have a value more than there are names. */
    private List<String> oneMore(List<CsvCells.Cell> first, CsvStyle.Alike alike) {
        List<String> names =
                new ArrayList<>(first.stream().map(CsvColumns::name).toList());
        boolean atEnd = alike.lines().stream()
                .filter(row -> row.size() == first.size() + 1)
                .allMatch(row -> row.get(first.size()).text().isEmpty());
        // A delimiter behind each row; else the numbers of rows, that R writes without a name.
        names.add(atEnd ? names.size() : 0, atEnd ? "" : "row");
        List<String> all = new ArrayList<>(FieldNames.of(names));
        if (atEnd) {
            all.set(all.size() - 1, CsvColumns.IGNORED);
        }
        return all;
    }

    private void requireNoContradiction(@Nullable String why) {
        if (why != null) {
            throw bad(source + ": " + why);
        }
    }

    /** Names are not numbers, times or addresses; some may be empty, but not all. */
    private boolean isHeader(List<CsvCells.Cell> cells) {
        return isHeader(cells, facts.zone);
    }

    private static boolean isHeader(List<CsvCells.Cell> cells, @Nullable ZoneId zone) {
        boolean named = false;
        for (CsvCells.Cell cell : cells) {
            named |= !cell.text().isBlank();
            if (!mayBeName(cell, zone)) {
                return false;
            }
        }
        return named;
    }

    /** Whether a cell of a first line may be a column's name: it looks like no value but a text. */
    private static boolean mayBeName(CsvCells.Cell cell, @Nullable ZoneId zone) {
        ColumnSample sample = new ColumnSample("", CsvStyle.PLAIN.withTimes(new TimeForms.Stated(null, zone)));
        sample.add(cell.text(), cell.quoted());
        return sample.type() == FieldType.STRING
                && sample.parenthesised == 0
                && sample.timePatterns().isEmpty()
                && CsvStyle.PLAIN.number(cell.text()) == null;
    }

    private void name(List<CsvCells.Cell> first) {
        if (first.size() > MAX_FIELDS) {
            throw bad(source + ": expected at most " + MAX_FIELDS + " columns, got " + first.size());
        }
        if (!named.isEmpty() && named.size() != first.size()) {
            throw bad("--columns names " + named.size() + " columns, and the first line of " + source + " has "
                    + first.size());
        }
        Set<String> taken = new HashSet<>();
        for (String name : named) {
            if (!name.equals(CsvColumns.IGNORED) && !taken.add(name)) {
                throw bad("--columns names '" + name + "' twice");
            }
        }
        List<String> names = !named.isEmpty()
                ? named
                : FieldNames.of(first.stream()
                        .map(cell -> headed ? CsvColumns.name(cell) : "")
                        .toList());
        names.forEach(name -> columns.add(new ColumnSample(name, style)));
    }

    @Override
    void add(byte[] line, RowPlace place) {
        row(CsvCells.of(text(line), signs), place);
        List<CsvCells.Cell> one = pending;
        if (looked && one != null) {
            look(one, place);
            pending = null;
        }
    }

    /** Takes comments away, but for lines that go on within quotes. */
    private void leaveOutComments(List<String> begin, List<RowPlace> places) {
        char divides = delimiter(
                begin.stream().filter(line -> line.charAt(0) != comment).toList());
        CsvQuotes quotes = new CsvQuotes(lines(divides));
        boolean within = false;
        int kept = 0;
        for (int l = 0; l < begin.size(); l++) {
            if (!within && begin.get(l).charAt(0) == comment) {
                commented = commented == null ? places.get(l) : commented;
                continue;
            }
            if (!within) {
                quotes.begin();
            }
            for (byte c : (begin.get(l) + "\n").getBytes(StandardCharsets.UTF_8)) {
                within = quotes.inside(c);
            }
            begin.set(kept, begin.get(l));
            places.set(kept++, places.get(l));
        }
        begin.subList(kept, begin.size()).clear();
        places.subList(kept, places.size()).clear();
    }

    /** The first line may be one of names. */
    private static void leaveOutLast(int last, List<String> lines) {
        lines.subList(Math.max(1, lines.size() - last), lines.size()).clear();
    }

    private static char delimiter(List<String> rows) {
        return CsvStyle.delimiter('\0', rows, 0, '"', '\0');
    }

    /** What lines begin with that are comments, as it seems; 0: none do. */
    private static char comments(List<String> lines) {
        List<String> marked =
                lines.stream().filter(line -> line.startsWith("#")).toList();
        List<String> others =
                lines.stream().filter(line -> !line.startsWith("#")).toList();
        if (marked.isEmpty() || others.size() < 2) {
            return '\0';
        }
        char divides = delimiter(others);
        int width = CsvCells.of(others.get(others.size() / 2), lines(divides)).size();
        int atTop = lines.indexOf(others.get(0));
        boolean named = isHeader(CsvCells.of(others.get(0), lines(divides)), null);
        for (int l = 0; l < marked.size(); l++) {
            String line = marked.get(l);
            boolean mayBe = l >= atTop
                    ? isRemark(line)
                    : named || CsvCells.of(line, lines(divides)).size() != width;
            // A row whose first value begins so; or the names, as some programs mark them.
            if (!mayBe) {
                return '\0';
            }
        }
        return '#';
    }

    /** Whether what begins as a comment is written as one between rows: a row may begin with #1. */
    static boolean isRemark(String line) {
        return line.length() == 1 || line.charAt(1) == ' ';
    }

    private static RecordText.Csv lines(char divides) {
        return new RecordText.Csv(divides, '.', '\0', List.of());
    }

    private void row(List<CsvCells.Cell> cells, RowPlace place) {
        rows++;
        if (cells.size() != columns.size()) {
            uneven++;
            return;
        }
        // The last one may be a total.
        List<CsvCells.Cell> before = pending;
        if (before != null) {
            look(before, pendingPlace);
        }
        pending = cells;
        pendingPlace = place;
    }

    private void look(List<CsvCells.Cell> cells, RowPlace place) {
        for (int c = 0; c < cells.size(); c++) {
            columns.get(c).place = place;
            columns.get(c).add(cells.get(c).text(), cells.get(c).quoted());
        }
    }

    @Override
    List<ColumnSample> columns() {
        return columns.stream()
                .filter(column -> !column.name.equals(CsvColumns.IGNORED))
                .map(ColumnSample::withoutUnit)
                .toList();
    }

    /** What is known of the file where rows that are spoilt so far tell other quotes or escapes; null: they do not. */
    @Nullable
    FileFacts told(List<byte[]> spoilt) {
        List<String> lines = new ArrayList<>(firstOnes);
        spoilt.forEach(row -> lines.addAll(List.of(text(row).split("\n"))));
        RecordText.Csv told = CsvDialect.of(lines, true, style.delimiter(), columns.size(), facts)
                .signs();
        return told.quote() == style.quote() && told.escape() == style.escape() ? null : facts.with(told);
    }

    /** What tells quotes and escapes that are not the usual ones; empty: they are. */
    String evidence() {
        return evidence;
    }

    /** The names of all columns, where no line of the file says them. */
    List<String> appendColumns() {
        return headed ? List.of() : columns.stream().map(column -> column.name).toList();
    }

    @Override
    List<String> remarks() {
        List<String> remarks = super.remarks();
        RowPlace sum = total;
        if (sum != null) {
            remarks.add("The last row (" + sum + ") begins as a total does: --skip-last 1 leaves it out.");
        }
        if (units > 0) {
            String names = columns.stream().map(column -> column.name).collect(Collectors.joining(","));
            remarks.add(lineOfUnits + " seems to be units (" + unitsText + ")"
                    + (units == 1 ? " and no row: it" : " and no row; it and the next, to " + lastOfUnits + ",")
                    + " will be rejected. Without: --skip-lines " + lastOfUnits.number() + " --columns " + names);
        }
        if (uneven > 0) {
            remarks.add(uneven + " rows have another number of columns: they will be rejected.");
        }
        return remarks;
    }

    @Override
    String appendOptions() {
        return (headed ? "" : " --columns " + String.join(",", appendColumns()))
                + (!headed && facts.skipLines != null ? " --skip-lines " + facts.skipLines : "")
                + (facts.skipLast > 0 ? " --skip-last " + facts.skipLast : "")
                + super.appendOptions();
    }

    /** What lines begin with that are no rows, as a person says or the file shows; 0: none do. */
    char comment() {
        return facts.comment != null ? facts.comment : comment;
    }

    /** Where the first line is that shows it; null where a person says it. */
    @Nullable
    RowPlace commented() {
        return commented;
    }

    /** Lines before the names. */
    int linesBefore() {
        return headed && facts.skipLines != null ? facts.skipLines : 0;
    }
}
