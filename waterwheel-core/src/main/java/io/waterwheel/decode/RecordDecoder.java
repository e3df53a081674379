package io.waterwheel.decode;

import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.text.TextEncoding;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;

/**
 * Turns the value of one record of a stream's topic into tuples. Fills times, payload columns and, when the key is a
 * field, keys; keys made from a position are left to the caller. One per thread: decoders reuse buffers. Allocates
 * nothing per tuple or field once the block has room; CSV nothing at all.
 */
public interface RecordDecoder {
    /** A decoder of this format, and of the encoding that the schema says. */
    static RecordDecoder of(RecordFormat format, Schema schema) {
        TextEncoding encoding = schema.text().encoding();
        RecordDecoder decoder = ofUtf8(format, schema);
        return encoding == TextEncoding.UTF_8 || format == RecordFormat.BLOCK
                ? decoder
                : new RecodedDecoder(encoding, decoder);
    }

    /** A decoder of this format for text that is in UTF-8, whatever the encoding of the stream's records. */
    static RecordDecoder ofUtf8(RecordFormat format, Schema schema) {
        return switch (format) {
            case CSV -> new CsvDecoder(schema);
            case JSON -> new JsonDecoder(schema);
            case BLOCK -> new BlockRecordDecoder(schema);
        };
    }

    /**
     * Appends the record's tuples.
     *
     * @param value the record's value; its position does not move
     * @param into a block of the layout {@code RowLayout.of(schema)}
     * @throws RejectedRecordException when the record cannot be decoded, whatever bytes it holds; {@code into} has the
     *     rows it had
     */
    void decode(ByteBuffer value, TupleBlock into) throws RejectedRecordException;
}
