/**
 * Text forms of addresses and identifiers: {@link io.waterwheel.schema.text.Ipv4},
 * {@link io.waterwheel.schema.text.Ipv6} and {@link io.waterwheel.schema.text.Uuid} read them from bytes and write
 * them; {@link io.waterwheel.schema.text.YamlText} writes text into schema files. Stateless; uses nothing.
 */
@NullMarked
package io.waterwheel.schema.text;

import org.jspecify.annotations.NullMarked;
