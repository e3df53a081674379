package io.waterwheel.embedded.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.Filter.Result;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.SimpleMessage;
import org.junit.jupiter.api.Test;

final class RefusalsLogTest {
    /** As Kafka 4.3.1 says it. */
    private static final String SAID =
            "[KafkaApi-1] Unexpected error handling request RequestHeader(apiKey=PRODUCE, apiVersion=13,"
                    + " clientId=producer-1, correlationId=8, headerVersion=2) -- {acks=-1,timeout=1000} with context"
                    + " RequestContext(header=RequestHeader(apiKey=PRODUCE, clientId=producer-1),"
                    + " connectionId='127.0.0.1:28330-127.0.0.1:49316-0-3', clientAddress=/127.0.0.1,"
                    + " principal=User:ANONYMOUS)";

    private static LogEvent event(Throwable thrown) {
        return Log4jLogEvent.newBuilder()
                .setLoggerName(RefusalsLog.LOGGER)
                .setLevel(Level.ERROR)
                .setMessage(new SimpleMessage(SAID))
                .setThrown(thrown)
                .build();
    }

    @Test
    void aRefusalIsOneLineOfWhomAndWhy() {
        LogEvent line = RefusalsLog.oneLine(event(new AppendGate.Refusal("DISK_FULL: the disk of /data is full")));
        assertThat(line.getMessage().getFormattedMessage())
                .isEqualTo("requests of producer-1 at 127.0.0.1 are refused: DISK_FULL: the disk of /data is full");
        assertThat(line.getThrown()).isNull();
        assertThat(line.getLevel()).isEqualTo(Level.ERROR);
    }

    @Test
    void whatElseTheBrokerSaysIsLeftAsItIs() {
        LogEvent refusal = event(new AppendGate.Refusal("DISK_FULL: ..."));
        assertThat(new RefusalsLog.Sieve(true).filter(refusal)).isEqualTo(Result.NEUTRAL);
        assertThat(new RefusalsLog.Sieve(false).filter(refusal)).isEqualTo(Result.DENY);
        for (Exception defect : List.of(
                new IllegalStateException("a defect"), new KafkaStorageException("Log directory /data is offline"))) {
            assertThat(new RefusalsLog.Sieve(true).filter(event(defect))).isEqualTo(Result.DENY);
            assertThat(new RefusalsLog.Sieve(false).filter(event(defect))).isEqualTo(Result.NEUTRAL);
        }
    }
}
