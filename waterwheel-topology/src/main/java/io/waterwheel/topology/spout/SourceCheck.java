package io.waterwheel.topology.spout;

import io.waterwheel.catalog.LogMemory;
import io.waterwheel.catalog.LogMemory.LeaderEpoch;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.StreamGoneException;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.ingest.source.LogTracker;
import io.waterwheel.schema.LogLoss;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.worker.SourceTopics.TopicState;
import io.waterwheel.topology.worker.SpoutServices;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks, every {@code source.check-interval} and elsewhere than on the spout's thread, how the topics of a spout task's
 * partitions are, and does in the catalog what their {@link LogTracker}s want done. It decides nothing. A look asks
 * Kafka for all topics at once, and reads one node of the catalog, however many partitions there are: routes are read
 * again only when the log of some partition was changed, and every {@value #LOOKS_A_POLICY}th time. Owner: the spout's
 * thread; what was found comes back by {@link #poll}.
 */
final class SourceCheck {
    private static final Logger LOG = LoggerFactory.getLogger(SourceCheck.class);

    /** One look in this number asks how a topic is cleaned up, and reads all routes: that is rarely changed. */
    private static final int LOOKS_A_POLICY = 60;
    /** Nodes asked for at once. */
    private static final int ROUTES_AT_ONCE = 1_000;

    /**
     * What a look was asked about a partition, and what the catalog should be told before.
     *
     * @param read position below which everything was read before the look
     * @param log that is followed
     * @param epoch to be remembered; null for none
     * @param left topic ids to be remembered as left
     * @param sound whether it is the right one, as far as is known
     * @param decided whether it is held to be another, or cut
     * @param successor that should follow; null for none
     */
    private record Question(
            SourcePartition partition,
            StreamInfo stream,
            long read,
            LogIdentity log,
            @Nullable LeaderEpoch epoch,
            Set<String> left,
            boolean sound,
            boolean decided,
            LogTracker.@Nullable Successor successor) {

        /** The same, when the catalog has not taken the epoch. */
        Question withoutEpoch() {
            return new Question(partition, stream, read, log, null, left, sound, decided, successor);
        }
    }

    /**
     * What the catalog says of a partition.
     *
     * @param left topic ids that were left, read after the route
     */
    private record Followed(SourcePartition partition, LogIdentity log, Collection<String> left) {}

    /**
     * What the catalog says and remembers of a partition.
     *
     * @param log of its route
     * @param left topic ids that were left, read after the route
     */
    private record Known(
            SourcePartition partition,
            LogIdentity log,
            Collection<String> left,
            @Nullable LeaderEpoch epoch) {}

    /** A look. */
    private static final class Round {
        final List<Question> questions;
        /** Those whose wishes the catalog has fulfilled, without what it has not. */
        final List<Question> remembered = new ArrayList<>();

        final List<Known> known = new ArrayList<>();
        final List<Followed> followed = new ArrayList<>();
        Map<Integer, TopicState> topics = Map.of();
        /** Whether the topics were asked for. */
        boolean looked;
        /** By stream; absent where it is not known, or was not asked for. */
        final Map<Integer, Boolean> compacted = new HashMap<>();

        Round(List<Question> questions) {
            this.questions = questions;
        }
    }

    private final SpoutServices services;
    private final int spout;
    private final long intervalNanos;
    private final Queue<Round> rounds = new ConcurrentLinkedQueue<>();
    private volatile boolean underWay;
    private long nextNanos = System.nanoTime();
    private long begunNanos;
    /** Between the beginnings of the last two looks; 0 before the second. */
    private long lastNanos;

    private boolean tooSlow;
    /** Only the look that is under way uses it. */
    private long changes = Long.MIN_VALUE;

    private int looks;

    SourceCheck(SpoutServices services, int spout) {
        this.services = services;
        this.spout = spout;
        this.intervalNanos = services.config().get(Keys.SOURCE_CHECK_INTERVAL).toNanos();
    }

    /** Lets the next look begin at once. */
    void soon() {
        nextNanos = System.nanoTime();
    }

    /** Milliseconds between the last two looks; 0 before the second. */
    long lastMillis() {
        return TimeUnit.NANOSECONDS.toMillis(lastNanos);
    }

    /** Begins to look at these, if it is time and no look is under way. */
    void begin(Collection<Map<Integer, SourcePartition>> streams) {
        long now = System.nanoTime();
        if (underWay || now - nextNanos < 0) {
            return;
        }
        List<Question> questions = new ArrayList<>();
        streams.forEach(ofStream -> ofStream.values().forEach(partition -> questions.add(question(partition))));
        if (questions.isEmpty()) {
            return;
        }
        if (begunNanos != 0) {
            lastNanos = now - begunNanos;
            boolean slow = lastNanos > 2 * intervalNanos;
            if (slow && !tooSlow) {
                LOG.warn(
                        "[spout-{}] {} partitions are looked at every {} ms only; source.check-interval is {} ms",
                        spout,
                        questions.size(),
                        lastMillis(),
                        TimeUnit.NANOSECONDS.toMillis(intervalNanos));
            }
            tooSlow = slow;
        }
        begunNanos = now;
        nextNanos = now + intervalNanos;
        Round round = new Round(questions);
        underWay = true;
        try {
            services.blockingCalls().execute(() -> {
                try {
                    look(round);
                } catch (RuntimeException e) {
                    LOG.warn("[spout-{}] the topics cannot be looked at; trying again: {}", spout, e.getMessage());
                } finally {
                    rounds.add(round);
                    underWay = false;
                }
            });
        } catch (RejectedExecutionException e) {
            underWay = false;
        }
    }

    private static Question question(SourcePartition partition) {
        LogTracker tracker = partition.tracker;
        return new Question(
                partition,
                partition.stream,
                partition.position,
                tracker.log(),
                tracker.epochToRemember(),
                Set.copyOf(tracker.leftToRemember()),
                tracker.isSound(),
                tracker.isDecided(),
                partition.stream.policy().logLoss() == LogLoss.FAIL ? null : tracker.successor());
    }

    /** Hands over what was found, if a look has ended: partitions whose trackers may have changed, none twice. */
    List<SourcePartition> poll() {
        Round round = rounds.poll();
        if (round == null) {
            return List.of();
        }
        for (Question question : round.remembered) {
            LogTracker tracker = question.partition().tracker;
            tracker.onLeftRemembered(question.left());
            if (question.epoch() != null) {
                tracker.onRemembered(question.epoch());
            }
        }
        round.known.forEach(known -> known.partition().tracker.onKnown(known.log(), known.left(), known.epoch()));
        round.followed.forEach(found -> found.partition().tracker.onRoute(found.log(), found.left()));
        List<SourcePartition> all = new ArrayList<>();
        boolean more = false;
        for (Question question : round.questions) {
            SourcePartition partition = question.partition();
            LogTracker tracker = partition.tracker;
            StreamInfo stream = question.stream();
            Boolean compacted = round.compacted.get(stream.id());
            if (compacted != null) {
                tracker.onCompacted(compacted);
            }
            if (round.looked) {
                tracker.onLook(look(round.topics.get(stream.id()), partition), question.read());
                all.add(partition);
            }
            more |= tracker.epochToRemember() != null && question.epoch() == null;
            more |= tracker.isDecided() && !question.decided();
            more |= !tracker.leftToRemember().isEmpty() && question.left().isEmpty();
        }
        if (more) {
            soon();
        }
        return all;
    }

    /** What a topic's state says of a partition. */
    static LogTracker.Look look(@Nullable TopicState topic, SourcePartition of) {
        int partition = of.number;
        if (topic == null) {
            return new LogTracker.Look.Gone();
        } else if (!topic.knows(partition)) {
            LOG.warn(
                    "[{}] partition {} of topic {} cannot be looked at; trying again: {}",
                    of.stream.name(),
                    partition,
                    of.stream.topic(),
                    topic.failure());
            return new LogTracker.Look.Unknown();
        } else if (partition >= topic.ends().length) {
            return new LogTracker.Look.NoPartition(topic.id());
        }
        return new LogTracker.Look.Seen(
                topic.id(), topic.epochs()[partition], topic.starts()[partition], topic.ends()[partition]);
    }

    private void look(Round round) {
        Map<Integer, List<Question>> byStream = new HashMap<>();
        for (Question question : round.questions) {
            byStream.computeIfAbsent(question.stream().id(), key -> new ArrayList<>())
                    .add(question);
        }
        for (List<Question> ofStream : byStream.values()) {
            quietly(ofStream.get(0).stream(), () -> tellCatalog(round, ofStream));
        }
        List<StreamInfo> streams =
                byStream.values().stream().map(all -> all.get(0).stream()).toList();
        round.topics = services.topicStates(streams);
        round.looked = true;
        boolean all = looks++ % LOOKS_A_POLICY == 0;
        if (all) {
            round.compacted.putAll(services.compactedTopics(streams));
        }
        byStream.values().forEach(ofStream -> quietly(ofStream.get(0).stream(), () -> extend(round, ofStream)));
        // Before the routes: what is changed while they are read is seen next time.
        long now = LogMemory.changes(services.catalogStore());
        if (all || now != changes) {
            // First: a failure takes it back, and all are read again at the next look.
            changes = now;
            byStream.values().forEach(ofStream -> quietly(ofStream.get(0).stream(), () -> readRoutes(round, ofStream)));
        }
    }

    /** One stream's trouble is no other's. */
    private void quietly(StreamInfo stream, Runnable step) {
        try {
            step.run();
        } catch (StreamGoneException e) {
            LOG.info("[{}/spout-{}] was dropped", stream.name(), spout);
        } catch (RuntimeException e) {
            changes = Long.MIN_VALUE;
            LOG.warn(
                    "[{}/spout-{}] the catalog cannot be asked about its logs; trying again: {}",
                    stream.name(),
                    spout,
                    e.getMessage());
        }
    }

    /** What trackers want remembered, then which logs should follow. */
    private void tellCatalog(Round round, List<Question> questions) {
        StreamInfo stream = questions.get(0).stream();
        CatalogStore store = services.catalogStore();
        LogMemory memory = new LogMemory(store, stream);
        Map<Integer, LeaderEpoch> epochs = new HashMap<>();
        List<Question> told = new ArrayList<>();
        for (Question question : questions) {
            question.left().forEach(memory::leave);
            if (question.epoch() != null) {
                epochs.put(question.partition().number, question.epoch());
            }
            if (question.epoch() != null || !question.left().isEmpty()) {
                told.add(question);
            }
        }
        Set<Integer> taken = epochs.isEmpty() ? Set.of() : memory.raise(epochs);
        Set<Integer> unsure = new TreeSet<>();
        for (Question question : told) {
            boolean refused = question.epoch() != null && !taken.contains(question.partition().number);
            round.remembered.add(refused ? question.withoutEpoch() : question);
            if (refused) {
                unsure.add(question.partition().number);
            }
        }
        questions.stream().filter(Question::decided).forEach(question -> unsure.add(question.partition().number));
        if (unsure.isEmpty()) {
            return;
        }
        // Another spout may know more: one that lives on beside its successor hears less than that.
        store.sync();
        StreamCatalog catalog = new StreamCatalog(store, stream);
        Map<Integer, LogIdentity> present = logs(catalog, List.copyOf(unsure));
        LogMemory.Known known = memory.read(unsure);
        for (Question question : questions) {
            LogTracker.Successor next = question.successor();
            int partition = question.partition().number;
            LeaderEpoch epoch = known.epochs().get(partition);
            LogIdentity log = present.get(partition);
            if (log != null) {
                round.known.add(new Known(question.partition(), log, known.left(), epoch));
            }
            if (next != null && !next.isPast(known.left(), epoch)) {
                LogIdentity followed = catalog.changeLog(partition, next.old(), next.topicId(), next.firstOffset())
                        .route()
                        .log();
                round.followed.add(new Followed(
                        question.partition(), followed, memory.read(List.of()).left()));
                LOG.error(
                        "[{}] partition {}: the log is {}; its policy is to go on: offset {} of the log is position {} from now on",
                        stream.name(),
                        partition,
                        next.topicId().equals(next.old().topicId()) ? "truncated" : "of another topic",
                        next.firstOffset(),
                        followed.since());
            }
        }
    }

    /** Takes up partitions that a topic has got; the spout of its first one does it. */
    private void extend(Round round, List<Question> questions) {
        StreamInfo stream = questions.get(0).stream();
        TopicState topic = round.topics.get(stream.id());
        for (Question question : questions) {
            if (question.partition().number == 0
                    && topic != null
                    && topic.failure().isEmpty()
                    && topic.ends().length > stream.partitions()
                    && question.log().matches(topic.id())
                    && question.sound()) {
                StreamInfo extended = new StreamCatalog(services.catalogStore(), stream)
                        .extend(topic.starts(), LogIdentity.first(topic.id()));
                LOG.warn(
                        "[{}] topic {} has {} partitions now: the new ones are read from their beginning",
                        extended.name(),
                        extended.topic(),
                        extended.partitions());
            }
        }
    }

    /** Whether somebody has decided that another log follows. Seen here in every case: the old one may look sound. */
    private void readRoutes(Round round, List<Question> questions) {
        StreamInfo stream = questions.get(0).stream();
        StreamCatalog catalog = new StreamCatalog(services.catalogStore(), stream);
        Map<Integer, LogIdentity> logs = logs(
                catalog,
                questions.stream().map(question -> question.partition().number).toList());
        Map<Question, LogIdentity> changed = new HashMap<>();
        for (Question question : questions) {
            LogIdentity log = logs.get(question.partition().number);
            if (log != null && log.since() > question.log().since()) {
                changed.put(question, log);
            }
        }
        if (!changed.isEmpty()) {
            Set<String> left = new LogMemory(services.catalogStore(), stream)
                    .read(List.of())
                    .left();
            changed.forEach((question, log) -> round.followed.add(new Followed(question.partition(), log, left)));
        }
    }

    /** The logs that the routes of these partitions say. */
    private static Map<Integer, LogIdentity> logs(StreamCatalog catalog, List<Integer> partitions) {
        Map<Integer, LogIdentity> logs = new HashMap<>();
        for (int from = 0; from < partitions.size(); from += ROUTES_AT_ONCE) {
            List<Integer> some = partitions.subList(from, Math.min(from + ROUTES_AT_ONCE, partitions.size()));
            List<PartitionRoute> routes = catalog.readRoutes(some);
            for (int i = 0; i < some.size(); i++) {
                logs.put(some.get(i), routes.get(i).log());
            }
        }
        return logs;
    }
}
