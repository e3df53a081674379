package io.waterwheel.schema;

import io.waterwheel.schema.text.KafkaField;
import io.waterwheel.schema.text.KafkaFields;
import io.waterwheel.schema.text.MemberPath;
import io.waterwheel.schema.text.TextEncoding;
import io.waterwheel.schema.text.TimePattern;
import io.waterwheel.schema.text.WriterTypes;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How the text of a stream's records is written, where it differs from RFC 4180 and plain JSON. Like the fields it
 * never changes once a stream uses it: a record that is read again gives the same tuple, as long as the JDK has the
 * same rules of the zone.
 *
 * @param csv signs of CSV
 * @param json what JSON may have
 * @param zone of times that name none; null: they are refused
 * @param times a pattern of times, see {@link TimePattern}; empty: ISO 8601 alone
 * @param from by field the column or member that holds it, where that has another name: a JSON path where it begins
 *     with {@code $}, what Kafka has of it where with {@code kafka.}: {@link KafkaField}
 * @param encoding of the records
 * @param types by which records in a binary format are written
 * @param blocks whether records may also be tuple blocks, which is what rows are appended in then
 * @param export what spreadsheets, banks and loggers write beside that
 */
public record RecordText(
        Csv csv,
        Json json,
        @Nullable ZoneId zone,
        String times,
        Map<String, String> from,
        TextEncoding encoding,
        WriterTypes types,
        boolean blocks,
        Export export) {
    /**
     * Commas, points, no words for null, no zone, members that are fields only, UTF-8. What differs is said by the
     * methods below, each of which gives another text.
     */
    public static final RecordText DEFAULT = new RecordText(
            Csv.DEFAULT, Json.DEFAULT, null, "", Map.of(), TextEncoding.UTF_8, WriterTypes.NONE, false, Export.NONE);

    /** How {@code unknown} begins where it names a field. */
    static final String INTO = "into ";

    private static final int MOST_NULLS = 16;
    private static final int LONGEST_NULL = 64;
    private static final int LONGEST_NAME = 256;

    /**
     * Signs of CSV.
     *
     * @param delimiter between two values
     * @param decimal of floats and doubles: a point or a comma
     * @param thousands between groups of three digits of a number; 0: none. An apostrophe is U+2019, too
     * @param nulls words that stand for null where they are not quoted, as nothing between two delimiters does. Among
     *     numbers and times also in quotes, but for words that {@link #mayBeValue}
     * @param quote around values, doubled within them; 0: none, so that it is a character like another
     * @param escape before a character that stands for itself; a backslash also before the letters that stand for
     *     characters without a picture; 0: none
     */
    public record Csv(char delimiter, char decimal, char thousands, List<String> nulls, char quote, char escape) {
        /** Of RFC 4180. */
        public static final Csv DEFAULT = new Csv(',', '.', '\0', List.of());

        /** Word of a definition for no sign. */
        static final String NO_SIGN = "none";

        /** Word of a definition for negative numbers as accountants write them. */
        static final String PARENTHESES = "parentheses";

        /** Word of a definition for values without the spaces around them. */
        static final String TRIM = "trim";

        /** Values in double quotes, without an escape. */
        public Csv(char delimiter, char decimal, char thousands, List<String> nulls) {
            this(delimiter, decimal, thousands, nulls, '"', '\0');
        }

        public Csv {
            // One mark, typed in two ways: ’ is read where the apostrophe is.
            thousands = thousands == '\u2019' ? '\'' : thousands;
            nulls = List.copyOf(nulls);
            requireMark("quote", quote);
            requireMark("escape", escape);
            if (escape != '\0' && escape == quote) {
                throw new IllegalArgumentException("escape: the quote is '" + quote + "', too, which is doubled within"
                        + " quotes without an escape");
            }
            for (char mark : new char[] {quote, escape}) {
                if (mark != '\0' && (mark == delimiter || mark == decimal || mark == thousands)) {
                    throw new IllegalArgumentException((mark == quote ? "quote" : "escape") + ": '" + mark + "' is the "
                            + (mark == delimiter ? "delimiter" : mark == decimal ? "decimal mark" : "thousands mark")
                            + ", too");
                }
            }
            if (delimiter > '~'
                    || (delimiter < ' ' && delimiter != '\t')
                    || Character.isLetterOrDigit(delimiter)
                    || "\"+-.".indexOf(delimiter) >= 0) {
                throw new IllegalArgumentException("delimiter: expected one ASCII sign such as ; or | or the word tab,"
                        + " no letter, digit, quote, point, + or -, got '" + delimiter + "'");
            }
            if (decimal != '.' && decimal != ',') {
                throw new IllegalArgumentException("decimal: expected . or , got '" + decimal + "'");
            }
            if (thousands != '\0' && ".,' _".indexOf(thousands) < 0) {
                throw new IllegalArgumentException(
                        "thousands: expected a point, a comma, an apostrophe, a space or _, got '" + thousands + "'");
            }
            // A comma in a number is quoted where commas divide: only the marks themselves must differ.
            if (thousands == decimal) {
                throw new IllegalArgumentException("thousands: the decimal mark is '" + decimal + "', too");
            }
            if (nulls.size() > MOST_NULLS) {
                throw new IllegalArgumentException(
                        "nulls: expected at most " + MOST_NULLS + " words, got " + nulls.size());
            }
            for (String word : nulls) {
                int bytes = word.getBytes(StandardCharsets.UTF_8).length;
                if (bytes < 1
                        || bytes > LONGEST_NULL
                        || word.indexOf(delimiter) >= 0
                        || (quote != '\0' && word.indexOf(quote) >= 0)
                        || endsEscaping(word, escape)
                        || word.matches("(?s).*[\r\n].*")) {
                    throw new IllegalArgumentException("nulls: expected words of 1 to " + LONGEST_NULL
                            + " bytes without delimiters, quotes and line ends, and with no escape at their end, got '"
                            + word + "'");
                }
            }
        }

        /**
         * Where a line's values end: before LF, CR LF or CR, unless an escape makes a character of it.
         *
         * @param from where the line begins
         * @param to behind its last byte
         */
        public int endOfValues(byte[] line, int from, int to) {
            int end = isLast('\n', line, from, to) ? to - 1 : to;
            return isLast('\r', line, from, end) ? end - 1 : end;
        }

        private boolean isLast(char c, byte[] line, int from, int to) {
            int before = to - 1;
            while (escape != '\0' && before > from && line[before - 1] == escape) {
                before--;
            }
            return to > from && line[to - 1] == c && (to - 1 - before) % 2 == 0;
        }

        /** Whether the last sign of a word is an escape before nothing. */
        private static boolean endsEscaping(String word, char escape) {
            int at = word.length();
            while (escape != '\0' && at > 0 && word.charAt(at - 1) == escape) {
                at--;
            }
            return (word.length() - at) % 2 == 1;
        }

        /**
         * Whether a word may be a number or a time, too: in quotes it is one then. Others, such as {@code NULL}, stand
         * for null in quotes as well where a field is a number or a time.
         */
        public static boolean mayBeValue(String word) {
            return word.chars().anyMatch(c -> c >= '0' && c <= '9')
                    || word.equals("NaN")
                    || word.equals("Infinity")
                    || word.equals("-Infinity");
        }

        // Here, not outside: a record text is made of the signs of RFC 4180 before it is there itself.
        private static void requireMark(String name, char mark) {
            if (mark != '\0'
                    && (mark <= ' ' || mark > '~' || Character.isLetterOrDigit(mark) || "+-.".indexOf(mark) >= 0)) {
                throw new IllegalArgumentException(name + ": expected one ASCII sign such as ' or \\ or the word "
                        + NO_SIGN + ", no letter, digit, space, point, + or -, got '" + mark + "'");
            }
        }
    }

    /** A JSON member that is no field. */
    public enum Unknown {
        /** The record is none of the stream. */
        REJECT,
        /** The member is passed over. */
        SKIP,
        /** The members are kept as JSON in a field. */
        KEEP
    }

    /**
     * What JSON may have.
     *
     * @param unknown what is done with a member that is no field
     * @param rest the field that keeps such members; empty where they are not kept
     * @param textNumbers whether numbers and booleans may stand in strings, and texts take both
     */
    public record Json(Unknown unknown, String rest, boolean textNumbers) {
        /** Strict. */
        public static final Json DEFAULT = new Json(Unknown.REJECT, false);

        public Json {
            if ((unknown == Unknown.KEEP) == rest.isEmpty()) {
                throw new IllegalArgumentException("unknown members are kept in a field, or not at all");
            }
        }

        /** Members that are no fields are not kept. */
        public Json(Unknown unknown, boolean textNumbers) {
            this(unknown, "", textNumbers);
        }
    }

    /**
     * What programs write for people.
     *
     * @param clocks by field the column or member of its time of day, where {@code from} names that of its day
     * @param units by field of numbers the sign, such as {@code €}, that may stand before or behind one in CSV
     * @param parentheses whether a number of CSV in parentheses is negative
     * @param skipLines lines before the names, of files
     * @param comment what lines of CSV begin with that are no rows, of files and bodies; 0: none do
     * @param trims whether spaces and tabs around values of CSV are passed over, but for texts, which have them
     */
    public record Export(
            Map<String, String> clocks,
            Map<String, String> units,
            boolean parentheses,
            int skipLines,
            char comment,
            boolean trims) {
        /** Nothing of it. */
        public static final Export NONE = new Export(Map.of(), Map.of(), false, 0, '\0', false);

        /** Of a file. */
        public static final int MOST_SKIPPED = 10_000;

        private static final int LONGEST_UNIT = 16;

        public Export {
            clocks = Map.copyOf(clocks);
            units = Map.copyOf(units);
            if (skipLines < 0 || skipLines > MOST_SKIPPED) {
                throw new IllegalArgumentException(
                        "skip-lines: expected 0 to " + MOST_SKIPPED + " lines, got " + skipLines);
            }
            if (comment != '\0' && !isComment(comment)) {
                throw new IllegalArgumentException(
                        "comment: expected one ASCII sign such as # or %, no letter, digit, space, quote, point, + or -,"
                                + " got '" + comment + "'");
            }
            units.forEach((field, unit) -> {
                if (!isUnit(unit)) {
                    throw new IllegalArgumentException("field " + field
                            + ": unit: expected a sign or word of 1 to " + LONGEST_UNIT
                            + " characters such as € or %, without digits, signs of numbers, quotes, semicolons and"
                            + " spaces, got '" + unit + "'");
                }
            });
        }

        /** Whether lines that are no rows may begin with it. */
        public static boolean isComment(char sign) {
            return sign > ' ' && sign <= '~' && !Character.isLetterOrDigit(sign) && "\"'+-.,;".indexOf(sign) < 0;
        }

        /** Whether numbers may have it before or behind them. */
        public static boolean isUnit(String text) {
            return !text.isEmpty()
                    && text.length() <= LONGEST_UNIT
                    && text.codePoints()
                            .noneMatch(c -> Character.isDigit(c)
                                    || Character.isWhitespace(c)
                                    || Character.isSpaceChar(c)
                                    || Character.isISOControl(c)
                                    || "+-.,;'\"()_\\\u2212".indexOf(c) >= 0)
                    && !text.matches("[eE]|NaN|Infinity");
        }
    }

    public RecordText {
        from = Map.copyOf(from);
        if (export.comment() != '\0'
                && (export.comment() == csv.delimiter()
                        || export.comment() == csv.quote()
                        || export.comment() == csv.escape())) {
            throw new IllegalArgumentException(
                    "comment: '" + export.comment() + "' is the delimiter, the quote or the escape, too");
        }
        for (Map.Entry<String, String> clock : export.clocks().entrySet()) {
            String day = from.get(clock.getKey());
            if (day == null
                    || day.startsWith(KafkaField.PREFIX)
                    || clock.getValue().startsWith(KafkaField.PREFIX)) {
                throw new IllegalArgumentException("field " + clock.getKey()
                        + ": from: expected the names of a day and a time of day, both in the value of the record");
            }
            requireSource(clock.getKey(), clock.getValue());
        }
        if (!times.isEmpty() && !TimePattern.of(times).isZoned() && zone == null) {
            throw new IllegalArgumentException("times: '" + times
                    + "' has no zone (XXX): name the one that is meant, such as zone: UTC or zone: Europe/Berlin");
        }
        from.forEach(RecordText::requireSource);
    }

    private static void requireSource(String field, String name) {
        if (name.isEmpty() || name.length() > LONGEST_NAME) {
            throw new IllegalArgumentException("field " + field + ": from: expected a name of 1 to " + LONGEST_NAME
                    + " characters, got " + name.length());
        }
        if (name.startsWith(MemberPath.ROOT) || name.startsWith(KafkaField.PREFIX)) {
            try {
                if (KafkaField.of(name) == null) {
                    MemberPath.ofRecord(name);
                }
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("field " + field + ": from: " + e.getMessage(), e);
            }
        }
    }

    /** The same with other signs of CSV. */
    public RecordText withCsv(Csv other) {
        return new RecordText(other, json, zone, times, from, encoding, types, blocks, export);
    }

    /** The same where JSON may have something else. */
    public RecordText withJson(Json other) {
        return new RecordText(csv, other, zone, times, from, encoding, types, blocks, export);
    }

    /**
     * The same with other times.
     *
     * @param named zone of those that name none; null: they are refused
     * @param pattern that they are written by; empty: ISO 8601 alone
     */
    public RecordText withTimes(@Nullable ZoneId named, String pattern) {
        return new RecordText(csv, json, named, pattern, from, encoding, types, blocks, export);
    }

    /** The same with fields in other columns or members. */
    public RecordText withFrom(Map<String, String> other) {
        return new RecordText(csv, json, zone, times, other, encoding, types, blocks, export);
    }

    /** The same in another encoding. */
    public RecordText withEncoding(TextEncoding other) {
        return new RecordText(csv, json, zone, times, from, other, types, blocks, export);
    }

    /** The same of records in a binary format. */
    public RecordText withTypes(WriterTypes other) {
        return new RecordText(csv, json, zone, times, from, encoding, other, blocks, export);
    }

    /** The same where records may be tuple blocks, too, or may not. */
    public RecordText withBlocks(boolean may) {
        return new RecordText(csv, json, zone, times, from, encoding, types, may, export);
    }

    /** The same with what programs write for people. */
    public RecordText withExport(Export other) {
        return new RecordText(csv, json, zone, times, from, encoding, types, blocks, other);
    }

    /** The member {@code records} of a definition: what differs from {@link #DEFAULT}, but for the fields' places. */
    public Map<String, Object> members() {
        Map<String, Object> members = new LinkedHashMap<>();
        sign(members, "delimiter", csv.delimiter(), Csv.DEFAULT.delimiter());
        sign(members, "decimal", csv.decimal(), Csv.DEFAULT.decimal());
        sign(members, "thousands", csv.thousands(), Csv.DEFAULT.thousands());
        mark(members, "quote", csv.quote(), Csv.DEFAULT.quote());
        mark(members, "escape", csv.escape(), Csv.DEFAULT.escape());
        if (export.parentheses()) {
            members.put("negative", Csv.PARENTHESES);
        }
        if (export.trims()) {
            members.put("spaces", Csv.TRIM);
        }
        if (export.comment() != '\0') {
            members.put("comment", String.valueOf(export.comment()));
        }
        if (export.skipLines() > 0) {
            members.put("skip-lines", Integer.toString(export.skipLines()));
        }
        if (!csv.nulls().isEmpty()) {
            members.put("nulls", csv.nulls());
        }
        if (zone != null) {
            members.put("zone", zone.getId());
        }
        if (!times.isEmpty()) {
            members.put("times", times);
        }
        if (encoding != TextEncoding.UTF_8) {
            members.put("encoding", encoding.label());
        }
        if (json.unknown() != Json.DEFAULT.unknown()) {
            members.put(
                    "unknown",
                    json.unknown() == Unknown.KEEP
                            ? INTO + json.rest()
                            : json.unknown().name().toLowerCase(Locale.ROOT));
        }
        if (json.textNumbers()) {
            members.put("numbers", "text");
        }
        if (blocks) {
            members.put("blocks", true);
        }
        if (!types.schema().isEmpty()) {
            members.put("schema", types.schema());
        }
        if (!types.registry().isEmpty()) {
            members.put("registry", types.registry());
        }
        if (!types.descriptor().isEmpty()) {
            members.put("descriptor", types.descriptor());
            members.put("message", types.message());
        }
        return members;
    }

    private static void sign(Map<String, Object> members, String name, char sign, char otherwise) {
        if (sign != otherwise) {
            members.put(name, String.valueOf(sign));
        }
    }

    private static void mark(Map<String, Object> members, String name, char mark, char otherwise) {
        if (mark != otherwise) {
            members.put(name, mark == '\0' ? Csv.NO_SIGN : String.valueOf(mark));
        }
    }

    /** What fields take of Kafka beside the values of records. */
    public KafkaFields kafka() {
        return from.isEmpty() ? KafkaFields.NONE : KafkaFields.of(from.values());
    }

    /** Whether a field is in the value of a record, not of Kafka. */
    public boolean inValue(String field) {
        return KafkaField.of(source(field)) == null;
    }

    /** The column or member of a field's time of day, where {@link #source} holds its day alone; else null. */
    public @Nullable String clock(String field) {
        return export.clocks().get(field);
    }

    /** The column or member that holds a field. */
    public String source(String field) {
        return from.getOrDefault(field, field);
    }
}
