package io.waterwheel.decode;

import com.fasterxml.jackson.core.JsonParser;
import io.waterwheel.decode.typed.WriterSchemas;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.text.TextEncoding;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Turns the value of one record of a stream's topic into tuples. Fills times, payload columns and, when the key is a
 * field, keys; keys made from a position are left to the caller. One per thread: decoders reuse buffers. Allocates
 * nothing per tuple or field once the block has room; CSV nothing at all.
 */
public interface RecordDecoder {
    /** Is told what CSV and JSON hold while it is read, by one who asks whether the fields keep all of it. */
    interface Watch {
        /** A whole number, a decimal or a time as it was written, but for marks and units of numbers. */
        void text(int field, byte[] bytes, int from, int to);

        /** The same of a number in floating point, and what became of it. */
        void number(int field, double read, byte[] bytes, int from, int to);

        /** The parser is at a value in JSON that goes into no field; the method brings it to the value's end. */
        void passedOver(JsonParser parser) throws IOException;
    }

    /** A decoder of this format, and of the encoding that the schema says. */
    static RecordDecoder of(RecordFormat format, Schema schema) {
        return of(format, schema, WriterSchemas.NONE);
    }

    /**
     * The same for records that may bring the number of their schema along.
     *
     * @param registry asked for the schemas of such numbers
     */
    static RecordDecoder of(RecordFormat format, Schema schema, WriterSchemas registry) {
        TextEncoding encoding = schema.text().encoding();
        RecordDecoder decoder = ofUtf8(format, schema, registry, null);
        if (!format.isText()) {
            return decoder;
        }
        RecordDecoder text = encoding == TextEncoding.UTF_8 ? decoder : new RecodedDecoder(encoding, decoder);
        return schema.text().blocks() ? BlockRecordDecoder.beside(text, schema) : text;
    }

    /** A decoder of this format for text that is in UTF-8, whatever the encoding of the stream's records. */
    static RecordDecoder ofUtf8(RecordFormat format, Schema schema) {
        return ofUtf8(format, schema, WriterSchemas.NONE, null);
    }

    /** The same, with one who is told what is read. */
    static RecordDecoder ofUtf8(RecordFormat format, Schema schema, Watch watch) {
        return ofUtf8(format, schema, WriterSchemas.NONE, watch);
    }

    private static RecordDecoder ofUtf8(
            RecordFormat format, Schema schema, WriterSchemas registry, @Nullable Watch watch) {
        return switch (format) {
            case CSV -> new CsvDecoder(schema, watch);
            case JSON -> new JsonDecoder(schema, watch);
            case AVRO -> TypedDecoder.ofAvro(schema, registry);
            case PROTOBUF -> TypedDecoder.ofProtobuf(schema, registry);
            case BLOCK -> new BlockRecordDecoder(schema);
        };
    }

    /** The same of a record that is not in the log yet. */
    default void decode(ByteBuffer value, TupleBlock into) throws RejectedRecordException {
        decode(value, RecordFacts.UNWRITTEN, into);
    }

    /**
     * Appends the record's tuples.
     *
     * @param value the record's value; its position does not move
     * @param facts what Kafka has of it; asked only for what the schema's fields take
     * @param into a block of the layout {@code RowLayout.of(schema)}
     * @throws RejectedRecordException when the record cannot be decoded, whatever bytes it holds; {@code into} has the
     *     rows it had
     * @throws io.waterwheel.decode.typed.SchemaAwaitedException when a registry has to say first what the bytes are;
     *     {@code into} has the rows it had
     */
    void decode(ByteBuffer value, RecordFacts facts, TupleBlock into) throws RejectedRecordException;

    /**
     * Has the registry asked for what a later record needs; waits for nothing. So the schemas of many records, none of
     * which is known, take one answer's time and not one each.
     *
     * @param value the record's value; its position does not move
     */
    default void prefetch(ByteBuffer value) {}
}
