package io.waterwheel.cli;

import io.waterwheel.cli.dimensions.DimensionRows;
import io.waterwheel.cli.dimensions.RescalingPage;
import io.waterwheel.cli.input.FileEncoding;
import io.waterwheel.cli.input.InputSource;
import io.waterwheel.cli.output.DropPage;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.cli.proposal.FileFacts;
import io.waterwheel.cli.text.Counted;
import io.waterwheel.cli.text.DefinitionYaml;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.AskedQuestions;
import io.waterwheel.client.admin.Rescaling;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.key.sample.CellUse;
import io.waterwheel.key.sample.ScheduleAdvisor;
import io.waterwheel.schema.BadRecords;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.LogLoss;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.schema.StreamPolicy;
import io.waterwheel.schema.StreamPolicy.IndexedRecords;
import io.waterwheel.schema.text.WriterTypes;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code waterwheel stream ...}: makes, shows and removes streams. */
@Command(
        name = "stream",
        description = "Create, list, describe, change and drop streams.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Example:", "  waterwheel stream create flights.yaml"})
final class StreamCommand {
    private final Terminal terminal;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    StreamCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Command(
            name = "create",
            description = {
                "Create a stream from a schema file, and its Kafka topic when there is none.",
                "With --like, propose a schema file from the first rows of a file of CSV or JSON lines instead, and create nothing: types,"
                        + " key and time are guessed, and doubts are said behind #.",
                "With both, create the stream, and learn from the rows what the dimensions of its key leave open:"
                        + " which values begin a cell, and how many bits they take."
            },
            footer = {
                "",
                "The file, in YAML:",
                "  name: flights",
                "  topic: flights        # the stream's name when left out",
                "  format: csv           # csv, json, avro, protobuf or block",
                "  partitions: 4         # 4 when left out",
                "  dead-letters: skip    # or halt, or halt above N per million",
                "  log-loss: fail        # or skip to earliest",
                "  indexed-records: delete   # or keep",
                "  fields:",
                "    - {name: time_ms, type: timestamp}",
                "    - {name: longitude, type: double}",
                "    - {name: latitude, type: double}",
                "    - {name: altitude_ft, type: double, nullable: true}",
                "  key: {longitude: longitude, latitude: latitude, box: [-180, -90, 180, 90]}   # or {field: NAME},",
                "                        # or {dimensions: [NAME, {field: NAME, bits: 6, range: [LO, HI]}]}",
                "  time: time_ms",
                "  records: {delimiter: ';', decimal: ',', nulls: [NA], zone: Europe/Berlin}   # where the text is not as",
                "                        # usual; docs/schema.md has all members",
                "",
                "Examples:",
                "  waterwheel stream create flights.yaml",
                "  waterwheel stream create --like flights.csv.gz > flights.yaml",
                "  waterwheel stream create --like-topic shop.payments > payments.yaml",
                "  waterwheel stream create weather.yaml --like weather.csv"
            })
    int create(
            @Mixin ServerOption server,
            @Parameters(paramLabel = "FILE.yaml", arity = "0..1", description = "The stream's definition.") @Nullable
                    Path file,
            @Option(
                            names = "--like",
                            paramLabel = "FILE",
                            description = "A file of CSV, or of one JSON object a line, perhaps compressed by gzip or"
                                    + " Zstandard.")
                    @Nullable
                    Path like,
            @Option(
                            names = "--columns",
                            paramLabel = "FIELD",
                            split = ",",
                            description =
                                    "With --like: what its columns are called, when no first line says it; - for one"
                                            + " to leave out. With --like-topic: what the values of a CSV record are called.")
                    @Nullable
                    List<String> columns,
            @Option(
                            names = "--name",
                            paramLabel = "NAME",
                            description = "With --like: the stream's name. Default: the file's.")
                    @Nullable
                    String name,
            @Option(
                            names = "--encoding",
                            paramLabel = "NAME",
                            converter = AppendCommand.EncodingName.class,
                            description =
                                    "With --like: how the file's text is encoded, as of append. Default: utf-8, or"
                                            + " what its first bytes say, or windows-1252 where it is no UTF-8.")
                    @Nullable
                    FileEncoding encoding,
            @Option(
                            names = "--like-topic",
                            paramLabel = "TOPIC",
                            description =
                                    "A topic that is there: propose a schema file from some of its records, CSV, JSON, or"
                                            + " Avro or Protocol Buffers of a schema registry, and create nothing.")
                    @Nullable
                    String topic,
            @Option(
                            names = "--registry",
                            paramLabel = "URL",
                            description = "With --like-topic: the schema registry of the topic's producers, such as"
                                    + " http://registry:8081. Default: the environment's WATERWHEEL_REGISTRY."
                                    + " WATERWHEEL_REGISTRY_AUTH says where its password is: env:VARIABLE or"
                                    + " file:/PATH.")
                    @Nullable
                    String registry,
            @Mixin FileFacts facts)
            throws IOException {
        if (topic != null) {
            if (file != null || like != null || encoding != null) {
                throw wrong("create", "--like-topic goes with neither FILE.yaml, --like nor --encoding");
            }
            String variable = System.getenv(TopicProposal.REGISTRY_VARIABLE);
            String asked = registry != null ? registry : variable == null ? "" : variable;
            try {
                // Before anything is sent there.
                WriterTypes unused = new WriterTypes("", asked);
            } catch (IllegalArgumentException e) {
                throw wrong(
                        "create", (registry != null ? "--" : TopicProposal.REGISTRY_VARIABLE + ": ") + e.getMessage());
            }
            try (WaterwheelClient client = server.connect()) {
                terminal.out()
                        .print(TopicProposal.yaml(
                                terminal,
                                client,
                                topic,
                                name != null ? name : StreamCreation.nameOf(topic),
                                columns == null ? List.of() : columns,
                                asked.isEmpty() ? null : asked,
                                facts));
                return 0;
            }
        }
        if (registry != null) {
            throw wrong("create", "--registry goes with --like-topic; FILE.yaml says it by records: {registry: URL}");
        }
        if (like != null) {
            if (file == null) {
                terminal.out()
                        .print(StreamCreation.yaml(
                                terminal, like, columns == null ? List.of() : columns, name, encoding, facts));
                return 0;
            }
            if (name != null || facts.given() != null) {
                throw wrong(
                        "create",
                        (name != null ? "--name" : facts.given())
                                + " goes with --like alone; FILE.yaml says it itself");
            }
            return create(server, completed(file, like, columns == null ? List.of() : columns, encoding));
        }
        if (file == null) {
            throw wrong("create", "Missing required parameter: 'FILE.yaml'; or --like FILE to propose one");
        }
        if (name != null || columns != null || encoding != null || facts.given() != null) {
            throw wrong(
                    "create",
                    (name != null
                                    ? "--name"
                                    : columns != null ? "--columns" : encoding != null ? "--encoding" : facts.given())
                            + " goes with --like; FILE.yaml says it itself");
        }
        return create(server, SchemaFile.read(file));
    }

