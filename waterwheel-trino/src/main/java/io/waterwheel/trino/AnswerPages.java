package io.waterwheel.trino;

import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.DynamicFilter;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.connector.SourcePage;
import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one split, a batch of the answer a page: about a megabyte. Asks when the first page is wanted, and holds
 * no more than one batch. One thread at a time.
 */
final class AnswerPages implements ConnectorPageSource {
    /** Rows of a page without columns. */
    private static final int MOST_COUNTED = 1 << 20;

    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 2_000;

    private final WaterwheelClient client;
    private final SplitQuery split;
    private final DynamicFilter dynamicFilter;
    private final MemoryContext memory;
    private final long waitUntil;

    private @Nullable Cursor cursor;
    /** Rows that were counted and are still to be handed out; -1 before they are. */
    private long counted = -1;

    private boolean finished;
    private long bytes;
    private long nanos;

    AnswerPages(
            WaterwheelClient client,
            SplitQuery split,
            DynamicFilter dynamicFilter,
            MemoryContext memory,
            long waitMillis) {
        this.client = client;
        this.split = split;
        this.dynamicFilter = dynamicFilter;
        this.memory = memory;
        this.waitUntil = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMillis);
    }

    /** Until the other side of a join has said which keys there are, for a bounded time. */
    @Override
    public CompletableFuture<?> isBlocked() {
        long left = waitUntil - System.nanoTime();
        if (cursor != null || finished || left <= 0 || !dynamicFilter.isAwaitable()) {
            return NOT_BLOCKED;
        }
        // A copy: the time-out must not complete what others wait for.
        return dynamicFilter.isBlocked().thenApply(ready -> true).completeOnTimeout(true, left, TimeUnit.NANOSECONDS);
    }

    @Override
    public @Nullable SourcePage getNextSourcePage() {
        if (finished || !isBlocked().isDone()) {
            return null;
        }
        long begun = System.nanoTime();
        try {
            return split.counts() ? nextCounted() : nextBatch();
        } catch (WaterwheelException e) {
            close();
            throw Failures.of(e);
        } catch (RuntimeException e) {
            close();
            throw e;
        } finally {
            nanos += System.nanoTime() - begun;
        }
    }

    private Cursor open() {
        Cursor open = cursor;
        if (open == null) {
            Query query = split.query(dynamicFilter.getCurrentPredicate().transformKeys(StreamColumn.class::cast));
            open = ask(query);
            cursor = open;
        }
        return open;
    }

    /** A server that has as many queries as it takes is asked again, for as long as the split may take. */
    private Cursor ask(Query query) {
        long deadline = System.nanoTime() + split.timeout().toNanos();
        long pause = FIRST_PAUSE_MILLIS;
        while (true) {
            try {
                return client.query(query);
            } catch (WaterwheelException e) {
                if (!e.is(ErrorCode.SERVER_BUSY)
                        || deadline - System.nanoTime() < TimeUnit.MILLISECONDS.toNanos(pause)) {
                    throw e;
                }
            }
            try {
                TimeUnit.MILLISECONDS.sleep(pause);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new WaterwheelException(ErrorCode.INTERRUPTED, "the split was cancelled while it waited", e);
            }
            pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
        }
    }

    private @Nullable SourcePage nextBatch() {
        Cursor open = open();
        if (!open.nextBatch()) {
            end(open);
            return null;
        }
        VectorSchemaRoot root = open.columns();
        int rows = root.getRowCount();
        List<StreamColumn> columns = split.columns();
        Block[] blocks = new Block[columns.size()];
        for (int i = 0; i < blocks.length; i++) {
            StreamColumn column = columns.get(i);
            FieldVector vector = root.getVector(column.aggregate().isEmpty() ? column.field() : column.name());
            if (vector == null) {
                throw Failures.split("column " + column.name() + " is not in the server's answer");
            }
            blocks[i] = Blocks.of(column, vector, rows);
        }
        Page page = new Page(rows, blocks);
        memory.setBytes(page.getRetainedSizeInBytes());
        bytes += page.getSizeInBytes();
        return SourcePage.create(page);
    }

    private @Nullable SourcePage nextCounted() {
        if (counted < 0) {
            Cursor open = open();
            while (open.nextBatch()) {
                // The verdict has the number, too.
            }
            counted = Math.min(open.verdict().tuples(), split.table().limit().orElse(Long.MAX_VALUE));
            end(open);
            finished = false;
        }
        if (counted == 0) {
            finished = true;
            return null;
        }
        int rows = (int) Math.min(counted, MOST_COUNTED);
        counted -= rows;
        return SourcePage.create(rows);
    }

    private void end(Cursor open) {
        split.requireWhole(open.verdict());
        close();
    }

    @Override
    public boolean isFinished() {
        return finished;
    }

    @Override
    public long getCompletedBytes() {
        return bytes;
    }

    @Override
    public long getReadTimeNanos() {
        return nanos;
    }

    /** Cancels the answer when it has not ended. */
    @Override
    public void close() {
        finished = true;
        memory.setBytes(0);
        Cursor open = cursor;
        cursor = null;
        if (open != null) {
            open.close();
        }
    }
}
