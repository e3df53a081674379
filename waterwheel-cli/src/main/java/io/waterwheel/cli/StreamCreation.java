package io.waterwheel.cli;

import io.waterwheel.cli.input.AppendProgress;
import io.waterwheel.cli.input.FileEncoding;
import io.waterwheel.cli.input.InputLines;
import io.waterwheel.cli.input.InputSource;
import io.waterwheel.cli.input.Letters;
import io.waterwheel.cli.output.DropPage;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.cli.proposal.FileFacts;
import io.waterwheel.cli.proposal.ProposalCheck;
import io.waterwheel.cli.proposal.SchemaProposal;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.client.admin.TopicSample;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Creates the stream of an {@code append --create}: proposes it from the files, shows it, asks. One thread. */
final class StreamCreation {
    /** After each, rows that did not fit have been looked at too. */
    private static final int ROUNDS = 4;
    /** For what is good to know of a stream that is there already; its command may be where Kafka cannot be reached. */
    private static final Duration SINCE_PATIENCE = Duration.ofSeconds(3);

    private final Terminal terminal;
    private final List<InputSource> files;
    private final SchemaProposal proposal;
    private final StreamDefinition definition;
    private final String rejects;

    private StreamCreation(
            Terminal terminal,
            List<InputSource> files,
            SchemaProposal proposal,
            StreamDefinition definition,
            String rejects) {
        this.terminal = terminal;
        this.files = files;
        this.proposal = proposal;
        this.definition = definition;
        this.rejects = rejects;
    }

    /** The name of a stream that is made of a file or folder of this name: what no name may have becomes a hyphen. */
    static String nameFrom(String file) {
        return nameOf(base(file));
    }

    /** Whether the name of a file has a letter or digit that a stream's name may have. */
    static boolean canName(String file) {
        return Letters.latin(base(file)).matches("(?s).*[A-Za-z0-9].*");
    }

    private static String base(String file) {
        Path path = Path.of(file).toAbsolutePath().normalize().getFileName();
        String base = String.valueOf(path == null ? file : path).replaceFirst("\\.(gz|zst)$", "");
        return base.replaceFirst("(?<=.)\\.[A-Za-z]{1,6}$", "");
    }

    /** The name of a stream that is called like something. */
    static String nameOf(String base) {
        String name = Letters.latin(base).replaceAll("[^A-Za-z0-9._-]+", "-").replaceFirst("^[^A-Za-z0-9]+", "");
        return name.isEmpty() ? "stream" : name.substring(0, Math.min(name.length(), 100));
    }

    /** What the lines of a file are: as its name says, or as its first character does. */
    static RecordFormat formatOf(InputSource file, @Nullable FileEncoding encoding) throws IOException {
        if (file.isJson()) {
            return RecordFormat.JSON;
        }
        return !file.isCsv() && SchemaProposal.looksLikeJson(file, encoding) ? RecordFormat.JSON : RecordFormat.CSV;
    }

    /**
     * What is proposed for a file, as YAML.
     *
     * @param columns of CSV; empty: a first line names them, or nothing does
     * @param name of the stream; null: as the file is called
     * @param facts what is not guessed
     */
    static String yaml(
            Terminal terminal,
            Path file,
            List<String> columns,
            @Nullable String name,
            @Nullable FileEncoding encoding,
            FileFacts facts)
            throws IOException {
        // A pipe can be looked at once, and its begin only.
        boolean pipe = Files.exists(file) && !Files.isRegularFile(file) && !Files.isDirectory(file);
        InputSource source =
                pipe ? InputSource.named(file.toString(), terminal.in()).get(0) : InputSource.of(file);
        Path called = file.getFileName();
        RecordFormat format = formatOf(source, encoding);
        return checked(
                        terminal,
                        List.of(source),
                        known -> SchemaProposal.of(
                                String.valueOf(called == null ? file : called),
                                source,
                                format,
                                columns,
                                encoding,
                                known),
                        facts,
                        name != null ? name : nameFrom(file.toString()),
                        SchemaProposal.Hints.FILE)
                .yaml();
    }

    /**
     * Looks at files and shows what is proposed.
     *
     * @param format null: as the first file's name or content says
     * @param columns of CSV; empty: a first line names them, or nothing does
     * @param facts what is not guessed
     */
    static StreamCreation propose(
            Terminal terminal,
            List<InputSource> files,
            String stream,
            @Nullable RecordFormat format,
            List<String> columns,
            @Nullable FileEncoding encoding,
            FileFacts facts)
            throws IOException {
        InputSource first = files.get(0);
        RecordFormat lines = format != null ? format : formatOf(first, encoding);
        if (format == null) {
            requireOneForm(files, lines, encoding);
        }
        Checked checked = checked(
                terminal,
                files,
                known -> {
                    SchemaProposal proposal = SchemaProposal.of(first.name(), first, lines, columns, encoding, known);
                    if (encoding == null) {
                        proposal.requireEncoding(files.subList(1, files.size()));
                    }
                    return proposal;
                },
                facts,
                stream,
                SchemaProposal.Hints.NONE);
        terminal.out().print(checked.yaml());
        terminal.out().flush();
        return new StreamCreation(
                terminal,
                files,
                checked.proposal(),
                SchemaFile.read("the proposal", checked.yaml()),
                checked.rejects());
    }

