package io.waterwheel.client.cli;

import io.waterwheel.client.StreamDetails;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.model.Field;
import io.waterwheel.model.KeySpec;
import io.waterwheel.model.Schema;
import io.waterwheel.model.SchemaFile;
import io.waterwheel.model.StreamDefinition;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code waterwheel stream ...}: makes, shows and removes streams. */
@Command(
        name = "stream",
        description = "Create, list, describe and drop streams.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Example:", "  waterwheel stream create flights.yaml"})
final class StreamCommand {
    private final Terminal terminal;

    StreamCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Command(
            name = "create",
            description = "Create a stream from a schema file, and its Kafka topic when there is none.",
            footer = {
                "",
                "The file, in YAML:",
                "  name: flights",
                "  topic: flights        # the stream's name when left out",
                "  format: csv           # csv, json or block",
                "  partitions: 4         # 4 when left out",
                "  fields:",
                "    - {name: time_ms, type: timestamp}",
                "    - {name: longitude, type: double}",
                "    - {name: latitude, type: double}",
                "    - {name: altitude_ft, type: double, nullable: true}",
                "  key: {longitude: longitude, latitude: latitude, box: [-180, -90, 180, 90]}   # or {field: NAME}",
                "  time: time_ms",
                "",
                "Example:",
                "  waterwheel stream create flights.yaml"
            })
    int create(
            @Mixin ServerOption server,
            @Parameters(paramLabel = "FILE.yaml", description = "The stream's definition.") Path file) {
        StreamDefinition definition = SchemaFile.read(file);
        try (WaterwheelClient client = server.connect()) {
            StreamDefinition created = client.createStream(definition).definition();
            terminal.err()
                    .println("created stream " + created.name() + ", fed by topic " + created.topic() + " of "
                            + created.partitions() + " partitions");
            return 0;
        }
    }

    @Command(
            name = "list",
            description = "List all streams: name, format, partitions and topic, with tabs between.",
            footer = {"", "Example:", "  waterwheel stream list"})
    int list(@Mixin ServerOption server) {
        try (WaterwheelClient client = server.connect()) {
            List<StreamDetails> streams = client.listStreams();
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
            if (streams.isEmpty()) {
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
        StreamDefinition definition = stream.definition();
        Schema schema = definition.schema();
        out.println("# stream " + stream.id() + ", Kafka at " + stream.bootstrapServers());
        stream.chunks()
                .ifPresent(chunks -> out.println(
                        "# " + chunks + " chunks of " + stream.chunkTuples().orElse(0) + " tuples in "
                                + stream.chunkBytes().orElse(0) + " bytes"));
        out.println("name: " + definition.name());
        out.println("topic: " + definition.topic());
        out.println("format: " + SchemaFile.formatName(definition.format()));
        out.println("partitions: " + definition.partitions());
        out.println("fields:");
        for (Field field : schema.fields()) {
            out.println("  - {name: " + field.name() + ", type: " + field.type().schemaName()
                    + (field.nullable() ? ", nullable: true}" : "}"));
        }
        if (schema.key() instanceof KeySpec.Ordered key) {
            out.println("key: {field: " + key.field() + "}");
        } else if (schema.key() instanceof KeySpec.Position key) {
            out.println("key: {longitude: " + key.longitude() + ", latitude: " + key.latitude() + ", box: ["
                    + key.domain().west() + ", " + key.domain().south() + ", "
                    + key.domain().east() + ", " + key.domain().north() + "]}");
        }
        out.println("time: " + schema.timeField());
    }

    @Command(
            name = "drop",
            description = "Forget a stream and its chunks. Its topic, and the records in it, stay.",
            footer = {"", "Example:", "  waterwheel stream drop flights"})
    int drop(
            @Mixin ServerOption server,
            @Parameters(paramLabel = "NAME", description = "The stream's name.") String name) {
        try (WaterwheelClient client = server.connect()) {
            client.drop(name);
            terminal.err().println("dropped stream " + name);
            return 0;
        }
    }
}
