package io.waterwheel.catalog.maintenance;

import io.waterwheel.catalog.StreamSnapshots;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.StreamGoneException;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The merges of all streams, one a step, as {@link MergePolicy} chooses and {@link ChunkMerger} carries them out. A
 * stream is planned anew once its catalog has changed and its merges are done. A chunk that cannot be read stays as it
 * is. No threads, no clock. Not thread-safe.
 */
public final class ChunkMerges {
    private static final Logger LOG = LoggerFactory.getLogger(ChunkMerges.class);

    /**
     * What a step has done.
     *
     * @param merged what was merged, if anything was
     * @param more whether the next step may find something to do
     */
    public record Step(Optional<ChunkMerger.Written> merged, boolean more) {
        private static final Step NOTHING = new Step(Optional.empty(), false);
        private static final Step GO_ON = new Step(Optional.empty(), true);
    }

    private static final class OfStream {
        /** The edit at which nothing was left to merge. */
        long settledAt = -1;

        final Deque<List<ChunkDescriptor>> planned = new ArrayDeque<>();
        /** Written, and not known to be committed. */
        Optional<ChunkMerger.Written> written = Optional.empty();
        /** Names of chunks that are not merged, since they could not be read. */
        final Set<String> left = new HashSet<>();
        /** Sizes by name, of chunks of text that were looked into. */
        final Map<String, Long> sizes = new HashMap<>();

        boolean hasNames() {
            return !left.isEmpty() || !sizes.isEmpty();
        }
    }

    private final StreamSnapshots snapshots;
    private final MergePolicy policy;
    private final ChunkMerger merger;
    private final Consumer<ChunkDescriptor> gone;
    private final Map<Integer, OfStream> streams = new HashMap<>();

    /**
     * Merges of the streams of one catalog.
     *
     * @param parts numbers for files, as {@link ChunkMerger} wants them
     * @param gone is told of chunks of merges that no edit will name again: those that were merged once more, and those
     *     that were written in vain
     */
    public ChunkMerges(
            StreamSnapshots snapshots, MergePolicy policy, IntSupplier parts, Consumer<ChunkDescriptor> gone) {
        this.snapshots = snapshots;
        this.policy = policy;
        this.merger = new ChunkMerger(snapshots.catalog(), snapshots.files(), parts);
        this.gone = gone;
    }

    /** Forgets streams that are gone. */
    public void retain(Set<Integer> ids) {
        streams.keySet().retainAll(ids);
    }

    /**
     * Does a stream's next merge, or goes on with one whose commit was not answered.
     *
     * @param stream with its policy of now
     * @throws IOException when the store failed
     * @throws WaterwheelException TEMPORARY when the catalog is away; the next step goes on
     */
    public Step step(StreamInfo stream) throws IOException {
        OfStream state = streams.computeIfAbsent(stream.id(), id -> new OfStream());
        try {
            if (state.written.isEmpty()) {
                Step before = write(stream, state);
                if (state.written.isEmpty()) {
                    return before;
                }
            }
            ChunkMerger.Written merge = state.written.orElseThrow();
            boolean done = merger.commit(merge);
            state.written = Optional.empty();
            if (!done) {
                state.planned.clear();
                gone.accept(merge.output());
                LOG.info(
                        "[{}] {} chunks have changed while they were merged; left for the next time",
                        stream.name(),
                        merge.inputs().size());
                return Step.GO_ON;
            }
            merge.inputs().forEach(input -> state.sizes.remove(input.file()));
            merge.inputs().stream().filter(ChunkDescriptor::merged).forEach(gone);
            return new Step(Optional.of(merge), true);
        } catch (StreamGoneException e) {
            // Its files go with it.
            streams.remove(stream.id());
            LOG.info("[{}] was dropped while its chunks were merged", stream.name());
            return Step.NOTHING;
        }
    }

    /** Writes the next merge that is planned; what it returns counts where none was written. */
    private Step write(StreamInfo stream, OfStream state) throws IOException {
        StreamSnapshot snapshot = snapshots.advance(stream);
        if (state.planned.isEmpty()) {
            if (snapshot.edit() == state.settledAt) {
                return Step.NOTHING;
            }
            state.planned.addAll(policy.plan(
                    snapshot,
                    stream.policy().retention(),
                    chunk -> state.left.isEmpty() || !state.left.contains(chunk.file()),
                    chunk -> state.sizes.isEmpty() ? null : state.sizes.get(chunk.file())));
            if (state.planned.isEmpty()) {
                state.settledAt = snapshot.edit();
                forgetGone(snapshot, state);
                return Step.NOTHING;
            }
        }
        List<ChunkDescriptor> chunks = state.planned.remove();
        if (!chunks.stream().allMatch(snapshot::holds)) {
            return Step.GO_ON;
        }
        try {
            if (isAsItLooked(snapshot, chunks, state)) {
                state.written = Optional.of(merger.write(snapshot, chunks));
            }
        } catch (ChunkMerger.UnreadableException e) {
            LOG.warn("[{}] chunks are not merged, since one cannot be read: {}", stream.name(), e.getMessage());
            state.left.add(e.chunk().file());
        } catch (RuntimeException e) {
            // Whatever it is: not the same again and again.
            chunks.forEach(chunk -> state.left.add(chunk.file()));
            throw e;
        }
        return Step.GO_ON;
    }

    /**
     * Looks into chunks of text for how large they are. A merge that is too large by more than a quarter, or in which
     * one chunk is more than all the others, is not made: the next plan knows the sizes.
     */
    private boolean isAsItLooked(StreamSnapshot snapshot, List<ChunkDescriptor> chunks, OfStream state)
            throws IOException {
        RowLayout layout = RowLayout.of(snapshot.stream().schema());
        if (!layout.hasVariable()) {
            return true;
        }
        long[] sizes = new long[chunks.size()];
        for (int i = 0; i < sizes.length; i++) {
            ChunkDescriptor chunk = chunks.get(i);
            Long known = state.sizes.get(chunk.file());
            if (known == null) {
                known = MergePolicy.size(chunk, merger.tupleBytes(chunk, layout));
                state.sizes.put(chunk.file(), known);
            }
            sizes[i] = known;
        }
        return policy.takes(sizes);
    }

    private static void forgetGone(StreamSnapshot snapshot, OfStream state) {
        if (state.hasNames()) {
            Set<String> named = new HashSet<>();
            snapshot.chunks(new Region(KeyInterval.ALL, TimeInterval.ALL), chunk -> {
                if (state.left.contains(chunk.file()) || state.sizes.containsKey(chunk.file())) {
                    named.add(chunk.file());
                }
            });
            state.left.retainAll(named);
            state.sizes.keySet().retainAll(named);
        }
    }
}
