/**
 * Every configuration key, declared once in {@link io.waterwheel.topology.config.Keys}, and the values that a start is
 * given, {@link io.waterwheel.topology.config.WaterwheelConfig}. {@code conf/waterwheel.yaml} and
 * {@code docs/configuration.md} are generated from the declarations; a test fails when they differ.
 */
@NullMarked
package io.waterwheel.topology.config;

import org.jspecify.annotations.NullMarked;
