package io.waterwheel.topology.zookeeper;

import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import java.util.function.BiConsumer;

/** The catalogs of the other namespaces below the same root. */
public final class OtherNamespaces {
    private OtherNamespaces() {}

    /**
     * Calls back for each, with its catalog, by connections that end with the call.
     *
     * @throws io.waterwheel.error.WaterwheelException TEMPORARY when ZooKeeper is away; CATALOG_DENIED when one belongs
     *     to others
     */
    public static void look(WaterwheelConfig config, BiConsumer<String, CatalogStore> look) {
        String root = config.get(Keys.ZOOKEEPER_ROOT);
        try (ZooKeeperCatalogStore all = connect(config, root)) {
            for (String namespace : all.children("/")) {
                // What is no namespace has none; a namespace that is just made has no stream.
                if (!namespace.equals(config.get(Keys.NAMESPACE))
                        && all.read("/" + namespace + "/streams").isPresent()) {
                    try (ZooKeeperCatalogStore one = connect(config, root + "/" + namespace)) {
                        look.accept(namespace, one);
                    }
                }
            }
        }
    }

    private static ZooKeeperCatalogStore connect(WaterwheelConfig config, String root) {
        return ZooKeeperCatalogStore.connect(
                config.get(Keys.ZOOKEEPER_CONNECT),
                root,
                config.get(Keys.ZOOKEEPER_SESSION_TIMEOUT),
                CatalogAccess.of(config));
    }
}
