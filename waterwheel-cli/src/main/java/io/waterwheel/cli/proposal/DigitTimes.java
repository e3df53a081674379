package io.waterwheel.cli.proposal;

import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.schema.text.TimePattern;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Values of a column that may be days or times in digits alone, or times of day. One thread. */
final class DigitTimes {

    /** The coarsest timestamp that keeps this number of digits behind the point of numbers in this unit. */
    static FieldType timestamp(TimestampUnit unit, int fraction) {
        int digits = fraction
                + switch (unit) {
                    case SECONDS -> 0;
                    case MILLISECONDS -> 3;
                    case MICROSECONDS -> 6;
                    case NANOSECONDS -> 9;
                };
        return digits <= 3 ? FieldType.TIMESTAMP : digits <= 6 ? FieldType.TIMESTAMP_US : FieldType.TIMESTAMP_NS;
    }

    /** A day in digits alone. */
    static final String DAY = "yyyyMMdd";

    /** A day as ISO 8601 writes it. */
    static final String ISO_DAY = "yyyy-MM-dd";

    /** Ten digits, as seconds since 1970 have them from 2001 to 2286: a year of two digits is there by chance, too. */
    static final String SHORT_YEAR = "yyMMddHHmm";

    /** Ten digits with a year of four digits. */
    static final String HOUR = "yyyyMMddHH";

    /** Before 1950, as {@link #HOUR}: records of a file are hardly that old. */
    private static final double LONG_AGO = 1_950_000_000;

    /** What whole numbers may be, too; of two that fit, the first is the likelier. */
    private static final List<String> COMPACT =
            List.of(DAY, HOUR, SHORT_YEAR, "yyyyMMddHHmm", "yyyyMMddHHmmss", "yyyyMMddHHmmssSSS");

    /** Times of day, the likeliest first; those of digits alone last. */
    private static final List<String> CLOCKS = List.of(
            "HH:mm:ss",
            "HH:mm",
            "H:mm:ss",
            "H:mm",
            "HH:mm:ss.SSS",
            "HH:mm:ss,SSS",
            "HH:mm:ss.SSSSSS",
            "h:mm a",
            "h:mm:ss a",
            "h:mma",
            "h:mm:ssa",
            "HH'h'mm",
            "H'h'mm",
            "HHmmss",
            "HHmm",
            "Hmm",
            "Hmmss");

    private static final int DIGITS = CLOCKS.indexOf("HHmmss");
    /** From here on without the zeros before them, as numbers are written. */
    private static final int UNPADDED = CLOCKS.indexOf("Hmm");

    private static final Pattern CLOCK =
            Pattern.compile("([01]?\\d|2[0-3]):[0-5]\\d(:[0-5]\\d([.,]\\d{1,9})?)?( ?[AaPp]\\.?[Mm]\\.?)?"
                    + "|([01]?\\d|2[0-3])h[0-5]\\d|24[:h]00(:00([.,]0+)?)?");

    private static final Pattern LIKE_CLOCK = Pattern.compile("\\d{1,2} ?[:.hH] ?\\d\\d.{0,12}");

    /** Hours, and hours and minutes, as spreadsheets write them. */
    private static final List<Pattern> NUMBERS =
            List.of(Pattern.compile("[01]?\\d|2[0-4]"), Pattern.compile("([01]?\\d|2[0-3])\\.[0-5]\\d"));

    /** Digits in which no more than an hour stands. */
    private static final int SHORT = 2;

    private static final Pattern ISO_CLOCK = Pattern.compile("\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?");
    private static final String ANY_DAY = "2000-01-01 ";
    /** Of fewer values each has to be a time of day. */
    private static final int FEW = 20;
    /** Of more, one in as many may be none. */
    private static final int MOST = 20;

    /** 1990-01-01, in seconds since 1970: few records of a file with such counts are older. */
    private static final double FIRST_LIKELY = 631_152_000;
    /** In seconds: forecasts and what is planned are ahead. */
    private static final double YEAR = 366.0 * 86_400;

    /** In as many different hundreds of seconds all have a minute and an hour hardly ever by chance. */
    private static final int MANY_HUNDREDS = 20;

    private static final int DAY_DIGITS = 6;

    private static final int FIRST_YEAR = 1900;
    private static final int LAST_YEAR = 2100;

    /** By form: values that are written so. */
    private final long[] byCompact = new long[COMPACT.size()];

    /** Numbers of ten digits without the last two, up to a bound. */
    private final Set<String> hundreds = new HashSet<>();

    private boolean zeroFirst;
    /** The first six of ten digits, which are a day of {@link #SHORT_YEAR}, and whether another followed. */
    private String firstDay = "";

    private boolean severalDays;

    private final long[] byClock = new long[CLOCKS.size()];
    private final TimePattern.Reader[] clockReaders = new TimePattern.Reader[CLOCKS.size()];
    private long isoClocks;
    /** Values that are written as times of day. */
    private long clocks;

    /** Values that may be meant as times of day, those among them. */
    private long likeClocks;

