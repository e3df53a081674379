/**
 * Tuples become records, for those who append: {@link io.waterwheel.encode.RecordEncoder} makes what
 * {@link io.waterwheel.decode} reads, {@link io.waterwheel.encode.TextRows} the lines and objects of it. Uses schema,
 * tuple and decode. Its classes are for one thread each, or stateless.
 */
@NullMarked
package io.waterwheel.encode;

import org.jspecify.annotations.NullMarked;
