/** A connector for Trino, which reads streams and joins them with all else that Trino knows: docs/trino.md. */
@NullMarked
package io.waterwheel.trino;

import org.jspecify.annotations.NullMarked;
