package io.waterwheel.schema.text;

import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A pattern of times, such as {@code dd.MM.yyyy HH:mm:ss}, with the letters of {@code java.time}: {@code yyyy} or
 * {@code yy} (1970 to 2069) a year, {@code MM}, {@code M} or {@code MMM} (Jan to Dec, in letters of either case) a
 * month, {@code dd}, {@code d} a day, {@code ppd} one with a space before it where it has one digit, {@code EEE} (Mon
 * to Sun) its weekday, which must be that of the day, {@code HH}, {@code H} an hour, {@code hh}, {@code h} one of the
 * half of a day that {@code a} names (AM, a.m.), {@code mm}, {@code m} a minute, {@code ss}, {@code s} a second,
 * {@code S...} that many digits behind its point, {@code XXX} a zone such as {@code Z}, {@code UTC}, {@code +02:00} or
 * one of {@link ZoneNames}. A letter alone takes one digit or two. {@code Hmm} and {@code Hmmss} are a time of day in
 * digits alone without the zeros before it, as numbers are written: 930, and 5 for 00:05. A text in single quotes and
 * every other sign stand for themselves. Immutable; {@link Reader} reads by it.
 */
public final class TimePattern {
    private static final int LONGEST = 64;
    private static final List<String> MONTHS =
            List.of("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec");
    private static final List<String> WEEKDAYS = List.of("sun", "mon", "tue", "wed", "thu", "fri", "sat");
    /** By month how far the weekday of its first is behind that of the year's first of March, or of January. */
    private static final int[] SHIFTS = {0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4};

    private static final String PADDED_DAY = "ppd";
    /** A time of day that is one number, the longest first. */
    private static final List<String> NUMBERS = List.of("Hmmss", "Hmm");

    private static final Set<String> KNOWN = Set.of(
            "yyyy", "yy", "MM", "M", "MMM", "dd", "d", "EEE", "HH", "H", "hh", "h", "mm", "m", "ss", "s", "a", "XXX");

    /** A part: a number of one letter, or, with the letter 0, text that stands for itself. */
    private static final class Part {
        /** In the place of a count: two characters, the first of which may be a space. */
        static final int PADDED = -2;
        /** In the place of a letter: a time of day that is one number, of as many digits as the count at most. */
        static final char CLOCK = 'C';

        final char letter;
        final int count;
        final byte[] literal;

        Part(char letter, int count, String literal) {
            this.letter = letter;
            this.count = count;
            this.literal = literal.getBytes(StandardCharsets.UTF_8);
        }

        boolean isNumber() {
            return letter != 0 && letter != 'a' && letter != 'X' && letter != 'E' && !(letter == 'M' && count == 3);
        }
    }

    private final String text;
    private final Part[] parts;
    private final boolean zoned;

    private TimePattern(String text, List<Part> parts) {
        this.text = text;
        this.parts = parts.toArray(Part[]::new);
        this.zoned = parts.stream().anyMatch(part -> part.letter == 'X');
    }

    /**
     * Reads a pattern.
     *
     * @throws IllegalArgumentException when it is none, lacks a day, or names a part twice
     */
    public static TimePattern of(String pattern) {
        List<Part> parts = new ArrayList<>();
        Set<Character> letters = new HashSet<>();
        if (pattern.length() > LONGEST) {
            throw bad(pattern, "it has over " + LONGEST + " characters");
        }
        int at = 0;
        while (at < pattern.length()) {
            char c = pattern.charAt(at);
            int end = at + 1;
            if (c == '\'') {
                int quote = pattern.indexOf('\'', at + 1);
                if (quote <= at + 1) {
                    throw bad(pattern, "a quote is not closed, or empty");
                }
                parts.add(literal(pattern.substring(at + 1, quote)));
                end = quote + 1;
            } else if (pattern.startsWith(PADDED_DAY, at) && !pattern.startsWith("d", at + PADDED_DAY.length())) {
                if (!letters.add('d')) {
                    throw bad(pattern, "'d' is there twice");
                }
                parts.add(new Part('d', Part.PADDED, ""));
                end = at + PADDED_DAY.length();
            } else if (c == 'H' && clock(pattern, at) > 0) {
                int digits = clock(pattern, at);
                if (!letters.add('H') || !letters.add('m') || (digits > 3 && !letters.add('s'))) {
                    throw bad(pattern, "a part of 'Hmm' is there twice");
                }
                parts.add(new Part(Part.CLOCK, digits + 1, ""));
                end = at + digits;
            } else if (Character.isLetter(c)) {
                while (end < pattern.length() && pattern.charAt(end) == c) {
                    end++;
                }
                String run = pattern.substring(at, end);
                if (!KNOWN.contains(run) && !(c == 'S' && run.length() <= 9)) {
                    throw bad(pattern, "'" + run + "' is no part of it");
                }
                if (!letters.add(c)) {
                    throw bad(pattern, "'" + c + "' is there twice");
                }
                parts.add(new Part(c, run.length(), ""));
            } else {
                parts.add(literal(String.valueOf(c)));
            }
            at = end;
        }
        if (!letters.containsAll(Set.of('y', 'M', 'd'))) {
            throw bad(pattern, "it needs a year, a month and a day");
        }
        if (letters.contains('h') != letters.contains('a') || (letters.contains('h') && letters.contains('H'))) {
            throw bad(pattern, "hours are HH, or hh with a");
        }
        for (int i = 1; i < parts.size(); i++) {
            Part before = parts.get(i - 1);
            if (before.letter == Part.CLOCK && parts.get(i).isNumber()) {
                throw bad(pattern, "a number follows the one that is a time of day at once");
            }
            if (before.isNumber()
                    && before.count == 1
                    && before.letter != 'S'
                    && parts.get(i).isNumber()) {
                throw bad(pattern, "'" + before.letter + "' takes one digit or two, and a number follows at once");
            }
        }
        return new TimePattern(pattern, parts);
    }

