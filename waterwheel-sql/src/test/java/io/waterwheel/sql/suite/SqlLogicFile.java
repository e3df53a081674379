package io.waterwheel.sql.suite;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A file of SQLite's sqllogictest: records that an empty line divides, each a statement that changes something or a
 * query with the values of its answer, one a line, or their number and hash.
 */
final class SqlLogicFile {
    private static final Pattern HASH = Pattern.compile("(\\d+) values hashing to ([0-9a-f]{32})");

    private SqlLogicFile() {}

    /**
     * A record.
     *
     * @param line where it begins, from 1
     * @param words of its head: statement ok, query II rowsort label
     * @param skipped whether it is not for this engine
     * @param answer the lines that a query expects
     */
    record Part(int line, List<String> words, boolean skipped, String text, List<String> answer) {
        boolean isQuery() {
            return words.get(0).equals("query");
        }

        /** Whether rows and columns are those that are expected; values as the format writes them. */
        boolean isAnsweredBy(List<List<String>> rows) {
            List<String> values = values(rows);
            Matcher hash = HASH.matcher(answer.isEmpty() ? "" : answer.get(0));
            if (hash.matches()) {
                return values.size() == Integer.parseInt(hash.group(1))
                        && hashed(values).equals(hash.group(2));
            }
            return values.equals(answer);
        }

        private List<String> values(List<List<String>> rows) {
            List<List<String>> ordered = new ArrayList<>(rows);
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

    static String hashed(List<String> values) {
        try {
            MessageDigest digest = MessageDigest.getInstance("MD5");
            values.forEach(value -> digest.update((value + "\n").getBytes(StandardCharsets.UTF_8)));
            return String.format(Locale.ROOT, "%032x", new BigInteger(1, digest.digest()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A value as the format writes it: I whole, R with three digits behind the point, T as it is. */
    static String written(char type, @Nullable Object value) {
        if (value == null) {
            return "NULL";
        }
        return switch (type) {
            case 'I' -> String.valueOf(((Number) value).longValue());
            case 'R' -> String.format(Locale.ROOT, "%.3f", ((Number) value).doubleValue());
            default -> value.toString().isEmpty() ? "(empty)" : value.toString();
        };
    }

    static List<Part> read(Path file) throws IOException {
        List<String> lines = Files.readAllLines(file);
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
