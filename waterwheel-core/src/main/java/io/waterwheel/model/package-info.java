/**
 * The words everything else is written in: schema, tuple block, intervals, regions, and the messages by which
 * dispatchers, indexers and coordinators meet. Read {@link io.waterwheel.model.Schema},
 * {@link io.waterwheel.model.RowLayout}, {@link io.waterwheel.model.TupleBlock} first. Uses nothing; values are
 * immutable unless they say otherwise.
 */
@NullMarked
package io.waterwheel.model;

import org.jspecify.annotations.NullMarked;
