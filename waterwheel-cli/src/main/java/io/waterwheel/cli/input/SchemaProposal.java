package io.waterwheel.cli.input;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.schema.text.TimePattern;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A stream's definition made of what a CSV file holds, as YAML with comments where it is a guess. What it says can be
 * created as it is. One thread.
 */
public final class SchemaProposal {
    private static final int ROWS = 100_000;
    /** Lines that show how the file is written. */
    private static final int STYLE_LINES = 1_000;

    private static final int MAX_FIELDS = 256;
    private static final int MAX_NULLABLE = 64;
    private static final int MAX_KEY_CHOICES = 6;
    private static final int MOST_DIMENSIONS = 8;
    /** A column of few values, each of which comes again and again, names kinds. */
    private static final int KINDS = 64;

    private static final long MANY = 8;
    private static final int BITS_OF_KINDS = 4;
    private static final Pattern TIME_NAME = Pattern.compile("(?i).*(time|date|^ts$|_ts$|_at$|epoch|when|day).*");
    private static final Pattern LONGITUDE = Pattern.compile("(?i)(.*_)?(lon|long|longitude|lng)(_?deg.*)?");
    private static final Pattern LATITUDE = Pattern.compile("(?i)(.*_)?(lat|latitude)(_?deg.*)?");
    private static final Pattern KEY_NAME =
            Pattern.compile("(?i)(.*_)?(id|key|host|station|device|user|account|customer|symbol|sensor|vehicle|addr|ip|"
                    + "orig_h|icao.*|name|code)");

    private final String source;
    private final List<ColumnSample> columns = new ArrayList<>();
    private CsvStyle style = CsvStyle.PLAIN;
    private boolean headed;
    private boolean whole;
    private long rows;
    private long uneven;

    private SchemaProposal(String source) {
        this.source = source;
    }

    /**
     * Looks at the first rows of a file.
     *
     * @param named what its columns are called; empty: its first line says, or nothing does
     */
    public static SchemaProposal of(String source, InputStream in, List<String> named) throws IOException {
        SchemaProposal proposal = new SchemaProposal(source);
        try (InputLines lines = new InputLines(in, true)) {
            byte[] first = lines.next();
            if (first == null) {
                throw bad(source + " is empty: expected a CSV file with a line of names, or rows");
            }
            proposal.lines(first, lines, named);
        }
        return proposal;
    }

    private void lines(byte[] first, InputLines lines, List<String> named) throws IOException {
        List<String> begin = new ArrayList<>(List.of(new String(first, StandardCharsets.UTF_8)));
        // Which sign divides is seen by the first line at the latest where quotes hold line ends.
        char announced = lines.announced();
        if (announced != '\0' && ",;|\t: ".indexOf(announced) < 0) {
            throw bad(source + ": its first line says sep=" + announced + ", which divides no values: expected a comma,"
                    + " a semicolon, a tab, a bar, a colon or a space");
        }
        lines.divideBy(CsvStyle.delimiter(announced, begin, named.size()));
        while (begin.size() < STYLE_LINES && !whole) {
            byte[] line = lines.next();
            whole = line == null;
            if (line != null) {
                begin.add(new String(line, StandardCharsets.UTF_8));
            }
        }
        char delimiter = CsvStyle.delimiter(announced, begin, named.size());
        lines.divideBy(delimiter);
        List<List<CsvCells.Cell>> rowsOfBegin =
                begin.stream().map(line -> CsvCells.of(line, delimiter)).toList();
        List<CsvCells.Cell> names = rowsOfBegin.get(0);
        headed = named.isEmpty() && isHeader(names);
        List<List<CsvCells.Cell>> values = headed ? rowsOfBegin.subList(1, rowsOfBegin.size()) : rowsOfBegin;
        style = CsvStyle.of(delimiter, values);
        name(named, names);
        values.forEach(this::row);
        read(lines);
    }

    private static WaterwheelException bad(String message) {
        return new WaterwheelException(ErrorCode.BAD_FILE, message);
    }

    /** Names are not numbers, times or addresses; some may be empty, but not all. */
    private static boolean isHeader(List<CsvCells.Cell> cells) {
        boolean named = false;
        for (CsvCells.Cell cell : cells) {
            named |= !cell.text().isBlank();
            if (!ColumnSample.mayBeName(cell)) {
                return false;
            }
        }
        return named;
    }

