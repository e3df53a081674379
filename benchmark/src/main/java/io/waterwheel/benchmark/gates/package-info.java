/** The engine alone against the figures it aims at. */
@NullMarked
package io.waterwheel.benchmark.gates;

import org.jspecify.annotations.NullMarked;
