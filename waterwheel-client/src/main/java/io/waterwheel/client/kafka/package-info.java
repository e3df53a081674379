/**
 * What of the client needs Kafka's clients on the class path: records that are sent, notes of what was appended, dead
 * letters and a topic's records that are read. For the client itself; a program takes
 * {@link io.waterwheel.client.kafka.AppendJournal} alone. Uses the values of {@code client.admin}. Everything runs on
 * the thread of its caller.
 */
@NullMarked
package io.waterwheel.client.kafka;

import org.jspecify.annotations.NullMarked;
