package io.waterwheel.schema;

import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Function;

/**
 * A stream's definition as people write it, in YAML:
 *
 * <pre>{@code
 * name: flights
 * topic: flights        # the stream's name when left out
 * format: csv           # csv, json, avro, protobuf or block
 * partitions: 4         # 4 when left out
 * dead-letters: skip    # or halt, or halt above N per million
 * log-loss: fail        # or skip to earliest
 * balancing: auto       # or off
 * indexed-records: delete   # or keep
 * fields:
 *   - {name: time_ms, type: timestamp}
 *   - {name: longitude, type: double}
 *   - {name: latitude, type: double}
 *   - {name: altitude_ft, type: double, nullable: true}
 *   - {name: icao24, type: string, indexed: true}
 * key: {longitude: longitude, latitude: latitude, box: [-180, -90, 180, 90]}   # or {field: NAME}
 * time: time_ms
 * records: {unknown: skip}   # how their text is written: RecordText
 * }</pre>
 *
 * Unknown members are refused. A file that is wrong is one {@link WaterwheelException} of kind USER, code
 * {@code SCHEMA_INVALID}, with a line of text for each error, each naming the file's line.
 */
public final class SchemaFile {
    private static final YAMLFactory FACTORY = new YAMLFactory();
    private static final long MAX_BYTES = 1 << 20;

    private SchemaFile() {}

    /** Reads a file; one that cannot be read is a USER error with code {@code FILE_UNREADABLE}. */
    public static StreamDefinition read(Path file) {
        return read(file, false);
    }

    /** The same of a file whose key may lack what rows are to complete: see {@link KeySpec#missing}. */
    public static StreamDefinition readDraft(Path file) {
        return read(file, true);
    }

    private static StreamDefinition read(Path file, boolean drafts) {
        try {
            long bytes = Files.size(file);
            if (bytes > MAX_BYTES) {
                throw new WaterwheelException(
                        ErrorCode.SCHEMA_INVALID, file + ": expected at most " + MAX_BYTES + " bytes, got " + bytes);
            }
            return read(String.valueOf(file.getFileName()), Files.readString(file), drafts, name -> named(file, name));
        } catch (IOException e) {
            String why = e instanceof NoSuchFileException
                    ? "there is no such file"
                    : Files.isDirectory(file) ? "it is a folder; name the schema file" : e.toString();
            throw new WaterwheelException(ErrorCode.FILE_UNREADABLE, "cannot read " + file + ": " + why, e);
        }
    }

    /**
     * Reads a definition.
     *
     * @param source what messages call it
     */
    public static StreamDefinition read(String source, String yaml) {
        return read(source, yaml, false, DefinitionReader.NO_FILES);
    }

    /** A file that a definition names, beside it. */
    private static byte[] named(Path definition, String name) {
        Path file = definition.resolveSibling(name);
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw new IllegalArgumentException("records: " + file + ": expected at most " + MAX_BYTES + " bytes");
            }
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException("records: there is no file " + file, e);
        } catch (IOException e) {
            throw new IllegalArgumentException("records: cannot read " + file + ": " + e, e);
        }
    }

    private static StreamDefinition read(String source, String yaml, boolean drafts, Function<String, byte[]> files) {
        try {
            return DefinitionReader.stream(source, FACTORY.createParser(yaml), drafts, RecordText.Unknown.SKIP, files);
        } catch (IOException e) {
            throw new UncheckedIOException("a parser over a string cannot fail to open", e);
        }
    }

    /** The format's name in a file: lower case. */
    public static String formatName(RecordFormat format) {
        return format.name().toLowerCase(Locale.ROOT);
    }
}
