/**
 * What formats share whose values have types of their own, such as Avro and Protocol Buffers: the places of fields
 * ({@link io.waterwheel.decode.typed.MemberTree}), the reader that goes through a record's bytes
 * ({@link io.waterwheel.decode.typed.TypedReader}), and what takes the values that it meets
 * ({@link io.waterwheel.decode.typed.ValueSink}). Uses schema. Everything here runs on the thread of its caller.
 */
@NullMarked
package io.waterwheel.decode.typed;

import org.jspecify.annotations.NullMarked;
