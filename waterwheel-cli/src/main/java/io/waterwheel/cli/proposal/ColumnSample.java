package io.waterwheel.cli.proposal;

import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.schema.text.MemberPath;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What the values of one column of a CSV file, or of one member of JSON objects, look like. One thread. */
final class ColumnSample {
    /** Up to here a double holds every whole number. */
    private static final long EXACT = 1L << 53;

    private static final int DISTINCT_COUNTED = 10_000;
    /** Of fewer values it is not said what most of them are. */
    static final int FEW = 20;
    /** At most 1 in this number of values is an outlier where the others are said to be of one kind. */
    static final int MOST = 20;

    String name;
    /** Where it stands, where that is not under its name: a member or its path. */
    String from = "";

    /** Of a time whose day and time of day are in two columns: these; else empty. */
    List<ColumnSample> pair = List.of();

    List<String> pairPatterns = List.of();
    /** What is said of times of day that are none. */
    String pairUnread = "";
    /** The other columns with a time of day, that could be its own. */
    String others = "";
    /** The unit that all values have beside their number; empty: they have none. */
    String unit = "";

    /** Its type, where a schema says it; of a text it says nothing. */
    @Nullable
    FieldType known;

    /** Where the value stands that is looked at. */
    RowPlace place = RowPlace.row(0);

    long values;
    long empty;
    /** Values with spaces around them, and spaces alone, of CSV. */
    long spaced;

    private long blank;
    /** Words for nothing in quotes, which are nothing in a column of numbers or times all of which are in quotes. */
    private long quotedMarks;

    private long quotedEmpty;
    /** Whether a value is not in quotes. */
    private boolean bare;

    /** Words for nothing in quotes that are values there, as they may be numbers. */
    final Outliers quotedValues = new Outliers();

    /** By word, how many rows have it. */
    private final Map<String, Integer> quotedWords = new TreeMap<>();

    long marks;
    /** NaN and infinities. */
    long notFinite;
    /** Whole numbers that are others as doubles, perhaps. */
    long rounded;

    final DigitCount digits = new DigitCount();
    /** Numbers with marks that are not those of plain numbers, and those whose marks might be others. */
    long marked;

    /** Numbers in parentheses, and with a sign before them. */
    long parenthesised;

    final UnitSample units;

    /** Values that no pattern of times reads. */
    private final Outliers unread = new Outliers();

    final DigitTimes digitTimes;
    /** Of a pattern that a person says: values that it does not read. */
    final Outliers unfit = new Outliers();

    /** The first value. */
    private String first = "";

    /** Of JSON: values that are strings, and numbers and booleans. */
    long strings;

    private long literals;
    private boolean isJson;
    long integers;
    private long wide;
    long decimals;
    long booleans;
    final IsoTimes iso;
    final Identifiers identifiers = new Identifiers();
    private double least = Double.POSITIVE_INFINITY;
    private double most = Double.NEGATIVE_INFINITY;
    int fraction;
    /** By hash, for values may be long: how many rows have it. */
    final Map<Integer, Integer> distinct = new HashMap<>();

    final CsvStyle style;
    final TimeForms forms;

    /** Whether a few values that are no times are passed over. */
    private boolean outliers;

    final MixedTexts texts;
    final Outliers noNumbers = new Outliers();
    /** Digits that begin with a zero, or are more than 64 bits hold. */
    final Outliers names = new Outliers();

    final Outliers notFiniteOnes = new Outliers();
    /** The marks that are there. */
    final Set<String> words = new TreeSet<>();

    ColumnSample(String name, CsvStyle style) {
        this.name = name;
        this.style = style;
        this.units = new UnitSample(style);
        this.texts = new MixedTexts(style);
        this.forms = new TimeForms(style.times());
        this.iso = new IsoTimes(style.times().zone());
        String pattern = style.times().pattern();
        this.digitTimes = new DigitTimes(
                pattern == null ? List.of() : TimePairs.halves(pattern),
                style.times().zone());
    }

