package io.waterwheel.cli.proposal;

import io.waterwheel.schema.FieldType;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Says what most values of a column of texts are. One thread. */
final class MixedTexts {
    /** Fewer numbers are there by chance. */
    private static final int FEW_NUMBERS = 3;
    /** Digits of whole numbers that 64 bits always hold. */
    private static final int DIGITS = 18;
    /** As C and numpy write what is {@code Infinity} here. */
    private static final Pattern INFINITY = Pattern.compile("(?i)[+-]?inf(inity)?");

    private static final char MINUS = '\u2212';

    /** What most values of a column of texts are. */
    enum Kind {
        /** There is nothing to say. */
        NOTHING,
        NUMBERS,
        TIMES,
        OTHER
    }

    /**
     * What is said of a column of texts.
     *
     * @param wordsAreFew whether all other values are a few words, which may stand for nothing
     */
    record Remark(Kind kind, boolean wordsAreFew, String text) {
        static final Remark NONE = new Remark(Kind.NOTHING, false, "");

        private static Remark of(Kind kind, String text) {
            return text.isEmpty() ? NONE : new Remark(kind, false, text);
        }
    }

    private final CsvStyle style;
    private final CsvStyle spaces;
    /** Numbers with {@link #MINUS}, and those with spaces between thousands. */
    private long minuses;

    private long grouped;
    private long infinities;

    MixedTexts(CsvStyle style) {
        this.style = style;
        this.spaces = new CsvStyle(style.delimiter(), style.decimal(), ' ');
    }

    /** Takes a value that is no number. */
    void add(String value) {
        infinities += INFINITY.matcher(value).matches() ? 1 : 0;
        if (value.length() > 1 && value.charAt(0) == MINUS) {
            minuses += style.number("-" + value.substring(1)) != null ? 1 : 0;
        } else if (style.thousands() == '\0') {
            grouped += spaces.number(value) != null ? 1 : 0;
        }
    }

    /**
     * Whether it is a column of texts of which more than half are numbers, and the others a few words without digits,
     * or numbers with {@link #MINUS}: labels such as M4 among numbers have digits.
     */
    static boolean areMostlyNumbers(ColumnSample column) {
        return column.type() == FieldType.STRING
                && (column.noNumbers.areFewWords() || column.texts.minuses > 0)
                && column.texts.most(column.decimals, column.known());
    }

    /** What is said of words in a column of texts that stand for nothing elsewhere. */
    static String wordsForNothing(ColumnSample column) {
        // What begins so is an option of its own.
        String words = column.words.stream()
                .filter(word -> !word.startsWith("--"))
                .map(FileLook::word)
                .collect(Collectors.joining(","));
        boolean one = column.marks == 1;
        return column.marks
                + (one ? " is " : " are ")
                + String.join(" or ", column.words)
                + (one ? ", a text here" : ", texts here")
                + (words.isEmpty() ? "" : ": --null " + words + " takes " + (one ? "it" : "them") + " for nothing");
    }

    private boolean most(long numbers, long known) {
        long all = numbers + minuses + grouped;
        return all >= FEW_NUMBERS && all * 2 > known;
    }

    private Remark numbers(ColumnSample column, long known) {
        if (minuses > 0) {
            return Remark.of(
                    Kind.NUMBERS,
                    minuses + " of " + known + " are numbers with U+2212 for a minus: they need a - there");
        } else if (grouped > 0) {
            return Remark.of(
                    Kind.NUMBERS,
                    grouped + " of " + known
                            + " are numbers with spaces between thousands, as it seems: --thousands ' '"
                            + " takes them");
        } else if (!column.noNumbers.text().isEmpty()) {
            return new Remark(
                    Kind.NUMBERS,
                    true,
                    column.decimals + " of " + known + " are numbers; others: " + column.noNumbers.text());
        }
        return column.names.text().isEmpty()
                ? Remark.NONE
                : Remark.of(Kind.OTHER, "digits that a number would not keep: " + column.names.text());
    }

    /** Of a column of texts, what most of its values are, and which are not: it might be meant otherwise. */
    static Remark remark(ColumnSample column) {
        long known = column.known();
        if (column.type() != FieldType.STRING
                || !column.timePatterns().isEmpty()
                || column.digits.areLabels(column.integers, known, column.unit.isEmpty())) {
            return Remark.NONE;
        }
        long odd = known - column.notFinite;
        FieldType identifier = column.identifiers.type(odd);
        if (column.notFinite > 0 && odd > 0 && (column.booleans == odd || identifier != null)) {
            return new Remark(
                    Kind.OTHER,
                    true,
                    odd + " of " + known + " are "
                            + (column.booleans == odd
                                    ? "booleans"
                                    : identifier == FieldType.UUID ? "UUIDs" : "addresses")
                            + "; others: " + column.notFiniteOnes.text());
        }
        if (column.units.areOfSeveral(known)) {
            return Remark.of(Kind.NUMBERS, column.units.evidence(known));
        }
        if (column.strings == known && column.decimals == known && column.digits.areVersions()) {
            return Remark.of(Kind.OTHER, "digits that a number would not keep: " + column.digits.zeros());
        }
        long infinities = column.texts.infinities;
        if (infinities > 0 && column.decimals > 0 && column.decimals + infinities == known) {
            return new Remark(
                    Kind.NUMBERS,
                    true,
                    infinities + " of " + known + " are infinities, which a number has as Infinity and -Infinity: "
                            + column.noNumbers.text());
        }
        boolean digits = column.noNumbers.text().isEmpty() && column.strings < known;
        if (digits && column.decimals < known && column.names.areLongerThan(DIGITS)) {
            return Remark.of(Kind.OTHER, "digits that a number would not keep: " + column.names.text());
        }
        long fewest = known - (known < ColumnSample.FEW ? 0 : known / ColumnSample.MOST);
        String oddZones = column.iso.odd(known, fewest);
        if (!oddZones.isEmpty()) {
            return Remark.of(Kind.TIMES, oddZones);
        }
        // Half of many values, where the others are a few words.
        boolean half = known >= ColumnSample.FEW && column.decimals * 2 >= known && column.noNumbers.areAll();
        if (half || column.texts.most(column.decimals, known)) {
            return column.texts.numbers(column, known);
        }
        if (known < ColumnSample.FEW) {
            return Remark.NONE;
        }
        if (column.units.count() >= fewest) {
            return Remark.of(Kind.NUMBERS, column.units.evidence(known));
        }
        if (column.iso.count() >= fewest) {
            return Remark.of(
                    Kind.TIMES, column.iso.count() + " of " + known + " are times; others: " + column.iso.others());
        }
        return Remark.of(Kind.OTHER, column.mixedTimes(false));
    }
}
