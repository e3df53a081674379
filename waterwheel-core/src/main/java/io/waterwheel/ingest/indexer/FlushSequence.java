package io.waterwheel.ingest.indexer;

import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.chunk.EncodedChunk;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.index.Template;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.ScaleVersion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The flushes of one instance of an indexer, one after another in the order they were sealed (protocol rule 7): write
 * the chunks, each in a step, then commit them with the checkpoint. A state machine that takes one step a call and may
 * be asked again after any failure; no threads, no clock, no pauses. Not thread-safe: the thread that flushes owns it.
 *
 * <pre>
 * add -> [write: temporary name, sync, rename] -> WRITTEN (each part) -> [one transaction] -> COMMITTED, or FENCED for
 * ever; ABANDONED for ever, before any step </pre>
 */
public final class FlushSequence {
    /** What a step has done. */
    public enum Step {
        /** A chunk lies in the store under its name; the catalog does not know of it yet. */
        WRITTEN,
        /** Checkpoint and chunks are in the catalog. */
        COMMITTED,
        /** A successor has raised the epoch: nothing of this instance will ever be committed again. */
        FENCED,
        /**
         * The indexer has stopped: its stream was dropped or begins anew, or a successor lives. Nothing was done, and
         * its trees give their memory back (protocol rule 6).
         */
        ABANDONED
    }

    private final StreamCatalog catalog;
    private final int indexer;
    private final ArrayDeque<SealedTree> waiting = new ArrayDeque<>();
    /** Of the checkpoint's node; it stands for {@link #lastFlush}. */
    private int nodeVersion;

    private long lastFlush;
    /** Of the checkpoint of {@link #lastFlush}. */
    private long[] lastWatermarks;
    /** Of the oldest flush, the chunks that are in the store: one for each part that has tuples, in their order. */
    private final List<ChunkDescriptor> written = new ArrayList<>();
    /** Of the oldest flush, how many parts are done with. */
    private int partsWritten;

    private @Nullable Template learnt;
    private boolean ended;

    /**
     * Flushes of an instance that has just started.
     *
     * @param start what it started with
     */
    public FlushSequence(StreamCatalog catalog, int indexer, StreamCatalog.IndexerStart start) {
        this.catalog = catalog;
        this.indexer = indexer;
        this.nodeVersion = start.nodeVersion();
        this.lastFlush = start.checkpoint().flushed();
        this.lastWatermarks = start.checkpoint().watermarks();
    }

    public StreamInfo stream() {
        return catalog.stream();
    }

    /** Appends a tree; holds it until it is committed or the sequence {@link #end ends}. */
    public void add(SealedTree sealed) {
        if (ended) {
            return;
        }
        // The indexer may let go of the tree (its stream is dropped): not before this is done with it.
        if (!sealed.tryRetain()) {
            throw new IllegalStateException(
                    "indexer " + indexer + ": flush " + sealed.flush() + " of a discarded tree");
        }
        waiting.add(sealed);
    }

    /** The tree that the next step is about, or null when there is none. */
    public @Nullable SealedTree next() {
        return waiting.peekFirst();
    }

    /** What the main tree's chunk of the last commit taught about keys, or null when it had none. */
    public @Nullable Template learnt() {
        return learnt;
    }

