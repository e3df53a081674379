package io.waterwheel.cli.proposal;

import io.waterwheel.key.sample.CellUse;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.schema.text.YamlText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Guesses which columns of a file are its time, its position and its keys, by their values and names. */
final class ColumnRoles {
    static final Pattern TIME_NAME = Pattern.compile(
            "(?i).*(time|date|^ts$|_ts$|_at$|epoch|when|day|datum|zeit|fecha|heure|dato|orario|^tag$|^jour$|^dia$).*");
    /** What is called so may be a time, though other things are called so, too. */
    private static final Pattern WEAK_TIME_NAME =
            Pattern.compile("(?i)(.*_)?(created|modified|updated|start|begin|end)");
    /** What is called so counts seconds, where its digits may be another time. */
    static final Pattern EPOCH_NAME = Pattern.compile("(?i)(.*_)?(ts|timestamp|epoch)|unix.*");
    /** Days of two digits in each group, as storage places and parts may be written, too. */
    private static final Pattern DASHED_DAY = Pattern.compile("(dd|MM|yy)-(dd|MM)-(dd|yy)");

    static final Pattern LONGITUDE = Pattern.compile("(?i)(.*_)?(lon|long|longitude|lng)(_?deg.*)?");
    static final Pattern LATITUDE = Pattern.compile("(?i)(.*_)?(lat|latitude)(_?deg.*)?");
    private static final Pattern KEY_NAME =
            Pattern.compile("(?i)(.*_)?(id|key|host|station|device|user|account|customer|symbol|sensor|vehicle|addr|ip|"
                    + "orig_h|icao.*|name|code)");
    /** What is called so has digits that are no time: order numbers and telephone numbers have ten, as seconds do. */
    private static final Pattern NUMBER_NAME =
            Pattern.compile("(?i:(.*_)?(id|key|code|account|customer|user|no|nr|num|number|.*nummer|ref|zip|plz|tel|fax"
                    + "|mobile|msisdn|.*phone|.*telefon))|.*[a-z](Id|ID|Nr|No)");

    private static final int MAX_KEY_CHOICES = 6;
    private static final int MOST_DIMENSIONS = 8;
    /** A column of few values, each of which comes again and again, names kinds. */
    private static final int KINDS = 64;

    /** Scores of what may be a time; a name adds up to 2. */
    private static final int MOMENT = 7;

    private static final int WRITTEN_DAY = 4;
    private static final int DIGITS = 2;

    /** More than any score. */
    private static final int SURE = 16;

    /** The same for numbers: more than that of a time that some rows lack, less than that of one that all have. */
    private static final int SURE_NUMBER = 8;

    /** About 2000 to 2040 in milliseconds: telephone numbers and those of goods lie around it. */
    private static final double FIRST_MILLIS = 946_684_800_000.0;

    private static final double LAST_MILLIS = 2_208_988_800_000.0;

    private static final long MANY = 8;
    private static final int BITS_OF_KINDS = 4;
    private static final int BITS_OF_VALUES = 6;
    /** One row in as many may lack what is proposed as the key: it is rejected then. */
    private static final int FEW = 20;

    private ColumnRoles() {}

    /** @param named what a person says; null: nothing */
    static ColumnSample time(FileLook look, List<ColumnSample> used, @Nullable String named) {
        String source = look.source;
        if (named != null) {
            ColumnSample column = column(source, used, "--time-field", named);
            if (!column.isTime()
                    && column.timePatterns().isEmpty()
                    && column.epochUnit() == null
                    && column.compactPattern() == null) {
                throw FileLook.bad(
                        "--time-field " + named + ": not all rows of " + source + " have times there that one form"
                                + " reads: ISO 8601 such as 2021-10-07T12:00:01Z, days, numbers since 1970 between 1980 and"
                                + " 2100, or what --times says");
            }
            return column;
        }
        ColumnSample best = look.time(used);
        if (best == null) {
            // A few rows without a time are rejected; without them there is one.
            best = used.stream().filter(ColumnSample::takesOutliers).findFirst().orElse(null);
        }
        if (best == null) {
            StringBuilder nearly = new StringBuilder();
            for (ColumnSample column : used) {
                boolean isCalledSo = TIME_NAME.matcher(column.name).matches();
                MixedTexts.Remark remark = MixedTexts.remark(column);
                String mixed = column.mixedTimes(isCalledSo);
                if (remark.kind() == MixedTexts.Kind.TIMES
                        || (isCalledSo && remark.kind() == MixedTexts.Kind.NUMBERS)) {
                    nearly.append(". Of ").append(column.name).append(", ").append(remark.text());
                } else if (!mixed.isEmpty()) {
                    nearly.append(". Of ").append(column.name).append(", ").append(mixed);
                }
            }
            String counts = used.stream()
                    .filter(column -> column.epochUnit() != null)
                    .limit(3)
                    .map(column -> ". " + column.name + " may hold seconds since 1970: --time-field "
                            + FileLook.word(column.name) + " takes them so")
                    .collect(Collectors.joining());
            throw FileLook.bad(source
                    + ": no column can be the time: expected ISO 8601 such as 2021-10-07T12:00:01Z, days, another"
                    + " form of date and time that all rows have, or numbers since 1970 between 1980 and 2100. Write the"
                    + " schema by hand: 'waterwheel stream create --help' shows one; or say by --times how they are"
                    + " written, such as --times 'dd.MM.yy HH:mm'"
                    + counts
                    + look.adviceOfLines()
                    + look.adviceOfEncoding()
                    + nearly
                    + (nearly.length() == 0 ? "" : ". --skip-last N leaves out rows at the end, such as totals"));
        }
        return best;
    }

