package io.waterwheel.client.cli;

import io.waterwheel.chunk.ChunkDescription;
import io.waterwheel.chunk.ChunkReader;
import io.waterwheel.chunk.ChunkStore;
import io.waterwheel.chunk.LocalChunkStore;
import io.waterwheel.model.WaterwheelException;
import io.waterwheel.model.WaterwheelException.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
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
    int inspect(@Parameters(paramLabel = "FILE", description = "The chunk file.") Path file) throws IOException {
        Path path = file.toAbsolutePath().normalize();
        Path folder = path.getParent();
        if (folder == null || !Files.isRegularFile(path)) {
            throw new WaterwheelException(
                    Kind.USER,
                    "FILE_UNREADABLE",
                    Files.isDirectory(path)
                            ? file + " is a folder; name one of the chunk files in it"
                            : "there is no file " + file);
        }
        // What is printed comes at the end: nothing of a damaged file looks whole.
        List<String> lines;
        long parts;
        try (ChunkStore.Input input =
                new LocalChunkStore(folder).open(path.getFileName().toString())) {
            lines = ChunkDescription.of(input);
            parts = checked(input);
        }
        lines.forEach(terminal.out()::println);
        terminal.out()
                .println("checked     all of it: the checksums of " + parts + " parts and the directory are right");
        return 0;
    }

    /** Reads every part of every leaf; returns how many there are. */
    private static long checked(ChunkStore.Input input) throws IOException {
        @SuppressWarnings("resource") // the input is the caller's
        ChunkReader reader = ChunkReader.open(input);
        for (int leaf = 0; leaf < reader.directory().leaves(); leaf++) {
            reader.readLeaf(leaf);
        }
        return (long) reader.directory().leaves() * reader.directory().parts();
    }
}
