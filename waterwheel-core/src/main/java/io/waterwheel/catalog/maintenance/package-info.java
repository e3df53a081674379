/**
 * The work that keeps the catalog and the store small and sound, done by the first coordinator:
 * {@link io.waterwheel.catalog.maintenance.ManifestCompaction} writes edits into manifests,
 * {@link io.waterwheel.catalog.maintenance.Expiry} ends old chunks,
 * {@link io.waterwheel.catalog.maintenance.ChunkMerges} replaces small chunks by larger ones,
 * {@link io.waterwheel.catalog.maintenance.FileCollector} removes files that no edit names,
 * {@link io.waterwheel.catalog.maintenance.ChunkAudit} picks what is read again. Uses catalog and below.
 */
@NullMarked
package io.waterwheel.catalog.maintenance;

import org.jspecify.annotations.NullMarked;
