package io.waterwheel.benchmark.figures;

import io.waterwheel.benchmark.data.TaxiTuples;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;

/** Taxi tuples of 36 bytes in blocks, whose keys are others. */
final class KeyedTaxis {
    /** 16 MiB, in whole blocks. */
    static final int TREE_TUPLES = 466_000;

    static final int BLOCK_ROWS = 1000;
    static final Schema SCHEMA = TaxiTuples.stream(RecordFormat.BLOCK, 1).schema();
    static final RowLayout LAYOUT = RowLayout.of(SCHEMA);
    static final int RATE = 50_000;

    private KeyedTaxis() {}

    /** A number of tuples, of which the i-th has the key that the function gives. */
    static TupleBlock[] blocks(int tuples, long seed, LongUnaryOperator keyOf) {
        TaxiTuples taxis = new TaxiTuples(seed, RATE);
        TupleBlock[] blocks = new TupleBlock[tuples / BLOCK_ROWS];
        for (int b = 0; b < blocks.length; b++) {
            blocks[b] = new TupleBlock(LAYOUT, BLOCK_ROWS);
            for (int row = 0; row < BLOCK_ROWS; row++) {
                taxis.nextInto(blocks[b]);
                blocks[b].keys()[row] = keyOf.applyAsLong((long) b * BLOCK_ROWS + row);
            }
        }
        return blocks;
    }

    /** Whole numbers, normal about a mean. */
    static LongUnaryOperator normal(long seed, double mean, double sigma) {
        SplittableRandom random = new SplittableRandom(seed);
        return i -> Math.round(mean + sigma * random.nextGaussian());
    }
}
