package io.waterwheel.protocol;

import io.waterwheel.tuple.Region;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message that runs against the data flow, or beside it. Any of them may be lost, repeated, delayed or overtaken; the
 * task that needs its effect sends it again. Bounded in number and size.
 */
public sealed interface Control {
    /** The stream it concerns. */
    int streamId();

    /**
     * Indexer to dispatcher: send channel (partition, indexer) from {@code watermark} on. Repeated unchanged until
     * something is heard (rule 5).
     *
     * @param consumed bytes taken so far, cumulative over the indexer's epoch; what was sent beyond it and is lost no
     *     longer counts as under way
     * @param granted bytes that may be sent, cumulative like {@code consumed}
     */
    record Subscribe(
            int streamId, int partition, int indexer, ChannelEpoch epoch, long watermark, long consumed, long granted)
            implements Control {}

    /**
     * Indexer to dispatcher: up to {@code granted} bytes may be sent in all. Applied as a maximum within the channel
     * epoch, so loss and repetition change nothing (rule 6).
     */
    record Credit(int streamId, int partition, int indexer, ChannelEpoch epoch, long granted) implements Control {}

    /**
     * Dispatcher to spout: what it may send of a partition, and where live reading should go on. Counts are cumulative
     * bytes of the spout's life, applied as maximum, so loss and repetition change nothing (rule 6).
     *
     * @param position offset to continue from, or -1 to stay
     * @param life that the counts are of; credit of another is not taken
     * @param received bytes that have come, be it to be dropped
     * @param granted bytes that may be sent in all
     */
    record ReadFrom(int streamId, int partition, long position, long life, long received, long granted)
            implements Control {}

    /**
     * Indexer to coordinators: what it holds that is not in chunks. With it a coordinator may leave the indexer out of
     * a query that nothing of this can match (rule 8).
     *
     * @param rejected rows refused so far in all blocks taken, replays not counted twice
     * @param memory of the indexer's task
     * @param templates of the indexer's trees
     */
    record Report(
            int streamId,
            int indexer,
            Progress progress,
            Unflushed unflushed,
            long rejected,
            Memory memory,
            Templates templates)
            implements Control {
        public int epoch() {
            return progress.epoch();
        }

        public long flushed() {
            return progress.flushed();
        }

        public long[] watermarks() {
            return progress.watermarks();
        }

        public int version() {
            return progress.version();
        }

        public boolean recovering() {
            return progress.recovering();
        }

        public @Nullable Region region() {
            return unflushed.region();
        }

        public long tuples() {
            return unflushed.tuples();
        }
    }

    /**
     * How far an indexer is.
     *
     * @param flushed last committed flush sequence number; the report is about the trees above it
     * @param watermarks per partition, first offset not covered
     * @param version highest routing version seen in a block
     * @param recovering whether a watermark is below the recovery target
     */
    @SuppressWarnings("ArrayRecordComponent") // one number per partition; never compared
    record Progress(int epoch, long flushed, long[] watermarks, int version, boolean recovering) {}

    /**
     * What an indexer holds that is not in chunks.
     *
     * @param region holds every unflushed tuple below the watermarks, or null when there is none
     * @param tuples number of unflushed tuples
     */
    record Unflushed(@Nullable Region region, long tuples) {}

    /**
     * How often templates no longer fitted.
     *
     * @param rebuilds since the indexer started
     * @param before skewness that the last rebuild began with, 0 when there was none: how much the largest leaf that
     *     can be divided exceeds an even share
     * @param after skewness that it ended with
     * @param longestNanos that an insertion was held up for a rebuild since the indexer started, on the clock
     * @param longestCpuNanos that the indexer's thread worked for a rebuild in one insertion, since then
     */
    record Templates(long rebuilds, double before, double after, long longestNanos, long longestCpuNanos) {
        /** None was rebuilt. */
        public static final Templates NONE = new Templates(0, 0, 0, 0, 0);
    }

    /**
     * Memory of an indexer task.
     *
     * @param usedBytes held by its trees: those being filled, those not in chunks yet, those kept for queries
     * @param limitBytes bound of that and of what is under way; when it is reached, reading waits
     * @param unflushedTrees trees of this indexer that are sealed and not in chunks yet
     * @param trouble why they cannot be written, at most {@value #MAX_TROUBLE} characters; empty when they can
     */
    record Memory(long usedBytes, long limitBytes, int unflushedTrees, String trouble) {
        public static final int MAX_TROUBLE = 300;

        /** Of an indexer whose flushes go well. */
        public Memory(long usedBytes, long limitBytes, int unflushedTrees) {
            this(usedBytes, limitBytes, unflushedTrees, "");
        }
    }

