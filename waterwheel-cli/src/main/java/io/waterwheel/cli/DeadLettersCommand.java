package io.waterwheel.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.waterwheel.cli.output.BlockRows;
import io.waterwheel.cli.output.Terminal;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.DeadLetter;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code waterwheel dead-letters}. */
@Command(
        name = "dead-letters",
        description = {
            "List the records of a stream that could not become tuples, the oldest first.",
            "A table has partition, offset, row in the record (-1: the whole record), reason and value, with tabs"
                    + " between. Of values that are no text it has the first 48 bytes, as base64; json has more."
        },
        footer = {"", "Example:", "  waterwheel dead-letters flights --limit 10"})
final class DeadLettersCommand implements Callable<Integer> {
    enum Format {
        TABLE,
        JSON
    }

    /** Of a value that is no text, in a table: a multiple of three, which base64 writes without padding. */
    private static final int SHOWN_BYTES = 48;

    private static final JsonFactory JSON = new JsonFactory();

    private final Terminal terminal;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerOption server = new ServerOption();

    @Parameters(paramLabel = "STREAM", description = "The stream's name.")
    private String stream = "";

    @Option(names = "--limit", paramLabel = "N", description = "How many at most. Default: 100.")
    private long limit = 100;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "table or json (an object a line). Default: table.")
    private Format format = Format.TABLE;

    DeadLettersCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (limit < 1) {
            throw new ParameterException(spec.commandLine(), "--limit: expected 1 or more, got " + limit);
        }
        try (WaterwheelClient client = server.connect()) {
            long[] count = {0};
            BlockRows blocks =
                    new BlockRows(client.describe(stream).definition().schema());
            client.deadLetters(stream, limit, letter -> {
                count[0]++;
                terminal.out()
                        .println(
                                format == Format.JSON
                                        ? json(letter, blocks.row(letter))
                                        : line(letter, blocks.row(letter)));
            });
            if (count[0] == 0) {
                terminal.err().println("there are no dead letters of " + stream);
            } else if (count[0] == limit) {
                terminal.err().println("there may be more; see --limit");
            }
            return 0;
        }
    }

    private static String line(DeadLetter letter, @Nullable String row) {
        String text = row != null ? row : text(letter.raw());
        return String.join(
                "\t",
                Integer.toString(letter.partition()),
                Long.toString(letter.offset()),
                Integer.toString(letter.index()),
                oneLine(letter.reason()),
                text == null ? begin(letter) : oneLine(text));
    }

    /** The first bytes of a value that is no text: a tuple block may have very many. */
    private static String begin(DeadLetter letter) {
        byte[] raw = letter.raw();
        return "base64:"
                + Base64.getEncoder().encodeToString(raw.length > SHOWN_BYTES ? Arrays.copyOf(raw, SHOWN_BYTES) : raw)
                + (raw.length > SHOWN_BYTES ? "... (" + letter.length() + " bytes; --format json shows more)" : "");
    }

    private static String oneLine(String text) {
        return text.replace("\\", "\\\\")
                .replace("\t", "\\t")
                .replace("\n", "\\n")
                .replace("\r", "\\r");
    }

    private static String json(DeadLetter letter, @Nullable String row) {
        StringWriter line = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(line)) {
            json.writeStartObject();
            json.writeNumberField("partition", letter.partition());
            json.writeNumberField("offset", letter.offset());
            json.writeNumberField("index", letter.index());
            json.writeStringField("reason", letter.reason());
            json.writeNumberField("length", letter.length());
            if (row != null) {
                json.writeStringField("row", row);
            }
            String text = text(letter.raw());
            if (text == null) {
                json.writeStringField("base64", Base64.getEncoder().encodeToString(letter.raw()));
            } else {
                json.writeStringField("text", text);
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("a string cannot fail to be written", e);
        }
        return line.toString();
    }

    /** The value as text; null when it is none that a terminal could show. */
    private static @Nullable String text(byte[] raw) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(raw))
                    .toString();
            return text.chars().anyMatch(c -> c < ' ' && c != '\t' && c != '\n' && c != '\r') ? null : text;
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