    /** The same under another name. */
    ColumnSample named(String other) {
        name = other;
        return this;
    }

    /** Whether a person says how times are written. */
    private boolean saysTimes() {
        return style.times().pattern() != null;
    }

    /** Adds a value of JSON, a string or another scalar as it is written. */
    void addJson(String value, boolean string) {
        strings += string ? 1 : 0;
        literals += string ? 0 : 1;
        isJson = true;
        // An empty string is a value, and no word stands for null.
        add(value, true);
    }

    void add(String written, boolean quoted) {
        if (written.isEmpty() && !quoted) {
            empty++;
            return;
        }
        String value = isJson ? written : CsvStyle.trimmed(written);
        if (value.length() < written.length()) {
            spaced++;
            if (value.isEmpty() && !quoted) {
                blank++;
                return;
            }
        }
        if (quoted && !isJson && value.isEmpty()) {
            quotedEmpty++;
            odd(value);
            return;
        } else if (quoted && !isJson && style.isNothing(value) && !RecordText.Csv.mayBeValue(value)) {
            quotedMarks++;
            quotedWords.merge(value, 1, Integer::sum);
            odd(value);
            return;
        }
        bare |= !quoted;
        values++;
        int hash = written.hashCode();
        if (distinct.size() < DISTINCT_COUNTED || distinct.containsKey(hash)) {
            distinct.merge(hash, 1, Integer::sum);
        }
        // In quotes it is a value for the decoder.
        if (quoted && !isJson && style.isNothing(value)) {
            quotedValues.add(value, place);
        }
        if (!quoted && style.isNothing(value)) {
            marks++;
            words.add(value);
            return;
        }
        first = first.isEmpty() ? value : first;
        addKnown(value);
        long known = values - marks;
        forms.seen(value, place, iso.count() == known ? "2021-10-07T12:00:01Z" : digitTimes.counted(known), known);
    }

    /** Takes note of what is no number and no time. */
    private void odd(String value) {
        noNumbers.add(value, place);
        iso.addOther(value, place);
    }

    private void addKnown(String value) {
        if (saysTimes()) {
            digitTimes.addSaid(value);
            // Somebody says how times are written: digits alone may be one.
            if (forms.read(value, values - marks - 1 - iso.count())) {
                return;
            }
            unfit.add(value, place);
        }
        String number = style.number(value);
        if (number == null && CsvStyle.isInParentheses(value)) {
            String within = style.number(value.substring(1, value.length() - 1));
            number = within == null || "+-".indexOf(value.charAt(1)) >= 0 ? null : "-" + within;
            parenthesised += number == null ? 0 : 1;
        }
        if (number != null) {
            digits.addSigns(value, number);
            digitTimes.addDigits(number, values - marks - 1);
            iso.addOther(value, place);
            number(number);
            if (isJson && strings == values) {
                digits.addText(number, place);
            }
            marked += number.equals(value) ? 0 : 1;
            digits.addMarks(value, style, place);
            return;
        }
        boolean finite = !CsvStyle.NOT_FINITE.contains(value);
        units.add(value, place);
        if (finite) {
            noNumbers.add(value, place);
            texts.add(value);
        }
        if (iso.add(value, place)) {
            fraction = Math.max(fraction, DigitCount.behindPoint(value));
            return;
        }
        if (!finite) {
            notFinite++;
            decimals++;
            notFiniteOnes.add(value, place);
        } else if (value.equalsIgnoreCase("true") || value.equalsIgnoreCase("false")) {
            booleans++;
        } else if (saysTimes() || !forms.read(value, values - marks - 1)) {
            unread.add(value, place);
            address(value);
        }
    }

