package io.waterwheel.catalog.maintenance;

import io.waterwheel.catalog.state.CheckpointMarks;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.schema.Retention;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Which chunks are merged into one: small ones of the same indexer, of times that lie together. For example the chunks
 * that a slow stream has flushed every ten minutes of a day. The tuples of a chunk are written again at most once each
 * time its size doubles. Immutable; any thread.
 *
 * @param bytes of tuples that a merged chunk has at most, by an estimate; 0: nothing is merged
 * @param spanMillis of times that a merged chunk spans at most, unless one of those that it replaces spans half of them
 */
public record MergePolicy(long bytes, long spanMillis) {
    /** Fewer are not worth a new chunk while flushes go on. */
    static final int FEWEST = 4;
    /** Their names are in one edit. */
    static final int MOST = 64;
    /** Small chunks of one look: the rest is for the next. */
    private static final int MOST_CANDIDATES = 16_384;
    /** By how much text and bytes may be compressed, roughly. */
    private static final int COMPRESSION = 4;
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
     * Chunks that are flushed between two checkpoints that the catalog remembers ({@link CheckpointMarks}): only these
     * are merged with each other, so that {@code verify} can begin at such a checkpoint (protocol rule 11).
     */
    private record Group(int indexer, long mark) implements Comparable<Group> {
        @Override
        public int compareTo(Group other) {
            return Comparator.comparingInt(Group::indexer)
                    .thenComparingLong(Group::mark)
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
     * @param takes false for chunks that must stay as they are
     */
    public List<List<ChunkDescriptor>> plan(StreamSnapshot snapshot, Predicate<ChunkDescriptor> takes) {
        if (bytes == 0 || snapshot.chunkCount() < 2) {
            return List.of();
        }
        RowLayout layout = RowLayout.of(snapshot.stream().schema());
        Map<Group, List<ChunkDescriptor>> groups = new TreeMap<>();
        int[] candidates = {0};
        snapshot.chunks(EVERYWHERE, chunk -> {
            if (estimate(layout, chunk) <= bytes / 2
                    && candidates[0] < MOST_CANDIDATES
                    && snapshot.checkpoints().containsKey(chunk.indexer())
                    && takes.test(chunk)) {
                candidates[0]++;
                groups.computeIfAbsent(
                                new Group(chunk.indexer(), markBefore(snapshot, chunk)), group -> new ArrayList<>())
                        .add(chunk);
            }
        });
        Retention retention = snapshot.stream().policy().retention();
        long span = retention.isOff()
                ? spanMillis
                : Math.max(1, Math.min(spanMillis, retention.millis() / SPANS_A_RETENTION));
        List<List<ChunkDescriptor>> merges = new ArrayList<>();
        groups.values().forEach(group -> runs(layout, group, span, merges));
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

    /** Bytes of a chunk's tuples in memory. */
    static long estimate(RowLayout layout, ChunkDescriptor chunk) {
        return chunk.tuples() * layout.rowWidth() + (layout.hasVariable() ? COMPRESSION * chunk.bytes() : 0);
    }

    /** Takes chunks in the order of time as long as they fit together. */
    private void runs(RowLayout layout, List<ChunkDescriptor> group, long span, List<List<ChunkDescriptor>> merges) {
        group.sort(IN_TIME);
        List<ChunkDescriptor> run = new ArrayList<>();
        long sum = 0;
        long from = 0;
        long to = 0;
        long widest = 0;
        for (ChunkDescriptor chunk : group) {
            long size = estimate(layout, chunk);
            TimeInterval times = chunk.region().times();
            long own = length(times.from(), times.to());
            if (!run.isEmpty()) {
                long together = length(Math.min(from, times.from()), Math.max(to, times.to()));
                // The widest, doubled, may be more than a long holds.
                boolean near = together <= span || together / 2 <= Math.max(widest, own);
                if (run.size() == MOST || sum + size > bytes || !near) {
                    close(layout, run, merges);
                    run = new ArrayList<>();
                    sum = 0;
                }
            }
            from = run.isEmpty() ? times.from() : Math.min(from, times.from());
            to = run.isEmpty() ? times.to() : Math.max(to, times.to());
            widest = run.isEmpty() ? own : Math.max(widest, own);
            sum += size;
            run.add(chunk);
        }
        close(layout, run, merges);
    }

    /** Merges a run, or where one chunk is more than all the others, those before it and those after it. */
    private static void close(RowLayout layout, List<ChunkDescriptor> run, List<List<ChunkDescriptor>> merges) {
        if (run.size() < FEWEST) {
            return;
        }
        long sum = 0;
        long most = -1;
        int largest = 0;
        for (int i = 0; i < run.size(); i++) {
            long size = estimate(layout, run.get(i));
            sum += size;
            if (size > most) {
                most = size;
                largest = i;
            }
        }
        if (most <= sum / 2) {
            merges.add(List.copyOf(run));
        } else {
            close(layout, run.subList(0, largest), merges);
            close(layout, run.subList(largest + 1, run.size()), merges);
        }
    }

    /** Of a closed interval; {@link Long#MAX_VALUE} where it is more. */
    private static long length(long from, long to) {
        long length = to - from;
        return length < 0 ? Long.MAX_VALUE : length;
    }
}
