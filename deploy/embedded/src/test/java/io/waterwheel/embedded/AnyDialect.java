package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A file of a dialect that a seed draws, CSV or JSON, and the rows that are in it. */
final class AnyDialect {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    static final int ROWS = 300;
    private static final List<String> TEXTS =
            List.of("K\u00f6ln", "Tegel", "Ulm, S\u00fcd", "a;b", "5|6", "say \"so\"", "it's");

    private record Row(Instant at, String text, @Nullable Double number, long count) {}

    private final Random random;
    private final List<Row> rows = new ArrayList<>();
    private String how = "";

    AnyDialect(long seed) {
        random = new Random(seed);
        long minute = 27_000_000L + random.nextInt(1_000_000);
        for (int i = 0; i < ROWS; i++) {
            minute += 1 + random.nextInt(3_000);
            rows.add(new Row(
                    Instant.ofEpochSecond(minute * 60),
                    any(TEXTS),
                    random.nextInt(8) == 0 ? null : (random.nextInt(4_000_000) - 2_000_000) / 1_000.0,
                    random.nextInt(5_000)));
        }
    }

    private <T> T any(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private boolean coin() {
        return random.nextBoolean();
    }

    /** The file's bytes. */
    byte[] file() throws Exception {
        return random.nextInt(4) == 0 ? json() : csv();
    }

    /** Whether the last file was JSON. */
    boolean isJson() {
        return how.startsWith("json");
    }

    @Override
    public String toString() {
        return how;
    }

    private byte[] csv() {
        String delimiter = any(List.of(",", ";", "\t", "|"));
        char quote = random.nextInt(4) == 0 ? '\'' : '"';
        boolean all = quote == '\'' || coin();
        boolean comma = coin() && !delimiter.equals(",");
        // Between thousands, where it neither divides nor quotes.
        String mark = comma ? any(List.of("", ".", " ")) : any(List.of("", ",", " ", "'"));
        String thousands = mark.equals(delimiter) || mark.equals(String.valueOf(quote)) ? "" : mark;
        String nothing = any(List.of("", "NA", "NULL", "-", "N/A", "null"));
        String times = any(List.of(
                "yyyy-MM-dd'T'HH:mm:ss'Z'",
                "yyyy-MM-dd HH:mm",
                "yyyy-MM-dd'T'HH:mm:ssXXX",
                "dd.MM.yyyy HH:mm",
                "yyyy/MM/dd HH:mm",
                "MM/dd/yyyy HH:mm",
                "s",
                "ms"));
        Charset encoding = any(List.of(UTF_8, UTF_8, StandardCharsets.UTF_16LE, Charset.forName("windows-1252")));
        boolean marked = encoding.equals(StandardCharsets.UTF_16LE) || (encoding.equals(UTF_8) && coin());
        String end = coin() ? "\n" : "\r\n";
        how = "csv delimiter '" + delimiter + "' quote " + quote + (all ? " always" : "") + " decimal "
                + (comma ? "," : ".") + " thousands '" + thousands + "' nothing '" + nothing + "' times " + times
                + " in " + encoding
                + (marked ? " with its mark" : "");
        StringBuilder file = new StringBuilder(marked ? "\ufeff" : "");
        file.append(String.join(delimiter, "Mess Zeit", "Name der Station", "Wert (mm/h)", "Anzahl"))
                .append(end);
        for (Row row : rows) {
            String number = row.number() == null ? nothing : number(row.number(), thousands, comma);
            String text = row.text();
            boolean needs = all || text.contains(delimiter) || text.indexOf(quote) >= 0;
            String doubled = text.replace(String.valueOf(quote), "" + quote + quote);
            file.append(String.join(
                            delimiter,
                            time(row.at(), times),
                            needs ? quote + doubled + quote : text,
                            number,
                            Long.toString(row.count())))
                    .append(end);
        }
        return file.toString().getBytes(encoding);
    }

    private static String number(double value, String thousands, boolean comma) {
        String[] parts = String.format(Locale.ROOT, thousands.isEmpty() ? "%.3f" : "%,.3f", value)
                .split("\\.", -1);
        return parts[0].replace(",", thousands) + (comma ? "," : ".") + parts[1];
    }

    private String time(Instant at, String form) {
        return switch (form) {
            case "s" -> Long.toString(at.getEpochSecond());
            case "ms" -> Long.toString(at.toEpochMilli());
            default ->
                DateTimeFormatter.ofPattern(form, Locale.ROOT)
                        .format(at.atOffset(
                                form.endsWith("XXX") ? ZoneOffset.ofHours(random.nextInt(20) - 9) : ZoneOffset.UTC));
        };
    }

    private byte[] json() throws Exception {
        boolean array = coin();
        boolean absent = coin();
        boolean millis = coin();
        boolean texts = coin();
        how = "json " + (array ? "array" : "lines") + (absent ? ", nothing is absent" : ", nothing is null")
                + (millis ? ", times in milliseconds" : ", times with zones") + (texts ? ", numbers in texts" : "");
        List<String> objects = new ArrayList<>();
        for (Row row : rows) {
            var object = MAPPER.createObjectNode();
            if (millis) {
                object.put("at", row.at().toEpochMilli());
            } else {
                object.put("at", time(row.at(), "yyyy-MM-dd'T'HH:mm:ssXXX"));
            }
            object.putObject("station")
                    .put("full name", row.text())
                    .putObject("more")
                    .putArray("tags")
                    .add("x");
            var values = object.putObject("values");
            if (row.number() != null) {
                String number = String.format(Locale.ROOT, "%.3f", row.number());
                if (texts) {
                    values.put("wert", number);
                } else {
                    values.put("wert", row.number());
                }
            } else if (!absent) {
                values.putNull("wert");
            }
            values.put("anzahl", row.count());
            objects.add(MAPPER.writeValueAsString(object));
        }
        return (array ? "[" + String.join(",\n", objects) + "]" : String.join("\n", objects)).getBytes(UTF_8);
    }

    /** Compares the rows of an answer in JSON, in the order of their times, with those of the file. */
    void isIn(String answer, String as) throws Exception {
        List<String> lines = answer.lines().toList();
        assertThat(lines).as(as).hasSize(ROWS);
        for (int r = 0; r < ROWS; r++) {
            List<JsonNode> cells = new ArrayList<>();
            MAPPER.readTree(lines.get(r)).elements().forEachRemaining(cells::add);
            List<JsonNode> texts = cells.stream().filter(JsonNode::isTextual).toList();
            Row row = rows.get(r);
            String at = as + ", row " + (r + 1) + ": " + lines.get(r);
            assertThat(cells.get(0).longValue()).as(at).isEqualTo(row.at().toEpochMilli());
            assertThat(cells.get(1).textValue()).as(at).isEqualTo(row.text());
            assertThat(cells.stream().anyMatch(cell -> is(cell, row.number())))
                    .as(at)
                    .isTrue();
            assertThat(cells.stream().anyMatch(cell -> cell.isNumber() && cell.longValue() == row.count()))
                    .as(at)
                    .isTrue();
            assertThat(texts).as(at).hasSizeLessThanOrEqualTo(2);
        }
    }

    private static boolean is(JsonNode cell, @Nullable Double number) {
        return number == null ? cell.isNull() : cell.isNumber() && cell.doubleValue() == number;
    }
}
