package io.waterwheel.trino;

import io.airlift.log.Logger;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.DynamicFilter;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.predicate.TupleDomain;
import io.waterwheel.client.Cursor;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.schema.Field;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one split, a batch of the answer a page: about a megabyte. Asks when the first page is wanted, and holds
 * no more than one batch. One thread at a time.
 */
final class AnswerPages implements ConnectorPageSource {
    private static final Logger LOG = Logger.get(AnswerPages.class);

    /** As many as splits that are read at a time; each ends when it has had nothing to do for a minute. */
    private static final ExecutorService THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "waterwheel-split");
        thread.setDaemon(true);
        return thread;
    });

    /** Rows of a page without columns. */
    private static final int MOST_COUNTED = 1 << 20;

    private final Clients clients;
    private final SplitQuery split;
    private final DynamicFilter dynamicFilter;
    private final MemoryContext memory;
    private final long waitUntil;

    /** Steps of this answer, one after the other, on threads that Trino does not interrupt. */
    private CompletableFuture<?> steps = CompletableFuture.completedFuture(null);

    private volatile @Nullable Cursor cursor;
    private volatile boolean unwanted;
    /** Rows that were counted and are still to be handed out; -1 before they are. */
    private long counted = -1;

    private boolean finished;
    private long bytes;
    private long nanos;

    AnswerPages(Clients clients, SplitQuery split, DynamicFilter dynamicFilter, MemoryContext memory, long waitMillis) {
        this.clients = clients;
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
            if (cursor == null && counted < 0 && split.isOfNothing(found())) {
                close();
                return null;
            }
            return step(() -> split.counts() ? nextCounted() : nextBatch());
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

    /** What the other side of a join has said so far. */
    private TupleDomain<StreamColumn> found() {
        return dynamicFilter.getCurrentPredicate().transformKeys(StreamColumn.class::cast);
    }

    private Cursor open() {
        Cursor open = cursor;
        if (open == null) {
            Query query = split.query(found());
            open = clients.patiently(split.timeout(), client -> client.query(query));
            cursor = open;
            if (unwanted) {
                open.cancel();
            }
            requireTypes(open);
        }
        return open;
    }

    /** A stream that was dropped and made anew may have fields of other types; its id comes with the verdict only. */
    private void requireTypes(Cursor open) {
        List<Field> fields = open.fields();
        if (fields.isEmpty()) {
            return;
        }
        for (StreamColumn column : split.columns()) {
            if (column.aggregate().isEmpty()) {
                String type = fields.get(open.indexOf(column.field())).type().schemaName();
                if (!type.equals(column.fieldType())) {
                    throw Failures.split("column " + column.name() + " was of type " + column.fieldType()
                            + " when the statement was planned, and is of type " + type + " now: run it again");
                }
            }
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
        finished = true;
        closeCursor();
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

    /**
     * Takes a step and waits for it. Trino interrupts a thread whose rows it no longer wants. Flight's stream would
     * lose its end by that, if it came while it is noted, and wait for it for ever: so another thread takes the step.
     */
    private <T extends @Nullable Object> T step(Supplier<T> step) {
        CompletableFuture<T> taken = steps.handleAsync((before, failure) -> step.get(), THREADS);
        steps = taken;
        try {
            return taken.get();
        } catch (InterruptedException e) {
            unwanted = true;
            Cursor open = cursor;
            if (open != null) {
                open.cancel();
            }
            Thread.currentThread().interrupt();
            throw new WaterwheelException(ErrorCode.INTERRUPTED, "the split is no longer wanted", e);
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case RuntimeException failure -> throw failure;
                case Error failure -> throw failure;
                case null, default -> throw new IllegalStateException(e);
            }
        }
    }

    /** Cancels the answer when it has not ended; does not wait until it has. */
    @Override
    public void close() {
        finished = true;
        memory.setBytes(0);
        unwanted = true;
        Cursor open = cursor;
        if (open != null) {
            open.cancel();
        }
        steps = steps.handleAsync(
                (before, failure) -> {
                    closeCursor();
                    return null;
                },
                THREADS);
    }

    private void closeCursor() {
        Cursor open = cursor;
        cursor = null;
        if (open != null) {
            try {
                open.close();
            } catch (WaterwheelException e) {
                LOG.warn(e, "an answer was not closed");
            }
        }
    }
}
