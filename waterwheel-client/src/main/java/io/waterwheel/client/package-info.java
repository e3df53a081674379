/**
 * Asks queries, reads answers, appends tuples.
 *
 * <pre>
 * WaterwheelClient --Flight--> a coordinator        queries, calls that manage streams
 *   Cursor  <-- rows, then a verdict
 * Appender --Kafka--> the stream's topic            tuples
 * </pre>
 *
 * Read {@link io.waterwheel.client.WaterwheelClient}, {@link io.waterwheel.client.Cursor} and
 * {@link io.waterwheel.client.Appender} first. Uses the core's model, query, decode and wire. Everything runs on the
 * thread of its caller, but for the sending of an appender's tuples that have waited long enough.
 */
@NullMarked
package io.waterwheel.client;

import org.jspecify.annotations.NullMarked;
