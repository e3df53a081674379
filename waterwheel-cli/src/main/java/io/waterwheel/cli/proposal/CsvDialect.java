package io.waterwheel.cli.proposal;

import io.waterwheel.cli.input.CsvCells;
import io.waterwheel.cli.input.CsvQuotes;
import io.waterwheel.cli.text.DefinitionYaml;
import io.waterwheel.schema.RecordText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which signs divide, quote and escape the values of CSV, as its first lines show: those by which most lines are
 * records of as many values as the first, and of two that are as good the more usual ones.
 *
 * @param signs as they are taken
 * @param records that the lines make by them
 * @param firstLines by record its first line, from 0
 * @param rest lines of a record that goes on behind them; mostly empty
 * @param evidence what tells the quote and the escape, where they are others than usual; null: nothing
 */
record CsvDialect(
        RecordText.Csv signs,
        List<String> records,
        List<Integer> firstLines,
        String rest,
        @Nullable Evidence evidence) {
    /**
     * What tells signs.
     *
     * @param line of those that were looked at, from 0
     * @param part of it
     */
    record Evidence(int line, String part) {}

    /** More lines than one value is thought to have. */
    private static final int MOST_LINES = 100;

    private static final int SHOWN = 40;

    /** What a backslash stands before where it is an escape, in text without quotes. */
    private static final Pattern ESCAPES = Pattern.compile("\\\\([\\\\0btnvfrZ\t\n]|$)");

    private static final Pattern BACKSLASH = Pattern.compile("\\\\");

    /** One choice of signs, and what it makes of the lines. */
    private record Reading(CsvDialect dialect, long bad, long quoted) {}

    /**
     * The signs of lines.
     *
     * @param lines ends of lines divide them, wherever those stand
     * @param whole whether the file has no others
     * @param announced the delimiter, by the file or by a person; 0: not
     * @param columns that the file is said to have; 0: nothing is said
     */
    static CsvDialect of(List<String> lines, boolean whole, char announced, int columns, FileFacts facts) {
        Reading usual = null;
        Reading best = null;
        for (char[] signs : choices(lines, announced, facts)) {
            Reading reading = read(lines, whole, announced, columns, signs[0], signs[1]);
            usual = usual == null ? reading : usual;
            boolean may = signs[0] != '\'' || facts.quote != null || hasQuotedColumn(reading.dialect);
            // Where some values are in quotes as they should be, the others are spoilt.
            may &= signs[0] != '\0' || facts.quote != null || usual.quoted < usual.bad;
            boolean single = best != null && signs[0] == '\'' && best.quoted == 0 && reading.bad <= best.bad;
            // Values from quote to quote, with escaped ones within: no text begins and ends so by chance.
            boolean closed = best != null
                    && best.dialect.signs.quote() == '\0'
                    && signs[0] == '"'
                    && reading.quoted > 0
                    && reading.bad <= best.bad;
            if (best == null || (may && (reading.bad < best.bad || single || closed))) {
                best = reading;
            }
        }
        if (best == null) {
            throw new IllegalStateException("there is always a choice");
        }
        CsvDialect taken = best.dialect;
        char quote = facts.quote == null ? '\0' : facts.quote;
        if (facts.escape == null
                && best.quoted == 0
                && facts.contradiction(announced, quote, '\\') == null
                && taken.isEscapedText()) {
            taken = read(lines, whole, announced, columns, quote, '\\').dialect;
        }
        return taken.explained();
    }

    /** Quotes and escapes, the more usual first, but for those that are the same to lines without them. */
    private static List<char[]> choices(List<String> lines, char announced, FileFacts facts) {
        List<char[]> choices = new ArrayList<>();
        for (char escape : facts.escape != null ? new char[] {facts.escape} : new char[] {'\0', '\\'}) {
            for (char quote : facts.quote != null ? new char[] {facts.quote} : new char[] {'"', '\'', '\0'}) {
                boolean differs = (escape != '\\' || has(lines, '\\'))
                        && (quote != '\'' || has(lines, '\''))
                        && (quote != '\0' || has(lines, '"'));
                boolean possible = facts.contradiction(announced, quote, escape) == null;
                if (possible && (differs || choices.isEmpty())) {
                    choices.add(new char[] {quote, escape});
                }
            }
        }
        return choices;
    }

    private static boolean has(List<String> lines, char sign) {
        return lines.stream().anyMatch(line -> line.indexOf(sign) >= 0);
    }

    private static Reading read(
            List<String> lines, boolean whole, char announced, int columns, char quote, char escape) {
        // The delimiter is seen by whole records, and tells in turn where they end.
        char first = CsvStyle.delimiter(announced, lines.subList(0, 1), columns, quote, escape);
        CsvDialect divided = divided(lines, signs(first, quote, escape));
        List<String> seen = divided.records.isEmpty() ? lines : divided.records;
        char delimiter = CsvStyle.delimiter(announced, seen, columns, quote, escape);
        CsvDialect dialect = delimiter == first ? divided : divided(lines, signs(delimiter, quote, escape));
        int width = 0;
        long bad = 0;
        long quoted = 0;
        for (int r = 0; r < dialect.records.size(); r++) {
            String record = dialect.records.get(r);
            List<CsvCells.Cell> cells = CsvCells.of(record, dialect.signs);
            width = r == 0 ? cells.size() : width;
            boolean good = cells.size() == width && isWhole(record, dialect.signs);
            bad += good ? 0 : linesOf(record);
            quoted += good && cells.stream().anyMatch(CsvCells.Cell::quoted) ? 1 : 0;
        }
        int left = dialect.rest.isEmpty() ? 0 : linesOf(dialect.rest);
        return new Reading(dialect, bad + (whole || left > MOST_LINES ? left : 0), quoted);
    }

    /** Titles that are looked at, and lines behind them. */
    private static final int MOST_TITLES = 30;

    private static final int LINES_BEHIND_TITLES = 200;
    /** One record in as many may be of another width where the others show what the file is. */
    private static final int FEW = 20;

    /**
     * How many lines stand before those that are records of several values each, in a file whose first line has one; 0:
     * no number of them, up to a few, does it.
     *
     * @param announced the delimiter, by the file or by a person; 0: not
     * @param areNames whether the first of those records may name columns
     */
    static int titles(List<String> lines, char announced, FileFacts facts, Predicate<List<CsvCells.Cell>> areNames) {
        for (int before = 1; before <= Math.min(MOST_TITLES, lines.size() - 2); before++) {
            List<String> behind = lines.subList(before, Math.min(lines.size(), before + LINES_BEHIND_TITLES));
            RecordText.Csv signs = of(behind, false, announced, 0, facts).signs;
            List<List<CsvCells.Cell>> records = divided(behind, signs).records.stream()
                    .map(record -> CsvCells.of(record, signs))
                    .toList();
            int width = records.size() < 2 ? 0 : records.get(0).size();
            long odd = records.stream().filter(other -> other.size() != width).count();
            // A time, a number: what only rows have.
            boolean rows = records.stream().anyMatch(record -> !areNames.test(record));
            if (width > 1 && odd * FEW < records.size() && rows && areNames.test(records.get(0))) {
                return before;
            }
        }
        return 0;
    }

    private static RecordText.Csv signs(char delimiter, char quote, char escape) {
        return new RecordText.Csv(delimiter, '.', '\0', List.of(), quote, escape);
    }

    private static int linesOf(String record) {
        return 1 + (int) record.chars().filter(c -> c == '\n').count();
    }

    private static boolean isWhole(String record, RecordText.Csv signs) {
        CsvQuotes quotes = new CsvQuotes(signs);
        for (byte c : record.getBytes(StandardCharsets.UTF_8)) {
            quotes.inside(c);
        }
        return quotes.isWhole();
    }

    private static CsvDialect divided(List<String> lines, RecordText.Csv signs) {
        List<String> records = new ArrayList<>();
        List<Integer> firstLines = new ArrayList<>();
        StringBuilder open = new StringBuilder();
        CsvQuotes quotes = new CsvQuotes(signs);
        quotes.begin();
        int first = 0;
        for (int l = 0; l < lines.size(); l++) {
            open.append(lines.get(l));
            for (byte c : lines.get(l).getBytes(StandardCharsets.UTF_8)) {
                quotes.inside(c);
            }
            if (quotes.inside((byte) '\n')) {
                open.append('\n');
                continue;
            }
            records.add(open.toString());
            firstLines.add(first);
            open.setLength(0);
            quotes.begin();
            first = l + 1;
        }
        return new CsvDialect(signs, records, firstLines, open.toString(), null);
    }

    /** Whether all values of a column are in quotes. */
    private static boolean hasQuotedColumn(CsvDialect dialect) {
        List<List<CsvCells.Cell>> rows = dialect.records.stream()
                .skip(1)
                .map(record -> CsvCells.of(record, dialect.signs))
                .toList();
        int width = rows.stream().mapToInt(List::size).min().orElse(0);
        for (int c = 0; c < width; c++) {
            int column = c;
            if (rows.stream().anyMatch(row -> row.get(column).quoted())
                    && rows.stream()
                            .map(row -> row.get(column))
                            .allMatch(cell -> cell.quoted()
                                    || cell.text().isEmpty()
                                    || CsvStyle.said(FileFacts.NONE).isNothing(cell.text()))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether lines divided by tabs are as databases write them: each backslash is an escape. A word for null alone
     * shows none, neither do letters behind a backslash: paths have them, too.
     */
    private boolean isEscapedText() {
        if (signs.delimiter() != '\t' || signs.escape() != '\0') {
            return false;
        }
        boolean any = false;
        boolean hasNulls = false;
        boolean hasDoubled = false;
        for (String record : records) {
            String text = withoutNulls(record);
            // It ends in one more delimiter.
            hasNulls |= text.length() != record.length() + 1;
            long backslashes = 0;
            Matcher escape = ESCAPES.matcher(text);
            while (escape.find()) {
                boolean doubled = escape.group().equals("\\\\");
                hasDoubled |= doubled;
                backslashes += doubled ? 2 : 1;
            }
            if (backslashes != BACKSLASH.matcher(text).results().count()) {
                return false;
            }
            any |= backslashes > 0;
        }
        return any && (hasNulls || hasDoubled);
    }

    private String withoutNulls(String record) {
        StringBuilder others = new StringBuilder();
        String delimiter = String.valueOf(signs.delimiter());
        for (String cell : record.split(Pattern.quote(delimiter), -1)) {
            others.append(cell.equals(CsvCells.NULL) ? "" : cell).append(delimiter);
        }
        return others.toString();
    }

    private CsvDialect explained() {
        // Where there is no quote, what would be one elsewhere shows it.
        Evidence shown = shown(signs.escape() != '\0' ? signs.escape() : signs.quote() != '\0' ? signs.quote() : '"');
        return shown == null ? this : new CsvDialect(signs, records, firstLines, rest, shown);
    }

    /** The first line with a sign, but for words for null; null: there is none. */
    private @Nullable Evidence shown(char sign) {
        for (int r = 0; r < records.size(); r++) {
            String record = records.get(r);
            int at = withoutNulls(record).indexOf(sign);
            if (sign != '\0' && at >= 0) {
                int from = Math.max(0, record.indexOf(sign) - SHOWN / 2);
                String part = record.substring(from, Math.min(record.length(), from + SHOWN));
                return new Evidence(firstLines.get(r), DefinitionYaml.oneLine(part, " "));
            }
        }
        return null;
    }
}
