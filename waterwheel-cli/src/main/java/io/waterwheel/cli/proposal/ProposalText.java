package io.waterwheel.cli.proposal;

import io.waterwheel.cli.input.CsvCells;
import io.waterwheel.cli.input.FileEncoding;
import io.waterwheel.cli.text.DefinitionYaml;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RecordText;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.schema.text.TimePattern;
import io.waterwheel.schema.text.WriterTypes;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A proposal of a stream as YAML: which columns are its time and its key, what each field is, and a comment wherever
 * that is a guess. One thread.
 */
final class ProposalText {
    static final int MAX_NULLABLE = 64;
    /** Of a field that becomes the key: what else changes. */
    private static final String WITHOUT_NULLABLE = "take its 'nullable: true' away then";

    private final FileLook look;
    private final KafkaColumns kafka;
    private final RegisteredRecords.Known registry;
    /** What all rows are, where all were read after the look; null where not. */
    private final ProposalCheck.@Nullable Outcome all;

    private final List<ColumnSample> values;
    private final ColumnSample time;
    private final FittingTimes times;
    /** Those of {@link #times}. */
    private final List<String> patterns;
    /** Words that stand for nothing. */
    private final Set<String> nulls;

    private final @Nullable ColumnSample longitude;
    private final @Nullable ColumnSample latitude;
    /** Whether the key is made of longitude and latitude. */
    private final boolean position;
    /** Columns that can be the key, the likeliest first. */
    private final List<ColumnSample> keys;
    /** Whether a person named the key. */
    private final boolean keyIsSaid;

    private final ColumnSample key;
    private final List<ColumnSample> used;

    /** @throws io.waterwheel.error.WaterwheelException when nothing can be the time, or what a person named is none */
    ProposalText(
            FileLook look, KafkaColumns kafka, RegisteredRecords.Known registry, ProposalCheck.@Nullable Outcome all) {
        this.look = look;
        this.kafka = kafka;
        this.registry = registry;
        this.all = all;
        FileFacts facts = look.facts;
        values = TimePairs.paired(look.columns(), facts);
        TimePairs.requireUsed(look, values);
        time = kafka.time(look, values);
        times = FittingTimes.of(time, values, look.style, facts.times);
        patterns = times.patterns();
        nulls = values.stream()
                .filter(ColumnSample::hasGaps)
                .flatMap(column -> column.words.stream())
                .collect(Collectors.toCollection(TreeSet::new));
        nulls.addAll(facts.nulls);
        if (look.style.escape() != '\0' && values.stream().anyMatch(column -> column.words.contains(CsvCells.NULL))) {
            // With an escape it is no text: that would be written otherwise.
            nulls.add(CsvCells.NULL);
        }
        longitude = ColumnRoles.coordinate(values, ColumnRoles.LONGITUDE, 180);
        latitude = ColumnRoles.coordinate(values, ColumnRoles.LATITUDE, 90);
        ColumnSample said = facts.key == null
                ? null
                : ColumnRoles.column(look.source, kafka.with(values, facts.key), "--key-field", facts.key);
        keyIsSaid = said != null;
        keys = new ArrayList<>(ColumnRoles.keys(values, time, nulls, all == null ? Set.of() : all.varied()));
        position = !keyIsSaid
                && longitude != null
                && latitude != null
                && ColumnRoles.mostHave(longitude)
                && ColumnRoles.mostHave(latitude);
        keys.removeIf(column -> nullsOfAll(column, all) > 0);
        ColumnSample kafkaKey = keyIsSaid || position ? null : kafka.key(keys);
        if (kafkaKey != null) {
            keys.add(0, kafkaKey);
        }
        key = said != null ? said : keys.isEmpty() ? time : keys.get(0);
        used = new ArrayList<>(values);
        Stream.of(time, key).filter(column -> !used.contains(column)).forEach(used::add);
    }

