package io.waterwheel.cli.dimensions;

import io.waterwheel.cli.output.Terminal;
import io.waterwheel.cli.text.DefinitionYaml;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.key.sample.CellUse;
import io.waterwheel.key.sample.ScaleChange;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Other scales of a key's dimensions, for people: what they gain, and the key as a definition would have it. */
public final class RescalingPage {
    private RescalingPage() {}

    /**
     * The page.
     *
     * @param scales their version
     * @param rows newest rows that were looked at
     * @param before by dimension; empty where there were too few rows
     * @param after the same by the new scales
     */
    public static String of(
            String stream,
            int scales,
            int rows,
            List<CellUse> before,
            List<CellUse> after,
            List<Dimension> dimensions) {
        StringBuilder page = new StringBuilder();
        page.append(String.format(
                Locale.ROOT,
                "stream %s, scales of version %d; cells that the newest %,d rows make use of:%n%n",
                stream,
                scales,
                rows));
        page.append(String.format(Locale.ROOT, "%18s %18s  %s%n", "BEFORE", "AFTER", "DIMENSION"));
        for (int d = 0; d < before.size(); d++) {
            page.append(String.format(
                    Locale.ROOT,
                    "%18s %18s  %s%n",
                    cells(before.get(d)),
                    cells(after.get(d)),
                    before.get(d).field()));
        }
        if (before.isEmpty()) {
            page.append("(too few rows to tell)").append(System.lineSeparator());
        }
        page.append(System.lineSeparator());
        DefinitionYaml.key(page, new KeySpec.Dimensions(dimensions, List.of()).members());
        return page.toString();
    }

    private static String cells(CellUse use) {
        return String.format(Locale.ROOT, "%.1f of %,d", use.used(), use.cells());
    }

    /**
     * The dimensions of a stream's key, divided as the rows of a file have it: by the rules that hold for the rows of
     * the stream ({@link ScaleChange#scales}).
     *
     * @param schema of the stream, with the newest scales as the only ones
     * @param in the file
     * @param format of its lines
     * @throws WaterwheelException when the key has no dimensions, or no row is a tuple of the stream
     */
    public static List<Dimension> learned(String stream, Schema schema, Path file, InputStream in, RecordFormat format)
            throws IOException {
        if (schema.key().dimensional() == null) {
            throw new WaterwheelException(
                    ErrorCode.BAD_REQUEST,
                    "stream " + stream + ": its key has no dimensions, whose scales could be others");
        }
        String source = String.valueOf(file.getFileName());
        return ScaleChange.scales(schema, DimensionRows.sample(schema, source, in, format, List.of(), null));
    }

    /** Whether the person at the terminal says yes: by y, yes or an empty line. */
    public static boolean confirmed(Terminal terminal, String stream) throws IOException {
        terminal.err().print("Divide the dimensions of stream " + stream + " like this from now on? [Y/n] ");
        terminal.err().flush();
        String answer = new BufferedReader(new InputStreamReader(terminal.in(), StandardCharsets.UTF_8)).readLine();
        String word = answer == null ? "n" : answer.strip().toLowerCase(Locale.ROOT);
        boolean agreed = word.isEmpty() || word.equals("y") || word.equals("yes");
        if (!agreed) {
            terminal.err().println("nothing was changed");
        }
        return agreed;
    }
}
