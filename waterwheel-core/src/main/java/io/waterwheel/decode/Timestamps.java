package io.waterwheel.decode;

/**
 * Instants from ASCII bytes: milliseconds since 1970 UTC as a whole number, or ISO 8601 with a zone, such as
 * {@code 2021-10-07T12:00:01.500Z} or {@code 2021-10-07 14:00+02:00}. Digits of a second beyond the third are cut off.
 */
final class Timestamps {
    /** What a refused value should have been. */
    static final String EXPECTED =
            "milliseconds since 1970 or an ISO 8601 instant with a zone such as 2021-10-07T12:00:01.500Z";

    private final Numbers numbers;

    /** Whether the last call failed; its result means nothing then. */
    boolean failed;

    private byte[] bytes = {};
    private int at;
    private int to;

    Timestamps(Numbers numbers) {
        this.numbers = numbers;
    }

    long parse(byte[] source, int from, int end) {
        if (end - from < 16 || source[from + 4] != '-') {
            long value = numbers.parseLong(source, from, end);
            failed = numbers.failed;
            return value;
        }
        bytes = source;
        at = from;
        to = end;
        failed = false;
        long millis = instant();
        failed |= at != to;
        return millis;
    }

    private long instant() {
        int year = digits(4);
        expect('-', '-');
        int month = digits(2);
        expect('-', '-');
        int day = digits(2);
        expect('T', ' ');
        int hour = digits(2);
        expect(':', ':');
        int minute = digits(2);
        int second = 0;
        int millis = 0;
        if (at < to && bytes[at] == ':') {
            at++;
            second = digits(2);
            if (at < to && bytes[at] == '.') {
                at++;
                millis = fraction();
            }
        }
        int offsetMinutes = zone();
        if (failed
                || month < 1
                || month > 12
                || day < 1
                || day > daysOf(year, month)
                || hour > 23
                || minute > 59
                || second > 59) {
            failed = true;
            return 0;
        }
        return ((daysSince1970(year, month, day) * 24 + hour) * 60 + minute - offsetMinutes) * 60_000L
                + second * 1000L
                + millis;
    }

    private int zone() {
        if (at < to && bytes[at] == 'Z') {
            at++;
            return 0;
        }
        if (at >= to || (bytes[at] != '+' && bytes[at] != '-')) {
            failed = true;
            return 0;
        }
        boolean west = bytes[at++] == '-';
        int hours = digits(2);
        int minutes = 0;
        if (at < to) {
            if (bytes[at] == ':') {
                at++;
            }
            minutes = digits(2);
        }
        failed |= hours > 18 || minutes > 59;
        int offset = hours * 60 + minutes;
        return west ? -offset : offset;
    }

    private int fraction() {
        int start = at;
        int millis = 0;
        int scale = 100;
        while (at < to && bytes[at] >= '0' && bytes[at] <= '9') {
            millis += (bytes[at++] - '0') * scale;
            scale /= 10;
        }
        failed |= at == start || at - start > 9;
        return millis;
    }

    private int digits(int count) {
        if (to - at < count) {
            failed = true;
            at = to;
            return 0;
        }
        int value = 0;
        for (int i = 0; i < count; i++) {
            int digit = bytes[at++] - '0';
            failed |= digit < 0 || digit > 9;
            value = value * 10 + digit;
        }
        return value;
    }

    private void expect(char one, char other) {
        failed |= at >= to || (bytes[at] != one && bytes[at] != other);
        at++;
    }

    private static int daysOf(int year, int month) {
        if (month == 2) {
            return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
        }
        return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
    }

    /** Days from 1970-01-01 in the proleptic Gregorian calendar, the year counted from March. */
    private static long daysSince1970(int year, int month, int day) {
        int y = month <= 2 ? year - 1 : year;
        int era = Math.floorDiv(y, 400);
        int yearOfEra = y - era * 400;
        int dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
        int dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
        return era * 146_097L + dayOfEra - 719_468;
    }
}
