package io.waterwheel.cli.proposal;

import io.waterwheel.cli.input.CsvCells;
import io.waterwheel.cli.input.CsvColumns;
import io.waterwheel.cli.input.FieldNames;
import io.waterwheel.cli.input.InputLines;
import io.waterwheel.schema.RecordFormat;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a CSV file looks like. One thread. */
final class CsvLook extends FileLook {
    /** Lines that show how the file is written. */
    private static final int STYLE_LINES = 1_000;

    private static final int STYLE_BYTES = 4 << 20;

    private final List<String> named;
    private final boolean mayBeHeaded;
    private final List<ColumnSample> columns = new ArrayList<>();
    private boolean headed;

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
        byte[] first = next(lines);
        if (whole) {
            throw bad(source + " is empty: expected a CSV file with a line of names, or rows");
        }
        List<String> begin = new ArrayList<>(List.of(text(first)));
        // Of each its place among all lines, those counted that are damaged.
        List<Long> numbers = new ArrayList<>(List.of(1 + damaged));
        // Which sign divides is seen by the first line at the latest where quotes hold line ends.
        char announced = facts.delimiter != null ? facts.delimiter : lines.announced();
        if (facts.delimiter == null && announced != '\0' && ",;|\t: ".indexOf(announced) < 0) {
            throw bad(source + ": its first line says sep=" + announced + ", which divides no values: expected a comma,"
                    + " a semicolon, a tab, a bar, a colon or a space");
        }
        lines.divideBy(CsvStyle.delimiter(announced, begin, named.size()));
        int bytes = 0;
        while (begin.size() < STYLE_LINES && bytes < STYLE_BYTES && !enough()) {
            byte[] line = next(lines);
            bytes += line.length;
            if (!whole) {
                begin.add(text(line));
                numbers.add(begin.size() + damaged);
            }
        }
        char delimiter = CsvStyle.delimiter(announced, begin, named.size());
        lines.divideBy(delimiter);
        List<List<CsvCells.Cell>> rowsOfBegin =
                begin.stream().map(line -> CsvCells.of(line, delimiter)).toList();
        List<CsvCells.Cell> names = rowsOfBegin.get(0);
        headed = mayBeHeaded && named.isEmpty() && isHeader(names);
        List<List<CsvCells.Cell>> values = headed ? rowsOfBegin.subList(1, rowsOfBegin.size()) : rowsOfBegin;
        style = CsvStyle.of(delimiter, values, facts);
        name(names);
        for (int row = 0; row < values.size(); row++) {
            row(values.get(row), numbers.get(headed ? row + 1 : row) - (headed ? 1 : 0));
        }
        while (!enough()) {
            byte[] line = next(lines);
            if (!whole) {
                add(line, rows + damaged + 1);
            }
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
    void add(byte[] line, long number) {
        row(CsvCells.of(text(line), style.delimiter()), number);
    }

    private void row(List<CsvCells.Cell> cells, long number) {
        rows++;
        if (cells.size() != columns.size()) {
            uneven++;
            return;
        }
        for (int c = 0; c < cells.size(); c++) {
            columns.get(c).row = number;
            columns.get(c).add(cells.get(c).text(), cells.get(c).quoted());
        }
    }

    @Override
    List<ColumnSample> columns() {
        return columns.stream()
                .filter(column -> !column.name.equals(CsvColumns.IGNORED))
                .toList();
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
