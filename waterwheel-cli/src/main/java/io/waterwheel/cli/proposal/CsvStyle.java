package io.waterwheel.cli.proposal;

import io.waterwheel.cli.input.CsvCells;
import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.text.Ipv4;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How a file's text is written, as its first lines show or a person says: what divides values, how numbers are marked,
 * which words stand for nothing, and how times may be written.
 *
 * @param delimiter between values
 * @param decimal a point or a comma
 * @param thousands between groups of digits; 0: none
 * @param nulls words that stand for nothing since somebody says so
 * @param times what somebody says of times
 * @param quote around values; 0: none
 * @param escape before a character that stands for itself; 0: none
 * @param commas what speaks for one reading where all commas may be decimal or stand between thousands; empty: all is
 *     told by the numbers
 * @param undecided whether as much speaks for the other reading
 */
record CsvStyle(
        char delimiter,
        char decimal,
        char thousands,
        Set<String> nulls,
        TimeForms.Stated times,
        char quote,
        char escape,
        String commas,
        boolean undecided) {
    /** What files write where there is nothing. */
    private static final Set<String> MARKS_OF_NOTHING = Set.of(
            "-", "--", "NA", "N/A", "n/a", "#N/A", "#NA", "#NV", "<NA>", "null", "NULL", "Null", "None", "nan", "NaT",
            "\\N");

    private static final char[] DELIMITERS = {'\t', ';', '|', ','};
    /** A decimal comma, where the comma would divide too. */
    private static final Pattern COMMA_NUMBER = Pattern.compile("-?\\d+,\\d+");

    /** The same with a unit, such as 5,7%. */
    private static final Pattern COMMA_AND_UNIT = Pattern.compile("-?\\d+,\\d+\\s*\\S{0,3}");

    /** As RFC 4180 has it. */
    static final CsvStyle PLAIN = new CsvStyle(',', '.', '\0');

    /** Marks of numbers, the likeliest first of those that make as many columns numbers. */
    private static final List<CsvStyle> MARKS = List.of(
            new CsvStyle(',', '.', '\0'),
            new CsvStyle(',', '.', ','),
            new CsvStyle(',', ',', '\0'),
            new CsvStyle(',', ',', '.'),
            new CsvStyle(',', ',', ' '),
            new CsvStyle(',', '.', ' '),
            new CsvStyle(',', '.', '\''),
            new CsvStyle(',', ',', '\''));

    /** The same where points divide thousands, as it seems. */
    private static final List<CsvStyle> MARKS_OF_GROUPS = Stream.concat(
                    Stream.of(new CsvStyle(',', ',', '.')), MARKS.stream())
            .toList();

    CsvStyle(char delimiter, char decimal, char thousands) {
        this(delimiter, decimal, thousands, Set.of(), TimeForms.Stated.NOTHING, '"', '\0');
    }

    CsvStyle(
            char delimiter,
            char decimal,
            char thousands,
            Set<String> nulls,
            TimeForms.Stated times,
            char quote,
            char escape) {
        this(delimiter, decimal, thousands, nulls, times, quote, escape, "", false);
    }

    /** The same, with what somebody says of times. */
    CsvStyle withTimes(TimeForms.Stated stated) {
        return new CsvStyle(delimiter, decimal, thousands, nulls, stated, quote, escape, commas, undecided);
    }

    /** As a person says, where nothing is known of the file's signs. */
    static CsvStyle said(FileFacts facts) {
        return new CsvStyle(
                ',',
                '.',
                '\0',
                Set.copyOf(facts.nulls),
                new TimeForms.Stated(facts.times, facts.zone),
                facts.quote == null ? '"' : facts.quote,
                facts.escape == null ? '\0' : facts.escape);
    }

    /** Whether a text that is not quoted stands for nothing. */
    boolean isNothing(String text) {
        return MARKS_OF_NOTHING.contains(text) || nulls.contains(text);
    }

    /**
     * The delimiter of lines.
     *
     * @param announced by the file or by a person; 0: not
     * @param columns that the file is said to have; 0: nothing is said
     * @param quote around values; 0: none
     * @param escape 0: none
     */
    static char delimiter(char announced, List<String> lines, int columns, char quote, char escape) {
        if (announced != '\0') {
            return announced;
        }
        CsvStyle said = new CsvStyle(',', '.', '\0', Set.of(), TimeForms.Stated.NOTHING, quote, escape);
        for (char delimiter : DELIMITERS) {
            int divided = said.cells(lines.get(0), delimiter).size();
            boolean fits = columns == 0 ? divided > 1 : divided == columns;
            if (fits && said.isEven(lines, delimiter, divided) && !said.dividesLess(lines, delimiter, divided)) {
                return delimiter;
            }
        }
        // Uneven by any: the one that divides the first line most.
        char best = ',';
        for (char delimiter : DELIMITERS) {
            if (said.cells(lines.get(0), delimiter).size()
                    > said.cells(lines.get(0), best).size()) {
                best = delimiter;
            }
        }
        return best;
    }

    /**
     * Lines of which most have as many values.
     *
     * @param lines all
     * @param before how many stand before the first that is like most
     */
    record Alike(List<List<CsvCells.Cell>> lines, int before) {}

    /**
     * The lines as the delimiter divides them by which most are alike; null where they are by none.
     *
     * @param said the delimiter, by a person; null: nothing is said
     */
    static @Nullable Alike alike(List<String> lines, @Nullable Character said) {
        for (char delimiter : said == null ? DELIMITERS : new char[] {said}) {
            List<List<CsvCells.Cell>> divided =
                    lines.stream().map(line -> PLAIN.cells(line, delimiter)).toList();
            List<Integer> widths = divided.stream().map(List::size).toList();
            for (int width : Set.copyOf(widths)) {
                long alike = widths.stream().filter(other -> other == width).count();
                if (width > 1 && alike * 4 > lines.size() * 3L && alike > 2) {
                    return new Alike(divided, widths.indexOf(width));
                }
            }
        }
        return null;
    }

    private List<CsvCells.Cell> cells(String line, char divides) {
        return divides == quote || divides == escape
                ? List.of()
                : CsvCells.of(line, new RecordText.Csv(divides, '.', '\0', List.of(), quote, escape));
    }

    private boolean isEven(List<String> lines, char delimiter, int columns) {
        return lines.stream().allMatch(line -> cells(line, delimiter).size() == columns);
    }

    /** Whether a column that it makes has commas in every line that are no decimal commas: those divide. */
    private boolean dividesLess(List<String> lines, char delimiter, int columns) {
        for (int c = 0; c < columns && delimiter != ','; c++) {
            int column = c;
            if (lines.stream()
                    .map(line -> cells(line, delimiter).get(column))
                    .allMatch(cell -> !cell.quoted()
                            && cell.text().indexOf(',') >= 0
                            && !COMMA_NUMBER.matcher(cell.text()).matches())) {
                return true;
            }
        }
        return false;
    }

    /**
     * The style of rows, without their line of names: the marks by which most columns are numbers, of those that a
     * person leaves open.
     */
    static CsvStyle of(RecordText.Csv signs, List<List<CsvCells.Cell>> rows, FileFacts facts) {
        // Typed as a typesetter has it, it is the same mark.
        Character between =
                facts.thousands != null && facts.thousands == '\u2019' ? Character.valueOf('\'') : facts.thousands;
        char delimiter = signs.delimiter();
        CsvStyle said = said(facts);
        Map<Integer, List<String>> columns = new HashMap<>();
        for (List<CsvCells.Cell> row : rows) {
            for (int c = 0; c < row.size(); c++) {
                CsvCells.Cell cell = row.get(c);
                String text = trimmed(cell.text());
                boolean nothing = said.isNothing(text) && !(cell.quoted() && RecordText.Csv.mayBeValue(text));
                if (!text.isEmpty() && !nothing) {
                    columns.computeIfAbsent(c, unused -> new ArrayList<>()).add(text);
                }
            }
        }
        columns.replaceAll((column, values) -> bare(values));
        char decimal = facts.decimal != null ? facts.decimal : between != null && between == '.' ? ',' : '.';
        CsvStyle best = new CsvStyle(delimiter, decimal, between == null ? '\0' : between);
        // Who divides by semicolons writes decimal commas, mostly: then points stand between thousands, where they can.
        CsvStyle byPoints = new CsvStyle(delimiter, ',', '.');
        boolean commas = columns.values().stream()
                .flatMap(List::stream)
                .anyMatch(value -> COMMA_AND_UNIT.matcher(value).matches());
        boolean grouped =
                delimiter == ';' && columns.values().stream().anyMatch(column -> byPoints.areGroups(column, commas));
        long most = -1;
        for (CsvStyle marks : grouped ? MARKS_OF_GROUPS : MARKS) {
            if ((facts.decimal != null && facts.decimal != marks.decimal)
                    || (between != null && between != marks.thousands)
                    || marks.has(signs.quote())
                    || marks.has(signs.escape())) {
                continue;
            }
            long numbers = marks.numbers(columns);
            if (numbers > most) {
                best = marks;
                most = numbers;
            }
        }
        if (facts.decimal == null
                && between == null
                && (best.equals(GROUPS) || best.equals(COMMA))
                && COMMA.numbers(columns) == GROUPS.numbers(columns)) {
            best = byCommas(delimiter, columns);
        }
        return new CsvStyle(
                delimiter,
                best.decimal,
                best.thousands,
                said.nulls,
                said.times,
                signs.quote(),
                signs.escape(),
                best.commas,
                best.undecided);
    }

    /** Commas between thousands, and decimal ones. */
    private static final CsvStyle GROUPS = new CsvStyle(',', '.', ',');

    private static final CsvStyle COMMA = new CsvStyle(',', ',', '\0');

    private static final Pattern DOTTED_DAY = Pattern.compile("\\d{1,2}\\.\\d{1,2}\\.\\d{2,4}( .*)?");

    /** The marks of numbers where three digits stand behind each comma, so that it may be either mark. */
    private static CsvStyle byCommas(char delimiter, Map<Integer, List<String>> columns) {
        List<String> decimal = new ArrayList<>();
        List<String> groups = new ArrayList<>();
        (delimiter == ';' ? decimal : groups).add("the delimiter " + delimiter);
        if (delimiter != ';' && delimiter != ',') {
            groups.clear(); // a tab or a bar says nothing
        }
        for (List<String> column : columns.values()) {
            boolean marked = column.stream().anyMatch(value -> value.indexOf(',') >= 0);
            if (column.stream().allMatch(value -> DOTTED_DAY.matcher(value).matches())) {
                add(decimal, "days such as " + column.get(0));
            } else if (marked && COMMA.areNumbers(column) && GROUPS.areGroups(column, false)) {
                add(groups, "that others of the column have three digits at most and no comma");
            } else if (marked && COMMA.areNumbers(column)) {
                column.stream()
                        .filter(value -> value.indexOf(',') < 0 && COMMA.number(value) != null && !isShort(value))
                        .findFirst()
                        .ifPresent(value -> add(decimal, "that " + value + " has no comma"));
            }
        }
        // Where both are as likely, what is proposed must still be one of them.
        boolean grouped = decimal.isEmpty() || !groups.isEmpty();
        CsvStyle marks = grouped ? GROUPS : COMMA;
        List<String> evidence = grouped ? groups : decimal;
        boolean undecided = decimal.isEmpty() == groups.isEmpty();
        return new CsvStyle(
                delimiter,
                marks.decimal,
                marks.thousands,
                Set.of(),
                TimeForms.Stated.NOTHING,
                '"',
                '\0',
                undecided
                        ? decimal.isEmpty() ? "nothing tells" : "as much speaks for the one as for the other"
                        : "as it seems by " + String.join(" and ", evidence),
                undecided);
    }

    private static void add(List<String> evidence, String one) {
        // One of each kind is enough.
        if (evidence.stream().noneMatch(other -> other.startsWith(one.substring(0, 4)))) {
            evidence.add(one);
        }
    }

    /** Words for numbers that are none; the decoder takes them for a float or a double. */
    static final Set<String> NOT_FINITE = Set.of("NaN", "Infinity", "-Infinity");

    /**
     * How well columns are numbers by these marks: first by how many are as a whole; then by how many are but for a few
     * words, which people write where there is nothing.
     */
    private long numbers(Map<Integer, List<String>> columns) {
        long whole = 0;
        long nearly = 0;
        for (List<String> column : columns.values()) {
            boolean all = areNumbers(column);
            whole += all ? 1 : 0;
            nearly += !all && areNearlyNumbers(column) ? 1 : 0;
        }
        return whole * (FileLook.MAX_FIELDS + 1L) + nearly;
    }

    /** At most 1 in this number of values is an odd one, unless the odd ones are a few words. */
    private static final int MOST = 20;

    private static final int FEW_WORDS = 3;

    private boolean areNearlyNumbers(List<String> values) {
        List<String> numbers = new ArrayList<>();
        Set<String> others = new HashSet<>();
        for (String value : values) {
            if (number(value) != null) {
                numbers.add(value);
            } else if (others.size() <= FEW_WORDS) {
                others.add(value);
            }
        }
        int odd = values.size() - numbers.size();
        return odd * (others.size() <= FEW_WORDS ? 2L : MOST) <= values.size() && areNumbers(numbers);
    }

    /** Without the spaces and tabs around it. */
    static String trimmed(String text) {
        int from = 0;
        int to = text.length();
        while (from < to && (text.charAt(from) == ' ' || text.charAt(from) == '\t')) {
            from++;
        }
        while (to > from && (text.charAt(to - 1) == ' ' || text.charAt(to - 1) == '\t')) {
            to--;
        }
        return text.substring(from, to);
    }

    private boolean has(char sign) {
        return sign != '\0' && (sign == decimal || sign == thousands);
    }

    /**
     * A number with a unit beside it.
     *
     * @param number as it is without; in parentheses where both were
     */
    record United(String unit, String number) {}

    /** What money and shares are written with: €, US$, R$, %, or the words for a few currencies. */
    private static final Pattern UNIT = Pattern.compile(
            "\\p{L}{0,3}\\p{Sc}|[%‰]|kr|zł|Kč|Ft|CHF|EUR|USD|GBP|JPY|SEK|NOK|DKK|PLN|CZK|HUF|AUD|CAD|CNY|INR|BRL");

    /** What a number with a unit is; null where the text is none. */
    static @Nullable United united(String text) {
        boolean around = isInParentheses(text);
        String within = around ? text.substring(1, text.length() - 1) : text;
        boolean minus = !around && within.length() > 1 && within.charAt(0) == '-' && !isDigit(within.charAt(1));
        within = minus ? within.substring(1) : within;
        int from = 0;
        while (from < within.length() && !isDigit(within.charAt(from)) && "+-.,".indexOf(within.charAt(from)) < 0) {
            from++;
        }
        int to = within.length();
        while (to > from && !isDigit(within.charAt(to - 1))) {
            to--;
        }
        String before = within.substring(0, from);
        String behind = within.substring(to);
        if (before.isEmpty() == behind.isEmpty() || from == to || (minus && before.isEmpty())) {
            return null;
        }
        String unit = before.isEmpty()
                ? (isSpace(behind.charAt(0)) ? behind.substring(1) : behind)
                : isSpace(before.charAt(before.length() - 1)) ? before.substring(0, before.length() - 1) : before;
        String number = within.substring(from, to);
        if (!UNIT.matcher(unit).matches() || ((minus || around) && "+-".indexOf(number.charAt(0)) >= 0)) {
            return null;
        }
        return new United(unit, around ? "(" + number + ")" : minus ? "-" + number : number);
    }

    /** Whether it is a negative number as accountants write it, if it is a number without. */
    static boolean isInParentheses(String text) {
        return text.length() > 2 && text.charAt(0) == '(' && text.charAt(text.length() - 1) == ')';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\u00A0' || c == '\u202F';
    }

    /** The values of a column without their units, which need not be the same to tell marks, and parentheses. */
    private static List<String> bare(List<String> values) {
        return values.stream()
                .map(value -> {
                    United one = united(value);
                    return one == null ? value : one.number;
                })
                .map(value -> isInParentheses(value) && isDigit(value.charAt(1))
                        ? "-" + value.substring(1, value.length() - 1)
                        : value)
                .toList();
    }

    private boolean areNumbers(List<String> values) {
        return values.stream().allMatch(value -> number(value) != null || NOT_FINITE.contains(value))
                && values.stream().anyMatch(value -> !NOT_FINITE.contains(value))
                // Spaces divide more than numbers, telephone numbers for one: a decimal mark tells, or that no line
                // breaks there.
                && ((thousands != ' ' && thousands != '\'')
                        || values.stream().noneMatch(value -> value.indexOf(thousands) >= 0)
                        || values.stream().anyMatch(value -> value.indexOf(decimal) >= 0));
    }

    /**
     * Whether whole numbers are in groups, as it seems: some have a mark with three digits behind it, and the others,
     * without one, no more than three digits. Decimals of three places would mostly have it all.
     *
     * @param commas whether other values of the file have a decimal comma, such as 5,7%: then all may have the mark
     */
    private boolean areGroups(List<String> values, boolean commas) {
        boolean some = false;
        boolean others = false;
        for (String value : values) {
            if (number(value) == null) {
                return false;
            }
            boolean marked = value.indexOf(thousands) >= 0;
            int first = value.startsWith("-") ? 1 : 0;
            if (!marked && digits(value, first) - first > 3) {
                return false;
            }
            some |= marked;
            others |= !marked;
        }
        return some && (others || commas);
    }

    /**
     * Whether a number's decimal mark may be one between thousands: three digits stand behind it, and up to three, the
     * first of which is no zero, before it.
     */
    boolean mayBeGroup(String written) {
        int first = written.startsWith("-") ? 1 : 0;
        int point = digits(written, first);
        return thousands == '\0'
                && isAt(written, point, decimal)
                && point > first
                && point - first <= 3
                && written.charAt(first) != '0'
                && digits(written, point + 1) == written.length()
                && written.length() - point == 4;
    }

    /** Whether a number has no mark, and so few digits that it would have none between thousands either. */
    static boolean isShort(String written) {
        int first = written.startsWith("-") ? 1 : 0;
        return digits(written, first) == written.length() && written.length() - first <= 3;
    }

    /** Whether all marks of a column's number may be those of another style, too: three digits behind each. */
    boolean isDoubtful(String written) {
        return thousands != '\0'
                && written.indexOf(thousands) >= 0
                && written.indexOf(thousands) == written.lastIndexOf(thousands)
                && written.indexOf(decimal) < 0;
    }

    /** A number in plain form; null where the text is none by these marks. */
    @Nullable
    String number(String text) {
        // Asked for each value of a file: by hand, for a regular expression takes most of the time.
        if (thousands == ' ' && (text.indexOf('\u00A0') > 0 || text.indexOf('\u202F') > 0)) {
            return number(text.replace('\u00A0', ' ').replace('\u202F', ' '));
        }
        if (thousands == '\'' && text.indexOf('\u2019') > 0) {
            return number(text.replace('\u2019', '\''));
        }
        if (text.startsWith("+") && text.length() > 1 && (isDigit(text.charAt(1)) || text.charAt(1) == decimal)) {
            return number(text.substring(1));
        }
        int first = text.startsWith("-") ? 1 : 0;
        int end = digits(text, first);
        boolean before = end > first;
        if (!before && !isAt(text, end, decimal)) {
            return null;
        }
        boolean grouped = before && thousands != '\0' && isAt(text, end, thousands);
        if (grouped && (text.charAt(first) == '0' || end - first > 3)) {
            return null;
        }
        while (grouped && isAt(text, end, thousands)) {
            int from = end + 1;
            end = digits(text, from);
            if (end - from != 3) {
                return null;
            }
        }
        if (isAt(text, end, decimal)) {
            int from = end + 1;
            end = digits(text, from);
            // .5 and 7. are what Oracle, SAS and Fortran write.
            if (end == from && !before) {
                return null;
            }
        }
        if (isAt(text, end, 'e') || isAt(text, end, 'E')) {
            if (grouped) {
                return null; // 2,422E+11 has a decimal comma: what stands before an exponent is never in groups
            }
            int from = isAt(text, end + 1, '+') || isAt(text, end + 1, '-') ? end + 2 : end + 1;
            end = digits(text, from);
            if (end == from || end - from > 3) {
                return null;
            }
        }
        // Addresses have three points, as numbers by groups may.
        if (end < text.length() || (grouped && thousands == '.' && isIpv4(text))) {
            return null;
        }
        String plain = grouped ? text.replace(String.valueOf(thousands), "") : text;
        return decimal == '.' ? plain : plain.replace(decimal, '.');
    }

    private static boolean isAt(String text, int at, char sign) {
        return at < text.length() && text.charAt(at) == sign;
    }

    /** Where the digits end that begin there. */
    static int digits(String text, int from) {
        int at = from;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        return at;
    }

    private static boolean isIpv4(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return Ipv4.parse(bytes, 0, bytes.length) >= 0;
    }

    /** What shows that the file is none of the United States, where the month stands before the day; empty: nothing. */
    String saysDayFirst() {
        return decimal == ','
                ? "decimal commas speak for the day first"
                : delimiter == ';' ? "the delimiter ; speaks for the day first" : "";
    }

    /** Its signs, with words for null. */
    RecordText.Csv signs(List<String> words) {
        return new RecordText.Csv(delimiter, decimal, thousands, words, quote, escape);
    }
}
