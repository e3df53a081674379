package io.waterwheel.query.scan;

import io.waterwheel.chunk.ChunkDirectory;
import io.waterwheel.query.aggregate.state.RowSummary;
import org.jspecify.annotations.Nullable;

/** What a chunk's directory says of one leaf after the other. One thread. */
final class LeafSummary implements RowSummary {
    private final ChunkDirectory directory;
    private int leaf;

    LeafSummary(ChunkDirectory directory) {
        this.directory = directory;
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
}
