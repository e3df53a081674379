package io.waterwheel.cli.proposal;

import io.waterwheel.cli.input.CsvCells;
import io.waterwheel.cli.input.FileEncoding;
import io.waterwheel.cli.input.InputLines;
import io.waterwheel.cli.input.InputSource;
import io.waterwheel.cli.input.OtherEncodingException;
import io.waterwheel.decode.RecordFacts;
import io.waterwheel.decode.Utf8;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.schema.text.TextEncoding;
import io.waterwheel.schema.text.TimePattern;
import io.waterwheel.schema.text.WriterTypes;
import java.io.IOException;
import java.io.InputStream;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A stream's definition made of what a file of rows holds, as YAML with comments where it is a guess. What it says can
 * be created as it is. One thread.
 */
public final class SchemaProposal {
    private static final int MAX_NULLABLE = 64;
    /** Of a field that becomes the key: what else changes. */
    private static final String WITHOUT_NULLABLE = "take its 'nullable: true' away then";

    private final String source;
    private final FileLook look;
    private final CsvStyle style;
    private final KafkaColumns kafka;
    private final RegistryRecords registry;
    /** How many rows were read first, damaged ones too, and the numbers of those behind that were looked at. */
    private final long first;

    private final Set<Long> further = new HashSet<>();
    /** What all rows are, where all were read after the look; null where not. */
    private ProposalCheck.@Nullable Outcome all;

    private SchemaProposal(FileLook look, KafkaColumns kafka, RegistryRecords registry) {
        this.kafka = kafka;
        this.registry = registry;
        this.first = look.rows + look.damaged;
        this.source = look.source;
        this.look = look;
        this.style = look.style;
    }

    /**
     * Looks at the first rows of a CSV file in UTF-8 or UTF-16.
     *
     * @param named what its columns are called; empty: its first line says, or nothing does
     */
    public static SchemaProposal of(String source, InputStream in, List<String> named) throws IOException {
        return looked(new CsvLook(source, Long.MAX_VALUE, named, true, FileFacts.NONE), in, null);
    }

    /**
     * Looks at the first rows of a file. One whose bytes are no UTF-8 is taken to be in Windows-1252, or in Latin-1
     * where it cannot be, unless its encoding is named, or most of its lines that are not ASCII are UTF-8: the others
     * are damaged then.
     *
     * @param source what messages call the file
     * @param format of its lines: CSV or JSON
     * @param named what its columns are called; empty: its first line says, or nothing does
     * @param encoding null: not named
     */
    public static SchemaProposal of(
            String source, InputSource file, RecordFormat format, List<String> named, @Nullable FileEncoding encoding)
            throws IOException {
        return of(source, file, format, named, encoding, FileFacts.NONE);
    }

    /**
     * The same of a file of which a person says something.
     *
     * @param facts what is not guessed
     */
    public static SchemaProposal of(
            String source,
            InputSource file,
            RecordFormat format,
            List<String> named,
            @Nullable FileEncoding encoding,
            FileFacts facts)
            throws IOException {
        facts.check();
        boolean damaged = false;
        for (FileEncoding guess : encoding != null
                ? List.of(encoding)
                : List.of(FileEncoding.UTF_8, FileEncoding.WINDOWS_1252, FileEncoding.LATIN_1)) {
            FileLook look = look(source, file, format, named, facts);
            try (InputStream in = file.open()) {
                FileEncoding taken = guess == FileEncoding.UTF_8 ? encoding : guess;
                return file.naming(() -> looked(look, in, taken));
            } catch (OtherEncodingException e) {
                if (encoding != null || look.encoding != guess) {
                    throw FileLook.bad(
                            e.getMessage() + (encoding == null ? "" : "; --encoding names " + encoding.label()));
                }
                if (guess == FileEncoding.UTF_8 && file.naming(() -> FileLook.mostlyUtf8(file))) {
                    damaged = true;
                    break;
                }
            }
        }
        if (damaged) {
            FileLook look = look(source, file, format, named, facts);
            look.passDamaged();
            try (InputStream in = file.open()) {
                return file.naming(() -> looked(look, in, null));
            }
        }
        throw new IllegalStateException("every byte is a character of Latin-1");
    }

    private static FileLook look(
            String source, InputSource file, RecordFormat format, List<String> named, FileFacts facts) {
        FileLook look = format == RecordFormat.JSON
                ? new JsonLook(source, file.mostLookedAt(), facts)
                : new CsvLook(source, file.mostLookedAt(), named, true, facts);
        look.again = file.isFile() ? file.name() : "FILE";
        return look;
    }

