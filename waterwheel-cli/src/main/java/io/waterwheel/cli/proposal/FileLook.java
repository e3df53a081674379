package io.waterwheel.cli.proposal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.waterwheel.cli.input.FieldNames;
import io.waterwheel.cli.input.FileEncoding;
import io.waterwheel.cli.input.InputLines;
import io.waterwheel.cli.input.InputSource;
import io.waterwheel.cli.input.OtherEncodingException;
import io.waterwheel.cli.losses.KnownMember;
import io.waterwheel.decode.Utf8;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.RecordFormat;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the first rows of a file look like: its columns, and how they are written. One thread. */
abstract class FileLook {
    static final int MAX_FIELDS = 256;

    private static final int ROWS = 100_000;
    /** Columns that a sentence names. */
    private static final int MOST_NAMED = 3;

    final String source;
    final FileFacts facts;
    CsvStyle style;
    /** Whether all rows were looked at. */
    boolean whole;

    long rows;
    /** Those that stand in other files of the folder. */
    long ofOthers;
    /** Lines that were passed over because they are no text. */
    long damaged;

    /** Rows that tell nothing of the columns. */
    long uneven;

    /** What the file is called in a command that reads it again; {@code FILE} where it cannot be. */
    String again;

    FileEncoding encoding = FileEncoding.UTF_8;
    /** Whether its lines are those of a file, and no records of a topic. */
    boolean countsLines = true;

    private final long mostBytes;
    private boolean passesDamaged;
    /** Lines that were given, and whether the first, of CSV, has a carriage return in it. */
    private long taken;

    private boolean hasReturns;
    private long bytes;

    /** @param mostBytes of lines that are looked at */
    FileLook(String source, long mostBytes, FileFacts facts) {
        this.source = source;
        this.again = source;
        this.facts = facts;
        this.style = CsvStyle.said(facts);
        this.mostBytes = mostBytes;
    }

    /** What the lines are. */
    abstract RecordFormat format();

    /** A sentence, behind a full stop, on how to leave out lines that may be no rows; mostly empty. */
    String adviceOfLines() {
        return "";
    }

    /** The rows that it has, in lines that may hold several. */
    long tuples() {
        return rows;
    }

    /** What the rows do not tell, and by which option a person says it: sentences without their full stops. */
    List<String> undecided() {
        List<String> open = new ArrayList<>();
        if (!foreign.isEmpty()) {
            open.add(foreign);
        }
        return open;
    }

    /** The likeliest time; null where none can be it. */
    @Nullable
    ColumnSample time(List<ColumnSample> used) {
        return ColumnRoles.time(used);
    }

    /** Looks at the first lines. */
    abstract void look(InputLines lines) throws IOException;

    /**
     * Looks at one more row, of which there may be a reason to think otherwise.
     *
     * @param place where it stands
     */
    abstract void add(byte[] line, RowPlace place) throws IOException;

    /** The columns that become fields, in their order. */
    abstract List<ColumnSample> columns();

    /** The members of JSON objects; null of other rows. */
    @Nullable
    KnownMember known() {
        return null;
    }

    /** What else is to be said, each without the sign of a comment. */
    List<String> remarks() {
        return new ArrayList<>();
    }

    /** What {@code append} is told besides the file, such as its columns. */
    String appendOptions() {
        return encoding != FileEncoding.UTF_8 && encoding != FileEncoding.UTF_16LE && encoding != FileEncoding.UTF_16BE
                ? " --encoding " + encoding.label()
                : "";
    }

    /** Whether the first rows have been looked at. */
    final boolean enough() {
        return whole || rows >= ROWS || bytes >= mostBytes;
    }

    /**
     * Whether more lines of a file, of those that are not ASCII, are valid UTF-8 than are not: text in another encoding
     * is valid by a rare chance, and damage is rare too.
     */
    static boolean mostlyUtf8(InputSource file) throws IOException {
        long valid = 0;
        long others = 0;
        long bytes = 0;
        try (InputLines lines = new InputLines(file.open(), false, FileEncoding.UTF_8)) {
            byte[] line = lines.next();
            for (int row = 0; line != null && row < ROWS && bytes < file.mostLookedAt(); row++) {
                bytes += line.length;
                if (!Utf8.valid(line, 0, line.length)) {
                    others++;
                } else if (new String(line, StandardCharsets.UTF_8).length() < line.length) {
                    valid++;
                }
                line = lines.next();
            }
        }
        return valid > others;
    }

