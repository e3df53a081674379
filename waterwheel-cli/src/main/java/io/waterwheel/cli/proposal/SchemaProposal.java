package io.waterwheel.cli.proposal;

import io.waterwheel.cli.input.FileEncoding;
import io.waterwheel.cli.input.InputLines;
import io.waterwheel.cli.input.InputSource;
import io.waterwheel.cli.input.LinesLeftOut;
import io.waterwheel.cli.input.OtherEncodingException;
import io.waterwheel.cli.losses.Losses;
import io.waterwheel.decode.RecordFacts;
import io.waterwheel.decode.Utf8;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A look at a file or a topic of rows, from which a stream's definition is proposed ({@link ProposalText}). The
 * definition can be created as it is. Where further rows do not fit it, the look takes them in. One thread.
 */
public final class SchemaProposal {
    private final FileLook look;
    private final KafkaColumns kafka;
    private final RegisteredRecords.Known registry;
    /** How many rows were read first, damaged ones too, and the numbers of those behind that were looked at. */
    private final long first;

    private final Set<Long> further = new HashSet<>();
    /** What all rows are, where all were read after the look; null where not. */
    private ProposalCheck.@Nullable Outcome all;

    private SchemaProposal(FileLook look, KafkaColumns kafka, RegisteredRecords.Known registry) {
        this.kafka = kafka;
        this.registry = registry;
        this.first = look.rows + look.damaged;
        this.look = look;
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
     * @param facts what a person says of it, which is not guessed
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
        try {
            SchemaProposal proposal = ofFile(source, file, format, named, encoding, facts);
            return proposal.look instanceof JsonLook json
                    ? JsonRows.of(proposal, json, known -> ofFile(source, file, format, named, encoding, known))
                    : proposal;
        } catch (FileLook.LinesBefore before) {
            return ofFile(source, file, format, named, encoding, facts.behind(before.lines));
        }
    }

    private static SchemaProposal ofFile(
            String source,
            InputSource file,
            RecordFormat format,
            List<String> named,
            @Nullable FileEncoding encoding,
            FileFacts facts)
            throws IOException {
        boolean damaged = false;
        for (FileEncoding guess : encoding != null
                ? List.of(encoding)
                : List.of(FileEncoding.UTF_8, FileEncoding.WINDOWS_1252, FileEncoding.LATIN_1)) {
            FileLook look = look(source, file, format, named, facts);
            try (InputStream in = file.open()) {
                FileEncoding taken = guess == FileEncoding.UTF_8 ? encoding : guess;
                if (encoding == null && guess != FileEncoding.UTF_8) {
                    look.foreign = file.naming(() -> FileLook.foreign(file));
                    look.otherwise = file.naming(() -> FileLook.fitting(file));
                }
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
                if (guess == FileEncoding.UTF_8 && format == RecordFormat.JSON) {
                    String overlong = file.naming(() -> FileLook.overlong(file));
                    if (!overlong.isEmpty()) {
                        throw FileLook.bad(source + ": " + overlong);
                    }
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
        if (format == RecordFormat.CSV && facts.rows != null) {
            throw FileLook.bad("--rows is for JSON, and " + source + " is CSV");
        }
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
     * @param registry whose schemas they were written by, where they are shown as JSON
     */
    public static SchemaProposal ofRecords(
            InputSource records,
            RecordFormat format,
            List<String> named,
            FileFacts facts,
            KafkaColumns kafka,
            RegisteredRecords.Known registry)
            throws IOException {
        facts.check();
        if (facts.givenOfLines() != null) {
            throw FileLook.bad(facts.givenOfLines() + " is about the lines of files: each record of a topic is a row");
        }
        if (facts.rows != null) {
            throw FileLook.bad(
                    "--rows goes with a file: of a topic write from: $.readings[*].MEMBER into the proposal");
        }
        if (facts.textRecords) {
            throw FileLook.bad("--text-records goes with a file: rows go to a topic that is there as text anyhow");
        }
        FileLook look = format == RecordFormat.JSON
                ? new JsonLook(records.name(), Long.MAX_VALUE, facts, registry.types())
                : new CsvLook(records.name(), Long.MAX_VALUE, named, false, facts);
        look.again = "FILE";
        look.countsLines = false;
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
        return new SchemaProposal(look, KafkaColumns.NONE, RegisteredRecords.Known.NOTHING);
    }

    /** What was looked at. */
    FileLook look() {
        return look;
    }

    /** Whether its rows have lines, as those of a file do. */
    boolean countsLines() {
        return look.countsLines;
    }

    /** Whether all rows of the file were looked at. */
    public boolean isOfAll() {
        return look.whole;
    }

    /**
     * Looks at further rows of the file, which the definition so far does not fit; at each once.
     *
     * @param rows by their number among the rows of all files, from 1
     * @return whether there was one that was not looked at
     */
    public boolean lookAt(Map<Long, ProposalCheck.Example> rows) throws IOException {
        all = null;
        boolean learns = false;
        for (Map.Entry<Long, ProposalCheck.Example> row : rows.entrySet()) {
            if (canLookAt(row.getKey(), row.getValue().line)) {
                further.add(row.getKey());
                long before = look.tuples();
                look.add(row.getValue().line, row.getValue().place);
                look.ofOthers += row.getValue().place.file().isEmpty() ? 0 : look.tuples() - before;
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

    /** Finds what fields would not keep of rows that were not looked at. */
    Losses losses(Schema schema) {
        return new Losses(schema, look.known());
    }

    /** Whether a row was not among those that were looked at first. */
    boolean isBehind(long number) {
        return number > first;
    }

    /** Whether a row can teach something: it was not looked at yet, and is neither damaged nor a line of units. */
    boolean canLookAt(long number, byte[] row) {
        return number > first
                && !further.contains(number)
                && Utf8.valid(row, 0, row.length)
                && !(look instanceof CsvLook csv && csv.isOfUnits(row));
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

    /** Whether the file itself shows that lines which begin with a sign are no rows, as it seems. */
    boolean guessesComments() {
        return look instanceof CsvLook csv && csv.commented() != null;
    }

    /** Which lines of the file are no rows. */
    LinesLeftOut leftOut() {
        int before = look.facts.skipLines == null ? 0 : look.facts.skipLines;
        return look instanceof CsvLook csv
                ? new LinesLeftOut(
                        before,
                        csv.comment(),
                        look.facts.skipLast,
                        csv.appendColumns().isEmpty())
                : LinesLeftOut.NONE;
    }

    /** What the columns of a CSV file are called, where no line of it says so; else empty. */
    public List<String> appendColumns() {
        return look instanceof CsvLook csv ? csv.appendColumns() : List.of();
    }

    /** Why rows are rejected whose gaps no field can hold; empty: there are none. */
    public String gaps() {
        return new ProposalText(look, kafka, registry, all).gaps();
    }

    /** What the rows do not tell, and by which option a person says it: sentences without their full stops. */
    public List<String> undecided() {
        return new ProposalText(look, kafka, registry, all).undecided();
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
        return new ProposalText(look, kafka, registry, all).yaml(stream, hints);
    }
}
