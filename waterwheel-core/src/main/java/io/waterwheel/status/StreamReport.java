package io.waterwheel.status;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The state of a stream.
 *
 * @param edit number of the last edit of the catalog that this is of
 * @param troubles what is wrong with the stream as a whole, in sentences for people
 * @param routing a routing table that not all partitions have adopted, or null
 * @param indexers those that have reported
 * @param dimensions of the key, by the keys that came last; none where they have none, or few came since the start or
 *     the last change of scales
 */
public record StreamReport(
        Definition definition,
        long edit,
        List<String> troubles,
        @Nullable Routing routing,
        Chunks chunks,
        List<Indexer> indexers,
        Source source,
        List<Dimension> dimensions) {
    public StreamReport {
        dimensions = List.copyOf(dimensions);
        troubles = List.copyOf(troubles);
        indexers = List.copyOf(indexers);
    }

    /** What the stream was created as; policies are as in its definition. */
    public record Definition(String name, String topic, int partitions, String deadLetters, String logLoss) {}

    /**
     * A change of routing that is under way.
     *
     * @param announced version of the new table
     * @param notAdopted partitions that have not adopted it
     */
    public record Routing(int announced, List<Integer> notAdopted) {
        public Routing {
            notAdopted = List.copyOf(notAdopted);
        }
    }

    public record Chunks(long count, long tuples, long bytes) {}

    /**
     * An indexer as it last reported.
     *
     * @param flushed sequence number of its last flush
     * @param tuples that are not in chunks
     * @param rejected rows refused since it started
     * @param recovering whether it reads again what it had before
     * @param watermarks by partition, the first position that it lacks
     */
    public record Indexer(
            int indexer,
            int epoch,
            long flushed,
            long tuples,
            long rejected,
            boolean recovering,
            Memory memory,
            Rebuilds rebuilds,
            List<Long> watermarks) {
        public Indexer {
            watermarks = List.copyOf(watermarks);
        }
    }

    /**
     * Memory of an indexer's task.
     *
     * @param unflushedTrees sealed and not in chunks yet
     * @param trouble why they cannot be written; empty when they can
     */
    public record Memory(long usedBytes, long limitBytes, int unflushedTrees, String trouble) {
        /** Part of the memory that is used, from which on reading may have to wait for the chunk store. */
        private static final double FULL = 0.875;

        /** Whether reading may have to wait until trees are written. */
        public boolean full() {
            return usedBytes > FULL * limitBytes && unflushedTrees > 0;
        }
    }

    /**
     * Rebuilds of the template since the indexer started.
     *
     * @param skewnessBefore the last rebuild
     * @param skewnessAfter the last rebuild
     * @param longestPauseMs that an insertion was held up
     * @param longestCpuMs of the indexer's thread in one insertion
     */
    public record Rebuilds(
            long count, double skewnessBefore, double skewnessAfter, double longestPauseMs, double longestCpuMs) {}

    /**
     * The topic.
     *
     * @param checkMillis the longest time between two looks at a partition
     * @param wantedMillis what it should be
     * @param partitions those that have been heard of
     * @param lost what of the topic is given up
     */
    public record Source(long checkMillis, long wantedMillis, List<Partition> partitions, List<Lost> lost) {
        public Source {
            partitions = List.copyOf(partitions);
            lost = List.copyOf(lost);
        }
    }

    /**
     * A partition of the topic.
     *
     * @param deadLetters stored since the dispatcher began with it
     * @param warning what the operator should know though it goes on; empty when there is nothing
     * @param trouble why it stands still and what to do; empty when it does not
     */
    public record Partition(int partition, Positions positions, long deadLetters, String warning, String trouble) {
        /** Records that are not indexed everywhere; 0 when the log's end is not known. */
        public long lag() {
            return positions.logEnd < 0 ? 0 : Math.max(0, positions.logEnd - Math.max(0, positions.indexed));
        }
    }

    /**
     * Positions in a partition; -1 when not known.
     *
     * @param routed first one not routed yet
     * @param indexed below which every indexer has everything
     * @param logStart of the first record that the log holds
     * @param logEnd after the last visible record
     */
    public record Positions(long routed, long indexed, long logStart, long logEnd) {}

    /**
     * A dimension of the key, by the keys that came last.
     *
     * @param cells that its table has
     * @param used cells that would tell as much apart if all had as many tuples
     * @param crowded whether these are so few that other cuts may tell more apart
     */
    public record Dimension(String field, int cells, double used, boolean crowded) {
        /** For people, where it is crowded. */
        public String sentence() {
            return String.format(
                    Locale.ROOT,
                    "dimension %s: the newest tuples use %.1f of %d cells, so it narrows little (docs/dimensions.md,"
                            + " When the data moves on)",
                    field,
                    used,
                    cells);
        }
    }

    /** Positions [from, to) of a partition, and why they are given up. */
    public record Lost(int partition, long from, long to, String reason) {}

    public String name() {
        return definition.name();
    }

    /** Tuples that are not in chunks. */
    public long memoryTuples() {
        return indexers.stream().mapToLong(Indexer::tuples).sum();
    }

    /** Rows refused by indexers. */
    public long rejected() {
        return indexers.stream().mapToLong(Indexer::rejected).sum();
    }

    /** Records that are not indexed everywhere. */
    public long lag() {
        return source.partitions().stream().mapToLong(Partition::lag).sum();
    }

    /** Dead letters of all partitions. */
    public long deadLetters() {
        return source.partitions().stream().mapToLong(Partition::deadLetters).sum();
    }
}
