package io.waterwheel.cli.text;

import io.waterwheel.query.KeyTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * {@code KEY,TIME}: all before the last comma is the key; the time is written as for {@code --time}, and a day is its
 * first instant.
 */
public final class KeyTimeText implements ITypeConverter<KeyTime> {
    @Override
    public KeyTime convert(String text) {
        int comma = text.lastIndexOf(',');
        if (comma < 0) {
            throw new TypeConversionException("expected KEY,TIME, got '" + text + "'");
        }
        return new KeyTime(
                text.substring(0, comma),
                TimeRange.first(text.substring(comma + 1).strip()));
    }

    /**
     * Reads the pairs of a file in UTF-8, one a line. A byte order mark before the first is passed over.
     *
     * @throws IllegalArgumentException when it cannot be read, or naming the line that is none
     */
    public static List<KeyTime> read(Path file) {
        List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (IOException e) {
            throw new IllegalArgumentException("--at-file: cannot read " + file + ": " + e, e);
        }
        List<KeyTime> pairs = new ArrayList<>(lines.size());
        for (int line = 0; line < lines.size(); line++) {
            try {
                String text = lines.get(line);
                pairs.add(new KeyTimeText().convert(line == 0 && text.startsWith("\uFEFF") ? text.substring(1) : text));
            } catch (TypeConversionException e) {
                throw new IllegalArgumentException("--at-file: line " + (line + 1) + ": " + e.getMessage(), e);
            }
        }
        return pairs;
    }
}
