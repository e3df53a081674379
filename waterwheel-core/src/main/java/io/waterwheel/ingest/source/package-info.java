/**
 * The log that tuples come from: what is read, how far, and which log it is.
 * {@link io.waterwheel.ingest.source.LogSource} and {@link io.waterwheel.ingest.source.LogReader} are the seams to
 * Kafka; {@link io.waterwheel.ingest.source.LogTracker} decides whether a log lost records or is another one. Uses
 * catalog, protocol and error.
 */
@NullMarked
package io.waterwheel.ingest.source;

import org.jspecify.annotations.NullMarked;
