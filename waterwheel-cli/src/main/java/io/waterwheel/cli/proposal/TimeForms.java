package io.waterwheel.cli.proposal;

import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.text.TimePattern;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** Which patterns of times read the values of a column, and which value is the first of another form. One thread. */
final class TimeForms {
    /** Times that are not written as ISO 8601 says; of two that fit, the first is the likelier. */
    static final List<String> USUAL = List.of(
            "dd.MM.yyyy HH:mm:ss",
            "dd.MM.yyyy HH:mm:ss,SSS",
            "dd.MM.yyyy HH:mm:ss.SSS",
            "dd.MM.yyyy HH:mm",
            "dd.MM.yyyy",
            "d.M.yyyy H:mm:ss",
            "d.M.yyyy H:mm",
            "d.M.yyyy",
            "dd-MM-yyyy HH:mm:ss",
            "dd-MM-yyyy HH:mm",
            "dd-MM-yyyy",
            "MM-dd-yyyy HH:mm:ss",
            "MM-dd-yyyy HH:mm",
            "MM-dd-yyyy",
            "yyyy-MM-dd HH:mm:ss,SSS",
            "yyyy-MM-dd'T'HH:mm:ss,SSS",
            "yyyy-MM-dd H:mm",
            "yyyy-MM-dd h:mm:ss a",
            "yyyy-MM-dd h:mm a",
            "dd/MM/yyyy HH:mm:ss",
            "MM/dd/yyyy HH:mm:ss",
            "d/M/yyyy H:mm:ss",
            "M/d/yyyy H:mm:ss",
            "d/M/yyyy H:mm",
            "M/d/yyyy H:mm",
            "MM/dd/yyyy hh:mm:ss a",
            "M/d/yyyy h:mm:ss a",
            "M/d/yyyy h:mm a",
            "dd/MM/yyyy hh:mm:ss a",
            "d/M/yyyy h:mm:ss a",
            "d/M/yyyy h:mm a",
            "d/M/yyyy",
            "M/d/yyyy",
            "yyyy/MM/dd HH:mm:ss",
            "yyyy/MM/dd HH:mm",
            "yyyy/MM/dd",
            "yyyy/M/d H:mm:ss",
            "yyyy/M/d H:mm",
            "yyyy/M/d",
            "yyyy.MM.dd HH:mm:ss",
            "yyyy.MM.dd HH:mm",
            "yyyy.MM.dd",
            "dd-MMM-yyyy HH:mm:ss",
            "dd-MMM-yyyy HH:mm",
            "d-MMM-yyyy",
            "dd-MMM-yy HH:mm:ss",
            "dd-MMM-yy HH:mm",
            "d-MMM-yy",
            "dd MMM yyyy HH:mm:ss",
            "d MMM yyyy HH:mm:ss",
            "d MMM yyyy HH:mm",
            "dd/MMM/yyyy:HH:mm:ss XXX",
            "dd.MM.yy HH:mm:ss",
            "dd.MM.yy HH:mm",
            "dd.MM.yy",
            "dd/MM/yy HH:mm",
            "MM/dd/yy HH:mm",
            "dd/MM/yy",
            "MM/dd/yy",
            "d/M/yy H:mm:ss",
            "M/d/yy H:mm:ss",
            "d/M/yy H:mm",
            "M/d/yy H:mm",
            "M/d/yy h:mm:ss a",
            "M/d/yy h:mm a",
            "d/M/yy h:mm:ss a",
            "d/M/yy h:mm a",
            "d/M/yy",
            "M/d/yy",
            "yy/MM/dd HH:mm:ss",
            "yy/MM/dd HH:mm",
            "yy/MM/dd",
            "yy.MM.dd HH:mm:ss",
            "yy.MM.dd HH:mm",
            "yy.MM.dd",
            "yy-MM-dd HH:mm:ss",
            "yy-MM-dd HH:mm",
            "yy-MM-dd",
            "dd-MM-yy HH:mm:ss",
            "dd-MM-yy HH:mm",
            "dd-MM-yy",
            "MM-dd-yy HH:mm:ss",
            "MM-dd-yy HH:mm",
            "MM-dd-yy",
            "MMM d, yyyy HH:mm:ss",
            "MMM d, yyyy h:mm:ss a",
            "MMM d, yyyy h:mm a",
            "MMM d, yyyy HH:mm",
            "MMM d, yyyy",
            "d MMM yyyy",
            "EEE, d MMM yyyy HH:mm:ss XXX",
            "EEE MMM ppd HH:mm:ss yyyy",
            "EEE MMM ppd HH:mm:ss XXX yyyy",
            "yyyy'\u5e74'M'\u6708'd'\u65e5'",
            "yyyyMMdd HH:mm:ss",
            "yyyyMMdd HHmmss",
            "yyyyMMdd'T'HHmmss",
            "yyyyMMdd'T'HHmmssXXX");

