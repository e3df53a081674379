package io.waterwheel.topology.bolt;

import io.waterwheel.catalog.StreamGoneException;
import io.waterwheel.chunk.ChunkStore;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.index.Template;
import io.waterwheel.ingest.FlushSequence;
import io.waterwheel.ingest.SealedTree;
import io.waterwheel.model.WaterwheelException;
import java.io.IOException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes sealed trees as chunks and commits them, one after another on a thread of its own, in the order they came
 * (protocol rule 7). What waits is bounded by the trees' memory pool. A failing store is tried again until it works:
 * the pool then fills, credit ends, and the log keeps what comes.
 */
final class Flusher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Flusher.class);
    private static final long FIRST_RETRY_MILLIS = 50;
    private static final long MAX_RETRY_MILLIS = 5_000;

    /**
     * How a flush ended.
     *
     * @param fenced whether a successor has taken over
     * @param nextTemplate learnt from the chunk, or null when there was none
     */
    record Outcome(boolean fenced, @Nullable Template nextTemplate) {}

    private final String name;
    private final ChunkStore store;
    private final ChunkWriter writer = new ChunkWriter();
    private final ThreadPoolExecutor thread;
    private volatile boolean closed;

    Flusher(String name, ChunkStore store) {
        this.name = name;
        this.store = store;
        this.thread = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            Thread created = new Thread(task, name + "-flusher");
            created.setDaemon(true);
            return created;
        });
    }

    /**
     * Flushes a tree.
     *
     * @param sequence the flushes of its indexer; only this thread uses it
     * @param done called once it is committed, or the indexer is fenced; not when the stream is dropped
     * @param failed called when going on would leave a flush out
     */
    void flush(FlushSequence sequence, SealedTree sealed, Consumer<Outcome> done, Consumer<Throwable> failed) {
        // The indexer may let go of the tree (its stream is dropped) before the thread comes to it.
        if (!sealed.tryRetain()) {
            throw new IllegalStateException(name + ": flush " + sealed.flush() + " of a tree that is discarded");
        }
        thread.execute(() -> {
            Outcome outcome = null;
            try {
                sequence.add(sealed);
                outcome = flushAll(sequence);
            } catch (Throwable e) {
                // A later flush must not be committed over this one.
                sequence.end();
                failed.accept(e);
            } finally {
                sealed.release();
            }
            if (outcome != null) {
                done.accept(outcome);
            }
        });
    }

    /** Tries until all that was added is committed, or the indexer is fenced; null when the sequence has ended. */
    private @Nullable Outcome flushAll(FlushSequence sequence) {
        long pause = FIRST_RETRY_MILLIS;
        long startNanos = System.nanoTime();
        SealedTree sealed;
        while (!closed && (sealed = sequence.next()) != null) {
            try {
                switch (sequence.step(store, writer)) {
                    case WRITTEN -> {}
                    case COMMITTED ->
                        LOG.info(
                                "[{}/indexer-{}] flushed s={} reason={} tuples={} in {} ms",
                                sequence.stream().name(),
                                sealed.indexer(),
                                sealed.flush(),
                                sealed.reason(),
                                sealed.tuples(),
                                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos));
                    case FENCED -> {
                        return new Outcome(true, null);
                    }
                }
                continue;
            } catch (StreamGoneException e) {
                LOG.info("[{}] stream {} was dropped before flush {}", name, sealed.streamId(), sealed.flush());
                sequence.end();
                return null;
            } catch (WaterwheelException e) {
                if (e.kind() != WaterwheelException.Kind.TEMPORARY) {
                    throw e;
                }
                LOG.warn("[{}] flush {} failed; trying again in {} ms", name, sealed.flush(), pause, e);
            } catch (IOException e) {
                LOG.warn("[{}] flush {} failed; trying again in {} ms", name, sealed.flush(), pause, e);
            }
            try {
                TimeUnit.MILLISECONDS.sleep(pause);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                sequence.end();
                return null;
            }
            pause = Math.min(pause * 2, MAX_RETRY_MILLIS);
        }
        return closed || sequence.ended() ? null : new Outcome(false, sequence.learnt());
    }

    @Override
    public void close() {
        closed = true;
        thread.shutdownNow();
        try {
            if (!thread.awaitTermination(5, TimeUnit.SECONDS)) {
                LOG.warn("[{}] a flush did not end in time", name);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
