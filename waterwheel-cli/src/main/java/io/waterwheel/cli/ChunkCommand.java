package io.waterwheel.cli;

import io.waterwheel.chunk.ChunkCheck;
import io.waterwheel.chunk.ChunkDescription;
import io.waterwheel.chunk.encoding.CorruptChunkException;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.ChunkVerification;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.store.LocalChunkStore;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code waterwheel chunk ...}: looks at chunk files. */
@Command(
        name = "chunk",
        description = "Look at chunk files.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Example:",
            "  waterwheel chunk inspect waterwheel-data/chunks/default/flights-1/3-0/3-1-7-0.chunk"
        })
final class ChunkCommand {
    private final Terminal terminal;

    ChunkCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Command(
            name = "inspect",
            description = {
                "Describe a chunk file, without any server: fields, rows, ranges of keys and times, what each column"
                        + " takes and how it is encoded, sketches.",
                "Reads all of it and checks every checksum: a damaged file is an error that names the part."
            },
            footer = {
                "",
                "Example:",
                "  waterwheel chunk inspect waterwheel-data/chunks/default/flights-1/3-0/3-1-7-0.chunk"
            })
    int inspect(@Parameters(paramLabel = "FILE", description = "The chunk file.") Path file)
            throws IOException, InterruptedException {
        // What is printed comes at the end: nothing of a damaged file looks whole.
        List<String> lines;
        long parts;
        try (ChunkStore.Input input = open(file)) {
            lines = ChunkDescription.of(input);
            parts = ChunkCheck.check(input);
        }
        lines.forEach(terminal.out()::println);
        terminal.out()
                .println("checked     all of it: the checksums of " + parts + " parts and the directory are right");
        return 0;
    }

    private static ChunkStore.Input open(Path file) throws IOException {
        Path path = file.toAbsolutePath().normalize();
        Path folder = path.getParent();
        if (folder == null || !Files.isRegularFile(path)) {
            throw new WaterwheelException(
                    ErrorCode.FILE_UNREADABLE,
                    Files.isDirectory(path)
                            ? file + " is a folder; name one of the chunk files in it"
                            : "there is no file " + file);
        }
        return new LocalChunkStore(folder).open(path.getFileName().toString());
    }

    @Command(
            name = "verify",
            description = {
                "Read chunks whole: every checksum, every value, and whether each leaf is what the directory says.",
                "Of a stream, the server reads all of its chunks, and compares each with what the catalog says of it:"
                        + " length, rows, ranges of keys and times. Files are read here, without any server. Prints what"
                        + " is damaged, and where; ends with 1 when anything is."
            },
            footer = {
                "",
                "Examples:",
                "  waterwheel chunk verify flights",
                "  waterwheel chunk verify waterwheel-data/chunks/default/flights-1/3-0/*.chunk"
            })
    int verify(
            @Mixin ServerOption server,
            @Parameters(
                            paramLabel = "STREAM|FILE",
                            arity = "1..*",
                            description = "Streams, and chunk files: those whose name has a slash or ends in .chunk.")
                    List<String> names)
            throws IOException, InterruptedException {
        boolean well = true;
        for (String name : names) {
            boolean isFile = name.endsWith(".chunk") || name.contains("/") || name.contains(File.separator);
            well &= isFile ? verifyFile(Path.of(name)) : verifyStream(server, name);
        }
        return well ? 0 : Cli.FAILURE;
    }

    private boolean verifyFile(Path file) throws IOException, InterruptedException {
        try (ChunkStore.Input input = open(file)) {
            terminal.out().println(file + ": " + ChunkCheck.check(input) + " parts and the directory are right");
            return true;
        } catch (CorruptChunkException e) {
            terminal.err().println(file + ": " + e.getMessage());
            return false;
        }
    }

    private boolean verifyStream(ServerOption server, String stream) {
        try (WaterwheelClient client = server.connect()) {
            ChunkVerification found = client.verifyChunks(stream);
            found.damages().forEach(terminal.err()::println);
            terminal.out()
                    .println(stream + ": " + found.chunks() + " chunks, " + found.bytes() + " bytes read; "
                            + (found.damages().isEmpty()
                                    ? "all are right"
                                    : found.damages().size() + " are damaged"));
            return found.damages().isEmpty();
        }
    }
}
