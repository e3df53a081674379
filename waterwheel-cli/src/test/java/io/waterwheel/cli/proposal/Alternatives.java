package io.waterwheel.cli.proposal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.cli.dimensions.DimensionRows;
import io.waterwheel.cli.input.CsvColumns;
import io.waterwheel.cli.input.InputLines;
import io.waterwheel.cli.input.LineCheck;
import io.waterwheel.decode.RecordFacts;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a proposal says behind # may stand in the place of its key: each is swapped in, and must take the rows. */
final class Alternatives {
    private static final Pattern KEY = Pattern.compile("(?m)^key: .*$");
    private static final Pattern OTHERS = Pattern.compile("(?m)^key: .* Or: ([^;\\n]*)(; take its .*)?$");
    private static final Pattern COMMENTED = Pattern.compile("(?m)^# (key: \\{(field|dimensions): .*?\\})   # (.*)$");

    private Alternatives() {}

    /** The definitions that a proposal offers besides the one that it is. */
    static List<String> of(String yaml) {
        List<String> all = new ArrayList<>();
        Matcher others = OTHERS.matcher(yaml);
        if (others.find()) {
            for (String field : others.group(1).split(", ", -1)) {
                all.add(with(yaml, "key: {field: " + field + "}", others.group(2)));
            }
        }
        Matcher commented = COMMENTED.matcher(yaml);
        while (commented.find()) {
            all.add(with(yaml, commented.group(1), commented.group(3)));
        }
        return all;
    }

    private static String with(String yaml, String key, @Nullable String advice) {
        String swapped = KEY.matcher(yaml).replaceFirst(Matcher.quoteReplacement(key));
        if (advice == null || !advice.contains("take its 'nullable: true' away then")) {
            return swapped;
        }
        String field = key.substring(key.indexOf("field: ") + 7, key.indexOf('}'));
        return swapped.replaceFirst("(\\{name: " + Pattern.quote(field) + ", .*?), nullable: true", "$1");
    }

    /**
     * Checks all of them.
     *
     * @param columns of CSV; empty: the first line names them
     * @return how many there were
     */
    static int takeAll(String yaml, String file, RecordFormat format, List<String> columns) throws IOException {
        return takeAll(yaml, file, format, columns, RecordFacts.UNWRITTEN);
    }

    /** The same of records. */
    static int takeAll(String yaml, String file, RecordFormat format, List<String> columns, RecordFacts facts)
            throws IOException {
        List<String> all = of(yaml);
        // If the words of proposals change, nothing may be passed over.
        assertThat(all).as(yaml).hasSize(offered(yaml));
        for (String other : all) {
            assertThat(taken(schema(other, file, format, columns), file, format, columns, facts))
                    .as(other)
                    .isEqualTo(taken(SchemaFile.read("proposal", yaml).schema(), file, format, columns, facts));
        }
        return all.size();
    }

    private static int offered(String yaml) {
        int offered = 0;
        for (String line : yaml.lines().toList()) {
            int or = line.indexOf(" Or: ");
            offered += line.startsWith("# key:") ? 1 : 0;
            offered += or < 0
                    ? 0
                    : 1 + (int) line.substring(or).chars().filter(c -> c == ',').count();
        }
        return offered;
    }

    /** Checks all of them, of a file whose columns its first line or somebody names. */
    static void takeEach(String yaml, String file, RecordFormat format, String... columns) throws IOException {
        int ignored = takeAll(yaml, file, format, List.of(columns));
    }

    /** As {@code stream create FILE.yaml --like} makes it. */
    private static Schema schema(String yaml, String file, RecordFormat format, List<String> columns)
            throws IOException {
        if (!yaml.contains("key: {dimensions")) {
            return SchemaFile.read("alternative", yaml).schema();
        }
        Path draft = Files.createTempFile("alternative", ".yaml");
        try {
            Schema open = SchemaFile.readDraft(Files.writeString(draft, yaml)).schema();
            return open.key().missing(open.byName()) == null
                    ? open
                    : DimensionRows.complete(open, "f", in(file), format, columns, null);
        } finally {
            Files.delete(draft);
        }
    }

    /** Rows that are tuples. */
    private static long taken(Schema schema, String file, RecordFormat format, List<String> columns, RecordFacts facts)
            throws IOException {
        boolean csv = format == RecordFormat.CSV;
        LineCheck check = new LineCheck(format, schema);
        long taken = 0;
        try (InputLines lines =
                new InputLines(in(file), csv).divideBy(schema.text().csv())) {
            CsvColumns order = !csv
                    ? null
                    : columns.isEmpty()
                            ? CsvColumns.of("f.csv", lines.next(), schema)
                            : CsvColumns.named("--columns", columns, schema);
            for (byte[] line = lines.next(); line != null; line = lines.next()) {
                byte[] ordered = order == null ? line : order.inOrder(line);
                taken += ordered != null && check.refusal(ordered, facts) == null ? 1 : 0;
            }
        }
        return taken;
    }

    private static ByteArrayInputStream in(String file) {
        return new ByteArrayInputStream(file.getBytes(UTF_8));
    }
}
