/**
 * A stream followed from a position on: each row once, when queries see it. Read
 * {@link io.waterwheel.client.tail.Tail}, which reads the topic itself and asks the server only how far queries see.
 * {@code WaterwheelClient.tail} opens one. Needs Kafka's clients on the class path. Uses client.kafka, client.admin and
 * the core's query.tail. Test: {@code TailTest}, on a log and a server in memory.
 */
@NullMarked
package io.waterwheel.client.tail;

import org.jspecify.annotations.NullMarked;
