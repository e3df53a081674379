package io.waterwheel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An appender without a broker. */
final class AppenderTest {
    private static final Schema SCHEMA = new Schema(
            List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t");

    @Test
    void whatAnInterruptKeptFromBeingSentIsNotConfirmed() throws Exception {
        // Takes connections and says nothing.
        try (ServerSocket broker = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            StreamDetails stream = new StreamDetails(
                    1,
                    new StreamDefinition("s", "s", RecordFormat.BLOCK, 1, SCHEMA),
                    new StreamDetails.Topic("127.0.0.1:" + broker.getLocalPort(), false));
            Appender appender =
                    Appender.open(stream, new AppenderSettings(Duration.ZERO, 1 << 10, 1 << 20, Duration.ofSeconds(1)));
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> {
                        for (long i = 0; i < 1_000; i++) {
                            appender.append(i, i);
                        }
                    })
                    .isInstanceOf(WaterwheelException.class);
            assertThat(Thread.interrupted()).isTrue();
            assertThatThrownBy(appender::flush)
                    .isInstanceOf(WaterwheelException.class)
                    .hasMessageContaining("was not confirmed");
            appender.abandon();
        }
    }

    @Test
    void tuplesDoNotWaitForOthersLongerThanForTheBrokers() {
        assertThatThrownBy(() -> new AppenderSettings(Duration.ofSeconds(2), 1 << 10, 1 << 20, Duration.ofSeconds(3)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most half of the timeout");
    }

    @Test
    void whoMayWaitHasFullerBatches() {
        AppenderSettings waits = AppenderSettings.DEFAULT
                .compressedBy(AppenderSettings.Compression.LZ4)
                .lingering(Duration.ofMillis(50));
        assertThat(waits.compression()).isEqualTo(AppenderSettings.Compression.LZ4);
        assertThat(waits.sending().batchBytes())
                .isEqualTo(2 * AppenderSettings.DEFAULT.sending().batchBytes());
    }
}
