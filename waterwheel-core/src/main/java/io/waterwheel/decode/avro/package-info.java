/**
 * Avro's schemas and its binary encoding: {@link io.waterwheel.decode.avro.AvroSchemas} reads a schema,
 * {@link io.waterwheel.decode.avro.AvroReader} compiles it, once for each, to a plan that goes through records and
 * hands over the values that fields take, without an object per record. Source: the Avro specification 1.12, which the
 * tests compare with by Avro's own library (docs/decisions/0037).
 */
@NullMarked
package io.waterwheel.decode.avro;

import org.jspecify.annotations.NullMarked;
