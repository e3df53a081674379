package io.waterwheel.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.catalog.region.RegionIndex;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.Region;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A catalog of very many chunks opens soon and is searched at once. {@code -Dchunks=1000000} for the size that is aimed
 * at; the limits here are for machines that do other things too, the figures are in benchmark/RESULTS.md.
 */
final class CatalogScaleTest {
    private static final int LOOKUPS = 2_000;

    @Test
    void opensSoonAndFindsWhatAScanFinds(@TempDir Path folder) throws IOException {
        int chunks = Rounds.of("chunks", 40_000, 1_000_000);
        int tail = 500;
        CatalogStore store = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
        ChunkStore files = new LocalChunkStore(folder);
        StreamInfo stream = ManyChunks.make(store, files, chunks, tail);
        // This thread's time: on a busy machine it waits for others.
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long begun = threads.getCurrentThreadCpuTime();
        StreamSnapshot snapshot = new SnapshotReader(store, files, stream).latest();
        double seconds = (threads.getCurrentThreadCpuTime() - begun) / 1e9;
        assertThat(snapshot.chunkCount()).isEqualTo(chunks + tail);
        assertThat(seconds).as("seconds to open").isLessThan(30);
        List<RegionIndex.Entry<ChunkDescriptor>> all = snapshot.allChunks();
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 10; i++) {
            Region region = ManyChunks.query(random, chunks);
            int[] hits = {0};
            snapshot.chunks(region, chunk -> hits[0]++);
            assertThat(hits[0]).isEqualTo((int) all.stream()
                    .filter(entry -> entry.region().overlaps(region))
                    .count());
        }
        long[] nanos = new long[LOOKUPS];
        for (int i = 0; i < LOOKUPS; i++) {
            Region region = ManyChunks.query(random, chunks);
            int[] hits = {0};
            long asked = threads.getCurrentThreadCpuTime();
            snapshot.chunks(region, chunk -> hits[0]++);
            nanos[i] = threads.getCurrentThreadCpuTime() - asked;
            assertThat(hits[0]).isLessThanOrEqualTo(100);
        }
        Arrays.sort(nanos);
        System.out.printf(
                "catalog: %d chunks opened in %.2f s, look-ups p50 %.4f ms, p99 %.4f ms%n",
                chunks, seconds, nanos[LOOKUPS / 2] / 1e6, nanos[LOOKUPS * 99 / 100] / 1e6);
        assertThat(nanos[LOOKUPS / 2] / 1e6).as("median look-up in ms").isLessThan(5);
    }
}
