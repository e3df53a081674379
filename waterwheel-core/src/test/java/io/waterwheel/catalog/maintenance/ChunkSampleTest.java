package io.waterwheel.catalog.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.chunk.EncodedChunk;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TupleBlock;
import io.waterwheel.tuple.WideKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys that are taken from chunks beside all keys that were put in. */
final class ChunkSampleTest {
    private static final StreamInfo STREAM = new StreamInfo("s", 1, WideKeys.SCHEMA, RecordFormat.BLOCK, "s", 1, 1);

    @TempDir
    Path folder;

    private LocalChunkStore store;

    @BeforeEach
    void open() throws IOException {
        store = new LocalChunkStore(folder);
    }

    /** Chunks with these numbers of rows; gives the sorted keys of each. */
    private List<long[]> write(List<ChunkDescriptor> descriptors, int... rows) throws Exception {
        List<long[]> keys = new ArrayList<>();
        for (int chunk = 0; chunk < rows.length; chunk++) {
            TupleBlock block = WideChunks.rows(rows[chunk], new Random(chunk));
            EncodedChunk encoded = WideChunks.write(block);
            store.write("c" + chunk, encoded.content());
            descriptors.add(new ChunkDescriptor(
                    "c" + chunk,
                    0,
                    1,
                    chunk + 1,
                    0,
                    encoded.tuples(),
                    encoded.bytes(),
                    encoded.region(),
                    encoded.box()));
            long[] sorted = Arrays.copyOf(block.keys(), block.size());
            Arrays.sort(sorted);
            keys.add(sorted);
        }
        return keys;
    }

    private static StreamSnapshot snapshot(List<ChunkDescriptor> chunks) {
        return StreamSnapshot.before(STREAM)
                .apply(1, new Edit.Created(RoutingTable.even(1, KeyInterval.ALL, 1), List.of(0L)))
                .apply(2, new Edit.Started(0, 1))
                .apply(3, new Edit.Flushed(0, new IndexerCheckpoint(1, 1, new long[] {10}, 0), chunks));
    }

    @Test
    void ofFewRowsAllAreTaken() throws Exception {
        List<ChunkDescriptor> descriptors = new ArrayList<>();
        List<long[]> keys = write(descriptors, 3000, 10, 5000);
        ChunkSample sample = ChunkSample.of(store, snapshot(descriptors), 10_000, new SplittableRandom(1), () -> {});
        long[] all = keys.stream().flatMapToLong(Arrays::stream).sorted().toArray();
        assertThat(Arrays.stream(sample.keys()).sorted().toArray()).containsExactly(all);
        assertThat(sample.chunks()).isEqualTo(3);
    }

    /** Each chunk by its rows, and of each chunk every part of its keys. */
    @Test
    void rowsAreTakenEvenly() throws Exception {
        List<ChunkDescriptor> descriptors = new ArrayList<>();
        List<long[]> keys = write(descriptors, 4000, 12_000);
        ChunkSample sample = ChunkSample.of(store, snapshot(descriptors), 1600, new SplittableRandom(2), () -> {});
        assertThat(sample.keys()).hasSizeBetween(1590, 1600);
        for (int chunk = 0; chunk < 2; chunk++) {
            long[] sorted = keys.get(chunk);
            int[] tenths = new int[10];
            for (long key : sample.keys()) {
                int at = Arrays.binarySearch(sorted, key);
                if (at >= 0) {
                    tenths[at * 10 / sorted.length]++;
                }
            }
            for (int tenth : tenths) {
                assertThat(tenth).isBetween(sorted.length / 100 - 2, sorted.length / 100 + 2);
            }
        }
    }

    @Test
    void ofManyChunksSomeAreDrawn() throws Exception {
        List<ChunkDescriptor> descriptors = new ArrayList<>();
        int[] rows = new int[30];
        Arrays.fill(rows, 100);
        Set<Long> all = new HashSet<>();
        write(descriptors, rows).forEach(keys -> Arrays.stream(keys).forEach(all::add));
        for (long seed = 0; seed < 20; seed++) {
            ChunkSample sample =
                    ChunkSample.of(store, snapshot(descriptors), 160, new SplittableRandom(seed), () -> {});
            assertThat(sample.chunks()).isBetween(4, 8);
            assertThat(sample.keys()).hasSizeBetween(150, 160);
            assertThat(ChunkSample.of(store, snapshot(descriptors), 1, new SplittableRandom(seed), () -> {})
                            .keys())
                    .hasSize(1);
            assertThat(all).containsAll(Arrays.stream(sample.keys()).boxed().toList());
        }
    }

    @Test
    void aChunkThatIsAwayIsLeftOutAndAStoreThatIsAwayIsSaid() throws Exception {
        List<ChunkDescriptor> descriptors = new ArrayList<>();
        List<long[]> keys = write(descriptors, 10, 10);
        store.delete("c0");
        ChunkSample sample = ChunkSample.of(store, snapshot(descriptors), 20, new SplittableRandom(1), () -> {});
        assertThat(sample.chunks()).isEqualTo(1);
        assertThat(Arrays.stream(sample.keys()).sorted().toArray()).isEqualTo(keys.get(1));
        store.delete("c1");
        assertThatThrownBy(() -> ChunkSample.of(store, snapshot(descriptors), 5, new SplittableRandom(1), () -> {}))
                .isInstanceOf(IOException.class);
    }
}
