/**
 * What a stream is: its {@link io.waterwheel.schema.Schema} of fields, key and time, its
 * {@link io.waterwheel.schema.StreamDefinition}, its policies. Values, checked when they are made;
 * {@link io.waterwheel.schema.SchemaFile} reads and writes them as YAML and JSON. Uses error, geo and schema.text.
 */
@NullMarked
package io.waterwheel.schema;

import org.jspecify.annotations.NullMarked;
