/** Measurements; each says its question and its command. */
@NullMarked
package io.waterwheel.benchmark;

import org.jspecify.annotations.NullMarked;
