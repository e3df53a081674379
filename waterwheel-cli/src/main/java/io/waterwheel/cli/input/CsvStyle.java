package io.waterwheel.cli.input;

import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.text.TimePattern;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * How a CSV file is written, as its first lines show: what divides values, and how numbers are marked.
 *
 * @param delimiter between values
 * @param decimal a point or a comma
 * @param thousands between groups of digits; 0: none
 */
record CsvStyle(char delimiter, char decimal, char thousands) {
    /** As RFC 4180 has it. */
    static final CsvStyle PLAIN = new CsvStyle(',', '.', '\0');

    private static final char[] DELIMITERS = {'\t', ';', '|', ','};
    /** With a decimal comma; groups of digits are divided by points or by spaces. */
    private static final Pattern COMMA_NUMBER = Pattern.compile("-?(\\d+|\\d{1,3}([. ]\\d{3})+),\\d+");

    private static final Pattern POINT_NUMBER = Pattern.compile("-?\\d+\\.\\d+");
    private static final Pattern POINT_GROUPS = Pattern.compile("-?\\d{1,3}(\\.\\d{3})+(,\\d+)?");
    private static final Pattern SPACE_GROUPS = Pattern.compile("-?\\d{1,3}( \\d{3})+(,\\d+)?");
    private static final Pattern COMMA_GROUPS = Pattern.compile("-?\\d{1,3}(,\\d{3})+(\\.\\d+)?");
    /** Times that are not written as ISO 8601 says; of two that fit, the first is the likelier. */
    static final List<String> TIMES = List.of(
            "dd.MM.yyyy HH:mm:ss",
            "dd.MM.yyyy HH:mm",
            "dd.MM.yyyy",
            "dd/MM/yyyy HH:mm:ss",
            "MM/dd/yyyy HH:mm:ss",
            "d/M/yyyy H:mm",
            "M/d/yyyy H:mm",
            "MM/dd/yyyy hh:mm:ss a",
            "M/d/yyyy h:mm a",
            "d/M/yyyy",
            "M/d/yyyy",
            "yyyy/MM/dd HH:mm:ss",
            "yyyy/MM/dd HH:mm",
            "yyyy/MM/dd",
            "dd-MMM-yyyy HH:mm:ss",
            "dd MMM yyyy HH:mm:ss",
            "dd/MMM/yyyy:HH:mm:ss XXX",
            "yyyyMMdd'T'HHmmssXXX");

    /**
     * The delimiter of lines.
     *
     * @param announced by the file; 0: not
     */
    static char delimiter(char announced, List<String> lines) {
        if (announced != '\0') {
            return announced;
        }
        for (char delimiter : DELIMITERS) {
            int columns = CsvCells.of(lines.get(0), delimiter).size();
            if (columns > 1
                    && lines.stream()
                            .allMatch(line -> CsvCells.of(line, delimiter).size() == columns)) {
                return delimiter;
            }
        }
        // Uneven by any: the one that divides the first line most.
        char best = ',';
        for (char delimiter : DELIMITERS) {
            if (CsvCells.of(lines.get(0), delimiter).size()
                    > CsvCells.of(lines.get(0), best).size()) {
                best = delimiter;
            }
        }
        return best;
    }

    /** The style of rows, without their line of names. */
    static CsvStyle of(char delimiter, List<List<CsvCells.Cell>> rows) {
        Map<Integer, List<String>> columns = new HashMap<>();
        for (List<CsvCells.Cell> row : rows) {
            for (int c = 0; c < row.size(); c++) {
                String text = row.get(c).text();
                if (!text.isEmpty() && !ColumnSample.isMark(text)) {
                    columns.computeIfAbsent(c, unused -> new ArrayList<>()).add(text);
                }
            }
        }
        long commas = columns.values().stream()
                .filter(values -> values.stream()
                                .anyMatch(value -> COMMA_NUMBER.matcher(value).matches())
                        && values.stream()
                                .allMatch(value -> COMMA_NUMBER.matcher(value).matches()
                                        || POINT_GROUPS.matcher(value).matches()
                                        || SPACE_GROUPS.matcher(value).matches()
                                        || value.matches("-?\\d+")))
                .count();
        // 1,234 is a number with a mark between thousands where others have a decimal point.
        boolean points = any(columns, POINT_NUMBER, COMMA_GROUPS);
        char decimal = commas > 0 && !points ? ',' : '.';
        char thousands = '\0';
        if (decimal == ',' && any(columns, POINT_GROUPS, COMMA_NUMBER)) {
            thousands = '.';
        } else if (decimal == ',' && any(columns, SPACE_GROUPS, COMMA_NUMBER)) {
            thousands = ' ';
        } else if (decimal == '.' && any(columns, COMMA_GROUPS, POINT_NUMBER)) {
            thousands = ',';
        }
        return new CsvStyle(delimiter, decimal, thousands);
    }

    /** Whether all of a column are numbers by one of two patterns or whole, some by the first. */
    private static boolean any(Map<Integer, List<String>> columns, Pattern some, Pattern others) {
        return columns.values().stream()
                .anyMatch(values ->
                        values.stream().anyMatch(value -> some.matcher(value).matches())
                                && values.stream()
                                        .allMatch(value -> some.matcher(value).matches()
                                                || others.matcher(value).matches()
                                                || value.matches("-?\\d{1,3}")));
    }

    /** Whether the pattern reads the text, and its day and time exist. */
    static boolean isTime(TimePattern.Reader reader, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (!reader.read(bytes, 0, bytes.length)
                || reader.hour() > 23
                || reader.minute() > 59
                || reader.second() > 59) {
            return false;
        }
        try {
            return LocalDate.of(reader.year(), reader.month(), reader.day()).getYear() > 0;
        } catch (DateTimeException noSuchDay) {
            return false;
        }
    }

    /** A number in plain form, where it is one with marks; else the text as it is. */
    String plain(String text) {
        if (decimal == ','
                && (COMMA_NUMBER.matcher(text).matches()
                        || (thousands == '.' && POINT_GROUPS.matcher(text).matches())
                        || (thousands == ' ' && SPACE_GROUPS.matcher(text).matches()))) {
            return text.replaceAll("[. ]", "").replace(',', '.');
        }
        return thousands == ',' && COMMA_GROUPS.matcher(text).matches() ? text.replace(",", "") : text;
    }

    /** Its signs, with words for null. */
    RecordText.Csv signs(List<String> nulls) {
        return new RecordText.Csv(delimiter, decimal, thousands, nulls);
    }
}
