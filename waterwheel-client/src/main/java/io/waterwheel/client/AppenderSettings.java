package io.waterwheel.client;

import io.waterwheel.client.kafka.RecordSender;
import java.time.Duration;

/**
 * How an appender trades delay for throughput.
 *
 * @param linger how long a tuple may wait for others to go with it, 0 to 1 minute, and at most half of the timeout
 * @param blockBytes size at which a tuple block is sent, 1 KiB to 512 KiB; for streams of tuple blocks
 * @param memoryBytes what may wait for the brokers, at least 1 MiB; when it is used up, appending waits
 * @param timeout how long the brokers may take to confirm what was sent, and how long appending waits for memory; 1
 *     second to 1 hour
 */
public record AppenderSettings(Duration linger, int blockBytes, long memoryBytes, Duration timeout) {
    /** 5 ms, 48 KiB, 32 MiB, 2 minutes. */
    public static final AppenderSettings DEFAULT =
            new AppenderSettings(Duration.ofMillis(5), 48 << 10, 32 << 20, Duration.ofMinutes(2));

    public AppenderSettings {
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

    RecordSender.Sending sending() {
        return new RecordSender.Sending(linger, memoryBytes, timeout);
    }
}
