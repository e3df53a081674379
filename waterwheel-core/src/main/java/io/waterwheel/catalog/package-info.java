/**
 * What Waterwheel remembers: streams, routing tables, checkpoints, chunks, as numbered edits, over the
 * {@link io.waterwheel.catalog.CatalogStore} seam. Read {@link io.waterwheel.catalog.StreamCatalog},
 * {@link io.waterwheel.catalog.StreamSnapshot}, {@link io.waterwheel.catalog.RegionIndex} first. Uses model, key,
 * chunk.
 */
@NullMarked
package io.waterwheel.catalog;

import org.jspecify.annotations.NullMarked;
