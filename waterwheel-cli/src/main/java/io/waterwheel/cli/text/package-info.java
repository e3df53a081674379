/**
 * The values of options as people write them: boxes, circles, key ranges, times, sizes, aggregates. Each has a parser
 * that names what is wrong with a text. {@link io.waterwheel.cli.text.DefinitionYaml} writes a stream's definition as
 * people do. Uses the core's query, schema and geo.
 */
@NullMarked
package io.waterwheel.cli.text;

import org.jspecify.annotations.NullMarked;
