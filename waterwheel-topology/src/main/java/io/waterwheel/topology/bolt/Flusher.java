package io.waterwheel.topology.bolt;

import io.waterwheel.catalog.ChunkDescriptor;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.StreamGoneException;
import io.waterwheel.chunk.ChunkStore;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.chunk.EncodedChunk;
import io.waterwheel.index.Template;
import io.waterwheel.ingest.SealedTree;
import io.waterwheel.model.WaterwheelException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.util.List;
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

    /** Where an indexer's flushes go. Owner: the flusher's thread. */
    static final class Target {
        private final StreamCatalog catalog;
        private final int indexer;
        private int nodeVersion;
        /** The flush that the node version stands for. */
        private long lastFlush;

        private boolean ended;

        Target(StreamCatalog catalog, int indexer, int nodeVersion, long lastFlush) {
            this.catalog = catalog;
            this.indexer = indexer;
            this.nodeVersion = nodeVersion;
            this.lastFlush = lastFlush;
        }
    }

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
     * @param done called once it is committed, or the target is fenced; not when the stream is dropped
     * @param failed called when going on would leave a flush out
     */
    void flush(Target target, SealedTree sealed, Consumer<Outcome> done, Consumer<Throwable> failed) {
        // The indexer may let go of the tree (its stream is dropped): not before this is done with it.
        if (!sealed.tree().tryRetain()) {
            throw new IllegalStateException(name + ": flush " + sealed.flush() + " of a tree that is discarded");
        }
        thread.execute(() -> {
            Outcome outcome = null;
            try {
                outcome = write(target, sealed);
            } catch (Throwable e) {
                // A later flush must not be committed over this one.
                target.ended = true;
                failed.accept(e);
            } finally {
                sealed.tree().release();
            }
            if (outcome != null) {
                done.accept(outcome);
            }
        });
    }

    /** Tries until it is done or fenced; null when the target has ended otherwise. */
    private @Nullable Outcome write(Target target, SealedTree sealed) {
        long pause = FIRST_RETRY_MILLIS;
        while (!closed && !target.ended) {
            try {
                return writeOnce(target, sealed);
            } catch (StreamGoneException e) {
                LOG.info("[{}] stream {} was dropped before flush {}", name, sealed.streamId(), sealed.flush());
                target.ended = true;
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
                target.ended = true;
                return null;
            }
            pause = Math.min(pause * 2, MAX_RETRY_MILLIS);
        }
        return null;
    }

    private Outcome writeOnce(Target target, SealedTree sealed) throws IOException {
        if (sealed.flush() != target.lastFlush + 1) {
            throw new IllegalStateException(
                    name + ": flush " + sealed.flush() + " cannot follow flush " + target.lastFlush);
        }
        long startNanos = System.nanoTime();
        List<ChunkDescriptor> chunks = List.of();
        Template next = null;
        if (sealed.tree().tuples() > 0) {
            EncodedChunk encoded =
                    writer.encode(sealed.tree(), target.catalog.stream().schema());
            next = encoded.nextTemplate();
            String file = ChunkDescriptor.fileName(
                    target.catalog.stream().name(),
                    sealed.streamId(),
                    sealed.indexer(),
                    sealed.next().epoch(),
                    sealed.flush(),
                    0);
            try {
                store.write(file, encoded.content());
            } catch (FileAlreadyExistsException e) {
                // Nobody else uses this name: an earlier try of ours got it there and failed later.
                LOG.info("[{}] chunk {} was written by an earlier try", name, file);
            }
            chunks = List.of(new ChunkDescriptor(
                    file,
                    sealed.indexer(),
                    sealed.next().epoch(),
                    sealed.flush(),
                    0,
                    encoded.tuples(),
                    encoded.bytes(),
                    encoded.region()));
        }
        StreamCatalog.CommitOutcome outcome =
                target.catalog.commitFlush(target.indexer, target.nodeVersion, sealed.next(), chunks);
        if (outcome instanceof StreamCatalog.CommitOutcome.Done done) {
            target.nodeVersion = done.nodeVersion();
            target.lastFlush = sealed.flush();
            LOG.info(
                    "[{}/indexer-{}] flushed s={} reason={} tuples={} in {} ms",
                    target.catalog.stream().name(),
                    target.indexer,
                    sealed.flush(),
                    sealed.reason(),
                    sealed.tree().tuples(),
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos));
            return new Outcome(false, next);
        }
        target.ended = true;
        return new Outcome(true, null);
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
