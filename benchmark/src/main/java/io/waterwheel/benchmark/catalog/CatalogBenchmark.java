package io.waterwheel.benchmark.catalog;

import io.waterwheel.benchmark.Options;
import io.waterwheel.catalog.ManyChunks;
import io.waterwheel.catalog.SnapshotReader;
import io.waterwheel.catalog.StreamSnapshots;
import io.waterwheel.catalog.maintenance.FileCollector;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.Region;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * How long does it take to open the catalog of a stream with 1,000,000 chunks, manifests in a local folder and a tail
 * of edits in memory, how long to find what a query needs, and how much memory does a snapshot hold?
 *
 * <pre>
 * java -Xmx3g -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.catalog.CatalogBenchmark [chunks=1_000_000] [tail=1_000] [rounds=5]
 * </pre>
 */
public final class CatalogBenchmark {
    private static final int LOOKUPS = 100_000;

    private CatalogBenchmark() {}

    /** Prints the figures. */
    public static void main(String[] arguments) throws IOException {
        Options options = new Options(arguments, "chunks", "1_000_000", "tail", "1_000", "rounds", "5");
        int chunks = options.integer("chunks");
        Path folder = Files.createTempDirectory("catalog-benchmark");
        try (ChunkStore files = new LocalChunkStore(folder)) {
            CatalogStore store = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
            long begun = System.nanoTime();
            StreamInfo stream = ManyChunks.make(store, files, chunks, options.integer("tail"));
            long bytes = 0;
            for (ChunkStore.StoredFile file : files.list("")) {
                bytes += file.bytes();
            }
            System.out.printf(
                    "%s: made in %.1f s, %.1f MB of files with those that were replaced%n",
                    options, (System.nanoTime() - begun) / 1e9, bytes / 1e6);
            long before = used();
            StreamSnapshot snapshot = StreamSnapshot.before(stream);
            for (int round = 0; round < options.integer("rounds"); round++) {
                snapshot = StreamSnapshot.before(stream);
                begun = System.nanoTime();
                snapshot = new SnapshotReader(store, files, stream).latest();
                System.out.printf(
                        "open %d: %.2f s, %d chunks at edit %d%n",
                        round, (System.nanoTime() - begun) / 1e9, snapshot.chunkCount(), snapshot.edit());
            }
            long held = used() - before;
            System.out.printf(
                    "snapshot: %.0f MB, %.0f bytes a chunk%n", held / 1e6, (double) held / snapshot.chunkCount());
            lookUp(snapshot, chunks, new SplittableRandom(1));
            lookUp(snapshot, chunks, new SplittableRandom(2));
            collect(store, files, snapshot, held);
        } finally {
            try (Stream<Path> all = Files.walk(folder)) {
                for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    /**
     * What the collector of files holds beside the snapshot, which it shares: between two looks, and in one, when every
     * file of the store has been listed. The files are told by a store that has none.
     */
    private static void collect(CatalogStore store, ChunkStore files, StreamSnapshot snapshot, long held)
            throws IOException {
        long before = used();
        long[] listed = {0};
        ChunkStore listing = (ChunkStore) Proxy.newProxyInstance(
                ChunkStore.class.getClassLoader(), new Class<?>[] {ChunkStore.class}, (proxy, method, arguments) -> {
                    if (!method.getName().equals("forEach")) {
                        return method.invoke(files, arguments);
                    }
                    @SuppressWarnings("unchecked")
                    Consumer<ChunkStore.StoredFile> visitor = (Consumer<ChunkStore.StoredFile>) arguments[1];
                    Region all = Region.of(Long.MIN_VALUE, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE);
                    snapshot.chunks(all, chunk -> visitor.accept(new ChunkStore.StoredFile(chunk.file(), 1, 0)));
                    listed[0] = used();
                    return null;
                });
        FileCollector collector =
                new FileCollector(new StreamSnapshots(store, listing, known -> snapshot), Long.MAX_VALUE);
        long begun = System.nanoTime();
        collector.list();
        collector.readCatalog();
        FileCollector.Found found = collector.collect(System.nanoTime());
        double seconds = (System.nanoTime() - begun) / 1e9;
        System.out.printf(
                "collection: %.1f s, %d files, %d to remove; beside the snapshot %.1f %% when all are listed, %.1f %% after%n",
                seconds,
                found.files(),
                found.waiting(),
                100.0 * (listed[0] - before) / held,
                100.0 * (used() - before) / held);
    }

    private static long used() {
        Runtime runtime = Runtime.getRuntime();
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return runtime.totalMemory() - runtime.freeMemory();
    }

    private static void lookUp(StreamSnapshot snapshot, int chunks, SplittableRandom random) {
        long[] nanos = new long[LOOKUPS];
        long hits = 0;
        int most = 0;
        for (int i = 0; i < LOOKUPS; i++) {
            Region region = ManyChunks.query(random, chunks);
            int[] found = {0};
            long begun = System.nanoTime();
            snapshot.chunks(region, chunk -> found[0]++);
            nanos[i] = System.nanoTime() - begun;
            hits += found[0];
            most = Math.max(most, found[0]);
        }
        Arrays.sort(nanos);
        System.out.printf(
                "look-ups: %.1f hits, at most %d; p50 %.4f ms, p99 %.4f ms, p99.9 %.4f ms%n",
                (double) hits / LOOKUPS,
                most,
                nanos[LOOKUPS / 2] / 1e6,
                nanos[LOOKUPS / 100 * 99] / 1e6,
                nanos[LOOKUPS / 1000 * 999] / 1e6);
    }
}
