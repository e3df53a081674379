package io.waterwheel.catalog.maintenance;

import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.chunk.ChunkDirectory;
import io.waterwheel.chunk.ChunkReader;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.store.ChunkStore;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Keys of a stream's chunks, as evenly as a few reads give them. A draw is a chunk, by chance, one of more tuples as
 * much more often; of it every n-th leaf is read, and of these every m-th key taken, from a start by chance.
 *
 * @param keys at most as many as were asked for
 * @param draws chunks that were read, one that was drawn twice counted twice
 */
@SuppressWarnings("ArrayRecordComponent") // as many numbers as there may be; never compared
public record ChunkSample(long[] keys, int draws) {
    /** Chunks that are read: each costs a tail and up to {@value #LEAVES} leaves. */
    private static final int DRAWS = 8;

    private static final int LEAVES = 64;

    /**
     * Takes a sample.
     *
     * @param most keys, at least 1
     */
    public static ChunkSample of(ChunkStore store, StreamSnapshot snapshot, int most, SplittableRandom random)
            throws IOException {
        List<ChunkDescriptor> chunks = ChunkAudit.inOrder(snapshot);
        long tuples = chunks.stream().mapToLong(ChunkDescriptor::tuples).sum();
        RowLayout layout = RowLayout.of(snapshot.stream().schema());
        Sampling sampling = new Sampling(most, random);
        // All chunks where they are few: then none is there twice.
        int draws = Math.min(DRAWS, chunks.size());
        for (int draw = 0; draw < draws; draw++) {
            ChunkDescriptor chunk = chunks.size() <= DRAWS ? chunks.get(draw) : drawn(chunks, random.nextLong(tuples));
            long share =
                    chunks.size() <= DRAWS ? (long) Math.ceil((double) most * chunk.tuples() / tuples) : most / DRAWS;
            try (ChunkReader reader = ChunkReader.open(store.open(chunk.file()), layout)) {
                sampling.take(reader, share);
            }
        }
        return new ChunkSample(Arrays.copyOf(sampling.keys, sampling.size), draws);
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

        void take(ChunkReader reader, long share) throws IOException {
            ChunkDirectory directory = reader.directory();
            int everyLeaf = Math.max(1, directory.leaves() / LEAVES);
            int firstLeaf = random.nextInt(everyLeaf);
            long rows = 0;
            for (int leaf = firstLeaf; leaf < directory.leaves(); leaf += everyLeaf) {
                rows += directory.rows(leaf);
            }
            double everyRow = Math.max(1, (double) rows / share);
            double next = random.nextDouble() * everyRow;
            for (int leaf = firstLeaf; leaf < directory.leaves(); leaf += everyLeaf) {
                long[] of = reader.readLeaf(leaf)[ChunkDirectory.KEYS].longs();
                int inLeaf = directory.rows(leaf);
                for (; next < inLeaf && size < keys.length; next += everyRow) {
                    keys[size++] = of[(int) next];
                }
                next -= inLeaf;
            }
        }
    }
}
