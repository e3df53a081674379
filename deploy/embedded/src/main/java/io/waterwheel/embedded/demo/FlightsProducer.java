package io.waterwheel.embedded.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/** Sends the lines of the file with Kafka's plain producer, which knows nothing of Waterwheel, at a steady rate. */
final class FlightsProducer implements AutoCloseable {
    /** Slow enough to watch, fast enough not to wait. */
    private static final int LINES_PER_SECOND = 15_000;

    private static final int STEP = 300;

    private final FlightsFile file;
    private final String topic;
    private final KafkaProducer<String, String> producer;
    private final Thread thread;
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

    /** Guarded by itself. By partition the offset after the last confirmed record. */
    private final Map<Integer, Long> positions = new HashMap<>();

    private final int milestone;
    private final CountDownLatch firstLeft;
    private volatile int sent;

    /** @param milestone number of first lines that somebody waits for */
    FlightsProducer(FlightsFile file, String bootstrap, String topic, int milestone) {
        this.file = file;
        this.milestone = milestone;
        this.firstLeft = new CountDownLatch(milestone);
        this.topic = topic;
        this.producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap, "linger.ms", 2), new StringSerializer(), new StringSerializer());
        this.thread = new Thread(this::send, "demo-producer");
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Lines sent so far. */
    int sent() {
        return sent;
    }

    boolean done() {
        return !thread.isAlive();
    }

    private void send() {
        long begin = System.nanoTime();
        try {
            for (int i = 0; i < file.size(); i++) {
                if (i % STEP == 0) {
                    long due = begin + i * (TimeUnit.SECONDS.toNanos(1) / LINES_PER_SECOND);
                    LockSupport.parkNanos(due - System.nanoTime());
                }
                // The aircraft is the record's key: its positions stay in one partition, in order.
                String line = file.line(i);
                String aircraft = line.split(",", 3)[1];
                boolean first = i < milestone;
                var unused = producer.send(
                        new ProducerRecord<>(topic, aircraft, line), (record, e) -> confirmed(record, e, first));
                sent = i + 1;
            }
            producer.flush();
        } catch (RuntimeException e) {
            failure.compareAndSet(null, e);
        }
    }

    private void confirmed(RecordMetadata record, @Nullable Exception e, boolean first) {
        if (e != null) {
            failure.compareAndSet(null, e);
            return;
        }
        synchronized (positions) {
            positions.merge(record.partition(), record.offset() + 1, Math::max);
        }
        if (first) {
            firstLeft.countDown();
        }
    }

    /** Whether Kafka has confirmed the lines before the milestone. */
    boolean milestoneReached() {
        return firstLeft.getCount() == 0;
    }

    /** By partition the offset after the last line that Kafka has confirmed so far. */
    Map<Integer, Long> positions() {
        synchronized (positions) {
            return Map.copyOf(positions);
        }
    }

    /** Waits until every line is confirmed; by partition the offset after the last of them. */
    Map<Integer, Long> finish() throws IOException, InterruptedException {
        thread.join(TimeUnit.MINUTES.toMillis(3));
        Exception e = failure.get();
        if (e != null || thread.isAlive()) {
            throw new IOException("Kafka did not take the lines: " + (e == null ? "it is too slow" : e), e);
        }
        return positions();
    }

    /** The bytes of the lines, as Kafka has them. */
    static long bytes(FlightsFile file) {
        long bytes = 0;
        for (int i = 0; i < file.size(); i++) {
            bytes += file.line(i).getBytes(StandardCharsets.UTF_8).length;
        }
        return bytes;
    }

    @Override
    public void close() {
        producer.close(java.time.Duration.ofSeconds(5));
    }
}
