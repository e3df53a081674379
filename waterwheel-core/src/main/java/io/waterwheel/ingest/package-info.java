/** A tuple's way in: dispatch, channels, indexing, flush, balance. */
@NullMarked
package io.waterwheel.ingest;

import org.jspecify.annotations.NullMarked;
