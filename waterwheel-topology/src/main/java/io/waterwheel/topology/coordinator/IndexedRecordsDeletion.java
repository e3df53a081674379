package io.waterwheel.topology.coordinator;

import io.waterwheel.catalog.MadeTopic;
import io.waterwheel.catalog.MadeTopic.Mark;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.StreamEntries;
import io.waterwheel.catalog.maintenance.ExpendableRecords;
import io.waterwheel.catalog.maintenance.ExpendableRecords.Reader;
import io.waterwheel.catalog.maintenance.ExpendableRecords.Topic;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.metrics.WayInMetrics;
import io.waterwheel.protocol.Control;
import io.waterwheel.schema.StreamPolicy.IndexedRecords;
import io.waterwheel.topology.worker.CoordinatorServices;
import io.waterwheel.topology.worker.SourceTopics.TopicState;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes records whose rows are in chunks from the topics that were made for streams ({@link ExpendableRecords}). What
 * each stream needs is read from the catalog anew each time. A topic that a stream of another namespace reads is left
 * alone: whether that reads it without trouble is not known here. One thread.
 */
final class IndexedRecordsDeletion {
    private static final Logger LOG = LoggerFactory.getLogger(IndexedRecordsDeletion.class);
    /** More would not fit into a node of the catalog, with the marks of some hours. */
    private static final int MOST_PARTITIONS = 4_096;

    private final CoordinatorServices services;
    private final IntFunction<Map<Integer, Control.PartitionReport>> reports;
    private final long stayMillis;
    private final InstantSource clock;

    /**
     * @param reports by stream id the last report of each partition
     * @param stay how long records stay after their rows came into chunks; longer, where a cut log would not be known
     *     by then
     */
    IndexedRecordsDeletion(
            CoordinatorServices services,
            IntFunction<Map<Integer, Control.PartitionReport>> reports,
            Duration stay,
            InstantSource clock) {
        this.clock = clock;
        this.services = services;
        this.reports = reports;
        this.stayMillis = Math.max(
                stay.toMillis(), services.config().leastIndexedRecordsStay().toMillis());
    }

    /**
     * Looks at all topics.
     *
     * @return why records of some topics stay until somebody mends it; empty when there is nothing to mend
     */
    String look() {
        CatalogStore store = services.catalogStore();
        store.sync();
        services.requireCatalog();
        List<StreamInfo> owners = MadeTopic.owners(store, streams());
        if (owners.isEmpty()) {
            return "";
        }
        String trouble = "";
        Set<String> others = services.topicRecords().topicsOfOthers();
        for (StreamInfo owner : owners) {
            if (others.contains(owner.topic())) {
                LOG.debug("[{}] a stream of another namespace reads topic {} too", owner.name(), owner.topic());
                continue;
            }
            try {
                look(owner);
            } catch (WaterwheelException e) {
                if (e.is(ErrorCode.KAFKA_UNAVAILABLE)) {
                    // Each further topic would be waited for as long.
                    throw e;
                }
                // Of this topic; others go on.
                LOG.warn("[{}] no records are deleted from its topic; trying again later", owner.name(), e);
                trouble = trouble.isEmpty() ? trouble("topic " + owner.topic(), e) : trouble;
            }
        }
        return trouble;
    }

    /** A sentence for people; empty for what passes by itself, and is told elsewhere while it lasts. */
    static String trouble(String whose, WaterwheelException e) {
        return e.kind() == WaterwheelException.Kind.TEMPORARY
                ? ""
                : "no records are deleted from " + whose + " (" + e.code() + "): " + e.getMessage();
    }

    /** An entry that cannot be read may name any topic: then nothing is deleted. */
    private List<StreamInfo> streams() {
        StreamEntries entries = services.namespace().entries();
        if (!entries.unreadable().isEmpty()) {
            throw new WaterwheelException(
                    ErrorCode.TOPIC_UNSURE,
                    "the entries of streams " + entries.unreadable()
                            + " cannot be read, so which topics they need is not known; mend them, or use a release"
                            + " that can read them");
        }
        return entries.readable();
    }