    /** Refuses a folder in which a file is of another form than the first one. */
    private static void requireOneForm(List<InputSource> files, RecordFormat first, @Nullable FileEncoding encoding)
            throws IOException {
        for (InputSource other : files.subList(1, files.size())) {
            RecordFormat form = formatOf(other, encoding);
            if (form != first && hasLine(other, encoding)) {
                throw new WaterwheelException(
                        ErrorCode.BAD_FILE,
                        other.name() + " is " + form + ", and " + files.get(0).name() + " is " + first
                                + ": a stream is made of files of one form. Put them into folders of their own, for a"
                                + " stream each");
            }
        }
    }

    /** An empty file, as programs that write in parts leave them, is of any form. */
    private static boolean hasLine(InputSource file, @Nullable FileEncoding encoding) throws IOException {
        return file.naming(() -> {
            try (InputStream in = file.open();
                    InputLines lines = new InputLines(in, false, encoding)) {
                return lines.next() != null;
            }
        });
    }

    /** Looks at the first file. */
    private interface Look {
        /** @param facts what is not guessed */
        SchemaProposal at(FileFacts facts) throws IOException;
    }

    /**
     * A definition, and what it was made of.
     *
     * @param rejects a sentence where most rows do not fit it; empty elsewhere
     */
    private record Checked(String yaml, SchemaProposal proposal, String rejects) {}

    /** The definition, made to fit all rows that can be read, with a last line that says how many do not fit. */
    private static Checked checked(
            Terminal terminal,
            List<InputSource> files,
            Look look,
            FileFacts facts,
            String stream,
            SchemaProposal.Hints hints)
            throws IOException {
        SchemaProposal proposal = look.at(facts);
        // What was not looked at may be otherwise, and can be looked at only where it can be read again.
        boolean checks = files.get(0).size() >= 0 || proposal.isOfAll();
        long size = 0;
        for (InputSource file : files) {
            size += file.size();
        }
        String yaml = proposal.yaml(stream, hints);
        ProposalCheck.@Nullable Outcome checked = null;
        for (int round = 0; checks && round < ROUNDS; round++) {
            AppendProgress progress = new AppendProgress(terminal, "rows looked at", () -> 0, size);
            ProposalCheck.Outcome outcome = ProposalCheck.of(files, proposal, schema(yaml), progress);
            checked = outcome;
            FileFacts told = round == 0 ? proposal.told(outcome) : null;
            if (told != null) {
                proposal = look.at(told);
                yaml = proposal.yaml(stream, hints);
                continue;
            }
            boolean learns = (outcome.misfits() > 0 || !outcome.lost().isEmpty())
                    && (!proposal.isOfAll() || files.size() > 1)
                    && round < ROUNDS - 1
                    && proposal.lookAt(outcome.examples());
            if (learns) {
                yaml = proposal.yaml(stream, hints);
                continue;
            }
            proposal.knows(outcome);
            String known = proposal.yaml(stream, hints);
            Schema corrected = schema(known);
            if (outcome.misfits() > 0 && !corrected.equals(schema(yaml))) {
                // What was rejected may be taken now.
                checked = ProposalCheck.of(files, proposal, corrected, progress);
            }
            yaml = known;
            break;
        }
        return checked == null
                ? new Checked(
                        yaml + "# Rows behind those are not looked at yet: what is no tuple will be rejected, and"
                                + " zeros before numbers, further digits and new members will be lost.\n",
                        proposal,
                        "")
                : new Checked(yaml + said(checked), proposal, rejects(checked, proposal.gaps()));
    }

    private static Schema schema(String yaml) {
        return SchemaFile.read("the proposal", yaml).schema();
    }

    private static String said(ProposalCheck.Outcome outcome) {
        String rows = String.format(Locale.ROOT, "%,d", outcome.rows());
        boolean one = outcome.tuples() == 1;
        String most = outcome.all() ? "All " : "The first ";
        String read = one && outcome.rows() == 1 ? "The one row" : most + rows + " rows";
        String lost = (outcome.lost().isEmpty() ? "" : "# Not all is kept, the first: " + outcome.lost() + ".\n")
                + without(outcome.without());
        if (outcome.misfits() == 0) {
            String within = outcome.tuples() == outcome.rows()
                    ? read
                    : String.format(
                            Locale.ROOT,
                            "%s in %,d %s",
                            one ? "The one row" : String.format(Locale.ROOT, "%s%,d rows", most, outcome.tuples()),
                            outcome.rows(),
                            outcome.rows() == 1 ? "record" : "records");
            return "# " + within + (one ? " is a tuple of it.\n" : " are tuples of it.\n") + lost;
        }
        return lost
                + String.format(
                        Locale.ROOT,
                        "# %s were read: %,d are no tuples of it and will be rejected, the first: %s%n",
                        read,
                        outcome.misfits(),
                        outcome.first() + total(outcome));
    }

