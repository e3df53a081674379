package io.waterwheel.topology.zookeeper;

import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The other namespaces below the same root. They are only read. */
public final class OtherNamespaces {
    private OtherNamespaces() {}

    /**
     * The topics that their streams read, by a connection that ends with the call.
     *
     * @throws WaterwheelException TEMPORARY when ZooKeeper is away; CATALOG_DENIED when one belongs to others;
     *     TOPIC_UNSURE when it cannot be told which topic a stream reads
     */
    public static Set<String> topics(WaterwheelConfig config) {
        Set<String> topics = new HashSet<>();
        try (ZooKeeperCatalogStore all = ZooKeeperCatalogStore.connect(
                config.get(Keys.ZOOKEEPER_CONNECT),
                config.get(Keys.ZOOKEEPER_ROOT),
                config.get(Keys.ZOOKEEPER_SESSION_TIMEOUT),
                CatalogAccess.of(config))) {
            all.sync();
            for (String namespace : all.children("/")) {
                if (!namespace.equals(config.get(Keys.NAMESPACE))) {
                    addTopics(all, "/" + namespace + "/streams", topics);
                }
            }
        }
        return topics;
    }

    private static void addTopics(CatalogStore all, String streams, Set<String> topics) {
        List<String> paths = all.children(streams).stream()
                .map(stream -> streams + "/" + stream)
                .toList();
        List<Optional<CatalogStore.Node>> entries = all.readAll(paths);
        for (int i = 0; i < paths.size(); i++) {
            String path = paths.get(i);
            entries.get(i)
                    .ifPresent(entry -> topics.add(Namespace.topicOf(entry.data())
                            .orElseThrow(() -> new WaterwheelException(
                                    ErrorCode.TOPIC_UNSURE,
                                    "which topic the stream of another namespace reads is not known: its entry " + path
                                            + " cannot be read; mend that, or use a release that can read it"))));
        }
    }
}
