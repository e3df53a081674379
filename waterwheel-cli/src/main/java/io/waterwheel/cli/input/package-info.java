/**
 * Files on their way in: their bytes as lines, whatever their encoding and compression, cells of CSV, which lines are
 * tuples, the progress of an append. Uses the core's schema and decode.
 */
@NullMarked
package io.waterwheel.cli.input;

import org.jspecify.annotations.NullMarked;
