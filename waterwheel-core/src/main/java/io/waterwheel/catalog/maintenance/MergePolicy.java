package io.waterwheel.catalog.maintenance;

import io.waterwheel.catalog.state.CheckpointMarks;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.schema.Retention;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.ScaleVersion;
import io.waterwheel.tuple.TimeInterval;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which chunks are merged into one: small ones of the same indexer, of times that lie together. For example the chunks
 * that a slow stream has flushed every ten minutes of a day. No chunk of a merge is more than all the others together,
 * so tuples are written again a few times at most. Immutable; any thread.
 *
 * @param bytes of tuples that a merged chunk has at most, by an estimate that may be too small by a quarter of it; 0:
 *     nothing is merged
 * @param spanMillis of times that a merged chunk spans at most. Chunks that span half as much, or more, each, are
 *     merged with each other only
 */
public record MergePolicy(long bytes, long spanMillis) {
    /** Fewer are not worth a new chunk while flushes go on. */
    static final int FEWEST = 4;
    /** Their names are in one edit. */
    static final int MOST = 64;
    /** Of one plan: what lies behind is found by the next, once these are done. */
    static final int MOST_MERGES = 256;
    /** By how much text and bytes may be compressed, roughly; the file itself says it. */
    private static final int COMPRESSION = 4;
    /** What a narrower tuple takes all the same, in the arrays by which tuples are sorted. */
    private static final int LEAST_TUPLE_BYTES = 36;
    /** What is merged spans at most this part of the retention: a chunk expires as a whole. */
    private static final int SPANS_A_RETENTION = 16;

    private static final Region EVERYWHERE = new Region(KeyInterval.ALL, TimeInterval.ALL);

    /** By time, for runs; the rest only so that there is one order. */
    private static final Comparator<ChunkDescriptor> IN_TIME = Comparator.<ChunkDescriptor>comparingLong(
                    chunk -> chunk.region().times().from())
            .thenComparingLong(ChunkDescriptor::flush)
            .thenComparingInt(ChunkDescriptor::part)
            .thenComparingInt(ChunkDescriptor::epoch);

    /**
     * Chunks that are merged with each other only.
     *
     * @param mark the last checkpoint before them that the catalog remembers ({@link CheckpointMarks}), so that
     *     {@code verify} can begin at such a checkpoint (protocol rule 11)
     * @param lowScales the version of the scales by which the least key of dimensions was made ({@link ScaleVersion}):
     *     the cells of two versions together say little of which rows a chunk has
     * @param highScales the same of the greatest
     */
    private record Group(int indexer, long mark, int lowScales, int highScales) implements Comparable<Group> {
        @Override
        public int compareTo(Group other) {
            return Comparator.comparingInt(Group::indexer)
                    .thenComparingLong(Group::mark)
                    .thenComparingInt(Group::lowScales)
                    .thenComparingInt(Group::highScales)
                    .compare(this, other);
        }
    }

    public MergePolicy {
        if (bytes < 0 || spanMillis < 1) {
            throw new IllegalArgumentException("merge policy: bytes " + bytes + ", span " + spanMillis);
        }
    }

    /**
     * Chunks to merge, a list for each merge, disjoint.
     *
     * @param retention of the stream as it is now, which may be newer than the snapshot's
     * @param mayMerge false for chunks that must stay as they are
     * @param known sizes of chunks ({@link #size}) where they are known; the others are estimated
     */
    public List<List<ChunkDescriptor>> plan(
            StreamSnapshot snapshot,
            Retention retention,
            Predicate<ChunkDescriptor> mayMerge,
            Function<ChunkDescriptor, @Nullable Long> known) {
        if (bytes == 0 || snapshot.chunkCount() < FEWEST) {
            return List.of();
        }
        RowLayout layout = RowLayout.of(snapshot.stream().schema());
        ToLongFunction<ChunkDescriptor> size = chunk -> {
            Long bytesOfChunk = known.apply(chunk);
            return bytesOfChunk == null ? estimate(layout, chunk) : bytesOfChunk;
        };
        boolean hasScales = snapshot.stream().schema().key().dimensional() != null;
        Map<Group, List<ChunkDescriptor>> groups = new TreeMap<>();
        snapshot.chunks(EVERYWHERE, chunk -> {
            if (size.applyAsLong(chunk) <= bytes / 2
                    && snapshot.checkpoints().containsKey(chunk.indexer())
                    && mayMerge.test(chunk)) {
                KeyInterval keys = chunk.region().keys();
                Group group = new Group(
                        chunk.indexer(),
                        markBefore(snapshot, chunk),
                        hasScales ? ScaleVersion.of(keys.low()) : 1,
                        hasScales ? ScaleVersion.of(keys.high()) : 1);
                groups.computeIfAbsent(group, unused -> new ArrayList<>()).add(chunk);
            }
        });
        long span = retention.isOff()
                ? spanMillis
                : Math.max(1, Math.min(spanMillis, retention.millis() / SPANS_A_RETENTION));
        List<List<ChunkDescriptor>> merges = new ArrayList<>();
        for (List<ChunkDescriptor> group : groups.values()) {
            group.sort(IN_TIME);
            Map<Boolean, List<ChunkDescriptor>> byWidth =
                    group.stream().collect(Collectors.partitioningBy(chunk -> length(chunk) > span / 2));
            runs(size, byWidth.getOrDefault(false, List.of()), (narrowest, together) -> together <= span, merges);
            // What spans much would take the times of all others with it.
            runs(
                    size,
                    byWidth.getOrDefault(true, List.of()),
                    (narrowest, together) -> together / 2 <= narrowest && (retention.isOff() || together / 2 <= span),
                    merges);
            if (merges.size() >= MOST_MERGES) {
                return merges.subList(0, MOST_MERGES);
            }
        }
        return merges;
    }

