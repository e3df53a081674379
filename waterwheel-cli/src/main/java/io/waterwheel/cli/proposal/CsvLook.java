package io.waterwheel.cli.proposal;

import io.waterwheel.cli.input.CsvCells;
import io.waterwheel.cli.input.CsvColumns;
import io.waterwheel.cli.input.FieldNames;
import io.waterwheel.cli.input.FileEncoding;
import io.waterwheel.cli.input.InputLines;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RecordText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a CSV file looks like. One thread. */
final class CsvLook extends FileLook {
    /** Lines that show how the file is written. */
    private static final int STYLE_LINES = 1_000;

    private static final int STYLE_BYTES = 4 << 20;

    /** Each line is a record. */
    private static final RecordText.Csv LINES = new RecordText.Csv(',', '.', '\0', List.of(), '\0', '\0');

    private final List<String> named;
    private final boolean mayBeHeaded;
    private final List<ColumnSample> columns = new ArrayList<>();
    private boolean headed;
    private @Nullable CsvDialect dialect;
    /** Those of the style, for lines that follow. */
    private RecordText.Csv signs = LINES;

    private List<String> firstOnes = List.of();

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
    void look(InputLines lines) throws IOException {
        // Where quotes stand is seen by the lines themselves.
        lines.divideBy(LINES);
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
        dialect = CsvDialect.of(begin, whole, announced, named.size(), facts);
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
        List<List<CsvCells.Cell>> rowsOfBegin =
                records.stream().map(line -> CsvCells.of(line, signs)).toList();
        List<CsvCells.Cell> names = rowsOfBegin.get(0);
        requireNamesFirst(rowsOfBegin, places);
        headed = mayBeHeaded && named.isEmpty() && isHeader(names);
        List<List<CsvCells.Cell>> values = headed ? rowsOfBegin.subList(1, rowsOfBegin.size()) : rowsOfBegin;
        style = CsvStyle.of(signs, values, facts);
        signs = style.signs(List.of());
        name(names);
        for (int row = 0; row < values.size(); row++) {
            row(values.get(row), places.get(firstLines.get(headed ? row + 1 : row)));
        }
        while (!enough()) {
            byte[] line = next(lines);
            if (!whole) {
                add(line, place(lines));
            }
        }
        if (rows == 0) {
            throw bad(source + " has no row"
                    + (damaged > 0 ? " that can be read" : headed ? " behind its line of names" : "")
                    + ": expected at least one, which tells what the fields are");
        }
    }

    /** Refuses a file whose first line is not like the others: nearly all of these would be rejected. */
    private void requireNamesFirst(List<List<CsvCells.Cell>> records, List<RowPlace> places) {
        long even = records.stream()
                .filter(cells -> cells.size() == records.get(0).size())
                .count();
        // A title alone tells no delimiter: then nothing may divide the other lines either.
        boolean undivided = mayBeHeaded && records.get(0).size() == 1;
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
                    + " line 1: " + without(2, oneMore(first, alike)));
        }
        String others = source + ": line " + line + " is the first with the " + likeMost.size()
                + " values that most lines have";
        if (named.isEmpty() && mayBeHeaded && !isHeader(likeMost)) {
            throw bad(others + ", and names no columns. Leave out what stands before it, and name them: "
                    + without(line, List.of("NAME,NAME,...")));
        }
        throw bad(others + ". Leave out what stands before it: " + without(line, named));
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

    /** A command that appends the file from a line on, with what is said of it so far. */
    private String without(long line, List<String> columns) {
        String plain = source.endsWith(".gz") ? "gzip -dc FILE | " : source.endsWith(".zst") ? "zstd -dc FILE | " : "";
        boolean wide = encoding == FileEncoding.UTF_16LE || encoding == FileEncoding.UTF_16BE;
        if (wide) {
            plain = (plain.isEmpty() ? "iconv" : plain + "iconv") + " -f " + encoding.label() + " -t utf-8"
                    + (plain.isEmpty() ? " FILE | " : " | ");
        }
        Character sign = facts.delimiter;
        return plain + "tail -n +" + line + (plain.isEmpty() ? " FILE" : "")
                + " | waterwheel append --create --stream NAME"
                + (columns.isEmpty() ? "" : " --columns " + String.join(",", columns))
                + (sign == null ? "" : " --delimiter " + (sign == '\t' ? "tab" : "'" + sign + "'"))
                + super.appendOptions()
                + " -";
    }

    private void requireNoContradiction(@Nullable String why) {
        if (why != null) {
            throw bad(source + ": " + why);
        }
    }

    /** Names are not numbers, times or addresses; some may be empty, but not all. */
    private static boolean isHeader(List<CsvCells.Cell> cells) {
        boolean named = false;
        for (CsvCells.Cell cell : cells) {
            named |= !cell.text().isBlank();
            if (!ColumnSample.mayBeName(cell)) {
                return false;
            }
        }
        return named;
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
    }

    private void row(List<CsvCells.Cell> cells, RowPlace place) {
        rows++;
        if (cells.size() != columns.size()) {
            uneven++;
            return;
        }
        for (int c = 0; c < cells.size(); c++) {
            columns.get(c).place = place;
            columns.get(c).add(cells.get(c).text(), cells.get(c).quoted());
        }
    }

    @Override
    List<ColumnSample> columns() {
        return columns.stream()
                .filter(column -> !column.name.equals(CsvColumns.IGNORED))
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
        return dialect == null ? "" : dialect.evidence();
    }

    /** The names of all columns, where no line of the file says them. */
    List<String> appendColumns() {
        return headed ? List.of() : columns.stream().map(column -> column.name).toList();
    }

    @Override
    List<String> remarks() {
        List<String> remarks = super.remarks();
        if (uneven > 0) {
            remarks.add(uneven + " rows have another number of columns: they will be rejected.");
        }
        return remarks;
    }

    @Override
    String appendOptions() {
        return (headed ? "" : " --columns " + String.join(",", appendColumns())) + super.appendOptions();
    }
}
