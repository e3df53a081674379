package io.waterwheel.client;

import io.waterwheel.client.kafka.RecordSender;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;

/**
 * How an appender trades delay for throughput.
 *
 * @param linger how long a tuple may wait for others to go with it, 0 to 1 minute, and at most half of the timeout;
 *     from 50 ms on batches may have 256 KiB, else 128
 * @param blockBytes size at which a tuple block is sent, 1 KiB to 512 KiB; for streams of tuple blocks
 * @param memoryBytes what may wait for the brokers, at least 1 MiB; when it is used up, appending waits
 * @param timeout how long the brokers may take to confirm what was sent, and how long appending waits for memory; 1
 *     second to 1 hour
 * @param compression of what is sent, and so of the topic's log
 */
public record AppenderSettings(
        Duration linger, int blockBytes, long memoryBytes, Duration timeout, Compression compression) {
    /** How records are packed on their way to the brokers, which store them so. Readers unpack what comes. */
    public enum Compression {
        NONE,
        /** Little processor time, and a log that is a quarter smaller. */
        LZ4,
        /** A log of half the bytes. Brokers from Kafka 2.1 on; needs zstd-jni's native library. */
        ZSTD
    }

    private static final int BATCH_BYTES = 128 << 10;
    /** Where tuples may wait as long as this, batches have time to become so large. */
    private static final Duration FULL_BATCHES = Duration.ofMillis(50);

    private static final int FULL_BATCH_BYTES = 256 << 10;

    /** 5 ms, 48 KiB, 32 MiB, 2 minutes, nothing compressed. */
    public static final AppenderSettings DEFAULT =
            new AppenderSettings(Duration.ofMillis(5), 48 << 10, 32 << 20, Duration.ofMinutes(2));

    public AppenderSettings {
        Objects.requireNonNull(compression, "compression");
        if (linger.isNegative() || linger.compareTo(Duration.ofMinutes(1)) > 0) {
            throw new IllegalArgumentException("appender: linger: expected 0 to 1 minute, got " + linger);
        }
        if (blockBytes < 1 << 10 || blockBytes > 512 << 10) {
            throw new IllegalArgumentException("appender: block bytes: expected 1 KiB to 512 KiB, got " + blockBytes);
        }
        if (memoryBytes < 1 << 20) {
            throw new IllegalArgumentException("appender: memory: expected at least 1 MiB, got " + memoryBytes);
        }
        if (timeout.compareTo(Duration.ofSeconds(1)) < 0 || timeout.compareTo(Duration.ofHours(1)) > 0) {
            throw new IllegalArgumentException("appender: timeout: expected 1 second to 1 hour, got " + timeout);
        }
        if (linger.compareTo(timeout.dividedBy(2)) > 0) {
            throw new IllegalArgumentException(
                    "appender: linger: expected at most half of the timeout, " + timeout + ", got " + linger);
        }
    }

    /** Without compression. */
    public AppenderSettings(Duration linger, int blockBytes, long memoryBytes, Duration timeout) {
        this(linger, blockBytes, memoryBytes, timeout, Compression.NONE);
    }

    /** The same with another compression. */
    public AppenderSettings compressedBy(Compression other) {
        return new AppenderSettings(linger, blockBytes, memoryBytes, timeout, other);
    }

    /** The same with another time that a tuple may wait. */
    public AppenderSettings lingering(Duration other) {
        return new AppenderSettings(other, blockBytes, memoryBytes, timeout, compression);
    }

    RecordSender.Sending sending() {
        return new RecordSender.Sending(
                linger,
                linger.compareTo(FULL_BATCHES) < 0 ? BATCH_BYTES : FULL_BATCH_BYTES,
                memoryBytes,
                timeout,
                compression.name().toLowerCase(Locale.ROOT));
    }
}
