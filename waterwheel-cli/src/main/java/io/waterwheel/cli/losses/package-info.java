/**
 * What fields would not keep of the rows of a file: zeros before a number, digits, fractions of seconds, and members of
 * JSON objects. Enter by {@link io.waterwheel.cli.losses.Losses}. Uses the core's schema and decoders. Tests: the same
 * package, and {@code ProposalCheckTest}.
 */
@NullMarked
package io.waterwheel.cli.losses;

import org.jspecify.annotations.NullMarked;