    /** The definition of a file, with what it leaves open told by the rows of another. */
    private StreamDefinition completed(Path file, Path like, List<String> columns, @Nullable FileEncoding encoding)
            throws IOException {
        StreamDefinition draft = SchemaFile.readDraft(file);
        if (draft.schema().key().missing(draft.schema().byName()) == null) {
            throw wrong(
                    "create",
                    file + " leaves nothing open that rows could tell: leave out --like, or the range and cuts of a"
                            + " dimension of its key");
        }
        RecordFormat format = StreamCreation.formatOf(InputSource.of(like), encoding);
        return reading(like, in -> {
            StreamDefinition definition = draft.withSchema(DimensionRows.complete(
                    draft.schema(), String.valueOf(like.getFileName()), in, format, columns, encoding));
            StringBuilder key = new StringBuilder();
            DefinitionYaml.key(key, definition.schema().key().members());
            terminal.err().print("learned from " + like.getFileName() + ":\n" + key);
            return definition;
        });
    }

    private int create(ServerOption server, StreamDefinition definition) {
        try (WaterwheelClient client = server.connect()) {
            StreamDetails made = client.createStream(definition);
            terminal.err().println(StreamCreation.created(made));
            String had = StreamCreation.alreadyThere(client, made);
            if (!had.isEmpty()) {
                terminal.err().println(had);
            }
            return 0;
        }
    }

