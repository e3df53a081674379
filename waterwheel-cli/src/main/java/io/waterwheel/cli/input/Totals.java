package io.waterwheel.cli.input;

import io.waterwheel.schema.RecordText;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

/** Sums that programs write below the rows of a table. Pure functions. */
public final class Totals {
    private static final Pattern TOTAL = Pattern.compile(
            "(?iu)((grand |sub)?totals?|sum|summe|gesamt(summe|ergebnis)?|total général|somme|totale|suma|soma|razem|итого|всего|totaal|summa|yhteensä|i alt|合计|总计|合計)\\s*:?");

    private Totals() {}

    /** Whether a row is a sum of those above it, by the word that it begins with. */
    public static boolean isTotal(List<CsvCells.Cell> cells) {
        return cells.stream()
                .map(cell -> cell.text().strip())
                .filter(text -> !text.isEmpty())
                .findFirst()
                .map(text -> TOTAL.matcher(text).matches())
                .orElse(false);
    }

    /** The same of a line of CSV. */
    public static boolean isTotal(Line line, RecordText.Csv signs) {
        return isTotal(
                CsvCells.of(new String(line.bytes(), line.from(), line.length(), StandardCharsets.UTF_8), signs));
    }
}
