package io.waterwheel.catalog.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.index.RandomTuples;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Retention;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.ScaleVersion;
import io.waterwheel.tuple.WideKeys;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is merged, and what is left, over the life of a stream. */
final class MergePolicyTest {
    /** 36 bytes a tuple, no text: estimates are right. */
    private static final Schema SCHEMA = RandomTuples.taxi();

    private static final long TUPLE_BYTES = RowLayout.of(SCHEMA).rowWidth();
    private static final long MINUTE = 60_000;
    private static final MergePolicy POLICY = new MergePolicy(1000 * TUPLE_BYTES, 24 * 60 * MINUTE);

    private StreamSnapshot snapshot = begin(Retention.OFF, 1);
    private long edit;
    private int parts = ChunkDescriptor.FIRST_MERGED_PART;

    private StreamSnapshot begin(Retention retention, int indexers) {
        return begin(SCHEMA, retention, indexers);
    }

    private StreamSnapshot begin(Schema schema, Retention retention, int indexers) {
        StreamInfo stream = new StreamInfo("s", 1, schema, RecordFormat.BLOCK, "s", 1, indexers);
        StreamSnapshot begun = StreamSnapshot.before(
                        stream.withPolicy(stream.policy().withRetention(retention)))
                .apply(1, new Edit.Created(RoutingTable.even(1, KeyInterval.ALL, indexers), List.of(0L)));
        edit = 1;
        for (int indexer = 0; indexer < indexers; indexer++) {
            begun = begun.apply(++edit, new Edit.Started(indexer, 1));
        }
        return begun;
    }

    private void flush(int indexer, long tuples, long from, long to) {
        flush(indexer, tuples, new KeyInterval(0, 9), from, to);
    }

    private void flush(int indexer, long tuples, KeyInterval keys, long from, long to) {
        long flush = snapshot.checkpoints().get(indexer).flushed() + 1;
        ChunkDescriptor chunk = new ChunkDescriptor(
                indexer + "-" + flush, indexer, 1, flush, 0, tuples, 100, Region.of(keys.low(), keys.high(), from, to));
        snapshot = snapshot.apply(
                ++edit,
                new Edit.Flushed(indexer, new IndexerCheckpoint(1, flush, new long[] {flush}, 0), List.of(chunk)));
    }

    private List<List<ChunkDescriptor>> plan() {
        return POLICY.plan(snapshot, snapshot.stream().policy().retention(), chunk -> true, chunk -> null);
    }

    /** Carries out what is planned; gives the tuples that were written again. */
    private long merge() {
        long written = 0;
        for (List<ChunkDescriptor> inputs : plan()) {
            ChunkDescriptor last = inputs.stream()
                    .max(Comparator.comparingLong(ChunkDescriptor::flush))
                    .orElseThrow();
            long tuples = inputs.stream().mapToLong(ChunkDescriptor::tuples).sum();
            long from = inputs.stream()
                    .mapToLong(chunk -> chunk.region().times().from())
                    .min()
                    .orElseThrow();
            long to = inputs.stream()
                    .mapToLong(chunk -> chunk.region().times().to())
                    .max()
                    .orElseThrow();
            int part = parts++;
            snapshot = snapshot.apply(
                    ++edit,
                    new Edit.Merged(
                            inputs.stream().map(ChunkDescriptor::file).toList(),
                            new ChunkDescriptor(
                                    "merged-" + part,
                                    last.indexer(),
                                    1,
                                    last.flush(),
                                    part,
                                    tuples,
                                    100,
                                    Region.of(0, 9, from, to))));
            written += tuples;
        }
        return written;
    }

    @Test
    void fewChunksAndLargeOnesStay() {
        flush(0, 10, 0, 1);
        flush(0, 10, 1, 2);
        flush(0, 10, 2, 3);
        assertThat(plan()).isEmpty();
        for (int i = 0; i < 100; i++) {
            flush(0, 501, i, i + 1);
        }
        assertThat(plan()).isEmpty();
        assertThat(new MergePolicy(0, 1).plan(snapshot, Retention.OFF, chunk -> true, chunk -> null))
                .isEmpty();
    }