    private interface Reading<T> {
        T of(InputStream in) throws IOException;
    }

    private static <T> T reading(Path file, Reading<T> reading) throws IOException {
        if (Files.isDirectory(file)) {
            throw new IOException(file + " is a folder; name a file");
        }
        try (InputStream in = Files.newInputStream(file)) {
            return reading.of(in);
        } catch (FileSystemException e) {
            throw e; // names the file
        } catch (IOException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    @Command(
            name = "list",
            description = "List all streams: name, format, partitions and topic, with tabs between.",
            footer = {"", "Example:", "  waterwheel stream list"})
    int list(@Mixin ServerOption server) {
        try (WaterwheelClient client = server.connect()) {
            List<String> unreadable = new ArrayList<>();
            List<StreamDetails> streams = client.listStreams(unreadable::add);
            for (StreamDetails stream : streams) {
                StreamDefinition definition = stream.definition();
                terminal.out()
                        .println(String.join(
                                "\t",
                                definition.name(),
                                SchemaFile.formatName(definition.format()),
                                Integer.toString(definition.partitions()),
                                definition.topic()));
            }
            for (String name : unreadable) {
                terminal.err()
                        .println("stream " + name + " is there too, but its entry in the catalog cannot be read:"
                                + " 'waterwheel stream describe " + name + "' says why");
            }
            if (streams.isEmpty() && unreadable.isEmpty()) {
                terminal.err().println("there are no streams");
            }
            return 0;
        }
    }

    @Command(
            name = "describe",
            description = "Show a stream's definition, as a schema file has it, and the size of its chunks.",
            footer = {"", "Example:", "  waterwheel stream describe flights"})
    int describe(
            @Mixin ServerOption server,
            @Parameters(paramLabel = "NAME", description = "The stream's name.") String name) {
        try (WaterwheelClient client = server.connect()) {
            print(client.describe(name), terminal.out());
            return 0;
        }
    }

    /** YAML: what is printed, but for the comments, can be given to create. */
    private static void print(StreamDetails stream, PrintStream out) {
        printComments(stream, out);
        out.print(DefinitionYaml.of(stream.newest()));
    }

    /** The same beside a list of the fields. */
    static void printWithoutFields(StreamDetails stream, PrintStream out) {
        printComments(stream, out);
        out.print(DefinitionYaml.withoutFields(stream.newest()));
    }

    private static void printComments(StreamDetails stream, PrintStream out) {
        out.println("# stream " + stream.id() + ", Kafka at " + stream.topic().bootstrapServers());
        stream.chunks()
                .ifPresent(chunks -> out.println("# " + Counted.of(chunks.count(), "chunk") + " of "
                        + Counted.of(chunks.tuples(), "tuple") + " in " + Counted.of(chunks.bytes(), "byte")));
        stream.division()
                .ifPresent(division -> out.println("# divided between " + division.indexers()
                        + " indexers, by routing version " + division.routingVersion()));
        if (!stream.topic().begins().isEmpty()) {
            out.println("# " + DropPage.begins(stream));
        }
        if (!stream.topic().recordsStay().isEmpty()) {
            out.println("# " + DropPage.recordsStay(stream));
        }
        if (stream.scales() > 1) {
            out.println("# with version " + stream.scales() + " of the scales of its dimensions");
        }
    }

    @Command(
            name = "advise",
            description = {
                "Propose in which order the bits of a key's dimensions should follow each other, from the questions that"
                        + " the server was asked last, and say what share of the leaves they read, and would read.",
                "Of questions the server keeps which dimensions they bounded and how narrowly, no values, until it ends."
            },
            footer = {"", "Example:", "  waterwheel stream advise approaches"})
    int advise(
            @Mixin ServerOption server,
            @Parameters(paramLabel = "NAME", description = "The stream's name.") String name) {
        try (WaterwheelClient client = server.connect()) {
            Schema schema = client.describe(name).newest().schema();
            KeySpec.Dimensions key = schema.key().dimensional();
            if (key == null) {
                throw new WaterwheelException(
                        ErrorCode.BAD_REQUEST,
                        "stream " + name + " has no key of dimensions, whose bits could be ordered");
            }
            AskedQuestions asked = client.questions(name, ScheduleAdvisor.KEYS);
            if (asked.shapes().length == 0) {
                terminal.err()
                        .println("no question that bounds a dimension was asked since the server started: ask some as"
                                + " usual, then again");
                return 1;
            }
            if (asked.keys().length == 0) {
                terminal.err()
                        .println("stream " + name + " has no chunks to take keys from: 'waterwheel flush " + name
                                + "' writes some");
                return 1;
            }
            terminal.out()
                    .print(AdvicePage.of(
                            name,
                            key.dimensions().stream().map(Dimension::field).toList(),
                            ScheduleAdvisor.advise(schema, asked.shapes(), asked.keys()),
                            asked));
            return 0;
        }
    }

    @Command(
            name = "rescale",
            description = {
                "Divide the dimensions of a key into cells anew, for the rows that come from now on, and say how many"
                        + " cells rows make use of, before and after. What is there stays as it is.",
                "Learns from the newest rows of the stream, or with --like from a file. A dimension with a range keeps"
                        + " it unless its rows crowd into few cells and cuts would make use of more. On a terminal it"
                        + " asks before it changes anything."
            },
            footer = {
                "",
                "Examples:",
                "  waterwheel stream rescale approaches --dry-run",
                "  waterwheel stream rescale approaches --like winter.csv.gz --yes"
            })
    int rescale(
            @Mixin ServerOption server,
            @Parameters(paramLabel = "NAME", description = "The stream's name.") String name,
            @Option(
                            names = "--like",
                            paramLabel = "FILE",
                            description = "A file of CSV, or of one JSON object a line, perhaps compressed by gzip or"
                                    + " Zstandard: learn from its rows, not from those of the stream.")
                    @Nullable
                    Path like,
            @Option(names = "--dry-run", description = "Change nothing.") boolean dryRun,
            @Option(names = "--yes", description = "Do not ask.") boolean yes)
            throws IOException {
        if (!dryRun && !yes && !terminal.asks()) {
            throw wrong(
                    "rescale",
                    "it asks on a terminal whether to go on, and here is none: look at what --dry-run says, then say"
                            + " --yes");
        }
        try (WaterwheelClient client = server.connect()) {
            List<Dimension> given = like == null
                    ? List.of()
                    : reading(
                            like,
                            in -> RescalingPage.learned(
                                    name,
                                    client.describe(name).newest().schema(),
                                    like,
                                    in,
                                    StreamCreation.formatOf(InputSource.of(like), null)));
            Rescaling proposed = client.rescale(name, given, 0, true);
            terminal.out().print(page(name, proposed));
            if (dryRun) {
                return 0;
            }
            if (!yes && !RescalingPage.confirmed(terminal, name)) {
                return 1;
            }
            // What was shown, unless the scales were changed meanwhile.
            Rescaling done = client.rescale(name, proposed.dimensions(), proposed.scales() - 1, false);
            terminal.err()
                    .println("stream " + name + ": version " + done.scales()
                            + " of the scales is in force for later rows, by routing version "
                            + done.routingVersion());
            return 0;
        }
    }

    private static String page(String name, Rescaling proposed) {
        List<CellUse> before = new ArrayList<>();
        List<CellUse> after = new ArrayList<>();
        for (int d = 0; d < proposed.gains().size(); d++) {
            String field = proposed.dimensions().get(d).field();
            Rescaling.Gain gain = proposed.gains().get(d);
            before.add(new CellUse(field, gain.cellsBefore(), gain.before()));
            after.add(new CellUse(field, gain.cellsAfter(), gain.after()));
        }
        return RescalingPage.of(name, proposed.scales(), proposed.rows(), before, after, proposed.dimensions());
    }

    @Command(
            name = "set",
            description = {
                "Change what a stream does about trouble with its topic:",
                "  dead-letters=skip | halt | \"halt above N per million\"",
                "  log-loss=fail | \"skip to earliest\"",
                "  indexed-records=delete | keep   (records whose rows are in chunks, where the topic was made for it)",
                "A partition that stands still because of the old policy goes on within seconds.",
                "Or divide its keys anew, while it runs:",
                "  indexers=N        evenly between N; more than indexer.tasks are of no use"
            },
            footer = {
                "",
                "Examples:",
                "  waterwheel stream set flights dead-letters=skip",
                "  waterwheel stream set flights indexers=4"
            })
    int set(
            @Mixin ServerOption server,
            @Parameters(index = "0", paramLabel = "NAME", description = "The stream's name.") String name,
            @Parameters(index = "1..*", arity = "1..*", paramLabel = "WHAT=HOW", description = "What to change.")
                    Map<String, String> changes) {
        BadRecords badRecords = null;
        LogLoss logLoss = null;
        IndexedRecords indexedRecords = null;
        Integer indexers = null;
        for (Map.Entry<String, String> change : changes.entrySet()) {
            switch (change.getKey()) {
                case "dead-letters" -> badRecords = usage(() -> BadRecords.parse(change.getValue()));
                case "log-loss" -> logLoss = usage(() -> LogLoss.parse(change.getValue()));
                case "indexed-records" -> indexedRecords = usage(() -> IndexedRecords.parse(change.getValue()));
                case "indexers" -> indexers = usage(() -> positive(change.getValue()));
                case "retention", "balancing" ->
                    throw wrong(
                            "set",
                            change.getKey().equals("retention")
                                    ? "retention is set by 'waterwheel retention set " + name + " " + change.getValue()
                                            + "'"
                                    : "balancing is set by 'waterwheel key-ranges auto " + name + "', with --off or"
                                            + " without");
                default ->
                    throw wrong(
                            "set",
                            "'" + change.getKey()
                                    + "' cannot be set; expected dead-letters, log-loss, indexed-records or indexers");
            }
        }
        try (WaterwheelClient client = server.connect()) {
            if (badRecords != null || logLoss != null) {
                StreamPolicy policy = client.alter(name, badRecords, logLoss, null)
                        .definition()
                        .policy();
                terminal.err()
                        .println("stream " + name + ": dead-letters=" + policy.badRecords() + ", log-loss="
                                + policy.logLoss());
            }
            if (indexedRecords != null) {
                StreamPolicy policy = client.setIndexedRecords(name, indexedRecords)
                        .definition()
                        .policy();
                terminal.err().println("stream " + name + ": indexed-records=" + policy.indexedRecords());
            }
            if (indexers != null) {
                StreamDetails.Division changed =
                        client.setIndexers(name, indexers).division().orElse(new StreamDetails.Division(indexers, 0));
                terminal.err()
                        .println("stream " + name + ": indexers=" + changed.indexers() + ", by routing version "
                                + changed.routingVersion());
            }
            return 0;
        }
    }

    private static int positive(String text) {
        if (!text.matches("[1-9]\\d{0,8}")) {
            throw new IllegalArgumentException("indexers: expected a whole number from 1, got '" + text + "'");
        }
        return Integer.parseInt(text);
    }

    private <T> T usage(Supplier<T> parsed) {
        try {
            return parsed.get();
        } catch (IllegalArgumentException e) {
            throw wrong("set", String.valueOf(e.getMessage()));
        }
    }

    private ParameterException wrong(String command, String what) {
        return new ParameterException(spec.subcommands().get(command), what);
    }

    @Command(
            name = "drop",
            description = {
                "Forget a stream and its chunks. Its topic, and the records in it, stay: a new stream of the topic has"
                        + " them as rows again.",
                "Where the topic no longer has the records of the stream's first rows, these rows are gone for good: on a"
                        + " terminal it asks first."
            },
            footer = {"", "Example:", "  waterwheel stream drop flights"})
    int drop(
            @Mixin ServerOption server,
            @Parameters(paramLabel = "NAME", description = "The stream's name.") String name,
            @Option(names = "--yes", description = "Do not ask.") boolean yes)
            throws IOException {
        try (WaterwheelClient client = server.connect()) {
            DropPage.Before before = DropPage.before(client, name, terminal);
            String gone = before.gone();
            if (!gone.isEmpty() && !yes && terminal.asks() && !DropPage.confirmed(terminal, name, gone)) {
                return 1;
            }
            client.drop(name);
            terminal.err().println("dropped stream " + name + (gone.isEmpty() ? "" : "; " + gone));
            if (!before.stays().isEmpty()) {
                terminal.err().println(before.stays());
            }
            return 0;
        }
    }
}
