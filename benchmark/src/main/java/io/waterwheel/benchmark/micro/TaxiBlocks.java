package io.waterwheel.benchmark.micro;

import io.waterwheel.benchmark.data.TaxiTuples;
import io.waterwheel.index.Template;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.TupleBlock;
import java.util.Arrays;

/** Taxi tuples of one full tree, in blocks, and the template that the tuples before them would have given. */
final class TaxiBlocks {
    /** 16 MiB of 36 bytes, in whole blocks. */
    static final int TUPLES = 466_000;

    static final int BLOCK_ROWS = 1000;
    static final RowLayout LAYOUT =
            RowLayout.of(TaxiTuples.stream(RecordFormat.BLOCK, 1).schema());
    private static final int RATE = 50_000;

    final TupleBlock[] blocks = new TupleBlock[TUPLES / BLOCK_ROWS];
    final Template template;

    TaxiBlocks(long seed, int leaves) {
        TaxiTuples taxis = new TaxiTuples(seed, RATE);
        long[] keys = new long[TUPLES];
        TupleBlock before = new TupleBlock(LAYOUT, 1);
        for (int i = 0; i < TUPLES; i++) {
            before.clear();
            taxis.nextInto(before);
            keys[i] = before.keys()[0];
        }
        Arrays.sort(keys);
        template = Template.divide(keys, TUPLES, leaves);
        for (int b = 0; b < blocks.length; b++) {
            blocks[b] = new TupleBlock(LAYOUT, BLOCK_ROWS);
            for (int row = 0; row < BLOCK_ROWS; row++) {
                taxis.nextInto(blocks[b]);
            }
        }
    }
}
