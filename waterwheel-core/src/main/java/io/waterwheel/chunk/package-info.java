/** The immutable files that a sealed tree becomes: format, writer, reader, and where they are kept. */
@NullMarked
package io.waterwheel.chunk;

import org.jspecify.annotations.NullMarked;