    private void name(List<String> named, List<CsvCells.Cell> first) {
        if (first.size() > MAX_FIELDS) {
            throw bad(source + ": expected at most " + MAX_FIELDS + " columns, got " + first.size());
        }
        if (!named.isEmpty() && named.size() != first.size()) {
            throw bad("--columns names " + named.size() + " columns, and the first line of " + source + " has "
                    + first.size());
        }
        Set<String> taken = new HashSet<>();
        for (String name : named) {
            if (!name.equals(CsvColumns.IGNORED) && !taken.add(name)) {
                throw bad("--columns names '" + name + "' twice");
            }
        }
        List<String> names = !named.isEmpty()
                ? named
                : FieldNames.of(first.stream()
                        .map(cell -> headed ? CsvColumns.name(cell) : "")
                        .toList());
        names.forEach(name -> columns.add(new ColumnSample(name, style)));
    }

    private void read(InputLines lines) throws IOException {
        while (rows < ROWS && !whole) {
            byte[] line = lines.next();
            if (line == null) {
                whole = true;
                return;
            }
            row(CsvCells.of(new String(line, StandardCharsets.UTF_8), style.delimiter()));
        }
    }

    private void row(List<CsvCells.Cell> cells) {
        rows++;
        if (cells.size() != columns.size()) {
            uneven++;
            return;
        }
        for (int c = 0; c < cells.size(); c++) {
            columns.get(c).add(cells.get(c).text(), cells.get(c).quoted());
        }
    }

    /**
     * The definition.
     *
     * @param stream its name
     * @throws WaterwheelException when nothing in the file can be the time
     */
    public String yaml(String stream) {
        List<ColumnSample> used = columns.stream()
                .filter(column -> !column.name.equals(CsvColumns.IGNORED))
                .toList();
        ColumnSample time = time(used);
        // Day and month can be told apart by another column than the time.
        List<String> patterns = time.timePatterns().stream()
                .sorted(Comparator.comparing((String one) -> -used.stream()
                        .filter(column -> column.timePatterns().contains(one))
                        .count()))
                .toList();
        String pattern = patterns.isEmpty() ? "" : patterns.get(0);
        Set<String> nulls = used.stream()
                .filter(ColumnSample::hasGaps)
                .flatMap(column -> column.words.stream())
                .collect(Collectors.toCollection(TreeSet::new));
        @Nullable ColumnSample longitude = coordinate(used, LONGITUDE, 180);
        @Nullable ColumnSample latitude = coordinate(used, LATITUDE, 90);
        boolean position = longitude != null && latitude != null;
        List<ColumnSample> keys = keys(used, time, nulls);
        ColumnSample key = keys.isEmpty() ? time : keys.get(0);
        Set<ColumnSample> needed = longitude != null && latitude != null
                ? Set.of(time, longitude, latitude)
                : new HashSet<>(List.of(time, key));

        StringBuilder out = new StringBuilder();
        out.append("# Proposed from ")
                .append(whole ? "all " : "the first ")
                .append(rows)
                .append(" rows of ")
                .append(source)
                .append(". Look at what is said behind #, then:\n#   waterwheel stream create THIS-FILE.yaml\n")
                .append("#   waterwheel append ")
                .append(stream)
                .append(" FILE.csv");
        if (!headed) {
            out.append(" --columns ")
                    .append(String.join(
                            ",", columns.stream().map(column -> column.name).toList()));
        }
        out.append('\n');
        if (uneven > 0) {
            out.append("# ").append(uneven).append(" rows have another number of columns: they will be rejected.\n");
        }
        out.append("name: ").append(stream).append("\nformat: csv\nfields:\n");
        int nullable = 0;
        for (ColumnSample column : used) {
            boolean lacks = column.empty > 0 || !whole || column.words.stream().anyMatch(nulls::contains);
            boolean mayLack = !needed.contains(column) && lacks && nullable < MAX_NULLABLE;
            nullable += mayLack ? 1 : 0;
            field(
                    out,
                    column,
                    column == time,
                    mayLack,
                    position && (column == longitude || column == latitude),
                    pattern,
                    nulls);
        }
        if (longitude != null && latitude != null) {
            out.append("key: {longitude: ")
                    .append(longitude.name)
                    .append(", latitude: ")
                    .append(latitude.name)
                    .append(
                            ", box: [-180, -90, 180, 90]}   # a smaller box divides finer; outside of it is rejected\n");
            if (!keys.isEmpty()) {
                out.append("# key: {field: ").append(key.name).append("}   # when you ask by this, not by place\n");
            }
        } else {
            out.append("key: {field: ").append(key.name).append("}   # a guess: what will you ask for ranges of?");
            if (keys.size() > 1) {
                out.append(" Or: ")
                        .append(String.join(
                                ", ",
                                keys.subList(1, keys.size()).stream()
                                        .map(other -> other.name)
                                        .toList()));
            }
            out.append('\n');
        }
        List<String> dimensions = dimensions(used, time, longitude, latitude);
        if (dimensions.size() > 2) {
            out.append("# key: {dimensions: [")
                    .append(String.join(", ", dimensions))
                    .append("]}   # when you ask by several at once; then create it with --like ")
                    .append(source)
                    .append('\n');
        }
        out.append("time: ").append(time.name).append('\n');
        records(out, used, patterns, nulls);
        String yaml = out.toString();
        // What is proposed must be a definition; if it is none that is our fault, and is better said here.
        SchemaFile.read("the proposal", yaml);
        return yaml;
    }

