/**
 * Kafka behind the core's seams: {@link io.waterwheel.topology.kafka.KafkaSource} for live reading,
 * {@link io.waterwheel.topology.kafka.KafkaLogReader} for reading again,
 * {@link io.waterwheel.topology.kafka.KafkaDeadLetters} for what cannot be decoded,
 * {@link io.waterwheel.topology.kafka.KafkaTopics} for topics and offsets. All read committed records only, and never
 * choose an offset by themselves.
 */
@NullMarked
package io.waterwheel.topology.kafka;

import org.jspecify.annotations.NullMarked;
