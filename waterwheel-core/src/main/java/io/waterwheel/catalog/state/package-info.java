/**
 * What the catalog holds of a stream, as values: edits, chunks, checkpoints, routes, routing tables.
 * {@link io.waterwheel.catalog.state.StreamSnapshot} is all of it at one edit; {@link io.waterwheel.catalog.state.Edit}
 * is what leads from one to the next. No reading, no writing. Uses catalog.region.
 */
@NullMarked
package io.waterwheel.catalog.state;

import org.jspecify.annotations.NullMarked;
