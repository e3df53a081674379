package io.waterwheel.query.scan;

import io.waterwheel.chunk.ChunkDirectory;
import io.waterwheel.chunk.LeafDictionary;
import io.waterwheel.query.aggregate.state.LeafValues;
import io.waterwheel.query.aggregate.state.RowSummary;
import io.waterwheel.query.expression.ValueType;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** What a chunk's directory says of one leaf after the other. One thread. */
final class LeafSummary implements RowSummary {
    /** Bits of sets that can be looked at while a column of a leaf is read, or more. */
    private static final long BITS_OF_LEAF = 1 << 13;

    private final ChunkDirectory directory;
    /** How many leaves match whole. */
    private final IntSupplier whole;

    private int leaf;

    /** @param whole tells how many leaves match whole; asked when it matters */
    LeafSummary(ChunkDirectory directory, IntSupplier whole) {
        this.directory = directory;
        this.whole = whole;
    }

    LeafSummary of(int next) {
        leaf = next;
        return this;
    }

    @Override
    public int rows() {
        return directory.rows(leaf);
    }

    @Override
    public long lowKey() {
        return directory.lowKey(leaf);
    }

    @Override
    public long highKey() {
        return directory.highKey(leaf);
    }

    @Override
    public long fromTime() {
        return directory.fromTime(leaf);
    }

    @Override
    public long toTime() {
        return directory.toTime(leaf);
    }

    @Override
    public @Nullable OfField field(int field) {
        return directory.isZoned(field)
                ? new OfField(
                        directory.rows(leaf),
                        directory.nulls(leaf, field),
                        directory.nans(leaf, field),
                        directory.low(leaf, field),
                        directory.high(leaf, field))
                : null;
    }

    @Override
    public int leaf() {
        return leaf;
    }

    @Override
    public @Nullable LeafValues values(int field) {
        LeafDictionary dictionary = directory.dictionary(field);
        if (dictionary == null) {
            return null;
        }
        int most = whole.getAsInt();
        boolean worth = most == directory.leaves() || dictionary.setBits(0, dictionary.size()) <= most * BITS_OF_LEAF;
        ValueType type = ValueType.of(directory.layout().fields().get(field).type());
        return worth ? new ListedValues(dictionary, type, directory.leaves()) : null;
    }
}
