package io.waterwheel.catalog;

import io.waterwheel.catalog.maintenance.ManifestCompaction;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.tuple.Region;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The catalog of a stream with very many chunks, for tests and benchmarks: of 100 indexers, one after the other in
 * time, rolled up on the way as it would be, with a tail of single flushes behind the manifest.
 */
public final class ManyChunks {
    private static final int INDEXERS = 100;
    private static final int KEY_BITS = 56;
    private static final long CHUNK_MILLIS = 10_000;
    private static final int CHUNKS_PER_FLUSH = 2_000;

    private static final Schema SCHEMA = new Schema(
            List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t");

    private final StreamInfo stream;
    private final StreamCatalog catalog;
    private final ManifestCompaction roll;
    private final int[] versions = new int[INDEXERS];
    private final long[] flushed = new long[INDEXERS];
    private final SplittableRandom random = new SplittableRandom(1);
    private int made;
    private int attempts;

    private ManyChunks(CatalogStore store, ChunkStore files) {
        this.stream = new Namespace(store).create("many", SCHEMA, RecordFormat.BLOCK, "t", new long[4], INDEXERS);
        this.catalog = new StreamCatalog(store, stream);
        this.roll = new ManifestCompaction(
                new StreamSnapshots(store, files),
                stream,
                new ManifestCompaction.Settings(1, 0),
                () -> "a" + attempts++);
    }

    /**
     * Makes one.
     *
     * @param chunks in the manifest
     * @param tail flushes of one chunk each that come behind it
     */
    public static StreamInfo make(CatalogStore store, ChunkStore files, int chunks, int tail) throws IOException {
        ManyChunks many = new ManyChunks(store, files);
        for (int indexer = 0; indexer < INDEXERS; indexer++) {
            many.versions[indexer] = many.catalog.startIndexer(indexer).nodeVersion();
        }
        while (many.made < chunks) {
            many.flush(Math.min(CHUNKS_PER_FLUSH, chunks - many.made));
            many.roll.write();
            many.roll.commit();
            many.roll.trim();
        }
        for (int i = 0; i < tail; i++) {
            many.flush(1);
        }
        return many.stream;
    }

    private void flush(int chunks) {
        int indexer = random.nextInt(INDEXERS);
        long flush = ++flushed[indexer];
        List<ChunkDescriptor> added = new ArrayList<>();
        for (int part = 0; part < chunks; part++) {
            int chunk = made++;
            long low = ((long) (chunk % INDEXERS)) << KEY_BITS;
            long from = chunk / INDEXERS * CHUNK_MILLIS + random.nextInt(3_000);
            added.add(new ChunkDescriptor(
                    ChunkDescriptor.fileName("many", stream.id(), indexer, 1, flush, part),
                    indexer,
                    1,
                    flush,
                    part,
                    400_000 + random.nextInt(100_000),
                    6_000_000 + random.nextInt(1_000_000),
                    Region.of(
                            low + random.nextInt(1 << 30),
                            low + (1L << KEY_BITS) - 1 - random.nextInt(1 << 30),
                            from,
                            from + CHUNK_MILLIS - 1_000 + random.nextInt(2_000))));
        }
        var outcome = catalog.commitFlush(
                indexer,
                versions[indexer],
                new IndexerCheckpoint(1, flush, new long[] {made, made, made, made}, 0),
                added);
        versions[indexer] = ((StreamCatalog.CommitOutcome.Done) outcome).nodeVersion();
    }

    /** A region that meets some 30 of so many chunks, and never more than 100. */
    public static Region query(SplittableRandom random, int chunks) {
        long from = random.nextLong(Math.max(1, chunks / INDEXERS * CHUNK_MILLIS));
        long low = random.nextLong(((long) INDEXERS - 10) << KEY_BITS);
        return Region.of(low, low + random.nextLong(9L << KEY_BITS), from, from + random.nextInt(40_000));
    }
}
