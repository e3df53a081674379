package io.waterwheel.catalog.state;

import io.waterwheel.tuple.LostRange;
import java.util.List;
import java.util.Map;

/**
 * One change of a stream's catalog that a query's answer depends on. Edits are numbered from 1 without gaps; the
 * catalog at edit n is what edits 1 to n make (protocol rule 8).
 */
public sealed interface Edit {
    /** Makes of the snapshot before this edit the one after it. */
    void applyTo(SnapshotBuilder next);

    /** Adds to the changes what this edit changes among the chunks; most kinds change nothing there. */
    void applyTo(ChunkChanges changes);

    /**
     * The stream was created: edit 1.
     *
     * @param table the first routing table
     * @param starts per partition, the first offset of the stream
     */
    record Created(RoutingTable table, List<Long> starts) implements Edit {
        @Override
        public void applyTo(SnapshotBuilder next) {
            next.table(table);
            long[] offsets = offsets(starts);
            for (long start : offsets) {
                next.addPartition(table.version(), start);
            }
            for (int indexer : table.indexers()) {
                next.addIndexer(indexer, new IndexerCheckpoint(0, 0, offsets, 0));
            }
        }

        @Override
        public void applyTo(ChunkChanges changes) {
            // No chunk is added or removed.
        }
    }

    /** An indexer started and raised its epoch. */
    record Started(int indexer, int epoch) implements Edit {
        @Override
        public void applyTo(SnapshotBuilder next) {
            next.start(indexer, epoch);
        }

        @Override
        public void applyTo(ChunkChanges changes) {
            // No chunk is added or removed.
        }
    }

    /** An indexer's flush: its new checkpoint and the chunks it wrote, none when only the checkpoint moved. */
    record Flushed(int indexer, CheckpointStep checkpoint, List<ChunkDescriptor> chunks) implements Edit {
        public Flushed {
            chunks = List.copyOf(chunks);
        }

        /** With all watermarks. */
        public Flushed(int indexer, IndexerCheckpoint checkpoint, List<ChunkDescriptor> chunks) {
            this(indexer, CheckpointStep.to(checkpoint), chunks);
        }

        @Override
        public void applyTo(SnapshotBuilder next) {
            next.flush(indexer, checkpoint, chunks);
        }

        @Override
        public void applyTo(ChunkChanges changes) {
            chunks.forEach(changes::add);
        }
    }

    /**
     * Chunks were replaced by one that holds the same tuples (protocol rule 11).
     *
     * @param inputs files that are no longer read
     * @param output read instead
     */
    record Merged(List<String> inputs, ChunkDescriptor output) implements Edit {
        public Merged {
            inputs = List.copyOf(inputs);
        }

        @Override
        public void applyTo(SnapshotBuilder next) {
            next.merge(inputs, output);
        }

        @Override
        public void applyTo(ChunkChanges changes) {
            inputs.forEach(changes::remove);
            changes.add(output);
        }
    }

    /**
     * A routing table was announced. It may hold in any partition from then on, from the partition's limit of some
     * later moment; which that was is in a later {@link Adopted}.
     *
     * @param since per partition that adopts it in this edit, the offset from which it holds: of all in those of older
     *     releases, of none today
     * @param starts checkpoint of each indexer id that first appears in this table; none today, see {@link Joined}
     */
    record Routed(RoutingTable table, Map<Integer, Long> since, Map<Integer, IndexerCheckpoint> starts)
            implements Edit {
        public Routed {
            since = Map.copyOf(since);
            starts = Map.copyOf(starts);
        }

        @Override
        public void applyTo(SnapshotBuilder next) {
            next.announce(table);
            since.forEach((partition, offset) ->
                    next.changeRoute(partition, route -> route.withLimit(offset).withVersion(table.version())));
            starts.forEach(next::addIndexer);
        }

        @Override
        public void applyTo(ChunkChanges changes) {
            // No chunk is added or removed.
        }
    }

    /**
     * Indexer ids that are new, which no table names yet.
     *
     * @param checkpoint where each of them begins: whatever is ever routed to it lies at or above
     */
    record Joined(List<Integer> indexers, IndexerCheckpoint checkpoint) implements Edit {
        public Joined {
            indexers = List.copyOf(indexers);
        }

        @Override
        public void applyTo(SnapshotBuilder next) {
            indexers.forEach(indexer -> next.addIndexer(indexer, checkpoint));
        }

        @Override
        public void applyTo(ChunkChanges changes) {
            // No chunk is added or removed.
        }
    }

    /**
     * What partitions have adopted. It was so before the edit, and stays so: it lets plans forget, nothing more.
     *
     * @param versions per partition, those of its route, ascending; what is known of them already does not matter
     */
    record Adopted(Map<Integer, List<PartitionRoute.VersionSince>> versions) implements Edit {
        public Adopted {
            versions = Map.copyOf(versions);
        }

        @Override
        public void applyTo(SnapshotBuilder next) {
            versions.forEach((partition, of) -> next.changeRoute(partition, route -> route.withVersions(of)));
        }

        @Override
        public void applyTo(ChunkChanges changes) {
            // No chunk is added or removed.
        }
    }

    /**
     * Positions of a partition were given up (rule 14).
     *
     * @param table the newest, under a version of its own that no other partition adopts: an indexer that has passed
     *     the range has seen that version, so that no answer is planned on a snapshot that does not know of it
     * @param versions of the partition's route, that one the last; none in those of older releases: then it is the one
     *     that was in force
     */
    record Lost(LostRange range, RoutingTable table, List<PartitionRoute.VersionSince> versions) implements Edit {
        public Lost {
            versions = List.copyOf(versions);
        }

        @Override
        public void applyTo(SnapshotBuilder next) {
            next.table(table);
            next.changeRoute(range.partition(), route -> {
                PartitionRoute without = route.withLost(range);
                // Of an older release: where it begins does not matter, it is the table that held before.
                return versions.isEmpty() ? without.withVersion(table.version()) : without.withVersions(versions);
            });
        }

        @Override
        public void applyTo(ChunkChanges changes) {
            // No chunk is added or removed.
        }
    }

    /**
     * The topic has more partitions. A running indexer knows of fewer, and stops once its epoch is raised, which each
     * indexer's next {@link Started} says.
     *
     * @param version of the table that holds in the new partitions from their start
     * @param starts of the new partitions, whose numbers follow those there are
     * @param raised whether the epochs were raised with it, as older releases did
     */
    record Extended(int version, List<Long> starts, boolean raised) implements Edit {
        public Extended {
            starts = List.copyOf(starts);
        }

        @Override
        public void applyTo(SnapshotBuilder next) {
            long[] offsets = offsets(starts);
            for (long start : offsets) {
                next.addPartition(version, start);
            }
            if (raised) {
                next.extendRaised(offsets);
            } else {
                next.extend(offsets);
            }
        }

        @Override
        public void applyTo(ChunkChanges changes) {
            // No chunk is added or removed.
        }
    }

    /**
     * Tuples before a horizon are gone (protocol rule 11): chunks that end before it are no longer read, and answers
     * leave out what of others, and of indexers, lies before it. A horizon never goes back: the highest holds.
     *
     * @param horizon milliseconds since 1970 UTC
     */
    record Expired(long horizon) implements Edit {
        @Override
        public void applyTo(SnapshotBuilder next) {
            next.expire(horizon);
        }

        @Override
        public void applyTo(ChunkChanges changes) {
            // No chunk is added or removed: what the horizon leaves out, ChunkChanges.expire does.
        }
    }

    private static long[] offsets(List<Long> starts) {
        return starts.stream().mapToLong(Long::longValue).toArray();
    }
}