    /** How the file is written, where that is not as RFC 4180 and ISO 8601 say. */
    private void records(StringBuilder out, List<ColumnSample> used, List<String> patterns, Set<String> nulls) {
        boolean zoneless = used.stream().anyMatch(column -> column.zoneless > 0 && column.isTime())
                || (!patterns.isEmpty() && !TimePattern.of(patterns.get(0)).isZoned());
        RecordText text = new RecordText(
                style.signs(List.copyOf(nulls)),
                RecordText.Json.DEFAULT,
                zoneless ? ZoneOffset.UTC : null,
                patterns.isEmpty() ? "" : patterns.get(0),
                Map.of());
        if (text.members().isEmpty()) {
            return;
        }
        out.append("records:\n");
        text.members().forEach((name, value) -> {
            out.append("  ").append(name).append(": ");
            switch (name) {
                case "zone" -> out.append("UTC   # a guess: times name no zone; whose are they? Europe/Berlin?");
                case "times" -> {
                    out.append(DefinitionYaml.value(value));
                    if (patterns.size() > 1) {
                        out.append("   # a guess: ")
                                .append(String.join(" and ", patterns.subList(1, patterns.size())))
                                .append(patterns.size() > 2 ? " fit too" : " fits too");
                    }
                }
                case "nulls" ->
                    out.append(DefinitionYaml.value(value)).append("   # stand for nothing where they are not quoted");
                default -> out.append(DefinitionYaml.value(value));
            }
            out.append('\n');
        });
    }

    private void field(
            StringBuilder out,
            ColumnSample column,
            boolean time,
            boolean nullable,
            boolean coordinate,
            String pattern,
            Set<String> nulls) {
        TimestampUnit unit = time ? column.epochUnit() : null;
        boolean byPattern = column.timePatterns().contains(pattern);
        FieldType type = unit != null
                ? column.timestamp(unit)
                : byPattern ? FieldType.TIMESTAMP : coordinate ? FieldType.DOUBLE : column.type();
        if (type == FieldType.INT && !whole) {
            type = FieldType.LONG;
        }
        List<String> doubts = new ArrayList<>();
        out.append("  - {name: ").append(column.name).append(", type: ").append(type.schemaName());
        if (unit != null) {
            if (unit != type.resolution()) {
                out.append(", unit: ").append(unit.schemaName());
            }
            doubts.add("numbers are taken for " + unit.schemaName() + " since 1970");
        }
        out.append(nullable ? ", nullable: true}" : "}");
        if (column.empty > 0 && column.values > 0) {
            doubts.add(column.empty + " are empty" + (nullable ? "" : ": such rows will be rejected"));
        }
        if (column.hasGaps()) {
            doubts.add(column.marks + " are " + String.join(", ", column.words) + ", taken for nothing"
                    + (nullable ? "" : ": such rows will be rejected"));
        }
        List<String> meant = column.words.stream().filter(nulls::contains).toList();
        if (!column.hasGaps() && !meant.isEmpty()) {
            doubts.add(String.join(", ", meant)
                    + " stands for nothing here too, as other columns have it; in quotes it is a text");
        }
        if (column.doubtful > 0) {
            doubts.add("a guess: is " + column.doubtful + " times the mark one between thousands?");
        }
        if (type == FieldType.DOUBLE && column.rounded > 0) {
            doubts.add(column.rounded + " are whole numbers beyond 2^53, which a double rounds; or make it a string");
        }
        if (column.notFinite > 0 && (coordinate || time)) {
            doubts.add(column.notFinite + " are no finite numbers: such rows will be rejected");
        }
        if (column.zoneless > 0) {
            doubts.add(column.zoneless + " times name no zone: they are read in the one below");
        }
        if (!byPattern && !column.timePatterns().isEmpty()) {
            doubts.add("times such as " + column.timePatterns().get(0) + "; a stream has one pattern of times");
        }
        if (column.values == 0) {
            doubts.add("always empty: type unknown");
        } else if (!time
                && column.epochUnit() != null
                && TIME_NAME.matcher(column.name).matches()) {
            doubts.add("perhaps a time too: {type: timestamp, unit: s}");
        }
        if (!doubts.isEmpty()) {
            out.append("   # ").append(String.join("; ", doubts));
        }
        out.append('\n');
    }

