package io.waterwheel.cli.proposal;

import io.waterwheel.cli.input.LinesLeftOut;
import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.text.MemberPath;
import io.waterwheel.schema.text.TimePattern;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * What a person says of a file, in the place of a guess: how its text is written, and which columns are time and key.
 * Options of the commands that propose a schema.
 */
public final class FileFacts {
    /** Rows at the end, which wait in memory until it is known that they are the last. */
    private static final int MOST_LAST = 100;

    /** Nothing is said. */
    public static final FileFacts NONE = new FileFacts();

    /** Reads one sign, or the word {@code tab}. */
    static final class Sign implements ITypeConverter<Character> {
        @Override
        public Character convert(String text) {
            if (text.equals("tab")) {
                return '\t';
            }
            if (text.length() != 1) {
                throw new TypeConversionException("expected one sign, or the word tab, got '" + text + "'");
            }
            return text.charAt(0);
        }
    }

    /** Reads one sign, or the word {@code none}. */
    static final class Mark implements ITypeConverter<Character> {
        @Override
        public Character convert(String text) {
            if (text.equals("none")) {
                return '\0';
            }
            if (text.length() != 1) {
                throw new TypeConversionException("expected one sign, or the word none, got '" + text + "'");
            }
            return text.charAt(0);
        }
    }

    /** Reads {@code Europe/Berlin}, {@code +02:00} or {@code UTC}. */
    static final class Zone implements ITypeConverter<ZoneId> {
        @Override
        public ZoneId convert(String text) {
            try {
                return ZoneId.of(text);
            } catch (DateTimeException e) {
                throw new TypeConversionException(
                        "expected a zone such as Europe/Berlin, UTC or +02:00, got '" + text + "'");
            }
        }
    }

