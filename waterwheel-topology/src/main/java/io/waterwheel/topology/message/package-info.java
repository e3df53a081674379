/**
 * What Storm carries between workers, and its serializers: length-checked bytes, never Java's serialization. Uses the
 * core.
 */
@NullMarked
package io.waterwheel.topology.message;

import org.jspecify.annotations.NullMarked;
