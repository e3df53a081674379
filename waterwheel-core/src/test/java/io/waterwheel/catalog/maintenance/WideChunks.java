package io.waterwheel.catalog.maintenance;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.chunk.EncodedChunk;
import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.decode.RejectedRecordException;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.TupleBlock;
import io.waterwheel.tuple.WideKeys;
import java.nio.ByteBuffer;
import java.util.Random;

/** Random rows of {@link WideKeys}, and chunks of them. */
final class WideChunks {
    private WideChunks() {}

    /** Rows with keys. */
    static TupleBlock rows(int count, Random random) throws RejectedRecordException {
        RowLayout layout = RowLayout.of(WideKeys.SCHEMA);
        TupleBlock block = new TupleBlock(layout, 0);
        RecordDecoder decoder = RecordDecoder.of(RecordFormat.CSV, WideKeys.SCHEMA);
        for (int row = 0; row < count; row++) {
            StringBuilder line = new StringBuilder();
            for (int field = 0; field < WideKeys.DIMENSIONS.count(); field++) {
                line.append(400_000 + random.nextInt(200_000)).append(',');
            }
            decoder.decode(ByteBuffer.wrap(line.append(row).toString().getBytes(UTF_8)), block);
        }
        KeyMaker.of(layout, WideKeys.SCHEMA).fill(block, 0, (index, reason) -> {
            throw new AssertionError(reason);
        });
        return block;
    }

    static EncodedChunk write(TupleBlock rows) {
        TemplateTree tree = new TemplateTree(rows.layout(), Template.single(), new PagePool(1 << 20));
        tree.insert(rows, 0, rows.size());
        return new ChunkWriter().encode(tree, WideKeys.SCHEMA);
    }
}