    /** By form: numbers that may be meant as times of day. */
    private final long[] byNumber = new long[NUMBERS.size()];

    /** Numbers with more than {@link #SHORT} digits. */
    private long longNumbers;

    private final Outliers noClocks = new Outliers();
    /** The two halves of the pattern that a person says, and by half: values that it reads. */
    private final List<TimePattern.Reader> halves;

    private final long[] byHalf = new long[2];
    /** Of the first number; null: it is no time since 1970. */
    private @Nullable TimestampUnit counts;

    private String countsAs = "";
    private long counted;

    /**
     * @param halves of the pattern that a person says: its day, and its time of day behind one; else empty
     * @param zone that a person says; null: none
     */
    DigitTimes(List<String> halves, @Nullable ZoneId zone) {
        this.halves =
                halves.stream().map(half -> TimePattern.of(half).reader(zone)).toList();
    }

    /** Looks whether a value is a half of what a person says. */
    void addSaid(String value) {
        for (int half = 0; half < halves.size(); half++) {
            byte[] bytes = ((half == 0 ? "" : ANY_DAY) + value).getBytes(StandardCharsets.UTF_8);
            byHalf[half] += TimeForms.isTime(halves.get(half), bytes) ? 1 : 0;
        }
    }

    /** Whether the values are the days, or the times of day, of the pattern that a person says. */
    boolean isHalf(int half, long values) {
        return nearly(byHalf[half], values);
    }

    /** @param before how many values came before it */
    void addDigits(String number, long before) {
        addClock(number, DIGITS, CLOCKS.size(), before);
        longNumbers += number.length() > SHORT ? 1 : 0;
        for (int p = 0; p < byNumber.length; p++) {
            if (TimeForms.mayBeAll(byNumber[p], before)) {
                byNumber[p] += NUMBERS.get(p).matcher(number).matches() ? 1 : 0;
            }
        }
        if (number.length() < DAY.length()) {
            return;
        }
        zeroFirst |= number.charAt(0) == '0';
        if (fewHundreds() && number.length() == SHORT_YEAR.length()) {
            hundreds.add(number.substring(0, number.length() - 2));
        }
        if (number.length() == SHORT_YEAR.length()) {
            String day = number.substring(0, DAY_DIGITS);
            severalDays |= !firstDay.isEmpty() && !firstDay.equals(day);
            firstDay = day;
        }
        for (int p = 0; p < byCompact.length; p++) {
            if (number.length() == COMPACT.get(p).length() && byCompact[p] == before) {
                TimePattern.Reader reader = TimePattern.of(COMPACT.get(p)).reader(null);
                boolean read = TimeForms.isTime(reader, number.getBytes(StandardCharsets.UTF_8));
                byCompact[p] += read && reader.year() >= FIRST_YEAR && reader.year() <= LAST_YEAR ? 1 : 0;
            }
        }
    }

    /** The forms that all values of a column have, the likeliest first; none where they rather count seconds. */
    List<String> compactPatterns(ColumnSample column) {
        List<String> all = fitting(column);
        return mayBeSeconds(all, column) && (fewHundreds() || (isCalledEpoch(column) && !severalDays))
                ? List.of()
                : all;
    }

    /** Whether numbers that are taken for seconds since 1970 may as well be times such as {@link #SHORT_YEAR}. */
    boolean mayBeShortYears(ColumnSample column) {
        return mayBeSeconds(fitting(column), column) && fewHundreds() && !isCalledEpoch(column);
    }

    private List<String> fitting(ColumnSample column) {
        List<String> all = new ArrayList<>();
        for (int p = 0; p < byCompact.length; p++) {
            if (byCompact[p] > 0 && byCompact[p] == column.known()) {
                all.add(COMPACT.get(p));
            }
        }
        return all.equals(List.of(HOUR, SHORT_YEAR)) && !column.within(LONG_AGO, Double.MAX_VALUE)
                ? List.of(SHORT_YEAR, HOUR)
                : all;
    }

    /** Whether times with a year of two digits may be seconds: these have no zeros before them. */
    private boolean mayBeSeconds(List<String> forms, ColumnSample column) {
        return forms.equals(List.of(SHORT_YEAR)) && !zeroFirst && areLikelySeconds(column);
    }

    /** Whether seconds, in whatever steps, may end with 00 to 59 by chance, as minutes do. */
    private boolean fewHundreds() {
        return hundreds.size() < MANY_HUNDREDS;
    }

    private static boolean isCalledEpoch(ColumnSample column) {
        return ColumnRoles.EPOCH_NAME.matcher(column.name).matches();
    }

    /**
     * Looks at a text.
     *
     * @param before how many values came before it
     * @return whether it is a time of day
     */
    boolean addClock(String value, RowPlace place, long before) {
        if (likeClocks * 4 + FEW < before) {
            return false; // it is no column of them
        }
        boolean clock = CLOCK.matcher(value).matches();
        likeClocks += clock || LIKE_CLOCK.matcher(value).matches() ? 1 : 0;
        clocks += clock ? 1 : 0;
        isoClocks += ISO_CLOCK.matcher(value).matches() ? 1 : 0;
        if (clock) {
            addClock(value, 0, DIGITS, before);
        } else {
            noClocks.add(value, place);
        }
        return clock;
    }