    /** Reads a pattern of times. */
    static final class Pattern implements ITypeConverter<String> {
        @Override
        public String convert(String text) {
            try {
                TimePattern.of(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()));
            }
            return text;
        }
    }

    @Option(
            names = "--delimiter",
            paramLabel = "SIGN",
            converter = Sign.class,
            description =
                    "What divides the values of CSV: one sign, or the word tab. Default: as the first lines show.")
    @Nullable
    Character delimiter;

    @Option(
            names = "--decimal",
            paramLabel = "SIGN",
            converter = Sign.class,
            description = "The decimal mark of numbers in CSV, a point or a comma. Default: as the first lines show.")
    @Nullable
    Character decimal;

    @Option(
            names = "--thousands",
            paramLabel = "SIGN",
            converter = Sign.class,
            description = "The sign between groups of three digits in CSV: . , ' _ or a space. Default: as the first"
                    + " lines show.")
    @Nullable
    Character thousands;

    @Option(
            names = "--quote",
            paramLabel = "SIGN",
            converter = Mark.class,
            description = "The sign around values of CSV that hold delimiters: one sign, or the word none. Default: \"")
    @Nullable
    Character quote;

    @Option(
            names = "--escape",
            paramLabel = "SIGN",
            converter = Mark.class,
            description = "The sign in CSV before one that stands for itself, such as a backslash, or the word none."
                    + " Default: none.")
    @Nullable
    Character escape;

    @Option(
            names = "--null",
            paramLabel = "WORD",
            split = ",",
            description = "A word that stands for nothing in CSV where it is not quoted, besides those that are known,"
                    + " such as NA; may be given several times.")
    List<String> nulls = List.of();

    @Option(
            names = "--times",
            paramLabel = "PATTERN",
            converter = Pattern.class,
            description = "How times are written, such as 'dd.MM.yy HH:mm'. Default: as ISO 8601 says, or one of the"
                    + " usual forms.")
    @Nullable
    String times;

    @Option(
            names = "--zone",
            paramLabel = "ZONE",
            converter = Zone.class,
            description =
                    "The zone of times that name none, UTC by default, and where names of zones such as PST are used:"
                            + " Europe/Berlin, +02:00.")
    @Nullable
    ZoneId zone;

    @Option(names = "--time-field", paramLabel = "FIELD", description = "The field that is the time. Default: a guess.")
    @Nullable
    String time;

    @Option(names = "--key-field", paramLabel = "FIELD", description = "The field that is the key. Default: a guess.")
    @Nullable
    String key;

    @Option(
            names = "--text-records",
            description = "Append rows to the topic as the lines or objects that the file has, for programs that read"
                    + " the topic. Default: many rows in a tuple block.")
    boolean textRecords;

    @Option(
            names = "--skip-lines",
            paramLabel = "N",
            description =
                    "Leave out the first N lines of a CSV file, which stand before its names or rows. Default: as the"
                            + " stream's schema says, or as the first lines show.")
    @Nullable
    Integer skipLines;

    @Option(
            names = "--skip-last",
            paramLabel = "N",
            description = "Leave out the last N rows of a CSV file, such as totals. Default: 0.")
    int skipLast;

    @Option(
            names = "--comment",
            paramLabel = "SIGN",
            converter = Mark.class,
            description =
                    "What lines of a CSV file begin with that are no rows, such as #, or the word none. Default: as"
                            + " the stream's schema says, or as the first lines show.")
    @Nullable
    Character comment;

    @Option(
            names = "--rows",
            paramLabel = "PATH",
            description = "What becomes a row of a JSON file: $ for each record, or each element of an array in it,"
                    + " such as '$.readings[*]'. Default: as the first records show.")
    @Nullable
    String rows;

    /** Whether quote and escape are what rows show, not what a person says. */
    boolean guessesMarks;

    /** Whether the lines before the names are what the file shows, not what a person says. */
    boolean guessesLines;

    /** Whether the array whose elements are rows is what the records show, not what a person says. */
    boolean guessesRows;

    /** As {@code --escape} says; null where it is not given. */
    public @Nullable Character escape() {
        return escape;
    }

    /** As {@code --text-records} says. */
    public void appendAsText() {
        textRecords = true;
    }

    /** Whether {@code --text-records} is given. */
    public boolean appendsAsText() {
        return textRecords;
    }

    /** Which lines of a file are no rows of a stream; see {@link LinesLeftOut#of}. */
    public LinesLeftOut leftOut(RecordText text, boolean isNamed) {
        return LinesLeftOut.of(skipLines, comment, skipLast, text, isNamed);
    }

    /** An option about lines of a file that are no rows, which is given; null where none is. */
    public @Nullable String givenOfLines() {
        return skipLines != null
                ? "--skip-lines"
                : skipLast != 0 ? "--skip-last" : comment != null ? "--comment" : null;
    }

    /** An option that is given, as it is called; null where none is. */
    public @Nullable String given() {
        String ofSchema = givenOfSchema();
        return ofSchema != null ? ofSchema : givenOfLines();
    }

    /** The same of those that a stream's schema says for good. */
    public @Nullable String givenOfSchema() {
        String ofCsv = givenOfSigns();
        if (ofCsv != null) {
            return ofCsv;
        }
        if (times != null || zone != null) {
            return times != null ? "--times" : "--zone";
        }
        if (time != null || key != null) {
            return time != null ? "--time-field" : "--key-field";
        }
        if (rows != null) {
            return "--rows";
        }
        return textRecords ? "--text-records" : null;
    }

    /** An option about the text of CSV that is given; null where none is. */
    @Nullable
    String givenOfCsv() {
        String signs = givenOfSigns();
        return signs != null ? signs : givenOfLines();
    }

    private @Nullable String givenOfSigns() {
        if (delimiter != null) {
            return "--delimiter";
        }
        if (decimal != null) {
            return "--decimal";
        }
        if (quote != null || escape != null) {
            return quote != null ? "--quote" : "--escape";
        }
        return thousands != null ? "--thousands" : nulls.isEmpty() ? null : "--null";
    }

    /** The same of a file whose quotes and escapes are seen by rows behind the first. */
    FileFacts with(RecordText.Csv signs) {
        FileFacts other = copy();
        other.quote = signs.quote();
        other.escape = signs.escape();
        other.guessesMarks = true;
        return other;
    }

    /** The same of a file in which lines stand before the names. */
    FileFacts behind(int lines) {
        FileFacts other = copy();
        other.skipLines = lines;
        other.guessesLines = true;
        return other;
    }

    /** The same of JSON in which each element of an array is a row, or each record ({@code $}). */
    FileFacts ofRows(String path) {
        FileFacts other = copy();
        other.rows = path;
        other.guessesRows = true;
        return other;
    }

    private FileFacts copy() {
        FileFacts other = new FileFacts();
        other.delimiter = delimiter;
        other.decimal = decimal;
        other.thousands = thousands;
        other.nulls = nulls;
        other.times = times;
        other.zone = zone;
        other.time = time;
        other.key = key;
        other.quote = quote;
        other.escape = escape;
        other.textRecords = textRecords;
        other.skipLines = skipLines;
        other.skipLast = skipLast;
        other.comment = comment;
        other.rows = rows;
        other.guessesMarks = guessesMarks;
        other.guessesLines = guessesLines;
        other.guessesRows = guessesRows;
        return other;
    }

    /**
     * Says at once what cannot be.
     *
     * @throws io.waterwheel.error.WaterwheelException {@code BAD_FILE} for signs that contradict each other
     */
    public void check() {
        if ((skipLines != null && (skipLines < 0 || skipLines > RecordText.Export.MOST_SKIPPED))
                || skipLast < 0
                || skipLast > MOST_LAST) {
            throw FileLook.bad(
                    skipLast < 0 || skipLast > MOST_LAST
                            ? "--skip-last: expected 0 to " + MOST_LAST + " rows, got " + skipLast
                            : "--skip-lines: expected 0 to " + RecordText.Export.MOST_SKIPPED + " lines, got "
                                    + skipLines);
        }
        if (rows != null && !rows.equals(MemberPath.ROOT)) {
            eachOf(rows);
        }
        char sign = comment == null ? '\0' : comment;
        if (sign != '\0' && !RecordText.Export.isComment(sign)) {
            throw FileLook.bad(
                    "--comment: expected one ASCII sign such as # or %, or the word none, got '" + sign + "'");
        }
        String why = contradiction(delimiter == null ? '\0' : delimiter);
        if (why != null) {
            throw FileLook.bad(why);
        }
    }

    /** The steps to the array that {@code --rows} names. */
    static List<MemberPath.Step> eachOf(String rows) {
        List<MemberPath.Step> steps = List.of();
        try {
            steps = MemberPath.ofRecord(rows);
        } catch (IllegalArgumentException e) {
            // As what has no array.
        }
        int last = steps.size() - 1;
        if (last < 1
                || !steps.get(last).isEach()
                || steps.subList(0, last).stream().anyMatch(MemberPath.Step::element)) {
            throw FileLook.bad("--rows: expected $, or an array such as $.readings[*], got '" + rows + "'");
        }
        return steps.subList(0, last);
    }

    /** The same of a file that says what divides its values; 0: it does not. */
    @Nullable
    String contradiction(char divides) {
        return contradiction(divides, quote == null ? '"' : quote, escape == null ? '\0' : escape);
    }

    /** Why a file's signs cannot be these beside what is said; null: they can. */
    @Nullable
    String contradiction(char divides, char around, char before) {
        char mark = decimal == null ? '.' : decimal;
        char between = thousands == null ? '\0' : thousands;
        try {
            RecordText.Csv ignored = new RecordText.Csv(
                    // A tab is no other sign.
                    divides == '\0' ? '\t' : divides,
                    mark == between && decimal == null ? ',' : mark,
                    between,
                    nulls,
                    around,
                    before);
            return null;
        } catch (IllegalArgumentException e) {
            // The option is about one word, the definition's member about all.
            return ("--" + e.getMessage()).replaceFirst("^--nulls", "--null");
        }
    }
}
