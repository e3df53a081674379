package io.waterwheel.chunk.encoding;

import static io.waterwheel.chunk.encoding.ChunkFormat.*;

import io.waterwheel.tuple.LittleEndian;
import java.util.BitSet;

/**
 * Writes what the section of dependencies has of a source and of what follows from it: groups of values, each in the
 * form of a part. Keeps its buffers; one thread.
 */
public final class SourceMaps {
    private final PartEncoder encoder = new PartEncoder();
    private final long[] group = new long[LEAF_ROWS];

    /** Writes a source's column, and its values that are used, by number. */
    public void source(int column, NumberedValues values, BitSet used, byte[][] slabs, ChunkBuffer out) {
        out.putShort(column);
        out.putShort(used.cardinality());
        int code = used.nextSetBit(0);
        while (code >= 0) {
            int rows = 0;
            for (; code >= 0 && rows < LEAF_ROWS; code = used.nextSetBit(code + 1)) {
                group[rows++] = values.reference(code);
            }
            int head = putLength(out);
            encoder.begin(1);
            encoder.variable(0, group, rows, slabs, out);
            LittleEndian.putInt(out.array(), head, out.size() - head - 4);
        }
    }

    /**
     * Writes a dependent's value with each value of the source that is used.
     *
     * @param values by number of the source's value
     * @param known by number, whether it has a value; where not, as it is always null, a neighbour's is repeated
     */
    public void dependent(long[] values, boolean[] known, BitSet used, int width, ColumnKind kind, ChunkBuffer out) {
        int code = used.nextSetBit(0);
        long value = 0;
        while (code >= 0) {
            int rows = 0;
            for (; code >= 0 && rows < LEAF_ROWS; code = used.nextSetBit(code + 1)) {
                value = code < known.length && known[code] ? values[code] : value;
                group[rows++] = value;
            }
            int head = putLength(out);
            encoder.begin(1);
            encoder.fixed(0, group, rows, width, kind, out);
            LittleEndian.putInt(out.array(), head, out.size() - head - 4);
        }
    }

    private static int putLength(ChunkBuffer out) {
        int head = out.size();
        out.putInt(0);
        return head;
    }
}