    /**
     * Refuses files of a folder that are not all in the encoding that was guessed of the first.
     *
     * @throws WaterwheelException when one of them is UTF-8 and the first is not
     */
    public void requireEncoding(List<InputSource> others) throws IOException {
        if (encoding() != FileEncoding.WINDOWS_1252 && encoding() != FileEncoding.LATIN_1) {
            return;
        }
        for (InputSource other : others) {
            if (other.naming(() -> FileLook.mostlyUtf8(other))) {
                throw FileLook.bad(other.name() + " is in UTF-8, and " + look.source + " in "
                        + encoding().label() + ", as it seems: append them one by one");
            }
        }
    }

    /**
     * Looks at records of a topic, which will get others.
     *
     * @param named what the values of a CSV record are called; empty: they are numbered
     * @param facts what is not guessed
     * @param kafka what the records have beside their values
     */
    public static SchemaProposal ofRecords(
            InputSource records, RecordFormat format, List<String> named, FileFacts facts, KafkaColumns kafka)
            throws IOException {
        return ofRecords(records, format, named, facts, kafka, RegistryRecords.NONE);
    }

    /**
     * The same of records that are shown as JSON.
     *
     * @param registry what they are
     */
    public static SchemaProposal ofRecords(
            InputSource records,
            RecordFormat format,
            List<String> named,
            FileFacts facts,
            KafkaColumns kafka,
            RegistryRecords registry)
            throws IOException {
        facts.check();
        if (facts.textRecords) {
            throw FileLook.bad("--text-records goes with a file: rows go to a topic that is there as text anyhow");
        }
        FileLook look = format == RecordFormat.JSON
                ? new JsonLook(records.name(), Long.MAX_VALUE, facts, registry.types())
                : new CsvLook(records.name(), Long.MAX_VALUE, named, false, facts);
        look.again = "FILE";
        try (InputStream in = records.open()) {
            SchemaProposal ofValues = records.naming(() -> looked(look, in, FileEncoding.UTF_8));
            look.whole = false;
            return new SchemaProposal(ofValues.look, kafka, registry);
        }
    }

    /** Whether the first character of a file, but for spaces, opens a JSON object. */
    public static boolean looksLikeJson(InputSource file, @Nullable FileEncoding encoding) throws IOException {
        try (InputStream in = file.open()) {
            return file.naming(() -> {
                byte[] line = new InputLines(in, false, encoding).next();
                return line != null && FileLook.text(line).stripLeading().startsWith("{");
            });
        }
    }

    /** Which commands a proposal says to type next. */
    public enum Hints {
        /** None. */
        NONE,
        /** One that creates the stream. */
        CREATE,
        /** One that creates the stream, and one that appends the file. */
        FILE
    }

    private static SchemaProposal looked(FileLook look, InputStream in, @Nullable FileEncoding encoding)
            throws IOException {
        try (InputLines lines = new InputLines(in, look.format() == RecordFormat.CSV, encoding)) {
            look.encoding = lines.encoding();
            look.look(lines);
        }
        return new SchemaProposal(look, KafkaColumns.NONE, RegistryRecords.NONE);
    }

    /** Whether all rows of the file were looked at. */
    public boolean isOfAll() {
        return look.whole;
    }

    /**
     * Looks at further rows of the file, which the definition so far does not fit; at each once.
     *
     * @param rows by their number, from 1
     * @return whether there was one that was not looked at
     */
    public boolean lookAt(Map<Long, byte[]> rows) throws IOException {
        all = null;
        boolean learns = false;
        for (Map.Entry<Long, byte[]> row : rows.entrySet()) {
            if (canLookAt(row.getKey(), row.getValue())) {
                further.add(row.getKey());
                look.add(row.getValue(), row.getKey());
                learns = true;
            }
        }
        return learns;
    }

    /**
     * What is known of a file of which rows that are no tuples of the definition tell other quotes or escapes; null:
     * they tell none.
     */
    public @Nullable FileFacts told(ProposalCheck.Outcome outcome) {
        return look instanceof CsvLook csv && !outcome.spoilt().isEmpty() ? csv.told(outcome.spoilt()) : null;
    }

    /** Whether a row can teach something: it was not looked at yet, and is no damaged text. */
    boolean canLookAt(long number, byte[] row) {
        return number > first && !further.contains(number) && Utf8.valid(row, 0, row.length);
    }

