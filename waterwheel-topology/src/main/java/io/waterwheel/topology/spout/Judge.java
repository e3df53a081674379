package io.waterwheel.topology.spout;

import io.waterwheel.catalog.LogIdentity;
import io.waterwheel.catalog.StreamInfo;
import io.waterwheel.model.Control.LogProblem;
import io.waterwheel.topology.worker.WorkerServices.TopicState;
import org.jspecify.annotations.Nullable;

/**
 * Whether a partition's log is the one that was read, and whole. A truncation, once seen, stays until another log is
 * decided on: producers go on, and soon the end lies above what was read, as if nothing had been. Owner: the spout's
 * executor, but for {@link #judge}, which the check calls, one at a time.
 */
final class Judge {
    /**
     * A log that ended below what was read.
     *
     * @param log whose end it is; of another log it says nothing
     * @param end lowest position at which it was seen to end
     * @param epoch of the leader that said so, -1 when not known
     * @param sure whether it is a truncation, and not a former leader's answer
     */
    private record Shortened(LogIdentity log, long end, int epoch, boolean sure) {}

    private volatile StreamInfo stream;
    private final int partition;
    private volatile LogIdentity log;
    /** What has been read, when the question is asked. */
    private volatile long position;

    private volatile @Nullable Shortened shortened;
    /** What the consumer found, not judged yet. */
    private volatile @Nullable Shortened told;

    /** @param position where reading begins: what lies below was read, here or before */
    Judge(StreamInfo stream, int partition, LogIdentity log, long position) {
        this.stream = stream;
        this.partition = partition;
        this.log = log;
        this.position = position;
    }

    StreamInfo stream() {
        return stream;
    }

    int partition() {
        return partition;
    }

    LogIdentity log() {
        return log;
    }

    long position() {
        return position;
    }

    void moveTo(long next) {
        position = next;
    }

    void follow(LogIdentity next) {
        log = next;
    }

    void update(StreamInfo changed) {
        stream = changed;
    }

    /** The consumer has found that the log differs from this position on from what was read. */
    void tell(long end) {
        told = new Shortened(log, end, -1, true);
    }

    /**
     * Judges a topic as it is now.
     *
     * @param of the log that the partition's positions are of
     * @param read position below which everything was read before the topic was looked at
     */
    LogProblem judge(LogIdentity of, @Nullable TopicState topic, long read) {
        if (topic == null) {
            return LogProblem.GONE;
        }
        if (!of.matches(topic.id()) || partition >= topic.ends().length) {
            return LogProblem.RECREATED;
        }
        Shortened before = shortened;
        Shortened heard = told;
        if (before != null && !before.log().equals(of)) {
            before = null;
        }
        if (heard != null && heard.log().equals(of)) {
            before = new Shortened(of, before == null ? heard.end() : Math.min(before.end(), heard.end()), -1, true);
        }
        shortened = next(before, of, topic.ends()[partition] + of.base(), topic.epochs()[partition], read);
        Shortened after = shortened;
        return after != null && after.sure() ? LogProblem.TRUNCATED : LogProblem.NONE;
    }

    private static @Nullable Shortened next(
            @Nullable Shortened before, LogIdentity of, long end, int epoch, long read) {
        if (before == null) {
            return end < read ? new Shortened(of, end, epoch, false) : null;
        }
        if (before.sure()) {
            return new Shortened(of, Math.min(before.end(), end), epoch, true);
        }
        if (end >= read && epoch > before.epoch()) {
            // A leader that was one no more had answered; what is read is there. Were it not, the consumer, which
            // compares at each change of leaders, would tell.
            return null;
        }
        // Still, or grown since: one leader never says less than it has said.
        return new Shortened(of, Math.min(before.end(), end), epoch, true);
    }

    /** Whether this log's end is in doubt: then nothing more is read of it, or it might be read at two positions. */
    boolean doubts(LogIdentity of) {
        Shortened seen = shortened;
        Shortened heard = told;
        return (seen != null && seen.log().equals(of))
                || (heard != null && heard.log().equals(of));
    }

    /** Where a truncated log was seen to end: what is above is new. {@link Long#MAX_VALUE} when it was not seen. */
    long truncatedAt() {
        Shortened seen = shortened;
        return seen == null ? Long.MAX_VALUE : seen.end();
    }
}