    String yaml(String stream, SchemaProposal.Hints hints) {
        StringBuilder out = new StringBuilder();
        head(out, stream, hints);
        out.append("name: ").append(DefinitionYaml.value(stream)).append("\nformat: ");
        out.append(SchemaFile.formatName(registry.any() ? registry.format() : look.format()))
                .append("\nfields:\n");
        Set<ColumnSample> nullable = nullable();
        used.forEach(column -> field(out, column, nullable.contains(column)));
        key(out);
        dimensions(out);
        out.append("time: ").append(DefinitionYaml.value(time.name));
        out.append(kafka.insteadOf(time, values)).append('\n');
        records(out);
        String yaml = out.toString();
        // What is proposed must be a definition; if it is none that is our fault, and is better said here.
        SchemaFile.read("the proposal", yaml);
        return yaml;
    }

    /** Comments: what was looked at, and what to type next. */
    private void head(StringBuilder out, String stream, SchemaProposal.Hints hints) {
        long rows = look.tuples() - look.ofOthers;
        out.append("# Proposed from ")
                .append(rows == 1 ? "the one row of " : (look.whole ? "all " : "the first ") + rows + " rows of ")
                .append(look.source)
                .append(look.ofOthers == 0 ? "" : ", and " + look.ofOthers + " of other files")
                .append(". Look at what is said behind #");
        out.append(
                hints == SchemaProposal.Hints.NONE ? ".\n" : ", then:\n#   waterwheel stream create THIS-FILE.yaml\n");
        if (hints == SchemaProposal.Hints.FILE) {
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
        undecided().forEach(one -> out.append("# To decide: ").append(one).append(".\n"));
        Stream.concat(Stream.of(gaps()).filter(gap -> !gap.isEmpty()), look.remarks().stream())
                .forEach(remark -> out.append("# ").append(plain(remark)).append('\n'));
        if (!kafka.others(used).isEmpty()) {
            out.append("# Fields of what Kafka has beside the value: ")
                    .append(kafka.others(used))
                    .append('\n');
        }
    }

    /** The key, and in comments what else it can be. */
    private void key(StringBuilder out) {
        if (position && longitude != null && latitude != null) {
            out.append("key: {longitude: ")
                    .append(DefinitionYaml.value(longitude.name))
                    .append(", latitude: ")
                    .append(DefinitionYaml.value(latitude.name))
                    .append(
                            ", box: [-180, -90, 180, 90]}   # a smaller box divides finer; outside of it is rejected\n");
            if (!keys.isEmpty()) {
                out.append("# key: {field: ")
                        .append(DefinitionYaml.value(key.name))
                        .append("}   # when you ask by this, not by place")
                        .append(mayLackLater(key) ? "; " + WITHOUT_NULLABLE : "")
                        .append('\n');
            }
        } else if (keyIsSaid) {
            out.append("key: {field: ").append(DefinitionYaml.value(key.name)).append("}\n");
        } else {
            out.append("key: {field: ")
                    .append(DefinitionYaml.value(key.name))
                    .append("}   # a guess: what will you ask for ranges of?");
            if (keys.size() > 1) {
                out.append(" Or: ")
                        .append(keys.subList(1, keys.size()).stream()
                                .map(other -> DefinitionYaml.value(other.name))
                                .collect(Collectors.joining(", ")))
                        .append(mayLackLater(key) ? "; " + WITHOUT_NULLABLE : "");
            }
            out.append('\n');
            if (longitude != null && latitude != null) {
                long lacking = Math.max(longitude.empty + longitude.marks, latitude.empty + latitude.marks);
                out.append("# No key of ")
                        .append(longitude.name)
                        .append(" and ")
                        .append(latitude.name)
                        .append(": ")
                        .append(lacking)
                        .append(" rows lack them, and would be rejected.\n");
            }
        }
    }

    /** A comment with a key of several fields, where the file has them. */
    private void dimensions(StringBuilder out) {
        // Rows of a file, which tell the cells of dimensions, have no keys of Kafka.
        List<String> dimensions = ColumnRoles.dimensions(values, nullable(), nulls, time, longitude, latitude);
        if (dimensions.size() > 2 && !kafka.hasKey(used) && !registry.any()) {
            out.append("# key: {dimensions: [")
                    .append(String.join(", ", dimensions))
                    .append("]}   # when you ask by several at once; then create it with --like ")
                    .append(FileLook.word(plain(look.again)))
                    .append(look.appendOptions())
                    .append('\n');
        }
    }

    /** Why rows are rejected whose gaps no field can hold; mostly empty. */
    String gaps() {
        Set<ColumnSample> needed = needed();
        return FileLook.tooManyGaps(
                used.stream()
                        .filter(column -> !needed.contains(column) && lacks(column))
                        .toList(),
                look.format());
    }

    private Set<ColumnSample> needed() {
        return position && longitude != null && latitude != null
                ? Set.of(time, longitude, latitude)
                : new HashSet<>(List.of(time, key));
    }

    private boolean lacks(ColumnSample column) {
        return column.empty > 0
                || nullsOfAll(column) > 0
                || column.words.stream().anyMatch(nulls::contains);
    }

    /** Fields that may be null: those that are in some row, then those that may be in one that was not looked at. */
    private Set<ColumnSample> nullable() {
        Set<ColumnSample> needed = needed();
        Set<ColumnSample> nullable = new HashSet<>();
        for (boolean sure : new boolean[] {true, false}) {
            for (ColumnSample column : used) {
                if (!needed.contains(column)
                        && (sure ? lacks(column) : mayLackLater(column))
                        && nullable.size() < MAX_NULLABLE) {
                    nullable.add(column);
                }
            }
        }
        return nullable;
    }

    /** Whether rows behind those that were looked at may have nothing in a column. */
    private boolean mayLackLater(ColumnSample column) {
        return all != null ? nullsOfAll(column) > 0 : !look.whole;
    }

    private long nullsOfAll(ColumnSample column) {
        return nullsOfAll(column, all);
    }

    private static long nullsOfAll(ColumnSample column, ProposalCheck.@Nullable Outcome all) {
        return all == null ? 0 : all.nulls().getOrDefault(column.name, 0L);
    }

    /** How the file is written, where that is not as RFC 4180 and ISO 8601 say. */
    private void records(StringBuilder out) {
        boolean zoneless = values.stream().anyMatch(column -> column.iso.zoneless > 0 && column.isTime())
                || (!patterns.isEmpty() && !TimePattern.of(patterns.get(0)).isZoned());
        // A day alone begins in UTC, unless somebody says where; names of zones may have a meaning only there.
        boolean needZone = look.facts.zone != null
                && (!patterns.isEmpty()
                        || values.stream().anyMatch(column -> column.iso.needZone() && column.isTime()));
        CsvLook csv = look instanceof CsvLook one ? one : null;
        RecordText text = RecordText.DEFAULT
                .withCsv(look.style.signs(List.copyOf(nulls)))
                .withJson(new RecordText.Json(
                        RecordText.Unknown.REJECT, values.stream().anyMatch(ColumnSample::needsTextNumbers)))
                .withTimes(
                        zoneless || needZone ? (look.facts.zone == null ? ZoneOffset.UTC : look.facts.zone) : null,
                        patterns.isEmpty() ? "" : patterns.get(0))
                .withTypes(new WriterTypes("", registry.registry()))
                // Of a topic that is there it is not known who reads it.
                .withBlocks(kafka == KafkaColumns.NONE && !look.facts.textRecords)
                .withExport(new RecordText.Export(
                        Map.of(),
                        Map.of(),
                        values.stream().anyMatch(column -> column.parenthesised > 0 && isNumber(column)),
                        csv == null ? 0 : csv.linesBefore(),
                        csv == null ? '\0' : csv.comment(),
                        values.stream().anyMatch(ColumnSample::isTrimmed)));
        Map<String, Object> members = DefinitionYaml.records(text);
        if (members.isEmpty()) {
            return;
        }
        out.append("records:\n");
        members.forEach((name, value) -> {
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
                                .append(patterns.size() > 2 ? " fit too" : " fits too")
                                .append(times.evidence().isEmpty() ? "" : "; ")
                                .append(times.evidence());
                    } else if (patterns.get(0).equals(DigitTimes.SHORT_YEAR)) {
                        out.append("   # a guess: ten digits may count seconds since 1970, too");
                    }
                }
                case "quote", "escape" -> {
                    String evidence = csv == null ? "" : csv.evidence();
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
                case "negative" -> out.append(DefinitionYaml.value(value)).append("   # (1.50) is -1.50");
                case "spaces" ->
                    out.append(DefinitionYaml.value(value))
                            .append("   # spaces around values that are no texts are passed over, as around those of ")
                            .append(values.stream()
                                    .filter(ColumnSample::isTrimmed)
                                    .map(column -> column.name)
                                    .collect(Collectors.joining(", ")));
                case "skip-lines" ->
                    out.append(DefinitionYaml.value(value))
                            .append("   # lines of a file before its names are left out")
                            .append(look.facts.guessesLines ? ", as it seems; --skip-lines says another number" : "");
                case "comment" ->
                    out.append(DefinitionYaml.value(value))
                            .append("   # lines that begin with it are left out")
                            .append(
                                    csv == null || csv.commented() == null
                                            ? ""
                                            : ", such as " + csv.commented() + "; --comment none keeps them");
                case "blocks" ->
                    out.append("true   # rows are appended in tuple blocks; others may write "
                            + (look.format() == RecordFormat.JSON ? "objects" : "lines")
                            + " beside them. Where programs read the topic: --text-records");
                case "nulls" ->
                    out.append(DefinitionYaml.value(value))
                            .append("   # stand for nothing; in quotes among numbers and times alone");
                default -> out.append(DefinitionYaml.value(value));
            }
            out.append('\n');
        });
    }

    private void field(StringBuilder out, ColumnSample column, boolean nullable) {
        boolean isTime = column == time;
        boolean coordinate = position && (column == longitude || column == latitude);
        String pattern = patterns.isEmpty() ? "" : patterns.get(0);
        TimestampUnit unit = isTime ? column.epochUnit() : null;
        boolean byPattern = column.timePatterns().contains(pattern)
                || (pattern.equals(column.compactPattern())
                        && (isTime || ColumnRoles.TIME_NAME.matcher(column.name).matches()));
        FieldType type = unit != null
                ? column.timestamp(unit)
                : byPattern ? TimeForms.type(pattern) : coordinate ? FieldType.DOUBLE : column.type();
        if (type == FieldType.INT && (all == null ? !look.whole : all.wide().contains(column.name))) {
            type = FieldType.LONG;
        }
        boolean json = look.format() == RecordFormat.JSON;
        List<String> doubts = new ArrayList<>();
        FieldType exact = column.digits.exactType(column.notFinite);
        // Of a topic it is not known how many digits will come: what a decimal lacks room for it refuses.
        boolean keepsDigits = type == FieldType.DOUBLE
                && !coordinate
                && look.countsLines
                && column.rounded + column.digits.shortened() > 0
                && exact.isDecimal();
        if (keepsDigits) {
            type = exact;
            doubts.add(column.rounded + column.digits.shortened()
                    + " have more digits than a double, which would round them");
        }
        out.append("  - {name: ")
                .append(DefinitionYaml.value(column.name))
                .append(", type: ")
                .append(DefinitionYaml.value(type.schemaName()));
        if (unit != null) {
            if (unit != type.resolution()) {
                out.append(", unit: ").append(unit.schemaName());
            }
            doubts.add("numbers are taken for " + unit.schemaName() + " since 1970");
        }
        if (!column.unit.isEmpty()) {
            out.append(", unit: ").append(DefinitionYaml.value(column.unit));
            doubts.add("numbers without their " + column.unit + ", which all have");
        }
        out.append(nullable ? ", nullable: true" : "");
        if (!column.pair.isEmpty()) {
            out.append(", from: ")
                    .append(DefinitionYaml.value(
                            column.pair.stream().map(ProposalText::source).toList()));
            doubts.add("a day and a time of day in two columns, such as " + plain(column.firstOfPair())
                    + (column.others.isEmpty() ? "" : "; not its time of day: " + column.others));
        } else if (!column.from.isEmpty()) {
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
        if (type == FieldType.STRING && column.marks > 0 && !column.hasGaps() && meant.isEmpty()) {
            doubts.add(MixedTexts.wordsForNothing(column));
        }
        if (isNumber(column) && !column.quotedValues.text().isEmpty()) {
            doubts.add("in quotes it is a value, and does not stand for nothing: " + column.quotedValues.text());
        }
        if (column.spaced > 0 && !column.isTrimmed()) {
            doubts.add(column.spaced + " have spaces around them, which belong to a text");
        }
        if (column.isMixed()) {
            doubts.add(column.strings + " of " + column.values + " are strings");
        } else if (column.needsTextNumbers() && type != FieldType.STRING) {
            doubts.add("numbers in strings");
        }
        if (column.digits.doubtful() > 0) {
            doubts.add("a guess: is " + column.digits.doubtful() + " times the mark one between thousands?"
                    + (look.style.commas().isEmpty() ? "" : " " + look.style.commas() + "; --decimal , says no"));
        }
        if (column.commasOfThousands() > 0) {
            doubts.add("a guess: " + column.commasOfThousands() + " times the comma is a decimal mark, "
                    + look.style.commas() + "; --thousands , says that it is none");
        }
        // Where all have the point they are decimals, mostly, unless the file speaks for another country.
        if (!json
                && type == FieldType.DOUBLE
                && column.pointsOfThousands() > 0
                && column.digits.shorts() > 0
                && !pointsMayGroup()) {
            doubts.add("a guess: is the point of " + column.pointsOfThousands()
                    + " one between thousands? Then append with --thousands . --decimal ,");
        }
        if (type == FieldType.DOUBLE && column.rounded > 0) {
            doubts.add(column.rounded + " are whole numbers beyond 2^53, which a double rounds; "
                    + DefinitionYaml.value(exact.schemaName()) + " keeps them");
        }
        if (type == FieldType.DOUBLE && !coordinate && column.digits.shortened() > 0) {
            doubts.add(column.digits.shortened() + " have more digits than a double, which rounds them; "
                    + DefinitionYaml.value(exact.schemaName()) + " keeps them");
        }
        if (column.notFinite > 0 && (coordinate || isTime)) {
            doubts.add(column.notFinite + " are no finite numbers: such rows will be rejected");
        }
        if (column.isTime() && !column.iso.names().isEmpty()) {
            doubts.add(column.iso.names());
        }
        if (column.iso.zoneless > 0) {
            long times = column.values - column.marks;
            doubts.add(
                    (column.iso.zoneless < times ? column.iso.zoneless + " of " + times + " times name" : "times name")
                            + " no zone: they are read in the one below");
        }
        if (!byPattern && !column.timePatterns().isEmpty()) {
            doubts.add("times such as " + column.timePatterns().get(0) + "; a stream has one pattern of times");
        }
        if (!column.outliers().isEmpty()) {
            doubts.add(column.outliers() + ": such rows will be rejected");
        }
        MixedTexts.Remark remark = MixedTexts.remark(column);
        if (remark.kind() != MixedTexts.Kind.NOTHING) {
            boolean nothing = remark.wordsAreFew() && !json;
            doubts.add(remark.text() + (nothing ? ": --null takes a word for nothing" : ""));
        }
        boolean unpaired = time.isDay()
                && column != time
                && (column.isTimeOfDay()
                        || TimePairs.unpaired(time, List.of(column)).contains(column));
        if (unpaired) {
            String both = TimePairs.name(time, column, values);
            doubts.add("looks like the time of day of " + time.name + ", which has the day alone: the time of a row is"
                    + " its midnight"
                    + (TimePairs.pair(time, column, both) == null
                            ? ", unless one column has both"
                            : ". --time-field " + both + " takes both"));
        }
        if (column.values == 0 && column.known == null) {
            doubts.add("always empty: type unknown");
        } else if (!isTime && ColumnRoles.TIME_NAME.matcher(column.name).matches()) {
            TimestampUnit counts = column.epochUnit();
            if (counts != null) {
                doubts.add("perhaps a time too: {type: "
                        + column.timestamp(counts).schemaName() + ", unit: " + counts.schemaName() + "}");
            }
        }
        if (!doubts.isEmpty()) {
            out.append("   # ").append(String.join("; ", doubts));
        }
        out.append('\n');
    }

    /** What cannot be told by the rows, and by which option a person says it: sentences without their full stops. */
    List<String> undecided() {
        List<String> open = look.undecided();
        String numbers = values.stream()
                .filter(column -> look.style.undecided() && column.digits.doubtful() > 0 && isNumber(column))
                .map(column -> column.name + ": " + plain(column.digits.doubtfulOnes()))
                .collect(Collectors.joining("; "));
        if (!numbers.isEmpty()) {
            open.add("whether commas are decimal marks or stand between thousands cannot be told (" + numbers
                    + "): say --decimal , or --thousands ,");
        }
        if (pointsMayGroup()) {
            open.add("whether points are decimal marks or stand between thousands cannot be told ("
                    + values.stream()
                            .filter(column -> isNumber(column) && column.pointsOfThousands() > 0)
                            .map(column -> column.name + ": " + plain(column.digits.doubtfulOnes()))
                            .collect(Collectors.joining("; "))
                    + "): days with points and the delimiter ; speak for thousands, decimals as such for the"
                    + " point. Say by --decimal . or --thousands . which they are");
        }
        times.addUndecided(open, time, look);
        for (String word : look.facts.nulls) {
            List<ColumnSample> quoted = values.stream()
                    .filter(column -> isNumber(column) && column.quotedValues.has(word))
                    .toList();
            if (!quoted.isEmpty() && values.stream().noneMatch(column -> column.words.contains(word))) {
                open.add("--null " + word + " would change nothing: in " + quoted.get(0).name + " it stands in quotes,"
                        + " where it is a value, first "
                        + quoted.get(0).quotedValues.text()
                        + "; leave it out to keep it, or take the quotes away");
            }
        }
        if (time.isDay() && look.facts.time == null) {
            TimePairs.unpaired(time, values).stream().limit(1).forEach(clock -> {
                String both = TimePairs.name(time, clock, values);
                open.add(clock.name + " looks like the time of day of " + time.name + ", which has the day alone, and"
                        + " would not be in the time of the rows: "
                        + (TimePairs.pair(time, clock, both) == null
                                ? "say by --times how both are written, such as --times '"
                                        + (patterns.isEmpty() ? DigitTimes.ISO_DAY : patterns.get(0)) + " "
                                        + clock.digitTimes.example(clock.known()) + "', or"
                                : "say by --time-field " + both + " that both are the time, or")
                        + " by --time-field " + time.name + " that it is the day");
            });
        }
        return open;
    }

    /**
     * Whether semicolons and days such as 07.10.2021 speak for points between thousands, and all points may be such.
     */
    private boolean pointsMayGroup() {
        FileFacts facts = look.facts;
        return look.format() == RecordFormat.CSV
                && facts.decimal == null
                && facts.thousands == null
                && longitude == null
                && latitude == null
                && look.style.delimiter() == ';'
                && patterns.stream().anyMatch(pattern -> pattern.matches("dd?\\..*"))
                && values.stream()
                                .filter(column -> column.type() == FieldType.DOUBLE)
                                .mapToLong(ColumnSample::pointsOfThousands)
                                .min()
                                .orElse(0)
                        > 0;
    }

    private static String source(ColumnSample column) {
        return column.from.isEmpty() ? column.name : column.from;
    }

    private static boolean isNumber(ColumnSample column) {
        return column.type().isNumber() || column.type().isDecimal();
    }

    /** Names of files and of members are anybody's: no line of the definition, and nothing for the terminal. */
    private static String plain(String remark) {
        return DefinitionYaml.oneLine(remark, "?");
    }
}
