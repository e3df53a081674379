/**
 * Rows that are a function of their number, who appends them at a rate, and who asks and compares: for the tests of all
 * modules that break something meanwhile.
 */
@NullMarked
package io.waterwheel.client.known;

import org.jspecify.annotations.NullMarked;
