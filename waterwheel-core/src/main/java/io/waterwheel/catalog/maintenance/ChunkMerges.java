package io.waterwheel.catalog.maintenance;

import io.waterwheel.catalog.StreamSnapshots;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.StreamGoneException;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.chunk.encoding.CorruptChunkException;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
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

    private static final class OfStream {
        /** The edit at which nothing was left to merge. */
        long settledAt = -1;

        final Deque<List<ChunkDescriptor>> planned = new ArrayDeque<>();
        /** Written, and not known to be committed. */
        Optional<ChunkMerger.Written> written = Optional.empty();
        /** Names of chunks that could not be read, or are too large. */
        final Set<String> left = new HashSet<>();
    }

    private final StreamSnapshots snapshots;
    private final MergePolicy policy;
    private final ChunkMerger merger;
    private final Consumer<ChunkDescriptor> inVain;
    private final Map<Integer, OfStream> streams = new HashMap<>();

    /**
     * Merges of the streams of one catalog.
     *
     * @param parts numbers for files, as {@link ChunkMerger} wants them
     * @param inVain is told of files that were written and will never be committed
     */
    public ChunkMerges(
            StreamSnapshots snapshots, MergePolicy policy, IntSupplier parts, Consumer<ChunkDescriptor> inVain) {
        this.snapshots = snapshots;
        this.policy = policy;
        // An estimate may be wrong by as much.
        long most = policy.bytes() + policy.bytes() / 4;
        this.merger = new ChunkMerger(snapshots.catalog(), snapshots.files(), most, parts);
        this.inVain = inVain;
    }

    /** Forgets streams that are gone. */
    public void retain(Set<Integer> ids) {
        streams.keySet().retainAll(ids);
    }

    /**
     * Does a stream's next merge, or goes on with one whose commit was not answered.
     *
     * @return what was merged; nothing when there is nothing to do, or the chunks have changed meanwhile
     * @throws IOException when the store failed
     * @throws WaterwheelException TEMPORARY when the catalog is away; the next step goes on
     */
    public Optional<ChunkMerger.Written> step(StreamInfo stream) throws IOException {
        OfStream state = streams.computeIfAbsent(stream.id(), id -> new OfStream());
        try {
            if (state.written.isEmpty() && !write(stream, state)) {
                return Optional.empty();
            }
            ChunkMerger.Written merge = state.written.orElseThrow();
            boolean done = merger.commit(merge);
            state.written = Optional.empty();
            if (!done) {
                state.planned.clear();
                inVain.accept(merge.output());
                LOG.info(
                        "[{}] {} chunks have changed while they were merged; left for the next time",
                        stream.name(),
                        merge.inputs().size());
                return Optional.empty();
            }
            return Optional.of(merge);
        } catch (StreamGoneException e) {
            // Its files go with it.
            streams.remove(stream.id());
            LOG.info("[{}] was dropped while its chunks were merged", stream.name());
            return Optional.empty();
        }
    }

    /** Whether a merge was written. */
    private boolean write(StreamInfo stream, OfStream state) throws IOException {
        StreamSnapshot snapshot = snapshots.advance(stream);
        if (state.planned.isEmpty()) {
            if (snapshot.edit() == state.settledAt) {
                return false;
            }
            state.planned.addAll(policy.plan(snapshot, chunk -> !state.left.contains(chunk.file())));
            if (state.planned.isEmpty()) {
                state.settledAt = snapshot.edit();
                forgetGone(snapshot, state);
                return false;
            }
        }
        List<ChunkDescriptor> inputs = state.planned.remove();
        if (!inputs.stream().allMatch(snapshot::holds)) {
            return false;
        }
        try {
            state.written = merger.write(snapshot, inputs);
            if (state.written.isEmpty()) {
                leave(inputs, state);
            }
        } catch (CorruptChunkException e) {
            LOG.warn("[{}] chunks are not merged, since one is damaged: {}", stream.name(), e.getMessage());
            leave(inputs, e.file(), state);
        } catch (NoSuchFileException e) {
            LOG.warn("[{}] chunks are not merged, since a file is not there: {}", stream.name(), e.getMessage());
            leave(inputs, state);
        }
        return state.written.isPresent();
    }

    /** Chunks that must not be planned again and again. */
    private static void leave(List<ChunkDescriptor> inputs, OfStream state) {
        inputs.forEach(input -> state.left.add(input.file()));
    }

    private static void leave(List<ChunkDescriptor> inputs, String file, OfStream state) {
        if (inputs.stream().anyMatch(input -> input.file().equals(file))) {
            state.left.add(file);
        } else {
            leave(inputs, state);
        }
    }

    private static void forgetGone(StreamSnapshot snapshot, OfStream state) {
        if (!state.left.isEmpty()) {
            Set<String> named = new HashSet<>();
            snapshot.chunks(new Region(KeyInterval.ALL, TimeInterval.ALL), chunk -> {
                if (state.left.contains(chunk.file())) {
                    named.add(chunk.file());
                }
            });
            state.left.retainAll(named);
        }
    }
}
