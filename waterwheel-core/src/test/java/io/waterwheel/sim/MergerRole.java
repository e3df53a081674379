package io.waterwheel.sim;

import io.waterwheel.catalog.SnapshotReader;
import io.waterwheel.catalog.maintenance.ChunkMerger;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Merges chunks at the side of an instance of an indexer, zombies included: first the file, later the edit. Any chunks,
 * not only those that {@link io.waterwheel.catalog.maintenance.MergePolicy} takes.
 */
final class MergerRole {
    private record Pending(HostRole host, HostRole.Instance instance, ChunkMerger.Written written, long begunAt) {}

    private final World world;
    private final List<Pending> pending = new ArrayList<>();

    MergerRole(World world) {
        this.world = world;
    }

    /** Plans on a snapshot that may be old, and writes the merged file. */
    void write(HostRole host, HostRole.@Nullable Instance instance) {
        if (instance == null || pending.size() > 2) {
            return;
        }
        try {
            StreamSnapshot planned = new SnapshotReader(host.client, world.files, world.stream).latest();
            List<ChunkDescriptor> chunks = new ArrayList<>();
            planned.chunks(new Region(KeyInterval.ALL, TimeInterval.ALL), chunks::add);
            Collections.shuffle(chunks, world.random);
            if (chunks.size() < 2) {
                return;
            }
            ChunkMerger.Written written = merger(host, instance).write(planned, chunks.subList(0, 2));
            pending.add(new Pending(host, instance, written, world.now));
        } catch (IOException e) {
            world.note(instance.name(), "cannot merge: %s", e.getMessage());
        } catch (WaterwheelException e) {
            world.requireTemporary(e);
        }
    }

    private ChunkMerger merger(HostRole host, HostRole.Instance instance) {
        return new ChunkMerger(host.client, world.files, () -> ChunkDescriptor.FIRST_MERGED_PART + instance.merges++);
    }

    /** Commits the oldest merge that is written. */
    void commit() {
        if (pending.isEmpty()) {
            return;
        }
        Pending merge = pending.remove(0);

        try {
            ChunkMerger.Written written = merge.written();
            boolean done = merger(merge.host(), merge.instance()).commit(written);
            if (done) {
                world.oracle.merged(written.inputs(), merge.begunAt());
            }
            world.note(
                    merge.instance().name(),
                    "merge into %s: %s",
                    written.output().file(),
                    done);
        } catch (WaterwheelException e) {
            world.requireTemporary(e);
            pending.add(merge);
        }
    }
}
