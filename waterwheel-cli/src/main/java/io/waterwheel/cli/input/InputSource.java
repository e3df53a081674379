package io.waterwheel.cli.input;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A file of rows, or standard input: something that can be looked at from its beginning, and then be read. */
public interface InputSource {
    /** Stands for standard input where a file could be named. */
    String STANDARD_INPUT = "-";

    /** Files of a folder that are read: data by their names, as they are or compressed. */
    Pattern DATA = Pattern.compile("(?i).*\\.(csv|tsv|txt|json|jsonl|ndjson|avro)(\\.(gz|zst))?");

    /** What messages call it. */
    String name();

    /** Its bytes from the beginning. */
    InputStream open() throws IOException;

    /** The same, for the last time: nothing more is kept of what comes once. */
    default InputStream openLast() throws IOException {
        return open();
    }

    /** Its bytes in all; negative: not known. */
    long size() throws IOException;

    /** How many bytes may be looked at before it is read. */
    long mostLookedAt();

    /** Whether its name is that of a file, which another command can read too. */
    default boolean isFile() {
        return false;
    }

    /** What reads it. */
    interface Reading<T extends @Nullable Object> {
        T read() throws IOException;
    }

    /** Reads from it; a failure names it. */
    default <T extends @Nullable Object> T naming(Reading<T> reading) throws IOException {
        try {
            return reading.read();
        } catch (OtherEncodingException e) {
            throw e; // names it
        } catch (IOException e) {
            throw new IOException(name() + ": " + e.getMessage(), e);
        }
    }

    /** Whether its name is that of a JSON file, or of one of Avro, whose records are read as JSON. */
    default boolean isJson() {
        return bare(name()).matches("(?i).*\\.(json|jsonl|ndjson|avro)");
    }

    /** Whether its name is that of a CSV file. */
    default boolean isCsv() {
        return bare(name()).matches("(?i).*\\.(csv|tsv)");
    }

    private static String bare(String name) {
        return name.toLowerCase(Locale.ROOT).replaceFirst("\\.(gz|zst)$", "");
    }

    /** A file. */
    static InputSource of(Path file) {
        return new InputSource() {
            @Override
            public String name() {
                return file.toString();
            }

            @Override
            public InputStream open() throws IOException {
                if (Files.isDirectory(file)) {
                    throw new IOException(file + " is a folder; name a file");
                }
                try {
                    // Files' stream of a pipe cannot say how much there is: it looks for its place in the file.
                    return Files.exists(file) && !Files.isRegularFile(file)
                            ? new FileInputStream(file.toFile())
                            : Files.newInputStream(file);
                } catch (NoSuchFileException e) {
                    throw new IOException("there is no file " + file, e);
                } catch (AccessDeniedException e) {
                    throw new IOException("cannot read " + file + ": permission denied", e);
                }
            }

            @Override
            public long size() throws IOException {
                return Files.size(file);
            }

            @Override
            public long mostLookedAt() {
                return Long.MAX_VALUE;
            }

            @Override
            public boolean isFile() {
                return true;
            }
        };
    }

    /**
     * What a word of a command names: a file, the data files of a folder in the order of their names, or standard
     * input.
     *
     * @param word {@link #STANDARD_INPUT}, or a path
     * @param in standard input
     */
    static List<InputSource> named(String word, InputStream in) throws IOException {
        if (word.equals(STANDARD_INPUT)) {
            return List.of(new OneTimeInput("standard input", () -> in));
        }
        Path path = Path.of(word);
        if (!Files.isDirectory(path)) {
            // A pipe, such as that of <(command), cannot be read again.
            boolean pipe = Files.exists(path) && !Files.isRegularFile(path);
            return List.of(pipe ? new OneTimeInput(word, of(path)::open) : of(path));
        }
        List<InputSource> files = new ArrayList<>();
        try (Stream<Path> entries = Files.list(path)) {
            entries.sorted()
                    .filter(entry ->
                            DATA.matcher(entry.getFileName().toString()).matches()
                                    && !entry.getFileName().toString().startsWith(".")
                                    && Files.isRegularFile(entry))
                    .forEach(entry -> files.add(of(entry)));
        }
        if (files.isEmpty()) {
            throw new IOException(
                    word + " is a folder without data: expected files whose names end with .csv, .tsv, .txt,"
                            + " .json, .jsonl, .ndjson or .avro, perhaps with .gz or .zst behind; folders in it are not looked at");
        }
        return files;
    }
}
