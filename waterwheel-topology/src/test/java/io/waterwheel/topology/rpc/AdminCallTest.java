package io.waterwheel.topology.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.error.WaterwheelException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.CallOptions;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.Location;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class AdminCallTest {
    @Test
    void aCallHearsThatItsCallerIsGone() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        AtomicReference<WaterwheelException> end = new AtomicReference<>();
        AdminHandler endless = (action, body, caller) -> {
            begun.countDown();
            try {
                while (true) {
                    caller.requireThere();
                    LockSupport.parkNanos(1_000_000);
                }
            } catch (WaterwheelException e) {
                end.set(e);
                throw e;
            }
        };
        try (RpcServer server = RpcServer.forClients(RpcSettings.DEFAULT, Handlers.NO_QUERIES, endless);
                BufferAllocator allocator = new RootAllocator();
                FlightClient client = FlightClient.builder(
                                allocator, Location.forGrpcInsecure("127.0.0.1", server.port()))
                        .build()) {
            // Long enough for the call to begin; whoever waits no longer is gone.
            assertThatThrownBy(() -> client.doAction(
                                    new Action("any", new byte[0]), CallOptions.timeout(2, TimeUnit.SECONDS))
                            .next())
                    .isInstanceOf(FlightRuntimeException.class);
            begun.await();
            Waiting.until("the handler hears of it", () -> end.get() != null);
            assertThat(end.get().code()).isEqualTo("CLIENT_GONE");
        }
    }
}