    /** The last remembered checkpoint whose flush comes before those of the chunk. */
    private static long markBefore(StreamSnapshot snapshot, ChunkDescriptor chunk) {
        long before = -1;
        CheckpointMarks marks = snapshot.marks().get(chunk.indexer());
        if (marks != null) {
            for (IndexerCheckpoint mark : marks.checkpoints()) {
                if (mark.flushed() < chunk.flush()) {
                    before = Math.max(before, mark.flushed());
                }
            }
        }
        return before;
    }

    /**
     * Whether chunks of these sizes may be merged: they fit into memory together, and none is more than all the others.
     * A plan promises that of estimates, which may be wrong.
     */
    boolean takes(long[] sizes) {
        long most = 0;
        long sum = 0;
        for (long size : sizes) {
            if (size > bytes + bytes / 4 - sum) {
                return false;
            }
            most = Math.max(most, size);
            sum += size;
        }
        return most <= sum / 2;
    }

    /** What a chunk takes in memory while it is merged, of which the bytes of its tuples are known. */
    static long size(ChunkDescriptor chunk, long tupleBytes) {
        return Math.max(chunk.tuples() * LEAST_TUPLE_BYTES, tupleBytes);
    }

    /** The same, by what the catalog says. */
    static long estimate(RowLayout layout, ChunkDescriptor chunk) {
        return chunk.tuples() * Math.max(LEAST_TUPLE_BYTES, layout.rowWidth())
                + (layout.hasVariable() ? COMPRESSION * chunk.bytes() : 0);
    }

    /** Whether chunks lie together, by what the narrowest of them spans, and what they span together. */
    private interface Nearness {
        boolean near(long narrowest, long together);
    }

    /** Takes chunks in the order of time as long as they fit together. */
    private void runs(
            ToLongFunction<ChunkDescriptor> sizes,
            List<ChunkDescriptor> inTime,
            Nearness nearness,
            List<List<ChunkDescriptor>> merges) {
        List<ChunkDescriptor> run = new ArrayList<>();
        long sum = 0;
        long from = 0;
        long to = 0;
        long narrowest = 0;
        for (ChunkDescriptor chunk : inTime) {
            long size = sizes.applyAsLong(chunk);
            TimeInterval times = chunk.region().times();
            boolean fits = run.size() < MOST
                    && sum + size <= bytes
                    && nearness.near(
                            Math.min(narrowest, length(chunk)),
                            length(Math.min(from, times.from()), Math.max(to, times.to())));
            if (!run.isEmpty() && !fits) {
                addMerges(sizes, run, merges);
                run = new ArrayList<>();
                sum = 0;
            }
            from = run.isEmpty() ? times.from() : Math.min(from, times.from());
            to = run.isEmpty() ? times.to() : Math.max(to, times.to());
            narrowest = run.isEmpty() ? length(chunk) : Math.min(narrowest, length(chunk));
            sum += size;
            run.add(chunk);
        }
        addMerges(sizes, run, merges);
    }

    /** Merges a run, or where one chunk is more than all the others, those before it and those after it. */
    private static void addMerges(
            ToLongFunction<ChunkDescriptor> sizes, List<ChunkDescriptor> run, List<List<ChunkDescriptor>> merges) {
        if (run.size() < FEWEST) {
            return;
        }
        long sum = 0;
        long most = -1;
        int largest = 0;
        for (int i = 0; i < run.size(); i++) {
            long size = sizes.applyAsLong(run.get(i));
            sum += size;
            if (size > most) {
                most = size;
                largest = i;
            }
        }
        if (most <= sum / 2) {
            merges.add(List.copyOf(run));
        } else {
            addMerges(sizes, run.subList(0, largest), merges);
            addMerges(sizes, run.subList(largest + 1, run.size()), merges);
        }
    }

    private static long length(ChunkDescriptor chunk) {
        return length(chunk.region().times().from(), chunk.region().times().to());
    }

    /** Of a closed interval; {@link Long#MAX_VALUE} where it is more. */
    private static long length(long from, long to) {
        long length = to - from;
        return length < 0 ? Long.MAX_VALUE : length;
    }
}