    /** A month of flushes, ten minutes apart. */
    @Test
    void aSlowStreamKeepsFewChunksAndIsWrittenAFewTimes() {
        Random random = new Random(1);
        long tuples = 0;
        long written = 0;
        int flushes = 30 * 144;
        for (int i = 0; i < flushes; i++) {
            int rows = 1 + random.nextInt(9);
            flush(0, rows, i * 10 * MINUTE, (i + 1) * 10 * MINUTE - 1);
            tuples += rows;
            written += merge();
        }
        long held = snapshot.allChunks().stream()
                .mapToLong(entry -> entry.value().tuples())
                .sum();
        assertThat(held).isEqualTo(tuples);
        assertThat(snapshot.chunkCount()).isLessThan(flushes / 20);
        assertThat(written).isLessThan(6 * tuples);
    }

    @Test
    void timesFarApartAreNotMerged() {
        for (int i = 0; i < 40; i++) {
            flush(0, 5, i * 2 * POLICY.spanMillis(), i * 2 * POLICY.spanMillis() + 1);
        }
        assertThat(plan()).isEmpty();
    }

    @Test
    void ofAStreamThatExpiresAMergedChunkSpansASixteenth() {
        snapshot = begin(Retention.parse("16 h"), 1);
        for (int i = 0; i < 200; i++) {
            flush(0, 5, i * 10 * MINUTE, i * 10 * MINUTE + 1);
        }
        assertThat(plan()).isNotEmpty().allSatisfy(inputs -> assertThat(
                        inputs.get(inputs.size() - 1).region().times().to()
                                - inputs.get(0).region().times().from())
                .isLessThanOrEqualTo(60 * MINUTE));
    }

    /** However often chunks are merged again: what expires is not kept by what does not. */
    @Test
    void spansStayWithinTheirBoundsOverAWeek() {
        snapshot = begin(Retention.parse("16 h"), 1);
        Random random = new Random(2);
        for (int i = 0; i < 1000; i++) {
            flush(0, 1 + random.nextInt(9), i * 10 * MINUTE, (i + 1) * 10 * MINUTE - 1);
            if (i % 3 == 0) {
                // Late ones, of 100 minutes.
                flush(0, 1 + random.nextInt(3), (i - 10) * 10 * MINUTE, i * 10 * MINUTE);
            }
            long ignored = merge();
        }
        assertThat(snapshot.allChunks())
                .allSatisfy(entry -> assertThat(entry.value().region().times().to()
                                - entry.value().region().times().from())
                        .isLessThanOrEqualTo(120 * MINUTE));
        assertThat(snapshot.chunkCount()).isLessThan(700);
    }