    /**
     * Why JSON that is no UTF-8 is damaged, or written by what makes none: a character takes too many bytes, and all
     * else is UTF-8. Empty: it is in another encoding, as it seems.
     */
    static String overlong(InputSource file) throws IOException {
        String found = "";
        long bytes = 0;
        try (InputLines lines = new InputLines(file.open(), false, FileEncoding.UTF_8)) {
            byte[] line = lines.next();
            for (int row = 0; line != null && row < ROWS && bytes < file.mostLookedAt(); row++) {
                bytes += line.length;
                byte[] others = line.clone();
                int first = withoutOverlong(others);
                if (!Utf8.valid(others, 0, others.length)) {
                    return "";
                }
                if (first >= 0 && found.isEmpty()) {
                    found = String.format(
                            Locale.ROOT,
                            "line %d is no UTF-8, which JSON is written in: %02X %02X begins a character of too many"
                                    + " bytes. Write it anew as UTF-8, or name its encoding by --encoding",
                            lines.lineNumber(),
                            line[first] & 0xFF,
                            line[first + 1] & 0xFF);
                }
                line = lines.next();
            }
        }
        String fitting = found.isEmpty() ? "" : fitting(file);
        return found + (fitting.isEmpty() ? "" : "; these can be: " + fitting);
    }

    /** Puts ASCII in the place of overlong forms, and returns where the first is; -1: there is none. */
    private static int withoutOverlong(byte[] line) {
        int first = -1;
        for (int at = 0; at + 1 < line.length; at++) {
            int lead = line[at] & 0xFF;
            int next = line[at + 1] & 0xFF;
            // A second byte below this makes the form overlong.
            int bound = lead == 0xC0 || lead == 0xC1 ? 0xC0 : lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0;
            int others = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
            if (next >= 0x80 && next < bound && continues(line, at + 1, others)) {
                first = first < 0 ? at : first;
                Arrays.fill(line, at, at + 1 + others, (byte) '?');
            }
        }
        return first;
    }

    private static boolean continues(byte[] line, int from, int count) {
        boolean all = from + count <= line.length;
        for (int at = from; all && at < from + count; at++) {
            all = (line[at] & 0xC0) == 0x80;
        }
        return all;
    }

    /** Bytes that tell whether a text is of Western Europe. */
    private static final int TELLING_BYTES = 1 << 18;
    /** Letters of Western Europe have fewer neighbours that are no ASCII. */
    private static final int LONG_RUN = 3;
    /** Of Windows-1252, below 0xA0: the euro, quotes, dashes and the like. */
    private static final String BETWEEN =
            "\u0080\u0082\u0084\u0085\u0086\u0087\u0089\u008b\u0091\u0092\u0093\u0094\u0095\u0096\u0097\u0099\u009b";

    /** Of Windows-1252: bytes that are no character, or one that texts lack, and lead many characters elsewhere. */
    private static final String ODD = "\u0081\u0082\u0083\u0088\u008d\u008f\u0090\u0098\u009d";

    /**
     * Why a text that is no UTF-8 is none of Western Europe either, as it seems, and what it may be; empty: it may be.
     */
    static String foreign(InputSource file) throws IOException {
        long others = 0;
        long odd = 0;
        String shown = "";
        StringBuilder all = new StringBuilder();
        try (InputLines lines = new InputLines(file.open(), false, FileEncoding.LATIN_1)) {
            byte[] line = lines.next();
            while (line != null && all.length() < TELLING_BYTES) {
                String text = text(line);
                all.append(text).append('\n');
                long before = odd;
                for (int from = 0, to; from < text.length(); from = to + 1) {
                    to = from;
                    int marks = 0;
                    while (to < text.length() && text.charAt(to) >= 0x80) {
                        marks += ODD.indexOf(text.charAt(to++)) >= 0 ? 1 : 0;
                    }
                    others += to - from;
                    odd += to - from >= LONG_RUN && !isDrawn(text.substring(from, to)) ? to - from : marks;
                }
                if (odd > before && shown.isEmpty()) {
                    shown = " (line " + lines.lineNumber() + ")";
                }
                line = lines.next();
            }
        }
        if (odd * 2 <= others) {
            return "";
        }
        String fitting = fitting(all);
        return "its texts are of another alphabet than that of Western Europe, as it seems" + shown
                + ": say by --encoding how they are encoded"
                + (fitting.isEmpty() ? "" : "; these can be: " + fitting)
                + ", or write it in UTF-8 by iconv";
    }

    /** The encodings of other alphabets in which bytes are text. */
    private static String fitting(CharSequence latin1) {
        byte[] bytes = latin1.toString().getBytes(ISO_8859_1);
        return Stream.of(FileEncoding.values())
                .filter(one -> one.isForeign() && one.reads(bytes))
                .map(FileEncoding::label)
                .collect(Collectors.joining(", "));
    }

    /** The encodings of other alphabets in which the beginning of a file is text; empty: none. */
    static String fitting(InputSource file) throws IOException {
        StringBuilder all = new StringBuilder();
        try (InputLines lines = new InputLines(file.open(), false, FileEncoding.LATIN_1)) {
            byte[] line = lines.next();
            while (line != null && all.length() < TELLING_BYTES) {
                all.append(text(line)).append('\n');
                line = lines.next();
            }
        }
        return fitting(all);
    }