    /**
     * Takes note of what all rows of the file are, so that nothing need be left open for rows that were not looked at.
     *
     * @param outcome of the present definition; one that is not of all rows is passed over
     */
    public void knows(ProposalCheck.Outcome outcome) {
        all = outcome.all() ? outcome : null;
    }

    /** What stands for Kafka's part of a record, where the definition asks for it. */
    public RecordFacts facts() {
        return kafka.facts();
    }

    /** The encoding of the file. */
    public FileEncoding encoding() {
        return look.encoding;
    }

    /** What the file's lines are. */
    public RecordFormat format() {
        return look.format();
    }

    /** What the columns of a CSV file are called, where no line of it says so; else empty. */
    public List<String> appendColumns() {
        return look instanceof CsvLook csv ? csv.appendColumns() : List.of();
    }

    /**
     * The definition.
     *
     * @param stream its name
     * @throws WaterwheelException when nothing in the file can be the time
     */
    public String yaml(String stream) {
        return yaml(stream, Hints.FILE);
    }

    /**
     * The same.
     *
     * @param hints which commands it says to type next
     */
    public String yaml(String stream, Hints hints) {
        FileFacts facts = look.facts;
        List<ColumnSample> values = look.columns();
        ColumnSample time = kafka.time(source, values, facts);
        // Day and month can be told apart by another column than the time.
        List<String> patterns = time.timePatterns().stream()
                .sorted(Comparator.comparing((String one) -> -values.stream()
                        .filter(column -> column.timePatterns().contains(one))
                        .count()))
                .toList();
        String pattern = patterns.isEmpty() ? "" : patterns.get(0);
        Set<String> nulls = values.stream()
                .filter(ColumnSample::hasGaps)
                .flatMap(column -> column.words.stream())
                .collect(Collectors.toCollection(TreeSet::new));
        nulls.addAll(facts.nulls);
        if (style.escape() != '\0' && values.stream().anyMatch(column -> column.words.contains(CsvCells.NULL))) {
            // With an escape it is no text: that would be written otherwise.
            nulls.add(CsvCells.NULL);
        }
        @Nullable ColumnSample longitude = ColumnRoles.coordinate(values, ColumnRoles.LONGITUDE, 180);
        @Nullable ColumnSample latitude = ColumnRoles.coordinate(values, ColumnRoles.LATITUDE, 90);
        ColumnSample said = facts.key == null
                ? null
                : ColumnRoles.column(source, kafka.with(values, facts.key), "--key-field", facts.key);
        boolean position = said == null && longitude != null && latitude != null;
        List<ColumnSample> keys = new ArrayList<>(ColumnRoles.keys(values, time, nulls));
        keys.removeIf(column -> nullsOfAll(column) > 0);
        ColumnSample kafkaKey = said == null && !position ? kafka.key(keys) : null;
        if (kafkaKey != null) {
            keys.add(0, kafkaKey);
        }
        ColumnSample key = said != null ? said : keys.isEmpty() ? time : keys.get(0);
        List<ColumnSample> used = new ArrayList<>(values);
        Stream.of(time, key).filter(column -> !used.contains(column)).forEach(used::add);
        Set<ColumnSample> needed = position && longitude != null && latitude != null
                ? Set.of(time, longitude, latitude)
                : new HashSet<>(List.of(time, key));

        StringBuilder out = new StringBuilder();
        out.append("# Proposed from ")
                .append(look.whole ? "all " : "the first ")
                .append(look.rows)
                .append(" rows of ")
                .append(source)
                .append(". Look at what is said behind #");
        out.append(hints == Hints.NONE ? ".\n" : ", then:\n#   waterwheel stream create THIS-FILE.yaml\n");
        if (hints == Hints.FILE) {
            out.append("#   waterwheel append ")
                    .append(stream)
                    .append(look.format() == RecordFormat.JSON ? " FILE.json" : " FILE.csv")
                    .append(look.appendOptions())
                    .append('\n');
        }
        if (look.encoding != FileEncoding.UTF_8) {
            out.append("# The file is in ").append(look.encoding.label());
            out.append(
                    look.encoding == FileEncoding.WINDOWS_1252 || look.encoding == FileEncoding.LATIN_1
                            ? ", as it seems: it is no UTF-8. --encoding names another; records are in UTF-8.\n"
                            : "; records are in UTF-8.\n");
        }
        look.remarks().forEach(remark -> out.append("# ").append(plain(remark)).append('\n'));
        if (!kafka.others(used).isEmpty()) {
            out.append("# Fields of what Kafka has beside the value: ")
                    .append(kafka.others(used))
                    .append('\n');
        }
        out.append("name: ").append(DefinitionYaml.value(stream)).append("\nformat: ");
        out.append(SchemaFile.formatName(registry.any() ? registry.format() : look.format()))
                .append("\nfields:\n");
        Set<ColumnSample> nullable = nullable(used, needed, nulls);
        for (ColumnSample column : used) {
            field(
                    out,
                    column,
                    column == time,
                    nullable.contains(column),
                    position && (column == longitude || column == latitude),
                    pattern,
                    nulls);
        }
        if (position && longitude != null && latitude != null) {
            out.append("key: {longitude: ")
                    .append(longitude.name)
                    .append(", latitude: ")
                    .append(latitude.name)
                    .append(
                            ", box: [-180, -90, 180, 90]}   # a smaller box divides finer; outside of it is rejected\n");
            if (!keys.isEmpty()) {
                out.append("# key: {field: ")
                        .append(key.name)
                        .append("}   # when you ask by this, not by place")
                        .append(mayLackLater(key) ? "; " + WITHOUT_NULLABLE : "")
                        .append('\n');
            }
        } else if (said != null) {
            out.append("key: {field: ").append(key.name).append("}\n");
        } else {
            out.append("key: {field: ").append(key.name).append("}   # a guess: what will you ask for ranges of?");
            if (keys.size() > 1) {
                out.append(" Or: ")
                        .append(String.join(
                                ", ",
                                keys.subList(1, keys.size()).stream()
                                        .map(other -> other.name)
                                        .toList()))
                        .append(mayLackLater(key) ? "; " + WITHOUT_NULLABLE : "");
            }
            out.append('\n');
        }
        // Rows of a file, which tell the cells of dimensions, have no keys of Kafka.
        List<String> dimensions = ColumnRoles.dimensions(values, time, longitude, latitude);
        if (dimensions.size() > 2 && !kafka.hasKey(used) && !registry.any()) {
            out.append("# key: {dimensions: [")
                    .append(String.join(", ", dimensions))
                    .append("]}   # when you ask by several at once; then create it with --like ")
                    .append(word(plain(look.again)))
                    .append(look.appendOptions())
                    .append('\n');
        }
        out.append("time: ")
                .append(time.name)
                .append(kafka.insteadOf(time, values))
                .append('\n');
        records(out, values, patterns, nulls);
        String yaml = out.toString();
        // What is proposed must be a definition; if it is none that is our fault, and is better said here.
        SchemaFile.read("the proposal", yaml);
        return yaml;
    }

