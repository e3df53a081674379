package io.waterwheel.sqllogic;

import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A file of SQLite's sqllogictest: records that an empty line divides, each a statement that changes something or a
 * query with the values of its answer, one a line, or their number and hash.
 */
public final class SqlLogicFile {
    private static final Pattern CREATE = Pattern.compile("(?is)CREATE TABLE (\\w+)\\s*\\((.*)\\)\\s*");
    private static final Pattern INSERT =
            Pattern.compile("(?is)INSERT INTO (\\w+)\\s*\\(([^)]*)\\)\\s*VALUES\\s*\\(([^)]*)\\)\\s*");
    private static final Pattern HASH = Pattern.compile("(\\d+) values hashing to ([0-9a-f]{32})");

    private final String name;
    private final List<Part> parts;
    private final Map<String, Table> tables;

    private SqlLogicFile(String name, List<Part> parts) throws IOException {
        this.name = name;
        this.parts = parts;
        this.tables = tables(parts);
    }

    /** A file; its name tells where a record stands. */
    public static SqlLogicFile read(Path file) throws IOException {
        return new SqlLogicFile(String.valueOf(file.getFileName()), parts(Files.readAllLines(file)));
    }

    /** All files of a folder whose names have {@code .test}, in their order. */
    public static List<SqlLogicFile> all(Path folder) throws IOException {
        List<SqlLogicFile> files = new ArrayList<>();
        try (Stream<Path> all = Files.list(folder)) {
            for (Path file : all.filter(one -> String.valueOf(one.getFileName()).contains(".test"))
                    .sorted()
                    .toList()) {
                files.add(read(file));
            }
        }
        return files;
    }

    /** A small file in this format that is always there. */
    public static SqlLogicFile own() throws IOException {
        try (InputStream bytes = Objects.requireNonNull(SqlLogicFile.class.getResourceAsStream("own.test"))) {
            return new SqlLogicFile(
                    "own.test",
                    parts(new String(bytes.readAllBytes(), StandardCharsets.UTF_8)
                            .lines()
                            .toList()));
        }
    }

    public String name() {
        return name;
    }

    /** Those that are made and filled before the first query, by name. */
    public Map<String, Table> tables() {
        return tables;
    }

    /**
     * A table.
     *
     * @param columns names and types as written, such as {@code a INTEGER}
     * @param rows values as written, in the order of the columns
     */
    public record Table(List<String[]> columns, List<List<String>> rows) {
        /** Whether a column has whole numbers, I, numbers, R, or texts, T. */
        public char type(int column) {
            return switch (columns.get(column)[1].toUpperCase(Locale.ROOT).replaceAll("\\(.*", "")) {
                case "INTEGER", "INT", "BIGINT" -> 'I';
                case "REAL", "FLOAT", "DOUBLE" -> 'R';
                default -> 'T';
            };
        }
    }

    /** Answers a query with its rows. */
    @FunctionalInterface
    public interface Asker {
        List<List<@Nullable Object>> answer(String query) throws Exception;
    }

    /**
     * What came of the records of one file or several.
     *
     * @param wrong where, and which
     * @param refused where, which, and the words of the refusal
     * @param skipped records that are for another engine
     */
    public record Outcome(int right, List<String> wrong, List<String> refused, int skipped) {
        public Outcome plus(Outcome other) {
            return new Outcome(
                    right + other.right,
                    Stream.concat(wrong.stream(), other.wrong.stream()).toList(),
                    Stream.concat(refused.stream(), other.refused.stream()).toList(),
                    skipped + other.skipped);
        }

        @Override
        public String toString() {
            return right + " answers right, " + wrong.size() + " wrong, " + refused.size() + " refused, " + skipped
                    + " records skipped";
        }
    }

    /**
     * Asks every query of the file.
     *
     * @param refusal the failures by which a query is refused; others are thrown
     */
    public Outcome ask(Asker asker, Class<? extends Exception> refusal) throws Exception {
        int right = 0;
        int skipped = 0;
        List<String> wrong = new ArrayList<>();
        List<String> refused = new ArrayList<>();
        for (Part part : parts) {
            if (part.skipped()) {
                skipped++;
            } else if (part.isQuery()) {
                String where = name + ":" + part.line() + ": " + part.text();
                try {
                    if (part.isAnsweredBy(asker.answer(part.text()))) {
                        right++;
                    } else {
                        wrong.add(where);
                    }
                } catch (Exception e) {
                    if (!refusal.isInstance(e)) {
                        throw e;
                    }
                    refused.add(where + ": " + e.getMessage());
                }
            }
        }
        return new Outcome(right, wrong, refused, skipped);
    }