    /** The numbers of a column whose values all have one unit; else the column itself. */
    ColumnSample withoutUnit() {
        // Spaces are a text, and nothing in a column of others.
        boolean text = isText();
        values += text ? blank : 0;
        count(" ", text ? blank : 0);
        empty += text ? 0 : blank;
        blank = 0;
        ColumnSample numbers = units.numbers();
        boolean united = numbers != null && units.count() + notFinite == values - marks;
        // Who puts only some values in quotes means what is in them.
        boolean nothing =
                !bare && (type().isNumber() || isTime() || !timePatterns().isEmpty() || united);
        empty += nothing ? quotedEmpty : 0;
        marks += nothing ? quotedMarks : 0;
        values += quotedMarks + (nothing ? 0 : quotedEmpty);
        if (nothing) {
            words.addAll(quotedWords.keySet());
        } else {
            count("", quotedEmpty);
            quotedWords.forEach(this::count);
        }
        quotedWords.clear();
        quotedMarks = 0;
        quotedEmpty = 0;
        if (numbers == null || !united) {
            return this;
        }
        // A number that is none has no unit.
        numbers.values += notFinite - numbers.notFinite;
        numbers.decimals += notFinite - numbers.notFinite;
        numbers.notFinite = notFinite;
        if (!numbers.type().isNumber()) {
            return this;
        }
        numbers.name = name;
        numbers.from = from;
        numbers.unit = units.unit();
        numbers.empty = empty;
        numbers.spaced = spaced;
        numbers.marks = marks;
        numbers.values = values;
        numbers.words.addAll(words);
        return numbers;
    }

    private void count(String value, long rows) {
        if (rows > 0) {
            distinct.merge(value.hashCode(), (int) rows, Integer::sum);
        }
    }

    private boolean isText() {
        return type() == FieldType.STRING && timePatterns().isEmpty();
    }

    /** Whether its values have spaces around them that are no part of them. */
    boolean isTrimmed() {
        return pair.isEmpty() ? spaced > 0 && !isText() : pair.stream().anyMatch(part -> part.spaced > 0);
    }

    /** The likeliest of {@link #compactPatterns}; null where there is none. */
    @Nullable
    String compactPattern() {
        List<String> all = compactPatterns();
        return all.isEmpty() ? null : all.get(0);
    }

    /** The forms of days or times that all values, digits alone, may have, the likeliest first. */
    List<String> compactPatterns() {
        return saysTimes() ? List.of() : digitTimes.compactPatterns(this);
    }

    /** The first value of both columns of a time, as they are read. */
    String firstOfPair() {
        return pair.get(0).first + " " + pair.get(1).first;
    }

    /** Counts times of day, addresses and UUIDs. */
    private void address(String value) {
        long before = values - marks - notFinite - 1;
        if (digitTimes.addClock(value, place, values - marks - 1)) {
            fraction = Math.max(fraction, DigitCount.behindPoint(value));
        }
        identifiers.add(value, before);
    }

    private void number(String value) {
        int first = value.charAt(0) == '-' ? 1 : 0;
        int end = CsvStyle.digits(value, first);
        // 007 is a name, not a number.
        boolean leadingZero = end - first > 1 && value.charAt(first) == '0';
        digits.before(end - first);
        if (end < value.length()) {
            double nearest = Double.parseDouble(value);
            widen(nearest);
            digits.add(value, nearest);
            decimals += leadingZero ? 0 : 1;
            fraction = Math.max(fraction, DigitCount.behindPoint(value));
            if (leadingZero) {
                names.add(value, place);
            }
            return;
        }
        long whole;
        try {
            whole = Long.parseLong(value);
        } catch (NumberFormatException beyond64Bits) {
            widen(Double.parseDouble(value));
            names.add(value, place);
            return; // as a double it would be another number: it stays a text
        }
        widen((double) whole);
        if (!leadingZero) {
            integers++;
            decimals++;
            wide += whole != (int) whole ? 1 : 0;
            rounded += whole > EXACT || whole < -EXACT ? 1 : 0;
        } else {
            names.add(value, place);
        }
    }

