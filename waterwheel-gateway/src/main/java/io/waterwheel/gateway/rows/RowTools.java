package io.waterwheel.gateway.rows;

import io.waterwheel.cli.input.CountedTimes;
import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import java.util.concurrent.ArrayBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * What it takes to decode rows of a stream and a format. To make it takes longer than to decode a row, so it is used
 * for one body after the other. One thread at a time.
 */
public final class RowTools {
    final StreamDefinition stream;
    final RecordFormat body;
    final RowLayout layout;
    final RecordDecoder decoder;
    final CountedTimes counted;
    final KeyMaker keys;
    /** Whether a record has any number of tuples. */
    final boolean several;

    private @Nullable RecordDecoder streams;

    /** Tools for bodies of this format. */
    public RowTools(StreamDefinition stream, RecordFormat body) {
        Schema schema = stream.schema();
        this.stream = stream;
        this.body = body;
        this.layout = RowLayout.of(schema);
        this.decoder = RecordDecoder.ofUtf8(body, schema);
        this.counted = new CountedTimes(schema);
        this.keys = KeyMaker.of(layout, schema);
        this.several = body == RecordFormat.JSON
                && schema.fields().stream()
                        .anyMatch(field -> schema.text().source(field.name()).contains("[*]"));
    }

    /** Decodes as the stream itself does. */
    RecordDecoder streams() {
        RecordDecoder made = streams;
        if (made == null) {
            made = RecordDecoder.of(stream.format(), stream.schema());
            streams = made;
        }
        return made;
    }

    /** Tools of one stream and format that are free; a few are kept. Thread-safe. */
    public static final class Shelf {
        private static final int MOST = 8;

        private final StreamDefinition stream;
        private final RecordFormat body;
        private final ArrayBlockingQueue<RowTools> free = new ArrayBlockingQueue<>(MOST);

        /** A shelf without tools. */
        public Shelf(StreamDefinition stream, RecordFormat body) {
            this.stream = stream;
            this.body = body;
        }

        /** Tools that are the caller's until it gives them back. */
        public RowTools take() {
            RowTools kept = free.poll();
            return kept == null ? new RowTools(stream, body) : kept;
        }

        /** Takes tools back. */
        public void give(RowTools tools) {
            // Those beyond the bound are forgotten.
            boolean unused = free.offer(tools);
        }
    }
}