    /**
     * Takes one step of the oldest tree. After an exception of the kinds below nothing is decided: the same step is
     * taken again by the next call, whatever the failed one left behind.
     *
     * @throws IOException when the store failed
     * @throws WaterwheelException TEMPORARY when the catalog is away; CORRUPT when the chunk's name is taken by another
     *     content; {@link io.waterwheel.catalog.state.StreamGoneException} when the stream was dropped
     */
    public Step step(ChunkStore store, ChunkWriter writer) throws IOException {
        SealedTree sealed = waiting.getFirst();
        if (sealed.isAbandoned()) {
            // While the store is away it would never come to the commit that tells, and keep its memory for as long.
            end();
            return Step.ABANDONED;
        }
        if (sealed.flush() != lastFlush + 1) {
            throw new IllegalStateException(
                    "indexer " + indexer + ": flush " + sealed.flush() + " cannot follow flush " + lastFlush);
        }
        if (partsWritten == 0) {
            learnt = null;
        }
        while (partsWritten < sealed.parts().size()) {
            SealedTree.Part part = sealed.parts().get(partsWritten);
            if (part.tree().tuples() > 0) {
                written.add(write(sealed, part, store, writer));
                partsWritten++;
                return Step.WRITTEN;
            }
            partsWritten++;
        }
        StreamCatalog.CommitOutcome outcome =
                catalog.commitFlush(indexer, nodeVersion, lastWatermarks, sealed.next(), List.copyOf(written));
        if (outcome instanceof StreamCatalog.CommitOutcome.Done done) {
            nodeVersion = done.nodeVersion();
            lastFlush = sealed.flush();
            lastWatermarks = sealed.next().watermarks();
            written.clear();
            partsWritten = 0;
            waiting.remove(sealed);
            sealed.release();
            return Step.COMMITTED;
        }
        end();
        return Step.FENCED;
    }

    /** The stream's schema, with the scales by which keys of the tree were made: another try makes the same chunk. */
    private Schema schemaOf(SealedTree.Part part) {
        Schema schema = catalog.stream().schema();
        Region region = part.tree().region();
        return schema.key().dimensional() == null || region == null
                ? schema
                : catalog.scaled(ScaleVersion.of(region.keys().low())).schema();
    }

    private ChunkDescriptor write(SealedTree sealed, SealedTree.Part part, ChunkStore store, ChunkWriter writer)
            throws IOException {
        EncodedChunk encoded = writer.encode(part.tree(), schemaOf(part));
        if (part.number() == TreeGroup.MAIN) {
            learnt = encoded.nextTemplate();
        }
        String file = ChunkDescriptor.fileName(
                catalog.stream().name(),
                sealed.streamId(),
                sealed.indexer(),
                sealed.next().epoch(),
                sealed.flush(),
                part.number());
        try {
            store.write(file, encoded.content());
        } catch (FileAlreadyExistsException e) {
            // No other task uses this name: an earlier try of ours got it there, and failed or was not told.
            requireSame(store, file, encoded.content(), e);
        }
        return new ChunkDescriptor(
                file,
                sealed.indexer(),
                sealed.next().epoch(),
                sealed.flush(),
                part.number(),
                encoded.tuples(),
                encoded.bytes(),
                encoded.region(),
                encoded.box());
    }

    /** A file of this name and other content is of another catalog that uses the same store: never to be committed. */
    private static void requireSame(
            ChunkStore store, String file, List<ByteBuffer> content, FileAlreadyExistsException cause)
            throws IOException {
        boolean same;
        try (ChunkStore.Input input = store.open(file)) {
            long length = content.stream().mapToLong(ByteBuffer::remaining).sum();
            same = input.size() == length;
            long position = 0;
            for (ByteBuffer buffer : content) {
                byte[] expected = new byte[buffer.remaining()];
                buffer.duplicate().get(expected);
                if (same) {
                    byte[] found = new byte[expected.length];
                    input.read(position, found, 0, found.length);
                    same = Arrays.equals(expected, found);
                }
                position += expected.length;
            }
        }
        if (!same) {
            throw new WaterwheelException(
                    ErrorCode.CHUNK_NAME_TAKEN,
                    "chunk " + file + ": the name is taken by a file of other content; expected that only this"
                            + " namespace writes to this chunk store; give each namespace, and each new catalog, a"
                            + " chunk store of its own",
                    cause);
        }
    }

    /** Lets go of every tree; nothing is flushed from now on. */
    public void end() {
        ended = true;
        written.clear();
        waiting.forEach(SealedTree::release);
        waiting.clear();
    }

    /** Whether it has ended. */
    public boolean ended() {
        return ended;
    }
}