    private void widen(double number) {
        least = Math.min(least, number);
        most = Math.max(most, number);
        digitTimes.count(number);
    }

    /** Whether some values are marks of nothing in a column of another type. */
    boolean hasGaps() {
        return marks > 0
                && marks < values
                && (type() != FieldType.STRING || !timePatterns().isEmpty());
    }

    /** Whether a person means it by a name, or by its path. */
    boolean isCalled(String said) {
        return name.equals(said) || from.equals(said);
    }

    /** Whether its path, or that of its day, begins so. */
    boolean isAt(String path) {
        return path().startsWith(path);
    }

    /** Whether it, or its day, is within an array of JSON. */
    boolean isInArray() {
        return MemberPath.steps(path()).stream().anyMatch(MemberPath.Step::element);
    }

    private String path() {
        return pair.isEmpty() ? from : pair.get(0).from;
    }

    /** Whether some rows have nothing there, or a mark of it. */
    boolean lacksSome() {
        return empty > 0 || hasGaps();
    }

    /** Takes it for a time where nearly all values are times: those that are none will be rejected. */
    boolean takesOutliers() {
        long known = values - marks;
        long fewest = known - known / MOST;
        outliers = known >= FEW && (iso.count() >= fewest || forms.most() >= fewest);
        return outliers;
    }

    /** How many values are no times, though it is taken for one; and the first of them. Empty where there are none. */
    String outliers() {
        long known = values - marks;
        long most = Math.max(iso.count(), forms.most());
        return outliers
                ? known - most + " of " + known + " are no times: "
                        + (iso.count() == most ? iso.others() : unread.text())
                : pairUnread;
    }

    /** Whether all values are taken for times, of which this number are. */
    private boolean areAll(long count) {
        long known = values - marks;
        return count > 0 && count >= (outliers ? known - known / MOST : known);
    }

    /** The patterns that read all values but marks, the likeliest first; none for times as ISO 8601 writes them. */
    List<String> timePatterns() {
        if (!pair.isEmpty()) {
            return pairPatterns;
        }
        // Where a person says how they are written, ISO 8601 is read beside it.
        long ofIso = saysTimes() ? iso.count() : 0;
        // A pattern that reads fewer than another is not the one of the others.
        return forms.reading(read -> areAll(read + ofIso) && (!outliers || read == forms.most()));
    }

    /** How its times go on, or its days where their times of day are in another column, as a pattern reads them. */
    TimeForms.Course course(String pattern) {
        return pair.isEmpty()
                ? forms.course(pattern)
                : pair.get(0).course(TimePairs.halves(pattern).get(0));
    }

    /** Whether its times, or their days, are in order as texts. */
    boolean areSortedTexts() {
        return pair.isEmpty() ? forms.areSortedTexts() : pair.get(0).areSortedTexts();
    }

    /** The narrowest type that holds all values, but for marks; text when there are none. */
    FieldType type() {
        if (!pair.isEmpty()) {
            return timestamp(TimestampUnit.SECONDS);
        }
        FieldType said = known;
        if (said == null) {
            return seen();
        }
        // Of a time the schema may not say how fine it is.
        return said == FieldType.TIMESTAMP_US && seen() == FieldType.TIMESTAMP_NS ? FieldType.TIMESTAMP_NS : said;
    }

    private FieldType seen() {
        long known = values - marks;
        if (known == 0 || digits.areLabels(integers, values - marks, unit.isEmpty())) {
            return FieldType.STRING;
        } else if (integers == known) {
            // Who puts whole numbers in strings means names of things, mostly.
            return strings == known ? FieldType.STRING : wide > 0 ? FieldType.LONG : FieldType.INT;
        } else if (decimals == known) {
            return strings == known && digits.areVersions() ? FieldType.STRING : FieldType.DOUBLE;
        } else if (booleans == known) {
            return strings == known ? FieldType.STRING : FieldType.BOOLEAN;
        } else if (areAll(iso.count())) {
            return timestamp(TimestampUnit.SECONDS);
        }
        FieldType identifier = identifiers.type(known);
        return identifier == null ? FieldType.STRING : identifier;
    }

