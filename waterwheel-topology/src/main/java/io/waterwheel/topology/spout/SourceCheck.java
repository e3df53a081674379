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
 * whether they are the ones that positions are of, where they begin and end, whether they have more partitions; and now
 * and then whether they are compacted. Owner: the spout's executor; what it finds comes back by {@link #poll}.
 */
final class SourceCheck {
    private static final Logger LOG = LoggerFactory.getLogger(SourceCheck.class);

    /** Of so many looks one asks how a topic is cleaned up: that is rarely changed. */
    private static final int LOOKS_A_POLICY = 60;

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
    /** By stream, as far as it could be found out. Only the check that is under way uses it, and the count of looks. */
    private final Map<Integer, Boolean> compacted = new HashMap<>();

    private int looks;

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
        judges.forEach(judge -> read.put(judge, judge.position()));
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
        judges.forEach(judge -> streams.put(judge.stream().id(), judge.stream()));
        Map<Integer, TopicState> topics = services.topicStates(streams.values());
        if (looks++ % LOOKS_A_POLICY == 0) {
            compacted.keySet().retainAll(streams.keySet());
            compacted.putAll(services.compactedTopics(streams.values()));
        }
        List<RuntimeException> failures = new ArrayList<>();
        for (Judge judge : judges) {
            try {
                StreamInfo stream = judge.stream();
                StreamCatalog catalog = new StreamCatalog(services.catalogStore(), stream);
                Finding finding = look(judge, stream, catalog, topics.get(stream.id()), read.getOrDefault(judge, 0L));
                findings.add(compacted.getOrDefault(stream.id(), false) ? compacted(finding) : finding);
            } catch (RuntimeException e) {
                failures.add(e);
            }
        }
        if (!failures.isEmpty()) {
            throw failures.get(0);
        }
    }

    /** What is wrong otherwise comes first: it may be decided on meanwhile. */
    static Finding compacted(Finding of) {
        Control.LogState state = of.state();
        if (state.problem() != LogProblem.NONE) {
            return of;
        }
        return new Finding(
                of.judge(),
                new Control.LogState(
                        state.streamId(),
                        state.partition(),
                        state.since(),
                        state.start(),
                        state.end(),
                        LogProblem.COMPACTED),
                of.log());
    }

    /**
     * What is to be read of a partition, and how it is.
     *
     * @param read position below which everything was read before the topic was looked at
     */
    static Finding look(Judge judge, StreamInfo stream, StreamCatalog catalog, @Nullable TopicState topic, long read) {
        int partition = judge.partition();
        LogIdentity log = judge.log();
        if (topic != null && !topic.knows(partition)) {
            LOG.warn(
                    "[{}] partition {} of topic {} cannot be looked at; trying again: {}",
                    stream.name(),
                    partition,
                    stream.topic(),
                    topic.failure());
            return new Finding(
                    judge, new Control.LogState(stream.id(), partition, log.since(), -1, -1, LogProblem.UNKNOWN), log);
        }
        LogIdentity present = catalog.route(partition).route().log();
        if (present.since() > log.since() && topic != null && present.matches(topic.id())) {
            // Somebody has decided. Seen here in every case: the old log may look sound.
            log = present;
        }
        LogProblem problem = judge.judge(log, topic, Math.max(read, log.since()));
        if (problem != LogProblem.NONE) {
            LogIdentity next = decided(judge, stream, catalog, log, present, topic, problem);
            if (!next.equals(log) && topic != null && next.matches(topic.id())) {
                problem = LogProblem.NONE;
            }
            log = next;
        } else if (partition == 0
                && topic != null
                && topic.failure().isEmpty()
                && topic.ends().length > stream.partitions()) {
            StreamInfo extended = catalog.extend(topic.starts(), LogIdentity.first(topic.id()));
            LOG.warn(
                    "[{}] topic {} has {} partitions now: the new ones are read from their beginning",
                    extended.name(),
                    extended.topic(),
                    extended.partitions());
        }
        long start = -1;
        long end = -1;
        if (topic != null && partition < topic.ends().length) {
            start = topic.starts()[partition] + log.base();
            end = topic.ends()[partition] + log.base();
        }
        return new Finding(judge, new Control.LogState(stream.id(), partition, log.since(), start, end, problem), log);
    }

    /** The log that somebody, or the policy, has decided on; the old one while nobody has. */
    private static LogIdentity decided(
            Judge judge,
            StreamInfo stream,
            StreamCatalog catalog,
            LogIdentity log,
            LogIdentity present,
            @Nullable TopicState topic,
            LogProblem problem) {
        int partition = judge.partition();
        if (topic == null || stream.policy().logLoss() == LogLoss.FAIL) {
            return present;
        }
        if (!present.equals(log) || partition >= topic.ends().length) {
            return present;
        }
        long first = topic.starts()[partition];
        if (problem == LogProblem.TRUNCATED) {
            // Not where it ends now: producers may have gone on since.
            first = Math.max(first, Math.min(topic.ends()[partition], judge.truncatedAt() - log.base()));
        }
        LogIdentity next =
                catalog.changeLog(partition, present, topic.id(), first).route().log();
        LOG.error(
                "[{}] partition {}: {}; its policy is to go on: offset {} of the log is position {} from now on",
                stream.name(),
                partition,
                problem,
                first,
                next.since());
        return next;
    }
}
