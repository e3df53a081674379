package io.waterwheel.query.scan;

import io.waterwheel.chunk.ChunkDirectory;
import io.waterwheel.schema.RowLayout;
import java.util.BitSet;
import java.util.stream.IntStream;

/** Which parts of a leaf a question touches, beside those that the leaf spares it. One thread. */
final class LeafNeeds {
    private boolean key;
    private boolean time;
    /** By payload column. */
    private final boolean[] columns;

    LeafNeeds(RowLayout layout) {
        this.columns = new boolean[layout.columns()];
    }

    LeafNeeds key(boolean needed) {
        key |= needed;
        return this;
    }

    LeafNeeds time(boolean needed) {
        time |= needed;
        return this;
    }

    LeafNeeds column(int column) {
        columns[column] = true;
        return this;
    }

    /** Fields, by index, with the mask that says where they are null. */
    LeafNeeds fields(BitSet fields, RowLayout layout) {
        for (int field = fields.nextSetBit(0); field >= 0; field = fields.nextSetBit(field + 1)) {
            int column = layout.columnOf(field);
            key |= column == RowLayout.KEY;
            time |= column == RowLayout.TIME;
            if (column >= 0) {
                columns[column] = true;
            }
            if (layout.nullBit(field) >= 0) {
                columns[layout.nullMaskColumn()] = true;
            }
        }
        return this;
    }

    /** Of the columns that are needed, where each begins. */
    int[] begins(int[] bases) {
        return IntStream.range(0, columns.length)
                .filter(c -> columns[c])
                .map(c -> bases[c])
                .toArray();
    }

    /** Marks, by part number, the parts that are needed; leaves others as they are. */
    void mark(boolean[] wanted, ChunkDirectory directory) {
        wanted[ChunkDirectory.KEYS] |= key;
        wanted[ChunkDirectory.TIMES] |= time;
        for (int c = 0; c < columns.length; c++) {
            wanted[directory.part(c)] |= columns[c];
        }
    }
}
