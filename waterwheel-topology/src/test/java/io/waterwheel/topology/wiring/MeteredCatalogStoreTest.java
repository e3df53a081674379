package io.waterwheel.topology.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.CatalogStoreContract;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.metrics.Scrape;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** It is the store that it measures. */
final class MeteredCatalogStoreTest extends CatalogStoreContract {
    private final InMemoryCatalogStore.Tree tree = new InMemoryCatalogStore.Tree();
    private final Map<CatalogStore, InMemoryCatalogStore> measured = new HashMap<>();

    @Override
    protected CatalogStore newClient() {
        InMemoryCatalogStore store = new InMemoryCatalogStore(tree);
        CatalogStore client = new MeteredCatalogStore(store, Metrics.unread());
        measured.put(client, store);
        return client;
    }

    @Override
    protected void loseSession(CatalogStore client) {
        java.util.Objects.requireNonNull(measured.get(client)).loseSession();
    }

    @Test
    void callsAreCountedByWhatBecameOfThem() throws Exception {
        Metrics metrics = Metrics.unread();
        InMemoryCatalogStore inner = new InMemoryCatalogStore(tree);
        try (CatalogStore store = new MeteredCatalogStore(inner, metrics)) {
            CatalogStore.Op create = new CatalogStore.Op.Create("/a", new byte[0]);
            store.commit(List.of(create));
            assertThatThrownBy(() -> store.commit(List.of(create))).isInstanceOf(CatalogStore.ConflictException.class);
            store.read("/a");
            store.readAll(List.of("/a", "/b"));
            store.children("/");
            store.sync();
            assertThatThrownBy(() -> store.read("no path")).isInstanceOf(RuntimeException.class);
            assertThat(new String(Scrape.of(List.of(metrics), null).body(), StandardCharsets.UTF_8))
                    .contains("waterwheel_catalog_seconds_count{operation=\"commit\"} 2")
                    .contains("waterwheel_catalog_conflicts_total 1.0")
                    .contains("waterwheel_catalog_seconds_count{operation=\"read\"} 2")
                    .contains("waterwheel_catalog_failures_total{operation=\"read\"} 1.0")
                    .contains("waterwheel_catalog_seconds_count{operation=\"children\"} 1")
                    .contains("waterwheel_catalog_seconds_count{operation=\"sync\"} 1")
                    .contains("waterwheel_catalog_connected 1.0");
        }
    }
}
