package io.waterwheel.catalog;

import io.waterwheel.model.LostRange;
import java.util.List;
import java.util.Map;

/**
 * One change of a stream's catalog that a query's answer depends on. Edits are numbered from 1 without gaps; the
 * catalog at edit n is what edits 1 to n make (protocol rule 8).
 */
public sealed interface Edit {
    /**
     * The stream was created: edit 1.
     *
     * @param table the first routing table
     * @param starts per partition, the first offset of the stream
     */
    record Created(RoutingTable table, List<Long> starts) implements Edit {}

    /** An indexer started and raised its epoch. */
    record Started(int indexer, int epoch) implements Edit {}

    /** An indexer's flush: its new checkpoint and the chunks it wrote, none when only the checkpoint moved. */
    record Flushed(int indexer, IndexerCheckpoint checkpoint, List<ChunkDescriptor> chunks) implements Edit {
        public Flushed {
            chunks = List.copyOf(chunks);
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
    }

    /**
     * A routing table entered.
     *
     * @param since per partition that adopts it in this edit, the offset from which it holds
     * @param starts checkpoint of each indexer id that first appears in this table
     */
    record Routed(RoutingTable table, Map<Integer, Long> since, Map<Integer, IndexerCheckpoint> starts)
            implements Edit {
        public Routed {
            since = Map.copyOf(since);
            starts = Map.copyOf(starts);
        }
    }

    /**
     * Positions of a partition were given up (rule 14).
     *
     * @param table the one in force, under a version of its own: whoever has passed the range has seen that version, so
     *     that no answer is planned on a snapshot that does not know of it
     */
    record Lost(LostRange range, RoutingTable table) implements Edit {}

    /**
     * The topic has more partitions. Every indexer's epoch is raised: whoever runs knows of fewer partitions, and
     * stops.
     *
     * @param version of the table that holds in the new partitions from their start
     * @param starts of the new partitions, whose numbers follow those there are
     */
    record Extended(int version, List<Long> starts) implements Edit {
        public Extended {
            starts = List.copyOf(starts);
        }
    }

    /**
     * Tuples before a horizon are gone (protocol rule 11): chunks that end before it are no longer read, and answers
     * leave out what of others, and of indexers, lies before it. A horizon never goes back: the highest holds.
     *
     * @param horizon milliseconds since 1970 UTC
     */
    record Expired(long horizon) implements Edit {}
}