    /** Those that can never be merged do not hide the others, however many they are. */
    @Test
    void loneChunksDoNotHideOthers() {
        List<ChunkDescriptor> lone = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            long at = i * 3 * POLICY.spanMillis();
            lone.add(new ChunkDescriptor("lone-" + i, 0, 1, 1, 0, 5, 100, Region.of(0, 9, at, at)));
        }
        snapshot = snapshot.apply(++edit, new Edit.Flushed(0, new IndexerCheckpoint(1, 1, new long[] {1}, 0), lone));
        for (int i = 0; i < 200; i++) {
            flush(0, 5, -i * MINUTE, -i * MINUTE);
        }
        assertThat(plan()).isNotEmpty();
    }

    @Test
    void timesOfAnySizeDoNotOverflow() {
        for (int i = 0; i < 400; i++) {
            flush(0, 5, Long.MIN_VALUE + i, Long.MAX_VALUE - i);
        }
        assertThat(plan()).isNotEmpty();
        snapshot = begin(Retention.OFF, 1);
        for (int i = 0; i < 400; i++) {
            flush(0, 5, i % 2 == 0 ? Long.MIN_VALUE : Long.MAX_VALUE, i % 2 == 0 ? Long.MIN_VALUE : Long.MAX_VALUE);
        }
        assertThat(plan()).isNotEmpty().allSatisfy(inputs -> assertThat(
                        inputs.stream().map(chunk -> chunk.region().times()).distinct())
                .hasSize(1));
    }

    /**
     * Whatever is merged: each chunk once, of one indexer, within the bounds; and a checkpoint that the catalog
     * remembers, now or later, still divides chunks into those before it and those after it.
     */
    @Test
    void randomLivesKeepTheRules() {
        for (long seed = 0; seed < Rounds.of(20, 1000); seed++) {
            Random random = new Random(seed);
            int indexers = 1 + random.nextInt(3);
            snapshot = begin(Retention.OFF, indexers);
            // The least flush that is in each chunk, by name.
            Map<String, Long> least = new HashMap<>();
            long minute = 0;
            for (int i = random.nextInt(400); i >= 0; i--) {
                int indexer = random.nextInt(indexers);
                minute += random.nextInt(20);
                long late = random.nextInt(4) == 0 ? random.nextInt(5000) : 0;
                flush(
                        indexer,
                        1 + random.nextInt(random.nextBoolean() ? 20 : 900),
                        (minute - late) * MINUTE,
                        (minute + 10) * MINUTE);
                if (random.nextInt(20) == 0) {
                    check("seed " + seed, least);
                }
            }
        }
    }

    private void check(String about, Map<String, Long> least) {
        Set<ChunkDescriptor> once = new HashSet<>();
        List<List<ChunkDescriptor>> plan = plan();
        for (List<ChunkDescriptor> inputs : plan) {
            assertThat(inputs).as(about).hasSizeBetween(MergePolicy.FEWEST, MergePolicy.MOST);
            assertThat(inputs).as(about).allMatch(once::add).allMatch(snapshot::holds);
            assertThat(inputs.stream().map(ChunkDescriptor::indexer).distinct())
                    .as(about)
                    .hasSize(1);
            long sum = inputs.stream().mapToLong(ChunkDescriptor::tuples).sum();
            assertThat(sum).as(about).isLessThanOrEqualTo(1000);
            assertThat(inputs.stream().mapToLong(ChunkDescriptor::tuples).max().orElseThrow())
                    .as(about)
                    .isLessThanOrEqualTo(sum / 2);
        }
        int before = parts;
        List<Long> leasts = new ArrayList<>();
        for (List<ChunkDescriptor> inputs : plan) {
            leasts.add(inputs.stream()
                    .mapToLong(chunk -> least.getOrDefault(chunk.file(), chunk.flush()))
                    .min()
                    .orElseThrow());
        }
        merge();
        for (int i = 0; i < leasts.size(); i++) {
            least.put("merged-" + (before + i), leasts.get(i));
        }
        snapshot.allChunks().forEach(entry -> {
            ChunkDescriptor chunk = entry.value();
            long from = least.getOrDefault(chunk.file(), chunk.flush());
            snapshot.marks().get(chunk.indexer()).checkpoints().forEach(mark -> assertThat(
                            from <= mark.flushed() && chunk.flush() > mark.flushed())
                    .as("%s: chunk of flushes %d to %d, checkpoint at %d", about, from, chunk.flush(), mark.flushed())
                    .isFalse());
        });
    }

    /** What a chunk's cells say would be lost among those of other scales. */
    @Test
    void chunksByOtherScalesAreNotMergedWithEachOther() {
        snapshot = begin(WideKeys.SCHEMA, Retention.OFF, 1);
        for (int flush = 0; flush < 1_000; flush++) {
            KeyInterval keys =
                    switch (flush % 5) {
                        case 0 -> new KeyInterval(0, 9);
                        case 1 -> new KeyInterval(ScaleVersion.prefix(2), ScaleVersion.prefix(2) + 9);
                        case 2 -> new KeyInterval(ScaleVersion.prefix(3), ScaleVersion.prefix(3) + 9);
                        // Flushed while the scales changed.
                        case 3 -> new KeyInterval(ScaleVersion.prefix(2), ScaleVersion.prefix(3) + 9);
                        default -> new KeyInterval(ScaleVersion.prefix(2), 9);
                    };
            flush(0, 10, keys, flush * MINUTE, flush * MINUTE + 1);
        }
        List<List<ChunkDescriptor>> merges = plan();
        assertThat(merges)
                .allSatisfy(inputs ->
                        assertThat(inputs).extracting(MergePolicyTest::scales).containsOnly(scales(inputs.get(0))));
        assertThat(merges)
                .extracting(inputs -> scales(inputs.get(0)))
                .contains("1 to 1", "2 to 2", "3 to 3", "2 to 3", "2 to 1");
    }

    private static String scales(ChunkDescriptor chunk) {
        KeyInterval keys = chunk.region().keys();
        return ScaleVersion.of(keys.low()) + " to " + ScaleVersion.of(keys.high());
    }
}
