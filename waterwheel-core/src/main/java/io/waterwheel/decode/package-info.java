/**
 * Records become tuple blocks: {@link io.waterwheel.decode.RecordDecoder} turns CSV lines, JSON objects, values in Avro
 * and Protocol Buffers and block records of a stream's topic into tuples, {@link io.waterwheel.decode.BlockCodec} is
 * the form of a tuple block in bytes ({@code docs/tuple-block-format.md}). {@link io.waterwheel.decode.RecordFacts} is
 * what Kafka has of a record beside its value. Uses schema and tuple, and the rooms below for formats with types of
 * their own. Everything here runs on the thread of its caller and blocks on nothing.
 */
@NullMarked
package io.waterwheel.decode;

import org.jspecify.annotations.NullMarked;
