package io.waterwheel.cli.proposal;

import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.text.Decimals;
import java.math.BigDecimal;

/** How many digits the numbers of a column have, and whether a double keeps them. One thread. */
final class DigitCount {
    /** Any number of this number of digits is kept by a double. */
    private static final int EXACT_DIGITS = 15;

    /** A telephone number has more digits than a difference that is written with a plus. */
    private static final int DIGITS_OF_TELEPHONES = 7;

    private long pluses;
    private long minuses;
    /** Numbers in parentheses that have digits alone, and those that end with the decimal mark. */
    private long labels;

    private long ordinals;

    /** Of all finite numbers: digits before the point, and behind it. */
    private int before;

    private int behind;
    private long shortened;

    /** Numbers whose marks might be others, and where the first stand. */
    private long doubtful;

    private final Outliers doubtfulOnes = new Outliers();
    /** Numbers whose decimal mark might stand between thousands, and whole numbers that would have none there. */
    private long groups;

    private long shorts;

    /**
     * Takes the signs of a number.
     *
     * @param number its plain form
     */
    void addSigns(String written, String number) {
        pluses += written.charAt(0) == '+' ? 1 : 0;
        minuses += number.charAt(0) == '-' ? 1 : 0;
        labels += CsvStyle.isInParentheses(written) && CsvStyle.digits(written, 1) == written.length() - 1 ? 1 : 0;
        ordinals += number.endsWith(".") ? 1 : 0;
    }

    /**
     * Whether all are whole numbers that name something: telephone numbers, codes of countries such as +49, footnotes
     * such as (1), and ordinals such as 1.
     *
     * @param integers how many are whole
     * @param bare whether they have no unit
     */
    boolean areLabels(long integers, long values, boolean bare) {
        boolean telephones = pluses > 0 && minuses == 0 && before >= DIGITS_OF_TELEPHONES;
        boolean whole = integers > 0 && integers == values;
        return telephones
                || (ordinals > 0 && ordinals == values)
                || (whole && bare && (labels == integers || pluses == integers));
    }

    /** Fewest digits behind the point of numbers that have some; and most of those that end with a zero. */
    private int fewestBehind = Integer.MAX_VALUE;

    private int mostOfZeros;
    private final Outliers zeros = new Outliers();

    /** Takes a number that is a text of JSON. */
    void addText(String number, RowPlace place) {
        int places = behindPoint(number);
        if (places == 0 || number.indexOf('e') >= 0 || number.indexOf('E') >= 0) {
            return;
        }
        fewestBehind = Math.min(fewestBehind, places);
        if (number.endsWith("0") && places > mostOfZeros) {
            mostOfZeros = places;
            zeros.add(number, place);
        }
    }

    /**
     * Whether texts are names, such as the versions 1.1 and 1.10, which would be one number: some have a zero at a
     * place behind the point that others do not write. 2.90 and 3.15, or 3, are numbers.
     */
    boolean areVersions() {
        return mostOfZeros > fewestBehind;
    }

    /** Such numbers with a zero at their end, not all of them. */
    String zeros() {
        return zeros.text();
    }

    /** Takes the marks of a number as it is written. */
    void addMarks(String written, CsvStyle style, RowPlace place) {
        boolean group = style.mayBeGroup(written);
        boolean doubt = style.isDoubtful(written);
        groups += group ? 1 : 0;
        doubtful += doubt ? 1 : 0;
        shorts += CsvStyle.isShort(written) ? 1 : 0;
        if (group || doubt) {
            doubtfulOnes.add(written, place);
        }
    }

    /** Numbers whose mark between thousands might be a decimal one. */
    long doubtful() {
        return doubtful;
    }

    /** The first of those. */
    String doubtfulOnes() {
        return doubtfulOnes.text();
    }

    /** Whole numbers of up to three digits. */
    long shorts() {
        return shorts;
    }

    /** Numbers whose decimal mark might stand between thousands, where these and others are all; else 0. */
    long groupsBeside(long others, long all) {
        return groups + others == all ? groups : 0;
    }

    /** Takes the digits before a number's point. */
    void before(int digits) {
        before = Math.max(before, digits);
    }

    /** Most digits before the point. */
    int before() {
        return before;
    }

    /** Takes a number with a point or an exponent. */
    void add(String value, double nearest) {
        boolean plain = value.indexOf('e') < 0 && value.indexOf('E') < 0;
        if (plain && value.length() <= EXACT_DIGITS) {
            behind = Math.max(behind, behindPoint(value));
            return;
        }
        BigDecimal exact = new BigDecimal(value);
        before = Math.max(before, exact.precision() - exact.scale());
        behind = Math.max(behind, exact.scale());
        // As it is written for a person, or to the last bit.
        shortened += !Double.isInfinite(nearest)
                        && exact.compareTo(new BigDecimal(Double.toString(nearest))) != 0
                        && exact.compareTo(new BigDecimal(nearest)) != 0
                ? 1
                : 0;
    }

    /** Numbers with a point that have more digits than a double keeps. */
    long shortened() {
        return shortened;
    }

    /** The type that keeps all digits; a text where none of numbers does. */
    FieldType exactType(long notFinite) {
        int digits = Math.max(1, before + behind);
        return notFinite > 0 || digits > Decimals.MOST_DIGITS ? FieldType.STRING : FieldType.decimal(digits, behind);
    }

    static int behindPoint(String value) {
        int point = value.indexOf('.');
        int at = point + 1;
        while (point >= 0 && at < value.length() && Character.isDigit(value.charAt(at))) {
            at++;
        }
        return point < 0 ? 0 : at - point - 1;
    }
}
