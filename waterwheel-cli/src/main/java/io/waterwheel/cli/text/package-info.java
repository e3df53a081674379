/**
 * The values of options as people write them: boxes, circles, key ranges, times, sizes, aggregates. Each has a parser
 * that names what is wrong with a text. Uses the core's query and geo.
 */
@NullMarked
package io.waterwheel.cli.text;

import org.jspecify.annotations.NullMarked;