    /** The likeliest time; null where none can be it. */
    static @Nullable ColumnSample time(List<ColumnSample> used) {
        @Nullable ColumnSample best = null;
        int bestScore = 0;
        for (ColumnSample column : used) {
            boolean written = column.isTime() || !column.timePatterns().isEmpty();
            boolean named = TIME_NAME.matcher(column.name).matches();
            boolean sure = isSureTime(column);
            boolean day = column.isDay();
            // A moment says more than a day, and what is written as a time more than digits alone.
            int score = written
                    ? (!day ? MOMENT : sure ? WRITTEN_DAY : DIGITS)
                    : mayBeDigits(column, named) || mayCount(column, named) ? DIGITS : 0;
            if (score > 0) {
                // A row without a time is rejected: what all rows have comes first.
                score += !sure || column.lacksSome() ? 0 : written ? SURE : SURE_NUMBER;
                score += named ? 2 : WEAK_TIME_NAME.matcher(column.name).matches() ? 1 : 0;
            }
            if (score > bestScore) {
                best = column;
                bestScore = score;
            }
        }
        return best;
    }

    /** Whether what may be the time is it, and no number of another kind. */
    static boolean isSureTime(ColumnSample column) {
        // Numbers of ten digits are anything; those of milliseconds in a few decades are hardly ever by chance.
        return column.isTime()
                || column.timePatterns().stream()
                        .anyMatch(pattern -> !DASHED_DAY.matcher(pattern).matches())
                || TIME_NAME.matcher(column.name).matches()
                || (column.epochUnit() == TimestampUnit.MILLISECONDS && column.within(FIRST_MILLIS, LAST_MILLIS));
    }

    /** Whether digits alone may be a day or a time: ten digits of an order number are soon one. */
    private static boolean mayBeDigits(ColumnSample column, boolean named) {
        String pattern = column.compactPattern();
        return pattern != null
                && (named
                        || pattern.length() != DigitTimes.SHORT_YEAR.length()
                        || !NUMBER_NAME.matcher(column.name).matches());
    }

    /** Whether numbers may be a time since 1970: seconds, by chance, are many numbers of ten digits. */
    private static boolean mayCount(ColumnSample column, boolean named) {
        TimestampUnit unit = column.epochUnit();
        return unit == TimestampUnit.SECONDS
                ? named
                        || (DigitTimes.areLikelySeconds(column)
                                && !NUMBER_NAME.matcher(column.name).matches())
                : unit != null;
    }

    /** Whether what may be the key is called like one, or holds addresses. */
    static boolean isLikeKey(ColumnSample column) {
        FieldType type = column.type();
        return type == FieldType.IPV4
                || type == FieldType.IPV6
                || KEY_NAME.matcher(column.name).matches();
    }

    /** The column that an option names. */
    static ColumnSample column(String source, List<ColumnSample> used, String option, String named) {
        return used.stream()
                .filter(column -> column.isCalled(named))
                .findFirst()
                .orElseThrow(() -> FileLook.bad(option + " " + named + ": " + source + " has no such column, but "
                        + String.join(
                                ", ", used.stream().map(column -> column.name).toList())));
    }

    static @Nullable ColumnSample coordinate(List<ColumnSample> used, Pattern name, double bound) {
        for (ColumnSample column : used) {
            FieldType type = column.type();
            boolean number = type == FieldType.DOUBLE || type == FieldType.INT || type.isDecimal();
            if (number && name.matcher(column.name).matches() && column.within(-bound, bound)) {
                return column;
            }
        }
        return null;
    }

    /** Whether nearly all rows have something there. */
    static boolean mostHave(ColumnSample column) {
        long lacking = column.empty + column.marks;
        return lacking * FEW <= column.values + column.empty;
    }

