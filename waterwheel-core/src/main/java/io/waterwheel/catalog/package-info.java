/**
 * What Waterwheel remembers of its streams, as numbered edits over a {@link io.waterwheel.catalog.store.CatalogStore}.
 * {@link io.waterwheel.catalog.Namespace} has the list of streams, {@link io.waterwheel.catalog.StreamCatalog} the
 * transactions of one (with {@code RoutingChanges} and {@code IndexerChanges}), and
 * {@link io.waterwheel.catalog.StreamSnapshots} what it is at an edit. The layout of nodes is in docs/catalog.md. Uses
 * catalog.state, catalog.manifest and catalog.store.
 */
@NullMarked
package io.waterwheel.catalog;

import org.jspecify.annotations.NullMarked;