    /**
     * What a person says of times.
     *
     * @param pattern by which they are written; null: none is said
     * @param zone of times that name none, and where names of zones such as PST are used; null: none is said
     */
    record Stated(@Nullable String pattern, @Nullable ZoneId zone) {
        /** Nothing is said. */
        static final Stated NOTHING = new Stated(null, null);

        /** Those that are tried, the likeliest first. */
        private List<String> patterns() {
            return pattern == null ? USUAL : List.of(pattern);
        }
    }

    /** Whether the times of a column are in order as one pattern reads them, and how long they last. */
    static final class Course {
        private static final long DAY_SECONDS = 86_400;
        /** Of two patterns, the one by which times last a tenth as long is the likelier. */
        private static final long SHORTER = 10;
        /** Fewer changes, of eight values, are all up, or all down, by chance. */
        private static final int FEW_CHANGES = 7;

        private long last;
        private long ups;
        private long downs;
        /** In seconds since 1970, as the time says without its zone. */
        private long least = Long.MAX_VALUE;

        private long most = Long.MIN_VALUE;

        /** Takes a time that the reader has just read, and whose day exists. */
        void add(TimePattern.Reader reader) {
            long day = LocalDate.of(reader.year(), reader.month(), reader.day()).toEpochDay();
            long now = day * DAY_SECONDS + reader.hour() * 3600L + reader.minute() * 60L + reader.second();
            boolean isFirst = least > most;
            ups += !isFirst && now > last ? 1 : 0;
            downs += !isFirst && now < last ? 1 : 0;
            least = Math.min(least, now);
            most = Math.max(most, now);
            last = now;
        }

        /** Whether the times are in order, up or down, and those of another reading are not. */
        boolean isInOrderUnlike(Course other) {
            return (ups == 0 || downs == 0) && ups + downs >= FEW_CHANGES && other.ups > 0 && other.downs > 0;
        }

        /** Whether times of another reading are more than a year ahead, and none of these is. */
        boolean isNotAheadUnlike(Course other) {
            long ahead = System.currentTimeMillis() / 1000 + 366 * DAY_SECONDS;
            return least <= most && most <= ahead && other.most > ahead;
        }

        /** Whether the times last longer than those of another reading. */
        boolean isLongerThan(Course other) {
            return most > least && most - least > other.most - other.least;
        }

        /** Whether the times of another reading last ten times as long. */
        boolean isShorterThan(Course other) {
            return most > least && other.most > other.least && (other.most - other.least) / SHORTER >= most - least;
        }
    }

    /** A pattern may fail to read this number of values, and 1 in RARE, before it is given up. */
    private static final int FEW_OUTLIERS = 3;

    private static final int RARE = 50;

    private final List<String> patterns;
    /** By pattern: values that it reads. */
    private final long[] byPattern;

    private final TimePattern.Reader[] readers;
    /** By pattern: how the times go on that it reads. */
    private final Course[] courses;
    /** A pattern that has read all values so far, if one has. */
    private int full;

    private String last = "";
    /** Whether no text comes before the one that it follows, and whether none comes behind it. */
    private boolean textsGoUp = true;

    private boolean textsGoDown = true;

    /** How all values so far are written; empty: not as times, or not alike. */
    private String form = "";

    private boolean ended;
    private String other = "";
    private RowPlace otherPlace = RowPlace.row(0);