    /** How long a time of day that is one number is in a pattern, from there on; 0: none begins there. */
    private static int clock(String pattern, int at) {
        for (String number : NUMBERS) {
            int end = at + number.length();
            boolean ends = end >= pattern.length() || number.charAt(number.length() - 1) != pattern.charAt(end);
            if (pattern.startsWith(number, at) && ends) {
                return number.length();
            }
        }
        return 0;
    }

    private static Part literal(String text) {
        return new Part('\0', 0, text);
    }

    private static IllegalArgumentException bad(String pattern, String why) {
        return new IllegalArgumentException(
                "times: expected a pattern such as dd.MM.yyyy HH:mm:ss, got '" + pattern + "': " + why);
    }

    /**
     * One that reads by it.
     *
     * @param home the zone of the stream, where names of zones with several meanings are used; null: it has none
     */
    public Reader reader(@Nullable ZoneId home) {
        return new Reader(this, home);
    }

    /** Whether times name their zone. */
    public boolean isZoned() {
        return zoned;
    }

    /** Whether there is such a time of day; 24:00 is the end of one. */
    public static boolean isOfDay(int hour, int minute, int second, int nanos) {
        return hour < 24 ? minute < 60 && second < 60 : hour == 24 && (minute | second | nanos) == 0;
    }

    /** The fields of the time that was read last. One thread. */
    public static final class Reader {
        private static final byte[] UTC = {'U', 'T', 'C'};
        private static final byte[] GMT = {'G', 'M', 'T'};

        private final TimePattern pattern;
        private int year;
        private int month;
        private int day;
        private int hour;
        private int minute;
        private int second;
        private int nanos;
        private int offsetSeconds;
        private final ZoneNames names;
        private @Nullable ZoneId region;
        /** Of a half of the day: 12 for the second, 0 for the first, -1 where none is named. */
        private int half;
        /** From Sunday; -1 where none is named. */
        private int weekday;

        private Reader(TimePattern pattern, @Nullable ZoneId home) {
            this.pattern = pattern;
            this.names = new ZoneNames(home);
        }

        /** Reads bytes [from, to); false when they are not written so. Whether the day exists is not looked at. */
        public boolean read(byte[] bytes, int from, int to) {
            hour = 0;
            minute = 0;
            second = 0;
            nanos = 0;
            offsetSeconds = 0;
            region = null;
            names.forget();
            half = -1;
            weekday = -1;
            int at = from;
            for (Part part : pattern.parts) {
                at = part.letter == 0 ? literal(part.literal, bytes, at, to) : field(part, bytes, at, to);
                if (at < 0) {
                    return false;
                }
            }
            if (half >= 0) {
                if (hour < 1 || hour > 12) {
                    return false;
                }
                hour = hour % 12 + half;
            }
            return at == to && (weekday < 0 || isWeekday());
        }

        /** Whether the day is on the weekday that is named, by Sakamoto's formula. */
        private boolean isWeekday() {
            if (month < 1 || month > SHIFTS.length) {
                return false;
            }
            int y = month < 3 ? year - 1 : year;
            return Math.floorMod(y + y / 4 - y / 100 + y / 400 + SHIFTS[month - 1] + day, WEEKDAYS.size()) == weekday;
        }

        /** The pattern, for people. */
        @Override
        public String toString() {
            return pattern.text;
        }

        private static int literal(byte[] literal, byte[] bytes, int at, int to) {
            int end = at + literal.length;
            return end <= to && Arrays.equals(bytes, at, end, literal, 0, literal.length) ? end : -1;
        }

        private int field(Part part, byte[] bytes, int at, int to) {
            return switch (part.letter) {
                case 'M' -> part.count == 3 ? monthName(bytes, at, to) : number(part, bytes, at, to);
                case 'E' -> weekdayName(bytes, at, to);
                case 'a' -> half(bytes, at, to);
                case 'X' -> zone(bytes, at, to);
                default -> number(part, bytes, at, to);
            };
        }

