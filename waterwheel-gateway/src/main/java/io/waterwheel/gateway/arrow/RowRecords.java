package io.waterwheel.gateway.arrow;

import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.decode.RefusalKind;
import io.waterwheel.decode.RejectedRecordException;
import io.waterwheel.encode.RecordEncoder;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Rows as records of a stream of CSV or JSON, in its signs, encoding and places. Each record is read again, as the
 * server will: a row that would become another one, such as one with an infinity in JSON, is refused. One thread.
 */
final class RowRecords {
    private final StreamDefinition stream;
    private final RecordEncoder encoder;
    private final RecordDecoder decoder;
    private final TupleBlock read;

    /** @throws HttpFailure when no row can become a record of the stream */
    RowRecords(StreamDefinition stream) {
        if (stream.schema().text().kafka().any()) {
            throw HttpFailure.bad(
                    ErrorCode.BAD_REQUEST,
                    "stream " + stream.name() + " has fields that are of Kafka (from: kafka...), which no row brings"
                            + " along; send its records as they are, in "
                            + SchemaFile.formatName(stream.format()),
                    "Content-Type",
                    null);
        }
        this.stream = stream;
        // A record is a row: the size of blocks is without effect.
        this.encoder = new RecordEncoder(stream.format(), stream.schema(), 1);
        this.decoder = RecordDecoder.of(stream.format(), stream.schema());
        this.read = new TupleBlock(RowLayout.of(stream.schema()), 1);
    }

    /**
     * The record of a row.
     *
     * @throws RejectedRecordException when there is none that is read as this row
     */
    byte[] of(TupleBlock rows, int row) throws RejectedRecordException {
        List<Field> fields = stream.schema().fields();
        @Nullable Object[] values = new @Nullable Object[fields.size()];
        for (int f = 0; f < values.length; f++) {
            Object value = rows.value(f, row);
            values[f] = value instanceof Long units && fields.get(f).type().isTimestamp()
                    ? fields.get(f).type().resolution().instant(units)
                    : value;
        }
        byte[] record;
        try {
            record = Objects.requireNonNull(encoder.add(values));
        } catch (IllegalArgumentException e) {
            throw new RejectedRecordException(RefusalKind.TEXT, String.valueOf(e.getMessage()));
        }
        read.clear();
        decoder.decode(ByteBuffer.wrap(record), read);
        if (read.size() != 1) {
            throw new RejectedRecordException(RefusalKind.TEXT, "as a record it would be " + read.size() + " tuples");
        }
        for (int f = 0; f < values.length; f++) {
            if (!Objects.deepEquals(rows.value(f, row), read.value(f, 0))) {
                throw new RejectedRecordException(
                        RefusalKind.TEXT,
                        fields.get(f).name() + ": the stream's records, " + SchemaFile.formatName(stream.format())
                                + ", cannot hold its value");
            }
        }
        return record;
    }
}