    /** Fields that may be null: those that are in some row, then those that may be in one that was not looked at. */
    private Set<ColumnSample> nullable(List<ColumnSample> used, Set<ColumnSample> needed, Set<String> nulls) {
        Set<ColumnSample> nullable = new HashSet<>();
        for (boolean sure : new boolean[] {true, false}) {
            for (ColumnSample column : used) {
                boolean lacks = column.empty > 0
                        || nullsOfAll(column) > 0
                        || column.words.stream().anyMatch(nulls::contains);
                if (!needed.contains(column)
                        && (sure ? lacks : mayLackLater(column))
                        && nullable.size() < MAX_NULLABLE) {
                    nullable.add(column);
                }
            }
        }
        return nullable;
    }

    /** As one word of a command. */
    private static String word(String text) {
        return text.matches("[A-Za-z0-9._/-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
    }

    /** Whether rows behind those that were looked at may have nothing in a column. */
    private boolean mayLackLater(ColumnSample column) {
        return all != null ? nullsOfAll(column) > 0 : !look.whole;
    }

    private long nullsOfAll(ColumnSample column) {
        return all == null ? 0 : all.nulls().getOrDefault(column.name, 0L);
    }

    /** How the file is written, where that is not as RFC 4180 and ISO 8601 say. */
    private void records(StringBuilder out, List<ColumnSample> used, List<String> patterns, Set<String> nulls) {
        boolean zoneless = used.stream().anyMatch(column -> column.zoneless > 0 && column.isTime())
                || (!patterns.isEmpty() && !TimePattern.of(patterns.get(0)).isZoned());
        RecordText text = new RecordText(
                style.signs(List.copyOf(nulls)),
                new RecordText.Json(RecordText.Unknown.REJECT, used.stream().anyMatch(ColumnSample::needsTextNumbers)),
                zoneless ? (look.facts.zone == null ? ZoneOffset.UTC : look.facts.zone) : null,
                patterns.isEmpty() ? "" : patterns.get(0),
                Map.of(),
                TextEncoding.UTF_8,
                new WriterTypes("", registry.registry()),
                // Of a topic that is there it is not known who reads it.
                kafka == KafkaColumns.NONE && !look.facts.textRecords);
        if (text.members().isEmpty()) {
            return;
        }
        out.append("records:\n");
        text.members().forEach((name, value) -> {
            out.append("  ").append(name).append(": ");
            switch (name) {
                case "zone" ->
                    out.append(
                            look.facts.zone != null
                                    ? DefinitionYaml.value(value)
                                    : "UTC   # a guess: times name no zone; whose are they? Europe/Berlin?");
                case "times" -> {
                    out.append(DefinitionYaml.value(value));
                    if (patterns.size() > 1) {
                        out.append("   # a guess: ")
                                .append(String.join(" and ", patterns.subList(1, patterns.size())))
                                .append(patterns.size() > 2 ? " fit too" : " fits too");
                    }
                }
                case "quote", "escape" -> {
                    String evidence = look instanceof CsvLook csv ? csv.evidence() : "";
                    boolean said = name.equals("quote") ? look.facts.quote != null : look.facts.escape != null;
                    if (look.facts.guessesMarks) {
                        said = false;
                        evidence = "rows behind the first show it";
                    }
                    out.append(DefinitionYaml.value(value))
                            .append(
                                    said || evidence.isEmpty()
                                            ? ""
                                            : "   # a guess: " + evidence + "; --" + name + " says another");
                }
                case "blocks" ->
                    out.append("true   # rows are appended in tuple blocks; others may write "
                            + (look.format() == RecordFormat.JSON ? "objects" : "lines")
                            + " beside them. Where programs read the topic: --text-records");
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
        if (type == FieldType.INT && (all == null ? !look.whole : all.wide().contains(column.name))) {
            type = FieldType.LONG;
        }
        boolean json = look.format() == RecordFormat.JSON;
        List<String> doubts = new ArrayList<>();
        out.append("  - {name: ")
                .append(column.name)
                .append(", type: ")
                .append(DefinitionYaml.value(type.schemaName()));
        if (unit != null) {
            if (unit != type.resolution()) {
                out.append(", unit: ").append(unit.schemaName());
            }
            doubts.add("numbers are taken for " + unit.schemaName() + " since 1970");
        }
        out.append(nullable ? ", nullable: true" : "");
        if (!column.from.isEmpty()) {
            out.append(", from: ").append(DefinitionYaml.value(column.from));
        }
        out.append('}');
        if (nullsOfAll(column) > 0) {
            doubts.add(nullsOfAll(column) + " of all rows hold nothing"
                    + (column.hasGaps() ? ", or " + String.join(", ", column.words) : ""));
        } else {
            String rejected = nullable ? "" : ": such rows will be rejected";
            if (column.empty > 0 && column.values > 0) {
                doubts.add(column.empty + (json ? " have none" : " are empty") + rejected);
            }
            if (column.hasGaps()) {
                doubts.add(column.marks + " are " + String.join(", ", column.words) + ", taken for nothing" + rejected);
            }
        }
        List<String> meant = column.words.stream().filter(nulls::contains).toList();
        if (!column.hasGaps() && !meant.isEmpty()) {
            doubts.add(String.join(", ", meant)
                    + " stands for nothing here too, as other columns have it; in quotes it is a text");
        }
        if (column.isMixed()) {
            doubts.add(column.strings() + " of " + column.values + " are strings");
        } else if (column.needsTextNumbers() && type != FieldType.STRING) {
            doubts.add("numbers in strings");
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
        String evidence = column.evidence();
        if (!evidence.isEmpty()) {
            doubts.add(evidence + (!json && evidence.contains("numbers") ? ": --null takes a word for nothing" : ""));
        }
        if (column.values == 0 && column.known == null) {
            doubts.add("always empty: type unknown");
        } else if (!time
                && column.epochUnit() != null
                && ColumnRoles.TIME_NAME.matcher(column.name).matches()) {
            doubts.add("perhaps a time too: {type: timestamp, unit: s}");
        }
        if (!doubts.isEmpty()) {
            out.append("   # ").append(String.join("; ", doubts));
        }
        out.append('\n');
    }

    /** Names of files and of members are anybody's: no line of the definition, and nothing for the terminal. */
    private static String plain(String remark) {
        return remark.replaceAll("\\p{Cntrl}", "?");
    }
}