    /** What is written as a time first and otherwise then; empty: nothing is. */
    String mixedTimes(boolean countsToo) {
        return forms.areMixed() && (countsToo || !forms.beginAsNumbers()) ? forms.mixed() : "";
    }

    /** Numbers with a comma that is taken for a decimal mark, though all of them may be groups. */
    long commasOfThousands() {
        return style.decimal() == ',' && !style.commas().isEmpty() ? digits.groupsBeside(integers, values - marks) : 0;
    }

    /**
     * Numbers with a point that may as well stand between thousands, where nothing in the column tells: all others are
     * whole numbers of up to three digits. 0 where something tells.
     */
    long pointsOfThousands() {
        return style.decimal() == '.' ? digits.groupsBeside(digits.shorts(), values - marks) : 0;
    }

    /** Whether its values in JSON fit its type only where numbers may be text, or text numbers. */
    boolean needsTextNumbers() {
        if (known != null) {
            return false; // what is a text in JSON, such as NaN, is none where a schema has its type
        }
        FieldType type = type();
        return type == FieldType.STRING ? literals > 0 : strings > 0 && (type.isNumber() || type == FieldType.BOOLEAN);
    }

    /** Whether some of its values in JSON are strings and some are not. */
    boolean isMixed() {
        return known == null && strings > 0 && literals > 0;
    }

    /** Whether the values are written as ISO 8601 writes times, with a zone or without, or days. */
    boolean isTime() {
        return type().isTimestamp();
    }

    /** Whether the values are times of day, such as 14:30, without a day. */
    boolean isTimeOfDay() {
        return digitTimes.areClocks(values - marks);
    }

    /** Whether the first value is this. */
    boolean isFirst(String value) {
        return first.equals(value);
    }

    /** How many values are no marks of nothing. */
    long known() {
        return values - marks;
    }

    /** Whether the pattern that a person says reads nearly all values. */
    boolean mostlyFits() {
        return !pairPatterns.isEmpty() || (forms.most() > 0 && DigitTimes.nearly(forms.most() + iso.count(), known()));
    }

    /** Whether the values are days, without a time of day. */
    boolean isDay() {
        return isTime()
                ? iso.areDays(values - marks)
                : DigitTimes.DAY.equals(compactPattern())
                        || timePatterns().stream()
                                .anyMatch(pattern -> !pattern.contains("H") && !pattern.contains("h"));
    }

    /** What the numbers count, when they may be times between 1980 and 2100; else null. */
    @Nullable
    TimestampUnit epochUnit() {
        long known = values - marks;
        if (known == 0
                || !pair.isEmpty()
                || !unit.isEmpty()
                || (integers != known && decimals != known)
                || (this.known != null && !this.known.isNumber() && !this.known.isDecimal())) {
            return null;
        }
        if (least > most || marked > 0 || !compactPatterns().isEmpty()) {
            return null; // not one finite number; counts have no marks; 2021100712 is a time of 2021, not of 2034
        }
        return DigitTimes.unitOf(least, most);
    }

    /** The coarsest timestamp that keeps the digits behind the point of numbers in this unit. */
    FieldType timestamp(TimestampUnit unit) {
        return DigitTimes.timestamp(unit, fraction);
    }

    /** Whether all finite numbers lie within. */
    boolean within(double low, double high) {
        return least <= most && least >= low && most <= high;
    }

    /** Whether it has two values that a dimension could tell apart: neither words for nothing nor NaN is one. */
    boolean divides() {
        FieldType type = type();
        boolean number = type.isNumber() || type.isDecimal();
        return number ? least < most : distinct() - words.size() > 1;
    }

    /** Number of distinct values, up to a bound. */
    int distinct() {
        return distinct.size();
    }
}
