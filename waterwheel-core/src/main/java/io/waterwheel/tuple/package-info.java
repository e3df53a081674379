/**
 * Tuples in memory, in columns: {@link io.waterwheel.tuple.TupleBlock}, with its keys and times, and the intervals and
 * regions that tuples fall into. The hot path reads and fills these arrays. Uses schema.
 */
@NullMarked
package io.waterwheel.tuple;

import org.jspecify.annotations.NullMarked;
