package io.waterwheel.topology.spout;

import io.waterwheel.catalog.LogIdentity;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.StreamInfo;
import io.waterwheel.model.Control;
import io.waterwheel.model.Control.LogProblem;
import io.waterwheel.model.LogLoss;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.worker.WorkerServices;
import io.waterwheel.topology.worker.WorkerServices.TopicState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks, every second or so and elsewhere than on the spout's thread, how the topics of a spout task's partitions are:
 * whether they are the ones that positions are of, where they begin and end, whether they have more partitions. Owner:
 * the spout's executor; what it finds comes back by {@link #poll}.
 */
final class SourceCheck {
    private static final Logger LOG = LoggerFactory.getLogger(SourceCheck.class);

    /** What is known of a partition. Owner: the spout's executor, but for what a check in between reads. */
    static final class Judge {
        private volatile StreamInfo stream;
        private final int partition;
        private volatile LogIdentity log;
        /** What has been read, when the question is asked. */
        volatile long position;
        /** Checks in a row that found less than was read. */
        private int shortened;

        Judge(StreamInfo stream, int partition, LogIdentity log) {
            this.stream = stream;
            this.partition = partition;
            this.log = log;
        }

        LogIdentity log() {
            return log;
        }

        void follow(LogIdentity next) {
            log = next;
        }

        void update(StreamInfo changed) {
            stream = changed;
        }
    }

    /**
     * How a partition is.
     *
     * @param log that is to be read from now on
     */
    record Finding(Judge judge, Control.LogState state, LogIdentity log) {}

    private final WorkerServices services;
    private final int spout;
    private final long intervalNanos;
    private final Queue<Finding> findings = new ConcurrentLinkedQueue<>();
    private volatile boolean underWay;
    private long nextNanos = System.nanoTime();

    SourceCheck(WorkerServices services, int spout) {
        this.services = services;
        this.spout = spout;
        this.intervalNanos = services.config().get(Keys.SOURCE_CHECK_INTERVAL).toNanos();
    }

    /** Lets the next check begin at once. */
    void soon() {
        nextNanos = System.nanoTime();
    }

    @Nullable
    Finding poll() {
        return findings.poll();
    }

    /** Begins a check of these, if it is time and none is under way. */
    void begin(List<Judge> judges) {
        long now = System.nanoTime();
        if (underWay || now - nextNanos < 0 || judges.isEmpty()) {
            return;
        }
        nextNanos = now + intervalNanos;
        Map<Judge, Long> read = new HashMap<>();
        judges.forEach(judge -> read.put(judge, judge.position));
        underWay = true;
        try {
            services.blockingCalls().execute(() -> {
                try {
                    check(judges, read);
                } catch (RuntimeException e) {
                    LOG.warn("[spout-{}] the topics cannot be looked at; trying again: {}", spout, e.getMessage());
                } finally {
                    underWay = false;
                }
            });
        } catch (RejectedExecutionException e) {
            underWay = false;
        }
    }

    private void check(List<Judge> judges, Map<Judge, Long> read) {
        Map<Integer, StreamInfo> streams = new HashMap<>();
        judges.forEach(judge -> streams.put(judge.stream.id(), judge.stream));
        Map<Integer, TopicState> topics = services.topicStates(streams.values());
        List<RuntimeException> failures = new ArrayList<>();
        for (Judge judge : judges) {
            try {
                findings.add(look(judge, topics.get(judge.stream.id()), read.getOrDefault(judge, 0L)));
            } catch (RuntimeException e) {
                failures.add(e);
            }
        }
        if (!failures.isEmpty()) {
            throw failures.get(0);
        }
    }

    private Finding look(Judge judge, @Nullable TopicState topic, long read) {
        LogProblem problem = problem(judge, topic, read);
        LogIdentity log = judge.log;
        StreamCatalog catalog = new StreamCatalog(services.catalogStore(), judge.stream);
        if (problem != LogProblem.NONE) {
            log = decided(judge, catalog, topic, problem);
            if (!log.equals(judge.log) && topic != null && log.matches(topic.id())) {
                problem = LogProblem.NONE;
                judge.shortened = 0;
            }
        } else if (judge.partition == 0 && topic != null && topic.ends().length > judge.stream.partitions()) {
            StreamInfo extended = catalog.extend(topic.starts(), LogIdentity.first(topic.id()));
            LOG.warn(
                    "[{}/spout-{}] topic {} has {} partitions now: the new ones are read from their beginning",
                    extended.name(),
                    spout,
                    extended.topic(),
                    extended.partitions());
        }
        long start = -1;
        long end = -1;
        if (topic != null && judge.partition < topic.ends().length) {
            start = topic.starts()[judge.partition] + log.base();
            end = topic.ends()[judge.partition] + log.base();
        }
        return new Finding(
                judge, new Control.LogState(judge.stream.id(), judge.partition, log.since(), start, end, problem), log);
    }

    private static LogProblem problem(Judge judge, @Nullable TopicState topic, long read) {
        if (topic == null) {
            return LogProblem.GONE;
        }
        if (!judge.log.matches(topic.id()) || judge.partition >= topic.ends().length) {
            return LogProblem.RECREATED;
        }
        // Twice: a new leader may for a moment not know how far its log is committed.
        judge.shortened = topic.ends()[judge.partition] + judge.log.base() < read ? judge.shortened + 1 : 0;
        return judge.shortened > 1 ? LogProblem.TRUNCATED : LogProblem.NONE;
    }

    /** The log that somebody, or the policy, has decided on; the old one while nobody has. */
    private LogIdentity decided(Judge judge, StreamCatalog catalog, @Nullable TopicState topic, LogProblem problem) {
        LogIdentity present = catalog.route(judge.partition).route().log();
        if (topic == null || judge.stream.policy().logLoss() == LogLoss.FAIL) {
            return present;
        }
        if (!present.equals(judge.log) || judge.partition >= topic.ends().length) {
            return present;
        }
        long first = problem == LogProblem.TRUNCATED ? topic.ends()[judge.partition] : topic.starts()[judge.partition];
        LogIdentity next = catalog.changeLog(judge.partition, present, topic.id(), first)
                .route()
                .log();
        LOG.error(
                "[{}/spout-{}] partition {}: {}; its policy is to go on: offset {} of the log is position {} from now on",
                judge.stream.name(),
                spout,
                judge.partition,
                problem,
                first,
                next.since());
        return next;
    }
}