    private void addClock(String value, int from, int to, long before) {
        byte[] bytes = null;
        for (int p = from; p < to; p++) {
            int length = CLOCKS.get(p).length();
            boolean fits = p < DIGITS || (p < UNPADDED ? value.length() == length : value.length() <= length + 1);
            if (fits && TimeForms.mayBeAll(byClock[p], before)) {
                bytes = bytes == null ? (ANY_DAY + value).getBytes(StandardCharsets.UTF_8) : bytes;
                TimePattern.Reader reader = clockReaders[p];
                if (reader == null) {
                    reader = TimePattern.of(ISO_DAY + " " + CLOCKS.get(p)).reader(null);
                    clockReaders[p] = reader;
                }
                byClock[p] += TimeForms.isTime(reader, bytes) ? 1 : 0;
            }
        }
    }

    /** Whether nearly all values are times of day, of whatever forms. */
    boolean areClocks(long values) {
        return nearly(clocks, values);
    }

    /** Whether most values may be meant as times of day. */
    boolean areLikeClocks(long values) {
        return likeClocks * 2 > values;
    }

    /** Whether nearly all values are numbers that may be meant as times of day, and no form reads them. */
    boolean areNumbersLikeClocks(long values) {
        return Arrays.stream(byNumber).anyMatch(count -> nearly(count, values));
    }

    /** How times of day that are not read may be written. */
    String example(long values) {
        return nearly(byNumber[0], values) ? "H" : nearly(byNumber[1], values) ? "H.mm" : "HH:mm";
    }

    /** Whether nearly all values, digits alone, are times of day, and most have more digits than an hour. */
    boolean areDigitClocks(long values) {
        return longNumbers * 2 > values
                && Arrays.stream(byClock, DIGITS, byClock.length).anyMatch(count -> nearly(count, values));
    }

    /** Whether {@code count} of the values are as good as all. */
    static boolean nearly(long count, long values) {
        return count > 0 && count >= values - (values >= FEW ? values / MOST : 0);
    }

    /** Looks whether a number may be a time since 1970, in the unit of those before. */
    void count(double number) {
        TimestampUnit unit = unitOf(number, number);
        if (counted == 0 && unit != null) {
            counts = unit;
            countsAs = unit.name().toLowerCase(Locale.ROOT) + " since 1970";
        }
        counted += unit != null && unit == counts ? 1 : 0;
    }

    /** What numbers count, where all values may be times since 1970; empty: they are not. */
    String counted(long values) {
        return counted == values ? countsAs : "";
    }

    /** What numbers between these may count since 1970, if they are of 1980 to 2100; null: nothing. */
    static @Nullable TimestampUnit unitOf(double least, double most) {
        for (TimestampUnit unit : TimestampUnit.values()) {
            double perSecond = 1e9 / unit.nanos();
            if (least >= 315_532_800.0 * perSecond && most <= 4_102_444_800.0 * perSecond) {
                return unit;
            }
        }
        return null;
    }

    /** Whether numbers, as seconds since 1970, are of 1990 up to a year from now, as those of records mostly are. */
    static boolean areLikelySeconds(ColumnSample numbers) {
        return numbers.within(FIRST_LIKELY, System.currentTimeMillis() / 1000.0 + YEAR);
    }

    /** Whether the times of day are as ISO 8601 writes them. */
    boolean areIso(long values) {
        return isoClocks >= byClock[likeliest(values)] && nearly(isoClocks, values);
    }

    private int likeliest(long values) {
        int best = 0;
        // 23 is an hour, and not 23 minutes past midnight.
        int forms = longNumbers * 2 > values ? byClock.length : UNPADDED;
        for (int p = 1; p < forms; p++) {
            best = byClock[p] > byClock[best] ? p : best;
        }
        return best;
    }

    /** Patterns of days with that of these times of day behind each; none where they have no one form. */
    List<String> behind(List<String> days, long values) {
        int best = likeliest(values);
        if (byClock[best] == 0 || !nearly(byClock[best], values)) {
            return List.of();
        }
        String clock = CLOCKS.get(best);
        // Who writes AM and PM writes the month first, mostly.
        return days.stream()
                .sorted(Comparator.comparing(day -> clock.endsWith("a") && !day.startsWith("M")))
                .map(day -> day + " " + clock)
                .toList();
    }

    /** What is said of values that those of {@link #behind} do not read; empty: they read all. */
    String unread(long values) {
        long read = Math.max(isoClocks, byClock[likeliest(values)]);
        String shown = noClocks.text();
        return read >= values
                ? ""
                : values - read + " of " + values + " are no times of day of one form" + (shown.isEmpty() ? "" : ": ")
                        + shown;
    }
}
