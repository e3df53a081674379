package io.waterwheel.topology.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.WaterwheelException;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class ReadinessTest {
    private static final long HOUR = TimeUnit.HOURS.toNanos(1);

    /** A receiver that takes what comes at once, or nothing. */
    private record Receiver(boolean isReady) implements ServerStreamListener {
        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public void setOnCancelHandler(Runnable handler) {}

        @Override
        public void setOnReadyHandler(Runnable handler) {}

        @Override
        public void start(VectorSchemaRoot root, DictionaryProvider dictionaries, IpcOption option) {}

        @Override
        public void putNext() {}

        @Override
        public void putNext(ArrowBuf metadata) {}

        @Override
        public void putMetadata(ArrowBuf metadata) {}

        @Override
        public void error(Throwable failure) {}

        @Override
        public void completed() {}
    }

    private static void await(boolean ready, long patience, long left) throws InterruptedException {
        new Readiness(new Receiver(ready), patience, () -> false).await(System.nanoTime() + left);
    }

    private static void assertTooSlow(boolean ready, long patience, long left, String why) {
        assertThatThrownBy(() -> await(ready, patience, left))
                .isInstanceOfSatisfying(
                        WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("CLIENT_SLOW"))
                .hasMessageContaining(why);
    }

    @Test
    void theDeadlineEndsAlsoAReceiverThatTakesSteadily() throws InterruptedException {
        await(true, HOUR, HOUR);
        assertTooSlow(true, HOUR, 0, "within the query's timeout");
        assertTooSlow(false, HOUR, 0, "within the query's timeout");
        assertTooSlow(false, HOUR, 1_000_000, "within the query's timeout");
        assertTooSlow(false, 1_000_000, HOUR, "taken nothing of the answer");
    }
}