    private void look(StreamInfo owner) {
        CatalogStore store = services.catalogStore();
        Optional<MadeTopic.Known> made = MadeTopic.read(store, owner);
        Optional<Found> found = made.flatMap(known -> find(owner, known, streams()));
        if (found.isEmpty()) {
            return;
        }
        MadeTopic.Known known = made.get();
        Mark now = found.get().mark();
        List<Mark> marks = ExpendableRecords.remembered(known.marks(), now, stayMillis);
        // Those that are kept are the objects that were read.
        if (!marks.equals(known.marks()) && !MadeTopic.remember(store, owner, known, marks)) {
            LOG.info("[{}] how far topic {} is in chunks was not remembered this time", owner.name(), owner.topic());
            return;
        }
        if (!found.get().before(marks, stayMillis).isEmpty()) {
            services.topicRecords().unlessAllAreWanted(() -> delete(owner, known, marks));
        }
    }

    /** As it is now: a stream may have been created, or told to keep its records, since the look. */
    private void delete(StreamInfo owner, MadeTopic.Known known, List<Mark> marks) {
        services.catalogStore().sync();
        Optional<Found> found = find(owner, known, streams());
        if (found.isEmpty()) {
            return;
        }
        Map<Integer, Long> before = found.get().before(marks, stayMillis);
        if (before.isEmpty()) {
            return;
        }
        services.topicRecords().deleteBefore(owner.topic(), before);
        long records = found.get().count(before);
        services.metrics()
                .counter(WayInMetrics.DELETED_RECORDS, services.metrics().stream(owner.name()))
                .add(records);
        LOG.info(
                "[{}] deleted {} records from {} partitions of topic {}, whose rows have been in chunks for {} s",
                owner.name(),
                records,
                before.size(),
                owner.topic(),
                stayMillis / 1000);
    }

    /** A topic as it is, and how far its streams have it in chunks. */
    private record Found(TopicState topic, Mark mark) {
        /** By partition the first offset that stays, where records before it may go. */
        Map<Integer, Long> before(List<Mark> marks, long stayMillis) {
            Map<Integer, Long> before = new TreeMap<>();
            long[] offsets = ExpendableRecords.before(marks, mark, stayMillis);
            for (int p = 0; p < offsets.length; p++) {
                if (offsets[p] > topic.starts()[p]) {
                    before.put(p, offsets[p]);
                }
            }
            return before;
        }

        long count(Map<Integer, Long> before) {
            return before.entrySet().stream()
                    .mapToLong(entry -> entry.getValue() - topic.starts()[entry.getKey()])
                    .sum();
        }
    }

    /** Nothing where its records are to stay, or it is not the topic that was made. */
    private Optional<Found> find(StreamInfo owner, MadeTopic.Known made, List<StreamInfo> streams) {
        List<Reader> readers = new ArrayList<>();
        for (StreamInfo stream : streams) {
            if (!stream.topic().equals(owner.topic())) {
                continue;
            }
            if (stream.policy().indexedRecords() == IndexedRecords.KEEP) {
                return Optional.empty();
            }
            StreamCatalog catalog = new StreamCatalog(services.catalogStore(), stream);
            long[] covered = catalog.covered();
            readers.add(new Reader(stream.id(), covered, catalog.routes(), sound(stream)));
        }
        TopicState state = services.topicStates(List.of(owner)).get(owner.id());
        if (state == null || !state.failure().isEmpty() || !state.id().equals(made.topicId())) {
            return Optional.empty();
        }
        if (state.ends().length > MOST_PARTITIONS) {
            LOG.warn(
                    "[{}] topic {} has {} partitions, more than {}: its records stay as long as Kafka keeps them",
                    owner.name(),
                    owner.topic(),
                    state.ends().length,
                    MOST_PARTITIONS);
            return Optional.empty();
        }
        Topic topic = new Topic(state.id(), state.ends(), state.epochs());
        return Optional.of(new Found(state, ExpendableRecords.now(topic, readers, clock.millis())));
    }

    /** By partition whether the stream reads it, as far as its last report says, and nothing is wrong with it. */
    private boolean[] sound(StreamInfo stream) {
        boolean[] sound = new boolean[stream.partitions()];
        reports.apply(stream.id()).forEach((partition, report) -> {
            if (partition < sound.length) {
                sound[partition] = report.trouble().isNone();
            }
        });
        return sound;
    }
}