        private int number(Part part, byte[] bytes, int at, int to) {
            boolean padded = part.count == Part.PADDED && at < to && bytes[at] == ' ';
            int least = part.count == Part.PADDED ? (padded ? 1 : 2) : part.letter == Part.CLOCK ? 1 : part.count;
            int most = part.letter == 'S' || padded ? least : Math.max(2, part.count);
            int value = 0;
            int end = padded ? at + 1 : at;
            int first = end;
            while (end < to && end - first < most && bytes[end] >= '0' && bytes[end] <= '9') {
                value = value * 10 + bytes[end++] - '0';
            }
            if (end - first < least) {
                return -1;
            }
            switch (part.letter) {
                case Part.CLOCK -> {
                    second = part.count > 4 ? value % 100 : 0;
                    int minutes = part.count > 4 ? value / 100 : value;
                    minute = minutes % 100;
                    hour = minutes / 100;
                }
                case 'y' -> year = part.count == 2 ? value + (value < 70 ? 2000 : 1900) : value;
                case 'M' -> month = value;
                case 'd' -> day = value;
                case 'm' -> minute = value;
                case 's' -> second = value;
                case 'S' -> nanos = value * POWERS[9 - part.count];
                default -> hour = value;
            }
            return end;
        }

        private static final int[] POWERS = {1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000};

        private int monthName(byte[] bytes, int at, int to) {
            month = 1 + name(MONTHS, bytes, at, to);
            return month > 0 ? at + 3 : -1;
        }

        private int weekdayName(byte[] bytes, int at, int to) {
            weekday = name(WEEKDAYS, bytes, at, to);
            return weekday >= 0 ? at + 3 : -1;
        }

        /** Which of names of three letters stands there; -1: none. */
        private static int name(List<String> names, byte[] bytes, int at, int to) {
            for (int n = 0; n < names.size() && to - at >= 3; n++) {
                String name = names.get(n);
                boolean same = true;
                for (int i = 0; i < 3; i++) {
                    same &= (bytes[at + i] | 0x20) == name.charAt(i);
                }
                if (same) {
                    return n;
                }
            }
            return -1;
        }

        /** {@code AM}, {@code pm}, {@code a.m.} */
        private int half(byte[] bytes, int at, int to) {
            int points = at + 3 < to && bytes[at + 1] == '.' && bytes[at + 3] == '.' ? 1 : 0;
            if (to - at < 2 || (bytes[at + 1 + points] | 0x20) != 'm') {
                return -1;
            }
            int letter = bytes[at] | 0x20;
            half = letter == 'a' ? 0 : 12;
            return letter == 'a' || letter == 'p' ? at + 2 + 2 * points : -1;
        }

        /** {@code Z}, {@code UTC}, {@code GMT}, {@code +hh:mm}, {@code +hhmm}, {@code +hh} or a name. */
        private int zone(byte[] bytes, int at, int to) {
            if (at < to && bytes[at] == 'Z') {
                return at + 1;
            }
            if (literal(UTC, bytes, at, to) >= 0 || literal(GMT, bytes, at, to) >= 0) {
                return at + UTC.length;
            }
            if (at < to && bytes[at] != '+' && bytes[at] != '-') {
                int end = names.read(bytes, at, to);
                offsetSeconds = end < 0 ? 0 : names.offsetSeconds();
                region = end < 0 ? null : names.region();
                return end;
            }
            if (to - at < 3) {
                return -1;
            }
            int hours = two(bytes, at + 1, to);
            int end = at + 3;
            int minutes = 0;
            int colon = end < to && bytes[end] == ':' ? 1 : 0;
            if (two(bytes, end + colon, to) >= 0) {
                minutes = two(bytes, end + colon, to);
                end += colon + 2;
            }
            if (hours < 0 || hours > 18 || minutes > 59) {
                return -1;
            }
            offsetSeconds = (hours * 60 + minutes) * (bytes[at] == '-' ? -60 : 60);
            return end;
        }

        private static int two(byte[] bytes, int at, int to) {
            if (to - at < 2) {
                return -1;
            }
            int tens = bytes[at] - '0';
            int ones = bytes[at + 1] - '0';
            return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? -1 : tens * 10 + ones;
        }

        public int year() {
            return year;
        }

        public int month() {
            return month;
        }

        public int day() {
            return day;
        }

        public int hour() {
            return hour;
        }

        public int minute() {
            return minute;
        }

        public int second() {
            return second;
        }

        public int nanos() {
            return nanos;
        }

        /** East of Greenwich; 0 where the pattern has no zone, and where that is a {@link #region}. */
        public int offsetSeconds() {
            return offsetSeconds;
        }

        /** The region whose clocks show the time; null where none is named. */
        public @Nullable ZoneId region() {
            return region;
        }

        /** Whether a name stands in the zone's place that has no one meaning. */
        public boolean hasOddZone() {
            return names.odd();
        }

        /** Whether there is such a time of day. */
        public boolean isOfDay() {
            return TimePattern.isOfDay(hour, minute, second, nanos);
        }
    }
}
