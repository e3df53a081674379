package io.waterwheel.cluster;

import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/**
 * Sends rows to Kafka, and knows what was sent and what was acknowledged. {@link #send} by one thread; reads by any.
 */
final class FlightFeed implements AutoCloseable {
    private static final int SLICES_PER_SECOND = 50;

    private final String topic;
    private final KafkaProducer<String, String> producer;
    /** By partition, one after the offset of the last acknowledged row. */
    private final AtomicLongArray acknowledged = new AtomicLongArray(FlightRows.PARTITIONS);

    private final AtomicLongArray sent = new AtomicLongArray(FlightRows.PARTITIONS);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    FlightFeed(String bootstrap, String topic) {
        this.topic = topic;
        Properties settings = new Properties();
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrap);
        settings.put(ProducerConfig.LINGER_MS_CONFIG, "5");
        // Idempotent by default: a row that is sent again keeps its one offset.
        this.producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
    }

    /** Sends at a steady rate; returns when all is acknowledged. */
    void send(List<FlightRows.Row> rows, int perSecond) throws Exception {
        long start = System.nanoTime();
        int slice = Math.max(1, perSecond / SLICES_PER_SECOND);
        for (int i = 0; i < rows.size(); i++) {
            if (i % slice == 0) {
                producer.flush();
                long due = start + (long) (1e9 * i / perSecond);
                while (System.nanoTime() - due < 0) {
                    LockSupport.parkNanos(due - System.nanoTime());
                }
            }
            FlightRows.Row row = rows.get(i);
            sent.set(row.partition(), row.offset() + 1);
            var unused = producer.send(
                    new ProducerRecord<>(topic, row.partition(), null, row.line()), (metadata, problem) -> {
                        if (problem != null) {
                            failure.compareAndSet(null, problem);
                        } else if (metadata.offset() != row.offset()) {
                            failure.compareAndSet(
                                    null,
                                    new AssertionError("partition " + row.partition() + ": expected offset "
                                            + row.offset() + ", got " + metadata.offset()));
                        } else {
                            acknowledged.set(row.partition(), row.offset() + 1);
                        }
                    });
        }
        producer.flush();
        Throwable problem = failure.get();
        if (problem != null) {
            throw new AssertionError("the rows could not be sent", problem);
        }
    }

    /** By partition, the offset below which every row was acknowledged. */
    Map<Integer, Long> acknowledged() {
        return copy(acknowledged);
    }

    /** By partition, the offset below which every row was handed to the producer. */
    Map<Integer, Long> sent() {
        return copy(sent);
    }

    private static Map<Integer, Long> copy(AtomicLongArray array) {
        Map<Integer, Long> copy = new TreeMap<>();
        for (int p = 0; p < array.length(); p++) {
            copy.put(p, array.get(p));
        }
        return copy;
    }

    @Override
    public void close() {
        producer.close();
    }
}
