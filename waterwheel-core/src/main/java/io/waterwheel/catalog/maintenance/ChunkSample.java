package io.waterwheel.catalog.maintenance;

import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.chunk.ChunkDirectory;
import io.waterwheel.chunk.ChunkReader;
import io.waterwheel.chunk.encoding.CorruptChunkException;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.store.ChunkStore;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Keys of a stream's chunks, as evenly as a few reads give them. A draw is a chunk, by chance, one of more tuples as
 * much more often; of its keys every n-th is taken, from a start by chance. A chunk that cannot be read is left out.
 *
 * @param keys at most as many as were asked for
 * @param chunks that they are from
 */
@SuppressWarnings("ArrayRecordComponent") // as many numbers as there may be; never compared
public record ChunkSample(long[] keys, int chunks) {
    /** Chunks that are read, their keys alone. */
    private static final int DRAWS = 8;

    /**
     * Takes a sample.
     *
     * @param most keys, at least 1
     * @param goOn called before each chunk; what it throws ends the reading
     * @throws IOException when no chunk could be read, of the first
     * @throws CorruptChunkException the same
     */
    public static ChunkSample of(
            ChunkStore store, StreamSnapshot snapshot, int most, SplittableRandom random, Runnable goOn)
            throws IOException {
        List<ChunkDescriptor> chunks = ChunkAudit.inOrder(snapshot);
        long tuples = chunks.stream().mapToLong(ChunkDescriptor::tuples).sum();
        RowLayout layout = RowLayout.of(snapshot.stream().schema());
        Sampling sampling = new Sampling(most, random);
        // All chunks where they are few: then none is there twice.
        int draws = Math.min(DRAWS, chunks.size());
        Set<String> read = new HashSet<>();
        Exception first = null;
        for (int draw = 0; draw < draws; draw++) {
            goOn.run();
            boolean all = chunks.size() <= DRAWS;
            ChunkDescriptor chunk = all ? chunks.get(draw) : drawn(chunks, random.nextLong(tuples));
            long share = all ? (long) Math.ceil((double) most * chunk.tuples() / tuples) : (most + DRAWS - 1) / DRAWS;
            try (ChunkReader reader = ChunkReader.open(store.open(chunk.file()), layout)) {
                sampling.take(reader, share);
                read.add(chunk.file());
            } catch (IOException | CorruptChunkException e) {
                // Deleted since the snapshot, or damaged: who asks for its rows is told.
                first = first == null ? e : first;
            }
        }
        if (read.isEmpty() && first instanceof IOException e) {
            throw e;
        } else if (read.isEmpty() && first instanceof CorruptChunkException e) {
            throw e;
        }
        return new ChunkSample(Arrays.copyOf(sampling.keys, sampling.size), read.size());
    }

    /** The chunk that holds the tuple of a number. */
    private static ChunkDescriptor drawn(List<ChunkDescriptor> chunks, long tuple) {
        long left = tuple;
        int at = 0;
        while (left >= chunks.get(at).tuples()) {
            left -= chunks.get(at++).tuples();
        }
        return chunks.get(at);
    }

    private static final class Sampling {
        final long[] keys;
        final SplittableRandom random;
        int size;

        Sampling(int most, SplittableRandom random) {
            this.keys = new long[most];
            this.random = random;
        }

        /** Of all leaves: some of them alone would be of some values only of the fields that come first in the key. */
        void take(ChunkReader reader, long share) throws IOException {
            ChunkDirectory directory = reader.directory();
            long rows = 0;
            for (int leaf = 0; leaf < directory.leaves(); leaf++) {
                rows += directory.rows(leaf);
            }
            double everyRow = Math.max(1, (double) rows / share);
            double next = random.nextDouble() * everyRow;
            int before = size;
            try {
                for (int leaf = 0; leaf < directory.leaves() && size < keys.length; leaf++) {
                    long[] of = reader.readKeys(leaf);
                    if (!directory.isSorted(leaf)) {
                        // So that every part of the leaf's keys has its share.
                        of = of.clone();
                        Arrays.sort(of);
                    }
                    int inLeaf = directory.rows(leaf);
                    for (; next < inLeaf && size < keys.length; next += everyRow) {
                        keys[size++] = of[(int) next];
                    }
                    next -= inLeaf;
                }
            } catch (IOException | CorruptChunkException e) {
                size = before;
                throw e;
            }
        }
    }
}
