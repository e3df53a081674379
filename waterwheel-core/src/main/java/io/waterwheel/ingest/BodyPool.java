package io.waterwheel.ingest;

import io.waterwheel.model.RowLayout;
import io.waterwheel.model.TupleBlock;
import java.util.concurrent.ArrayBlockingQueue;

/** Block bodies of one stream for use again. Bounded: bodies beyond that are left to the collector. Thread-safe. */
public final class BodyPool {
    private final RowLayout layout;
    private final ArrayBlockingQueue<BlockBody> free;

    public BodyPool(RowLayout layout, int capacity) {
        this.layout = layout;
        this.free = new ArrayBlockingQueue<>(capacity);
    }

    /** An empty body with one holder. */
    BlockBody take(long base) {
        BlockBody body = free.poll();
        if (body == null) {
            body = new BlockBody(new TupleBlock(layout, 0), this);
        }
        body.start(base);
        return body;
    }

    void giveBack(BlockBody body) {
        // A full pool lets it go.
        boolean kept = free.offer(body);
        assert kept || free.remainingCapacity() == 0;
    }
}