    /** What a spout has found wrong with a partition's log. */
    enum LogProblem {
        NONE,
        /** It may be truncated, or another: the next looks will tell, and nothing is read before. */
        IN_DOUBT,
        /** The log ends below what was read of it: it was truncated. */
        TRUNCATED,
        /** The topic was deleted and made anew. */
        RECREATED,
        /** There is no such topic. */
        GONE,
        /** The topic could not be looked at: nothing is known of it now. */
        UNKNOWN,
        /** It is the right one and can be looked at, and reading it fails. */
        UNREADABLE,
        /** It is the right one, and compacted: what must be read again may be gone, and nothing would tell. */
        COMPACTED
    }

    /**
     * Spout to dispatcher, about every second: the partition's log as it is now.
     *
     * @param since first position of the log that the spout reads, see {@code LogIdentity}
     * @param start position of the first record that the log holds
     * @param end position after the last visible record; when the question was asked, not now
     * @param lookMillis between the last two looks at the topic; 0 when there was one only
     */
    record LogState(int streamId, int partition, long since, long start, long end, LogProblem problem, long lookMillis)
            implements Control {
        /** Of a first look. */
        public LogState(int streamId, int partition, long since, long start, long end, LogProblem problem) {
            this(streamId, partition, since, start, end, problem, 0);
        }
    }

    /**
     * Dispatcher to coordinators, about every second: how a partition is, for people.
     *
     * @param deadLetters stored since the dispatcher began with the partition
     * @param trouble why it stands still, if it does
     * @param lookMillis between the last two looks of its spout at the topic; 0 when not known
     * @param warning what the operator should know though it goes on; empty when there is nothing
     */
    record PartitionReport(
            int streamId,
            int partition,
            Positions positions,
            long deadLetters,
            PartitionTrouble trouble,
            long lookMillis,
            String warning)
            implements Control {
        /** The same with a warning. */
        public PartitionReport withWarning(String what) {
            return new PartitionReport(streamId, partition, positions, deadLetters, trouble, lookMillis, what);
        }

        /**
         * Position below which every indexer that has reported has everything.
         *
         * @param reports of the stream's indexers
         */
        public long indexed(Collection<Report> reports) {
            long least = Long.MAX_VALUE;
            for (Report report : reports) {
                if (partition < report.watermarks().length) {
                    least = Math.min(least, report.watermarks()[partition]);
                }
            }
            return least == Long.MAX_VALUE ? positions.routed() : least;
        }

        /**
         * Records at the end of the log that are not answered yet; 0 when the end is not known.
         *
         * @param reports of the stream's indexers
         */
        public long lag(Collection<Report> reports) {
            long end = positions.end();
            return end < 0 ? 0 : Math.max(0, end - Math.max(0, indexed(reports)));
        }
    }

    /**
     * Where a dispatcher stands in a partition; -1 when not known.
     *
     * @param routed first offset not routed yet
     * @param taken first offset not taken from the spout yet: what lies between {@code routed} and it waits to be
     *     routed; -1 before the spout's first word
     * @param start position of the first record that the log holds
     * @param end position after the last visible record
     * @param limit first offset that must not be routed yet
     */
    record Positions(long routed, long taken, long start, long end, long limit) {}

    /**
     * Dispatcher to coordinators, about every second in which tuples came: which keys they had. Lost or repeated it
     * makes the balancer's picture a little worse for a few seconds, nothing else.
     *
     * @param keys ascending, at most {@value #MAX_KEYS}; each stands for as many tuples as the others
     * @param tuples that came
     */
    @SuppressWarnings("ArrayRecordComponent") // handed over; never compared
    record KeySample(int streamId, int partition, long[] keys, long tuples) implements Control {
        public static final int MAX_KEYS = 512;

        public KeySample {
            if (keys.length < 1 || keys.length > MAX_KEYS || tuples < keys.length) {
                throw new IllegalArgumentException("a sample of " + keys.length + " keys for " + tuples + " tuples");
            }
        }
    }

    /**
     * Several messages to the same task, of any streams: as if each came by itself.
     *
     * @param messages no bundle among them
     */
    record Bundle(List<Control> messages) implements Control {
        public Bundle {
            messages = List.copyOf(messages);
            for (Control message : messages) {
                if (message instanceof Bundle) {
                    throw new IllegalArgumentException("a bundle of control messages in another");
                }
            }
        }

        /** None. */
        @Override
        public int streamId() {
            return 0;
        }
    }

    /** Anyone to indexer: seal the active tree of a stream now and flush it. */
    record Seal(int streamId) implements Control {}
}