    private ColumnSample time(List<ColumnSample> used) {
        @Nullable ColumnSample best = null;
        int bestScore = 0;
        for (ColumnSample column : used) {
            boolean written = column.isTime() || !column.timePatterns().isEmpty();
            int score = written ? 4 : column.epochUnit() != null ? 1 : 0;
            score += score > 0 && TIME_NAME.matcher(column.name).matches() ? 2 : 0;
            if (score > bestScore) {
                best = column;
                bestScore = score;
            }
        }
        if (best == null) {
            throw bad(source
                    + ": no column can be the time: expected ISO 8601 such as 2021-10-07T12:00:01Z, days, another"
                    + " form of date and time that all rows have, or numbers since 1970 between 1980 and 2100. Write the"
                    + " schema by hand: 'waterwheel stream create --help' shows one, and 'times:' of 'records:' names a"
                    + " form");
        }
        return best;
    }

    private static @Nullable ColumnSample coordinate(List<ColumnSample> used, Pattern name, double bound) {
        for (ColumnSample column : used) {
            FieldType type = column.type();
            boolean number = type == FieldType.DOUBLE || type == FieldType.INT;
            if (number && name.matcher(column.name).matches() && column.within(-bound, bound)) {
                return column;
            }
        }
        return null;
    }

    /** What may be the key, the likeliest first: addresses, what is called like one, texts and UUIDs, whole numbers. */
    private static List<ColumnSample> keys(List<ColumnSample> used, ColumnSample time, Set<String> nulls) {
        List<ColumnSample> choices = new ArrayList<>();
        for (int rank = 0; rank < 4; rank++) {
            for (ColumnSample column : used) {
                FieldType type = column.type();
                boolean usable = column != time
                        && column.distinct() > 1
                        && column.empty == 0
                        && column.words.stream().noneMatch(nulls::contains)
                        && !column.isTime()
                        && column.timePatterns().isEmpty();
                boolean named = KEY_NAME.matcher(column.name).matches();
                boolean fits =
                        switch (rank) {
                            case 0 -> type == FieldType.IPV4 || type == FieldType.IPV6;
                            case 1 ->
                                named
                                        && (type == FieldType.STRING
                                                || type == FieldType.UUID
                                                || type == FieldType.LONG
                                                || type == FieldType.INT);
                            case 2 -> type == FieldType.STRING || type == FieldType.UUID;
                            default -> type == FieldType.LONG || type == FieldType.INT;
                        };
                if (usable && fits && !choices.contains(column) && choices.size() < MAX_KEY_CHOICES) {
                    choices.add(column);
                }
            }
        }
        return choices;
    }

    /** What may be dimensions of a key: what names kinds, with its bits; places; then numbers of many values. */
    private static List<String> dimensions(
            List<ColumnSample> used,
            ColumnSample time,
            @Nullable ColumnSample longitude,
            @Nullable ColumnSample latitude) {
        List<String> kinds = new ArrayList<>();
        List<String> places = new ArrayList<>();
        List<String> numbers = new ArrayList<>();
        for (ColumnSample column : used) {
            FieldType type = column.type();
            boolean number = type == FieldType.DOUBLE || type == FieldType.INT || type == FieldType.LONG;
            boolean divides = column != time && !column.isTime() && column.distinct() > 1;
            if (divides && (column == longitude || column == latitude)) {
                places.add(column.name);
            } else if (divides && column.distinct() <= KINDS && column.values >= MANY * column.distinct()) {
                int bits = Math.min(BITS_OF_KINDS, Dimension.bitsOf(column.distinct() + 1));
                kinds.add(type == FieldType.BOOLEAN ? column.name : "{field: " + column.name + ", bits: " + bits + "}");
            } else if (divides && (number || type == FieldType.IPV4)) {
                numbers.add(column.name);
            }
        }
        kinds.addAll(places);
        kinds.addAll(numbers);
        return kinds.subList(0, Math.min(MOST_DIMENSIONS, kinds.size()));
    }
}
