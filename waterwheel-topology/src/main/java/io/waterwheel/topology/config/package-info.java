/** Every configuration key, declared once, and the settings that it becomes. */
@NullMarked
package io.waterwheel.topology.config;

import org.jspecify.annotations.NullMarked;
