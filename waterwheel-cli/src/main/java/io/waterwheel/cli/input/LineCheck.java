package io.waterwheel.cli.input;

import io.waterwheel.decode.BlockCodec;
import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.decode.RecordFacts;
import io.waterwheel.decode.RejectedRecordException;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.key.RowRejects;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.text.MemberPath;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Decides of a line what the server would: whether it is a tuple of the stream. One thread. */
public final class LineCheck {
    private final RecordDecoder decoder;
    private final CountedTimes counted;
    private final KeyMaker keys;
    private final TupleBlock block;
    private final boolean keysSent;
    private final Schema schema;
    private @Nullable String unkeyed;
    /** Once, not for each line. */
    private final RowRejects unkeyable = (row, reason) -> unkeyed = reason;

    public LineCheck(RecordFormat input, Schema schema) {
        this(RecordDecoder.ofUtf8(input, schema), schema);
    }

    /** The same, with one who is told what lines hold. */
    public LineCheck(RecordFormat input, Schema schema, RecordDecoder.Watch watch) {
        this(RecordDecoder.ofUtf8(input, schema, watch), schema);
    }

    private LineCheck(RecordDecoder decoder, Schema schema) {
        this.schema = schema;
        RowLayout layout = RowLayout.of(schema);
        this.decoder = decoder;
        this.counted = new CountedTimes(schema);
        this.keys = KeyMaker.of(layout, schema);
        this.block = new TupleBlock(layout, 1);
        this.keysSent = layout.hasKeyField();
    }

    /** Whether a record is an array of tuples. */
    public boolean takesArrays() {
        return schema.fields().stream()
                .anyMatch(field ->
                        MemberPath.stepsToEach(MemberPath.steps(schema.text().source(field.name()))) == 0);
    }

    /** Why the line is no tuple; null when it is one, or several, which are in {@link #tuples} then. */
    @Nullable
    public String refusal(byte[] line) {
        return refusal(line, RecordFacts.UNWRITTEN);
    }

    /**
     * The same of the value of a record.
     *
     * @param facts what Kafka has of it
     */
    @Nullable
    public String refusal(byte[] line, RecordFacts facts) {
        return refusal(Line.of(line), facts);
    }

    /** The same of a line where it lies. */
    @Nullable
    public String refusal(Line line) {
        return refusal(line, RecordFacts.UNWRITTEN);
    }

    /**
     * The same of the value of a record.
     *
     * @param facts what Kafka has of it
     */
    @Nullable
    public String refusal(Line line, RecordFacts facts) {
        block.clear();
        return added(ByteBuffer.wrap(line.bytes(), line.from(), line.length()), facts);
    }

    /** The same; the tuples come behind those of lines that were added before. */
    @Nullable
    public String added(Line line) {
        return added(ByteBuffer.wrap(line.bytes(), line.from(), line.length()), RecordFacts.UNWRITTEN);
    }

    @Nullable
    private String added(ByteBuffer line, RecordFacts facts) {
        int rows = block.size();
        int arena = block.arenaSize();
        unkeyed = null;
        try {
            decoder.decode(line, facts, block);
            counted.check(block, rows);
        } catch (RejectedRecordException e) {
            block.setSize(rows);
            block.setArenaSize(arena);
            return String.valueOf(e.getMessage());
        }
        keys.fill(block, rows, unkeyable);
        if (unkeyed != null) {
            block.setSize(rows);
            block.setArenaSize(arena);
        }
        return unkeyed;
    }

    /**
     * The tuples of the line that was checked last, one, but of JSON with an array of them; or of those that were added
     * since it was cleared.
     */
    public TupleBlock tuples() {
        return block;
    }

    /** Bytes that these take in a record of tuple blocks. */
    public int encodedBytes() {
        return BlockCodec.encodedBytes(block, keysSent);
    }

    /** Values of one of them, in the order of the fields. */
    @Nullable
    public Object[] values(int row) {
        @Nullable Object[] values = new @Nullable Object[schema.fields().size()];
        for (int f = 0; f < values.length; f++) {
            values[f] = block.value(f, row);
        }
        return values;
    }
}
