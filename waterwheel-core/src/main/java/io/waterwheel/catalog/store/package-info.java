/**
 * The seam to what keeps the catalog's nodes: {@link io.waterwheel.catalog.store.CatalogStore}, with compare-and-set
 * and transactions. ZooKeeper is behind it in {@code topology.zookeeper};
 * {@link io.waterwheel.catalog.store.InMemoryCatalogStore} serves the local stream and the tests. Each passes
 * {@code CatalogStoreContract}. Uses error.
 */
@NullMarked
package io.waterwheel.catalog.store;

import org.jspecify.annotations.NullMarked;
