package io.waterwheel.topology.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.ingest.source.LogSource.PollEvent;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.Test;

/** Several streams of one topic, each with positions of its own; with a broker see {@code SharedTopic}. */
final class KafkaSourcesTest {
    private final List<MockConsumer<ByteBuffer, ByteBuffer>> consumers = new ArrayList<>();

    private KafkaSource make(int number) {
        MockConsumer<ByteBuffer, ByteBuffer> consumer = new MockConsumer<>("none");
        assertThat(number).isEqualTo(consumers.size());
        consumers.add(consumer);
        return new KafkaSource(consumer, 1 << 20);
    }

    @Test
    void asManyConsumersAsStreamsShareAPartition() {
        try (KafkaSources sources = new KafkaSources(this::make, 0)) {
            sources.assign(1, "t", 0, 0, 0);
            sources.assign(2, "u", 0, 0, 0);
            sources.assign(1, "t", 1, 0, 0);
            assertThat(consumers).hasSize(1);
            sources.assign(3, "t", 0, 5, 0);
            sources.assign(3, "t", 1, 5, 0);
            sources.assign(4, "u", 0, 5, 0);
            assertThat(consumers).hasSize(2);
            sources.assign(5, "t", 0, 1_007, 1_000);
            assertThat(consumers).hasSize(3);
            assertThat(consumers.get(2).position(new TopicPartition("t", 0))).isEqualTo(7);
            assertThatThrownBy(() -> sources.assign(3, "t", 0, 0, 0)).hasMessageContaining("stream 3: already read");
            sources.remove(1, 0);
            // What is free is used again.
            sources.assign(6, "t", 0, 3, 0);
            assertThat(consumers).hasSize(3);
            assertThat(consumers.get(0).position(new TopicPartition("t", 0))).isEqualTo(3);
            sources.remove(5, 0);
            assertThat(consumers.get(2).closed()).as("it may be wanted again").isFalse();
            assertThat(sources.poll(Duration.ZERO)).isEmpty();
            assertThat(consumers.get(2).closed()).isTrue();
            sources.seek(3, 1, 2);
            assertThat(sources.position(3, 1)).isEqualTo(2);
            assertThat(sources.position(1, 1)).isZero();
            sources.pause(3, 1);
            assertThat(consumers.get(1).paused()).containsExactly(new TopicPartition("t", 1));
            assertThat(consumers.get(0).paused()).isEmpty();
            assertThatThrownBy(() -> sources.pause(5, 0)).hasMessageContaining("is not read here");
        }
        assertThat(consumers).allMatch(MockConsumer::closed);
    }

    /** What ends or stops the reading of one stream is told of it alone, and loses no news of another. */
    @Test
    void whatBefallsOneStreamIsNoOthers() {
        TopicPartition topic = new TopicPartition("t", 0);
        try (KafkaSources sources = new KafkaSources(this::make, Long.MAX_VALUE)) {
            sources.assign(1, "t", 0, 0, 0);
            sources.assign(2, "t", 0, 0, 0);
            for (MockConsumer<ByteBuffer, ByteBuffer> consumer : consumers) {
                consumer.updateBeginningOffsets(Map.of(topic, 0L));
            }
            consumers.get(0).addRecord(new ConsumerRecord<>("t", 0, 0, null, ByteBuffer.allocate(1)));
            consumers.get(1).setPollException(new KafkaException("Unexpected error code 99 of topic-partition t-0"));
            List<PollEvent> news = sources.poll(Duration.ZERO);
            assertThat(news).hasSize(2);
            assertThat(news.get(0)).isInstanceOfSatisfying(PollEvent.Read.class, read -> assertThat(
                            read.batch().streamId())
                    .isEqualTo(1));
            assertThat(news.get(1))
                    .isInstanceOfSatisfying(PollEvent.Unreadable.class, failed -> assertThat(failed.streamId())
                            .isEqualTo(2));
            sources.assign(2, "t", 0, 0, 0);
            assertThat(consumers).as("the one that read nothing").hasSize(2);
            consumers.get(0).addRecord(new ConsumerRecord<>("t", 0, 1, null, ByteBuffer.allocate(1)));
            consumers.get(1).setPollException(new WakeupException());
            assertThatThrownBy(() -> sources.poll(Duration.ZERO)).isInstanceOf(WakeupException.class);
            assertThat(sources.poll(Duration.ZERO))
                    .singleElement()
                    .isInstanceOfSatisfying(
                            PollEvent.Read.class,
                            read -> assertThat(read.batch().from()).isEqualTo(1));
        }
    }

    /** Beside a plain model: each stream sees each record of its topic once, from where it began, in order. */
    @Test
    void eachStreamReadsTheWholeTopicWhateverOthersDo() {
        for (long seed = 1; seed <= 200; seed++) {
            consumers.clear();
            Random random = new Random(seed);
            TopicPartition topic = new TopicPartition("t", 0);
            int end = 0;
            Map<Integer, Long> next = new TreeMap<>();
            try (KafkaSources sources = new KafkaSources(this::make, 0)) {
                for (int step = 0; step < 60; step++) {
                    int stream = random.nextInt(4);
                    if (!next.containsKey(stream)) {
                        long from = random.nextInt(end + 1);
                        sources.assign(stream, "t", 0, from, 0);
                        next.put(stream, from);
                    } else if (random.nextInt(6) == 0) {
                        sources.remove(stream, 0);
                        next.remove(stream);
                    } else if (random.nextInt(6) == 0) {
                        long to = random.nextInt(end + 1);
                        sources.seek(stream, 0, to);
                        next.put(stream, to);
                    }
                    end += random.nextInt(3);
                    for (MockConsumer<ByteBuffer, ByteBuffer> consumer : consumers) {
                        if (!consumer.closed() && consumer.assignment().contains(topic)) {
                            for (long offset = consumer.position(topic); offset < end; offset++) {
                                consumer.addRecord(new ConsumerRecord<>(
                                        "t",
                                        0,
                                        offset,
                                        null,
                                        ByteBuffer.allocate(4).putInt(0, (int) offset)));
                            }
                        }
                    }
                    for (PollEvent event : sources.poll(Duration.ZERO)) {
                        var batch = ((PollEvent.Read) event).batch();
                        long expected = Objects.requireNonNull(next.get(batch.streamId()), "a stream that is not read");
                        assertThat(batch.from())
                                .as("seed %s, stream %s", seed, batch.streamId())
                                .isEqualTo(expected);
                        assertThat((long) batch.count()).isEqualTo(batch.to() - batch.from());
                        next.put(batch.streamId(), batch.to());
                    }
                    for (Map.Entry<Integer, Long> one : next.entrySet()) {
                        assertThat(one.getValue())
                                .as("seed %s, stream %s", seed, one.getKey())
                                .isEqualTo(end);
                    }
                }
            }
        }
    }
}