    /**
     * What may be the key, the likeliest first: addresses, what is called like one, texts and UUIDs, whole numbers;
     * then texts that are mostly numbers.
     *
     * @param varied names of columns that have several values in rows that were not looked at
     */
    static List<ColumnSample> keys(List<ColumnSample> used, ColumnSample time, Set<String> nulls, Set<String> varied) {
        List<ColumnSample> choices = new ArrayList<>();
        for (int rank = 0; rank < 5; rank++) {
            for (ColumnSample column : used) {
                FieldType type = column.type();
                boolean usable = column != time
                        && (column.distinct() > 1 || varied.contains(column.name))
                        && column.empty == 0
                        && column.words.stream().noneMatch(nulls::contains)
                        && !column.isTime()
                        && !column.isTimeOfDay()
                        && column.timePatterns().isEmpty();
                boolean named = KEY_NAME.matcher(column.name).matches();
                boolean fits =
                        switch (rank) {
                            case 0 -> type == FieldType.IPV4 || type == FieldType.IPV6;
                            case 1 ->
                                named
                                        && (type == FieldType.STRING
                                                || type == FieldType.UUID
                                                || type == FieldType.LONG
                                                || type == FieldType.INT);
                            case 2 ->
                                (type == FieldType.STRING && !MixedTexts.areMostlyNumbers(column))
                                        || type == FieldType.UUID;
                            case 3 -> type == FieldType.LONG || type == FieldType.INT;
                            default -> type == FieldType.STRING;
                        };
                if (usable && fits && !choices.contains(column) && choices.size() < MAX_KEY_CHOICES) {
                    choices.add(column);
                }
            }
        }
        return choices;
    }

    /**
     * What may be dimensions of a key, as a schema file has them: what names kinds, with its bits; places; then numbers
     * of many values.
     *
     * @param nullable those whose fields are written as such: one cell is that of null
     * @param nulls words that stand for nothing
     */
    static List<String> dimensions(
            List<ColumnSample> used,
            Set<ColumnSample> nullable,
            Set<String> nulls,
            ColumnSample time,
            @Nullable ColumnSample longitude,
            @Nullable ColumnSample latitude) {
        List<String> kinds = new ArrayList<>();
        List<String> places = new ArrayList<>();
        List<String> numbers = new ArrayList<>();
        for (ColumnSample column : used) {
            FieldType type = column.type();
            boolean number = type.isNumber() || (type.isDecimal() && !type.variable());
            long[] rows = rowsByValue(column, nulls);
            int cells = rows.length + (nullable.contains(column) ? 1 : 0);
            boolean kind = column.distinct() <= KINDS && column.values >= MANY * column.distinct();
            int bits = Math.min(kind ? BITS_OF_KINDS : BITS_OF_VALUES, Dimension.bitsOf(cells));
            boolean divides = column != time
                    && !column.isTime()
                    && column.divides()
                    && !isNearlyAlwaysTheSame(column)
                    && !crowds(column, rows, cells, bits);
            if (divides && (column == longitude || column == latitude)) {
                places.add(YamlText.of(column.name));
            } else if (divides && kind) {
                String name = YamlText.of(column.name);
                kinds.add(type == FieldType.BOOLEAN ? name : "{field: " + name + ", bits: " + bits + "}");
            } else if (divides && (number || type == FieldType.IPV4)) {
                numbers.add(YamlText.of(column.name));
            }
        }
        kinds.addAll(places);
        kinds.addAll(numbers);
        return kinds.subList(0, Math.min(MOST_DIMENSIONS, kinds.size()));
    }

    /** Whether all but one row of {@value #FEW} have the same value, or none: a dimension would tell little apart. */
    private static boolean isNearlyAlwaysTheSame(ColumnSample column) {
        long most =
                column.distinct.values().stream().mapToLong(rows -> rows).max().orElse(0);
        long rows = column.values + column.empty;
        return Math.max(most, column.empty + column.marks) * FEW >= rows * (FEW - 1);
    }

    /** How many rows have each value, ascending; words that stand for nothing are none. */
    private static long[] rowsByValue(ColumnSample column, Set<String> nulls) {
        Map<Integer, Integer> rows = new HashMap<>(column.distinct);
        // Words in quotes, and those beside a unit, are not among them.
        column.words.stream().filter(nulls::contains).forEach(word -> rows.remove(word.hashCode()));
        return rows.values().stream().mapToLong(of -> of).sorted().toArray();
    }

    /**
     * Whether rows would crowd in a dimension from the start: values that many rows have get cells of their own, and
     * the others share the rest of the cells evenly, at best.
     *
     * @param rows by value, ascending
     * @param cells of all values, with that of null
     * @param bits of the dimension; they may number fewer
     */
    private static boolean crowds(ColumnSample column, long[] rows, int cells, int bits) {
        double all = column.values + column.empty;
        double rest = all;
        double entropy = 0;
        int left = Math.min(cells, 1 << bits);
        for (int v = rows.length - 1; v >= 0 && left > 1 && (v < left || rows[v] * left >= rest); v--, left--) {
            entropy -= rows[v] / all * Math.log(rows[v] / all);
            rest -= rows[v];
        }
        entropy -= rest <= 0 ? 0 : rest / all * Math.log(rest / all / left);
        long lacking = column.empty + (column.hasGaps() ? column.marks : 0);
        // No cut divides nulls, and where the bits number more cells each value has one.
        boolean divisible = cells >= 1 << bits && (rows.length == 0 || lacking < rows[rows.length - 1]);
        return new CellUse(column.name, Math.min(cells, 1 << bits), Math.exp(entropy), divisible).crowded();
    }
}
