/**
 * Schemas by which records were written, from a registry that is asked by HTTP with the JDK's client:
 * {@link io.waterwheel.decode.registry.SchemaRegistry}. Used by workers, which wait for none of its answers, and by
 * what may wait, such as tails. Uses error and decode.typed (docs/decisions/0038).
 */
@NullMarked
package io.waterwheel.decode.registry;

import org.jspecify.annotations.NullMarked;
