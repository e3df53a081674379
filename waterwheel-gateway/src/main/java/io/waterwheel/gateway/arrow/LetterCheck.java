package io.waterwheel.gateway.arrow;

import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.decode.RejectedRecordException;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;

/**
 * Whether what is to become a dead letter would be tuples of the stream instead: a bad row as JSON may be a record of a
 * stream that reads text. Such a row would be told as rejected, and be stored. One thread.
 */
final class LetterCheck {
    private final RecordDecoder decoder;
    private final KeyMaker keys;
    private final TupleBlock read;

    LetterCheck(StreamDefinition stream) {
        this.decoder = RecordDecoder.of(stream.format(), stream.schema());
        RowLayout layout = RowLayout.of(stream.schema());
        this.keys = KeyMaker.of(layout, stream.schema());
        this.read = new TupleBlock(layout, 1);
    }

    /** Whether the server would make a tuple of it. */
    boolean isRecord(byte[] bytes) {
        read.clear();
        try {
            decoder.decode(ByteBuffer.wrap(bytes), read);
        } catch (RejectedRecordException e) {
            return false;
        }
        // Rows without a key go.
        int unused = keys.fill(read, 0, (row, reason) -> {});
        return read.size() > 0;
    }
}
