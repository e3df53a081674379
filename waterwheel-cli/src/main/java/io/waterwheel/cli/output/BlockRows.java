package io.waterwheel.cli.output;

import io.waterwheel.client.admin.DeadLetter;
import io.waterwheel.decode.BlockCodec;
import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.decode.RejectedRecordException;
import io.waterwheel.encode.TextRows;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows that dead letters are of, where the record was a tuple block. Only the first letter of a record has its
 * value, so the last block is kept. One thread.
 */
public final class BlockRows {
    private final List<Field> fields;
    private final RecordDecoder decoder;
    private final TupleBlock block;
    private int partition = -1;
    private long offset = -1;

    public BlockRows(Schema schema) {
        this.fields = schema.fields();
        this.decoder = RecordDecoder.ofUtf8(RecordFormat.BLOCK, schema);
        this.block = new TupleBlock(RowLayout.of(schema), 1);
    }

    /** The row as an object of JSON; null where the record was no block, or is not known. */
    public @Nullable String row(DeadLetter letter) {
        ByteBuffer value = ByteBuffer.wrap(letter.raw());
        if (BlockCodec.begins(value)) {
            block.clear();
            partition = letter.partition();
            offset = letter.offset();
            try {
                decoder.decode(value, block);
            } catch (RejectedRecordException e) {
                block.clear(); // cut off, or refused as a whole: its letter says why
            }
        }
        boolean isOfBlock = partition == letter.partition() && offset == letter.offset();
        if (!isOfBlock || letter.index() < 0 || letter.index() >= block.size()) {
            return null;
        }
        List<@Nullable Object> values = new ArrayList<>();
        for (int f = 0; f < fields.size(); f++) {
            values.add(block.value(f, letter.index()));
        }
        return TextRows.json(fields, values);
    }
}
