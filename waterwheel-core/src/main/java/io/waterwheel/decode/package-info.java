/**
 * Records become tuple blocks: {@link io.waterwheel.decode.RecordDecoder} turns CSV lines, JSON objects and block
 * records of a stream's topic into tuples, {@link io.waterwheel.decode.BlockCodec} is the form of a tuple block in
 * bytes ({@code docs/tuple-block-format.md}). Uses schema and tuple. Everything here runs on the thread of its caller
 * and blocks on nothing.
 */
@NullMarked
package io.waterwheel.decode;

import org.jspecify.annotations.NullMarked;