    /** Whether a run of signs is no word in any alphabet: one sign again and again, or what stands between words. */
    private static boolean isDrawn(String run) {
        return run.chars().allMatch(sign -> sign == run.charAt(0))
                || run.chars().allMatch(sign -> (sign >= 0xA0 && sign < 0xC0) || BETWEEN.indexOf(sign) >= 0);
    }

    /** What {@link #foreign} says of the file; empty: nothing, or the encoding is known. */
    String foreign = "";

    /** Where the encoding is a guess: the others in which the file is text, of other alphabets. */
    String otherwise = "";

    /** A sentence behind a full stop: what is not read may be so by the encoding. Mostly empty. */
    final String adviceOfEncoding() {
        return !foreign.isEmpty()
                ? ". I" + foreign.substring(1)
                : otherwise.isEmpty()
                        ? ""
                        : ". It is no UTF-8, and was taken to be in " + encoding.label()
                                + ": --encoding says another; these can be: " + otherwise;
    }

    /** Passes over lines that are no UTF-8, in a file that is UTF-8 but for them: they will be rejected. */
    final void passDamaged() {
        passesDamaged = true;
    }

    /** The next line; empty at the end, which is {@link #whole} then. */
    final byte[] next(InputLines lines) throws IOException {
        byte[] line;
        try {
            line = lines.next();
            while (passesDamaged && line != null && !Utf8.valid(line, 0, line.length)) {
                damaged++;
                bytes += line.length;
                line = lines.next();
            }
        } catch (IOException e) {
            if (e.getCause() instanceof CharacterCodingException) {
                throw new OtherEncodingException(source + ": " + e.getMessage());
            }
            throw e;
        }
        if (line == null) {
            whole = true;
            if (hasReturns && taken == 1) {
                throw bad(
                        source + " has carriage returns alone in the place of line ends, as old Macs wrote them, and so"
                                + " is one line. Write it with line feeds: tr '\\r' '\\n' < FILE > NEW-FILE");
            }
            return new byte[0];
        }
        taken++;
        hasReturns |= taken == 1 && format() == RecordFormat.CSV && new String(line, ISO_8859_1).indexOf('\r') >= 0;
        bytes += line.length;
        if (encoding == FileEncoding.UTF_8 && !Utf8.valid(line, 0, line.length)) {
            throw new OtherEncodingException(source + ": line " + lines.lineNumber() + " is not valid UTF-8");
        }
        return line;
    }

    /** Why rows are rejected where more columns have gaps than may be null; empty: no more have. */
    static String tooManyGaps(List<ColumnSample> gaps, RecordFormat format) {
        int others = gaps.size() - ProposalText.MAX_NULLABLE;
        if (others <= 0) {
            return "";
        }
        String named = gaps.subList(ProposalText.MAX_NULLABLE, gaps.size()).stream()
                .limit(MOST_NAMED)
                .map(column -> column.name)
                .collect(Collectors.joining(", "));
        return gaps.size() + " columns have gaps, and at most " + ProposalText.MAX_NULLABLE
                + " fields may be null: rows that lack " + named
                + (others > MOST_NAMED ? " or " + (others - MOST_NAMED) + " more" : "")
                + " will be rejected. Write the proposal to a file with 'waterwheel stream create --like', delete the lines"
                + " of " + others + " such fields, create the stream from it, and append the file"
                + (format == RecordFormat.CSV ? " with --skip-unknown" : "");
    }

    /** As one word of a command. */
    static String word(String text) {
        return text.matches("[A-Za-z0-9._/-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
    }

    /** Where the line stands that was read last. */
    final RowPlace place(InputLines lines) {
        return countsLines && !lines.isAvro() ? RowPlace.line(lines.lineNumber()) : RowPlace.row(lines.lineNumber());
    }

    static String text(byte[] line) {
        return new String(line, StandardCharsets.UTF_8);
    }

    /** Options that append the file from a line on. */
    static String without(long line, List<String> columns) {
        return "--skip-lines " + (line - 1) + (columns.isEmpty() ? "" : " --columns " + String.join(",", columns));
    }

    /**
     * A sentence, behind a full stop, on a first line that was taken for a row: it may be names that read as values.
     */
    static String adviceOfFirst(List<String> cells, long line) {
        return ". Its first line is taken for a row, as not all of it reads as names: if it names the columns, say so"
                + " by "
                + without(line + 1, FieldNames.of(cells));
    }

    static WaterwheelException bad(String message) {
        return new WaterwheelException(ErrorCode.BAD_FILE, message);
    }

    /** Says that lines stand before the names of a file: it is to be looked at behind them. */
    static final class LinesBefore extends RuntimeException {
        private static final long serialVersionUID = 1;

        /** How many there are, empty ones too. */
        final int lines;

        LinesBefore(int lines, String message) {
            super(message);
            this.lines = lines;
        }
    }
}
