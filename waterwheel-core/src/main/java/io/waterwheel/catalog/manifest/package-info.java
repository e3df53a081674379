/**
 * Manifest files: all chunks and checkpoints of a stream at one edit, in few files of the chunk store
 * (docs/manifest-format.md). {@link io.waterwheel.catalog.manifest.ManifestWriter} writes them,
 * {@link io.waterwheel.catalog.manifest.ManifestReader} reads them, checked. Uses catalog.state and store.
 */
@NullMarked
package io.waterwheel.catalog.manifest;

import org.jspecify.annotations.NullMarked;