    /** @param stated what is known of the times */
    TimeForms(Stated stated) {
        this.patterns = stated.patterns();
        this.byPattern = new long[patterns.size()];
        this.readers = patterns.stream()
                .map(pattern -> TimePattern.of(pattern).reader(stated.zone))
                .toArray(TimePattern.Reader[]::new);
        this.courses = patterns.stream().map(pattern -> new Course()).toArray(Course[]::new);
    }

    /** Whether a pattern reads the value, that has read nearly all those before. */
    boolean read(String value, long before) {
        boolean read = false;
        byte[] bytes = null;
        for (int p = 0; p < byPattern.length; p++) {
            if (mayBeAll(byPattern[p], before)) {
                bytes = bytes == null ? value.getBytes(StandardCharsets.UTF_8) : bytes;
                if (isTime(readers[p], bytes)) {
                    byPattern[p]++;
                    courses[p].add(readers[p]);
                    read = true;
                }
            }
        }
        if (read) {
            textsGoUp &= last.compareTo(value) <= 0;
            textsGoDown &= last.isEmpty() || last.compareTo(value) >= 0;
            last = value;
        }
        return read;
    }

    /** Whether what read {@code read} of the values before may yet be the form of nearly all. */
    static boolean mayBeAll(long read, long before) {
        return read + FEW_OUTLIERS + before / RARE >= before;
    }

    /**
     * Takes note of the form of all values so far.
     *
     * @param otherwise their form where no pattern reads them all; empty: they have none
     * @param values how many there are
     */
    void seen(String value, RowPlace place, String otherwise, long values) {
        if (ended) {
            return;
        }
        String now = otherwise.isEmpty() ? patternOfAll(values) : otherwise;
        if (now.isEmpty()) {
            ended = true;
            other = value;
            otherPlace = place;
        } else {
            form = now;
        }
    }

    private String patternOfAll(long values) {
        for (int p = 0; p < byPattern.length; p++) {
            int at = (full + p) % byPattern.length;
            if (byPattern[at] == values) {
                full = at;
                return patterns.get(at);
            }
        }
        return "";
    }

    /** Whether the first values are times, and another is not of their form. */
    boolean areMixed() {
        return ended && !form.isEmpty();
    }

    /** Whether the first values are numbers, that may be times. */
    boolean beginAsNumbers() {
        return form.contains("since");
    }

    /** How the first values are written, and the first that is not; of those that are mixed. */
    String mixed() {
        Outliers outlier = new Outliers();
        outlier.add(other, otherPlace);
        String written = beginAsNumbers() ? "counts of " + form : "times such as " + form;
        return "the first values are " + written + "; others: " + outlier.text();
    }

    /** The largest number of values that one pattern reads. */
    long most() {
        long most = 0;
        for (long read : byPattern) {
            most = Math.max(most, read);
        }
        return most;
    }

    /** The patterns that read as many values as are wanted, the likeliest first. */
    List<String> reading(LongPredicate wanted) {
        List<String> reading = new ArrayList<>();
        for (int p = 0; p < byPattern.length; p++) {
            if (byPattern[p] > 0 && wanted.test(byPattern[p])) {
                reading.add(patterns.get(p));
            }
        }
        return reading;
    }

    /** How the times go on that one of the patterns reads; empty for another. */
    Course course(String pattern) {
        int p = patterns.indexOf(pattern);
        return p < 0 ? new Course() : courses[p];
    }

    /**
     * Whether the values are in order as texts: then they are so as times of each reading with the first group first.
     */
    boolean areSortedTexts() {
        return textsGoUp || textsGoDown;
    }

    /** Whether the pattern reads the text, and its day and time exist. */
    static boolean isTime(TimePattern.Reader reader, byte[] bytes) {
        if (!reader.read(bytes, 0, bytes.length) || !reader.isOfDay()) {
            return false;
        }
        try {
            return LocalDate.of(reader.year(), reader.month(), reader.day()).getYear() > 0;
        } catch (DateTimeException noSuchDay) {
            return false;
        }
    }

    /** The coarsest timestamp that keeps what a pattern reads behind the second. */
    static FieldType type(String pattern) {
        long digits =
                pattern.replaceAll("'[^']*'", "").chars().filter(c -> c == 'S').count();
        return digits <= 3 ? FieldType.TIMESTAMP : digits <= 6 ? FieldType.TIMESTAMP_US : FieldType.TIMESTAMP_NS;
    }
}
