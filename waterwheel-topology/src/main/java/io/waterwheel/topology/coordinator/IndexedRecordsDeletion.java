package io.waterwheel.topology.coordinator;

import io.waterwheel.catalog.MadeTopic;
import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.StreamEntries;
import io.waterwheel.catalog.maintenance.ExpendableRecords;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.metrics.WayInMetrics;
import io.waterwheel.schema.StreamPolicy.IndexedRecords;
import io.waterwheel.topology.worker.CoordinatorServices;
import io.waterwheel.topology.worker.SourceTopics.TopicState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes records whose rows are in chunks from the topics that were made for streams ({@link ExpendableRecords}). What
 * each stream needs is read from the catalog anew each time, that of other namespaces too. One thread.
 */
final class IndexedRecordsDeletion {
    private static final Logger LOG = LoggerFactory.getLogger(IndexedRecordsDeletion.class);

    private final CoordinatorServices services;
    private final Duration stay;

    /** @param stay how long records stay after their rows came into chunks */
    IndexedRecordsDeletion(CoordinatorServices services, Duration stay) {
        this.services = services;
        this.stay = stay;
    }

    /** A topic that was made for a stream, and what all streams that read it have in chunks. */
    private record Source(
            StreamInfo owner, MadeTopic.Known made, TopicState topic, List<ExpendableRecords.Reader> readers) {}

    /** Looks at all topics. */
    void look() {
        services.topicRecords().unlessAllAreWanted(this::lookUndisturbed);
    }

    private void lookUndisturbed() {
        CatalogStore store = services.catalogStore();
        store.sync();
        services.requireCatalog();
        List<StreamInfo> own = all("this namespace", services.namespace());
        Map<String, Source> sources = sources(store, own);
        if (sources.isEmpty()) {
            return;
        }
        gather(sources, store, own);
        services.topicRecords().otherNamespaces((name, other) -> {
            other.sync();
            gather(sources, other, all("namespace " + name, new Namespace(other)));
        });
        sources.values().forEach(this::delete);
    }

    /** An entry that cannot be read may name any topic: then nothing is deleted. */
    private static List<StreamInfo> all(String where, Namespace namespace) {
        StreamEntries entries = namespace.entries();
        if (!entries.unreadable().isEmpty()) {
            throw new WaterwheelException(
                    ErrorCode.TOPIC_UNSURE,
                    "the entries of streams " + entries.unreadable() + " in " + where
                            + " cannot be read, so which topics they need is not known; mend them, or use a release"
                            + " that can read them");
        }
        return entries.readable();
    }

    private Map<String, Source> sources(CatalogStore store, List<StreamInfo> streams) {
        List<StreamInfo> owners = new ArrayList<>();
        List<MadeTopic.Known> made = new ArrayList<>();
        List<Optional<MadeTopic.Known>> known = MadeTopic.read(store, streams);
        for (int i = 0; i < streams.size(); i++) {
            if (known.get(i).isPresent()) {
                owners.add(streams.get(i));
                made.add(known.get(i).get());
            }
        }
        Map<Integer, TopicState> states = services.topicStates(owners);
        Map<String, Source> sources = new TreeMap<>();
        for (int i = 0; i < owners.size(); i++) {
            TopicState state = states.get(owners.get(i).id());
            // One that was made anew since belongs to who made it.
            if (state != null
                    && state.failure().isEmpty()
                    && state.id().equals(made.get(i).topicId())) {
                sources.put(owners.get(i).topic(), new Source(owners.get(i), made.get(i), state, new ArrayList<>()));
            }
        }
        return sources;
    }

    /** Adds what these streams have in chunks to their topics; takes topics out whose records are to stay. */
    private static void gather(Map<String, Source> sources, CatalogStore store, List<StreamInfo> streams) {
        for (StreamInfo stream : streams) {
            Source source = sources.get(stream.topic());
            if (source == null) {
                continue;
            }
            if (stream.policy().indexedRecords() == IndexedRecords.KEEP) {
                sources.remove(stream.topic());
                continue;
            }
            StreamCatalog catalog = new StreamCatalog(store, stream);
            long[] covered = catalog.covered();
            source.readers().add(new ExpendableRecords.Reader(covered, catalog.routes()));
        }
    }

    private void delete(Source source) {
        try {
            StreamInfo owner = source.owner();
            TopicState topic = source.topic();
            ExpendableRecords.Step step = ExpendableRecords.step(
                    source.made().marks(),
                    ExpendableRecords.inChunks(topic.id(), topic.ends().length, source.readers()),
                    System.currentTimeMillis(),
                    stay.toMillis());
            if (!step.marks().equals(source.made().marks())
                    && !MadeTopic.remember(services.catalogStore(), owner, source.made(), step.marks())) {
                return;
            }
            Map<Integer, Long> before = new TreeMap<>();
            long records = 0;
            for (int p = 0; p < topic.ends().length; p++) {
                // Not beyond its end, which Kafka refuses: a stream may have given up what is not written yet.
                long offset = Math.min(step.before()[p], topic.ends()[p]);
                if (offset > topic.starts()[p]) {
                    before.put(p, offset);
                    records += offset - topic.starts()[p];
                }
            }
            if (!before.isEmpty()) {
                services.topicRecords().deleteBefore(owner.topic(), before);
                services.metrics()
                        .counter(WayInMetrics.DELETED_RECORDS, services.metrics().stream(owner.name()))
                        .add(records);
                LOG.info(
                        "[{}] deleted {} records of topic {}, whose rows have been in chunks for {} s: it begins at {}",
                        owner.name(),
                        records,
                        owner.topic(),
                        stay.toSeconds(),
                        before);
            }
        } catch (WaterwheelException e) {
            // Of this topic; others go on.
            LOG.warn(
                    "[{}] no records are deleted from the topic; trying again later",
                    source.owner().name(),
                    e);
        }
    }
}