    private static Map<String, Table> tables(List<Part> parts) throws IOException {
        Map<String, Table> tables = new LinkedHashMap<>();
        for (Part part : parts) {
            if (part.isQuery() || part.skipped()) {
                continue;
            }
            Matcher create = CREATE.matcher(part.text());
            Matcher insert = INSERT.matcher(part.text());
            if (create.matches()) {
                List<String[]> columns = split(create.group(2)).stream()
                        .map(column -> column.split("\\s+"))
                        .toList();
                tables.put(create.group(1), new Table(columns, new ArrayList<>()));
            } else if (insert.matches() && tables.containsKey(insert.group(1))) {
                Table table = Objects.requireNonNull(tables.get(insert.group(1)));
                List<String> names = split(insert.group(2));
                List<String> values = split(insert.group(3));
                table.rows.add(table.columns.stream()
                        .map(column -> values.get(names.indexOf(column[0])))
                        .toList());
            } else {
                throw new IOException("line " + part.line() + ": expected CREATE TABLE or INSERT, got " + part.text());
            }
        }
        return tables;
    }

    private static List<String> split(String list) {
        return Arrays.stream(list.split(",", -1)).map(String::strip).toList();
    }

    /**
     * A record.
     *
     * @param line where it begins, from 1
     * @param words of its head: statement ok, query II rowsort label
     * @param skipped whether it is not for this engine
     * @param answer the lines that a query expects
     */
    private record Part(int line, List<String> words, boolean skipped, String text, List<String> answer) {
        boolean isQuery() {
            return words.get(0).equals("query");
        }

        /** Whether rows and columns are those that are expected; values as the format writes them. */
        boolean isAnsweredBy(List<List<@Nullable Object>> rows) {
            List<String> values = values(rows);
            Matcher hash = HASH.matcher(answer.isEmpty() ? "" : answer.get(0));
            if (hash.matches()) {
                return values.size() == Integer.parseInt(hash.group(1))
                        && hashed(values).equals(hash.group(2));
            }
            return values.equals(answer);
        }

        private List<String> values(List<List<@Nullable Object>> rows) {
            List<List<String>> ordered = new ArrayList<>();
            for (List<@Nullable Object> row : rows) {
                List<String> written = new ArrayList<>();
                for (int c = 0; c < row.size(); c++) {
                    written.add(written(words.get(1).charAt(c), row.get(c)));
                }
                ordered.add(written);
            }
            String sort = words.size() > 2 ? words.get(2) : "nosort";
            if (sort.equals("rowsort")) {
                ordered.sort((one, other) -> String.join("\n", one).compareTo(String.join("\n", other)));
            }
            List<String> values = new ArrayList<>();
            ordered.forEach(values::addAll);
            if (sort.equals("valuesort")) {
                Collections.sort(values);
            }
            return values;
        }
    }

    private static String hashed(List<String> values) {
        try {
            MessageDigest digest = MessageDigest.getInstance("MD5");
            values.forEach(value -> digest.update((value + "\n").getBytes(StandardCharsets.UTF_8)));
            return String.format(Locale.ROOT, "%032x", new BigInteger(1, digest.digest()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A value as the format writes it: I whole, R with three digits behind the point, T as it is. */
    private static String written(char type, @Nullable Object value) {
        if (value == null) {
            return "NULL";
        }
        return switch (type) {
            case 'I' -> String.valueOf(((Number) value).longValue());
            case 'R' -> String.format(Locale.ROOT, "%.3f", ((Number) value).doubleValue());
            default -> value.toString().isEmpty() ? "(empty)" : value.toString();
        };
    }

    private static List<Part> parts(List<String> lines) {
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            boolean skipped = false;
            while (i < lines.size() && isCondition(lines.get(i))) {
                skipped |= isSkipped(lines.get(i++));
            }
            List<String> words = i < lines.size() ? List.of(lines.get(i).strip().split("\\s+")) : List.of("");
            if (words.get(0).equals("halt") && !skipped) {
                break;
            } else if (!words.get(0).equals("statement") && !words.get(0).equals("query")) {
                continue;
            }
            int line = i + 1;
            List<String> text = new ArrayList<>();
            while (++i < lines.size()
                    && !lines.get(i).isBlank()
                    && !lines.get(i).equals("----")) {
                text.add(lines.get(i));
            }
            List<String> answer = new ArrayList<>();
            boolean answered = i < lines.size() && lines.get(i).equals("----");
            while (answered && ++i < lines.size() && !lines.get(i).isBlank()) {
                // Some write a row a line.
                answer.addAll(List.of(lines.get(i).split("\t")));
            }
            parts.add(new Part(line, words, skipped, String.join("\n", text), answer));
        }
        return parts;
    }

    private static boolean isCondition(String line) {
        return line.startsWith("#") || line.startsWith("skipif ") || line.startsWith("onlyif ");
    }

    /** What is for one engine alone is not for this one, and none is written for all but this one. */
    private static boolean isSkipped(String line) {
        return line.startsWith("onlyif ");
    }
}