    /** What becomes of records whose array is empty, where elements are rows; empty where there are none. */
    private static String without(long records) {
        return records == 0
                ? ""
                : String.format(
                        Locale.ROOT,
                        records == 1
                                ? "# %,d record has no elements and becomes no row.\n"
                                : "# %,d records have no elements and become no row.\n",
                        records);
    }

    /** What to do about totals at the end; empty where there are none, as it seems. */
    private static String total(ProposalCheck.Outcome outcome) {
        int atEnd = outcome.atEnd();
        return !outcome.all() || atEnd == 0
                ? ""
                : ". " + (atEnd == 1 ? "The last row is" : "The last " + atEnd + " rows are")
                        + " among them: --skip-last " + atEnd + " leaves out totals";
    }

    private static String rejects(ProposalCheck.Outcome outcome, String gaps) {
        return outcome.misfits() <= outcome.rows() - outcome.misfits()
                ? ""
                : String.format(
                        Locale.ROOT,
                        "most rows do not fit the proposal: %,d of %,d would be rejected, the first: %s%s",
                        outcome.misfits(),
                        outcome.rows(),
                        outcome.first(),
                        gaps.isEmpty() ? "" : ". " + gaps);
    }

    /** What the rows do not tell, and by which option a person says it: sentences without their full stops. */
    List<String> undecided() {
        return proposal.undecided();
    }

    /** A sentence where most rows would be rejected; empty elsewhere. */
    String rejects() {
        return rejects;
    }

    /**
     * Whether the person at the terminal says yes: by y or yes, or by an empty line where nothing speaks against it.
     *
     * @param doubts sentences about what the person may not want
     */
    boolean confirmed(InputStream answers, List<String> doubts) throws IOException {
        terminal.err()
                .print(doubts.stream().map(doubt -> doubt + ".\n").collect(Collectors.joining()) + "Create stream "
                        + definition.name()
                        + " like this and append " + (files.size() == 1 ? "the file" : files.size() + " files")
                        + (doubts.isEmpty() ? "? [Y/n] " : "? [y/N] "));
        terminal.err().flush();
        String answer = new BufferedReader(new InputStreamReader(answers, StandardCharsets.UTF_8)).readLine();
        String word = answer == null ? "n" : answer.strip().toLowerCase(Locale.ROOT);
        if ((word.isEmpty() && doubts.isEmpty()) || word.equals("y") || word.equals("yes")) {
            return true;
        }
        terminal.err()
                .println("nothing was created. 'waterwheel stream create --like' writes the proposal for a file of"
                        + " your own to edit");
        return false;
    }

    /** Creates it. */
    void create(WaterwheelClient client) {
        terminal.err().println(created(client.createStream(definition)));
    }

    /**
     * A line about the records that a new stream's topic had already; empty when it had none, or that cannot be told.
     */
    static String alreadyThere(WaterwheelClient client, StreamDetails stream) {
        String topic = stream.definition().topic();
        long offsets;
        try {
            offsets = DropPage.offsets(client.offsets(stream.definition().name()));
        } catch (WaterwheelException e) {
            // The stream is there all the same.
            return "whether topic " + topic + " has records already is not known: " + e.getMessage();
        }
        if (offsets == 0) {
            return "";
        }
        String size = TopicSample.atMost(offsets);
        String since = "";
        try {
            TopicSample sample = client.sample(topic, 1, SINCE_PATIENCE);
            if (sample.records() == 0) {
                return ""; // there were some, and Kafka has deleted them, or they are of transactions that were aborted
            }
            size = sample.size();
            since = since(sample);
        } catch (WaterwheelException e) {
            since = ", since when cannot be read from here (" + e.code() + ")";
        }
        return "topic " + topic + " has " + size + " already" + since
                + ": they become rows of the stream, or dead letters where they do not fit";
    }

    /** Since when a topic has records, as far as they say it. */
    static String since(TopicSample sample) {
        return sample.times().stream()
                .min(Comparator.naturalOrder())
                .map(first -> ", since " + first.truncatedTo(ChronoUnit.SECONDS))
                .orElse("");
    }

    /** The line that says so. */
    static String created(StreamDetails stream) {
        StreamDefinition created = stream.definition();
        return "created stream " + created.name() + ", fed by topic " + created.topic() + " of " + created.partitions()
                + " partitions" + (stream.topic().shared() ? ", which other streams read too" : "")
                + (stream.topic().begins().isEmpty() ? "" : "; " + DropPage.begins(stream));
    }

    RecordFormat format() {
        return proposal.format();
    }

    List<String> columns() {
        return proposal.appendColumns();
    }

    FileEncoding encoding() {
        return proposal.encoding();
    }
}
