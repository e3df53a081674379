package io.waterwheel.topology.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightProducer;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class ThisCallTest {
    /** Is told of a ticket on the thread that reads the connection, and answers it on another. */
    private static final class Told implements FlightExtension {
        final List<Thread> reading = new CopyOnWriteArrayList<>();
        final List<Thread> answering = new CopyOnWriteArrayList<>();
        final List<Thread> network = new CopyOnWriteArrayList<>();

        @Override
        public boolean takesTicket(byte[] ticket) {
            return reading.add(Thread.currentThread());
        }

        @Override
        public boolean takesAction(String type) {
            return false;
        }

        @Override
        public void connected(String client) {}

        @Override
        public FlightProducer over(Services services) {
            return new NoOpFlightProducer() {
                @Override
                public void getStream(CallContext context, Ticket ticket, ServerStreamListener listener) {
                    answering.add(Thread.currentThread());
                    CompletableFuture<Thread> ran = new CompletableFuture<>();
                    ThisCall.network().execute(() -> ran.complete(Thread.currentThread()));
                    network.add(ran.join());
                    listener.error(
                            CallStatus.NOT_FOUND.withDescription("no rows").toRuntimeException());
                }
            };
        }
    }

    /** Netty tells of that thread in a class that is not for others: without it answers come right, and later. */
    @Test
    void theThreadOfTheConnectionIsKnown() throws Exception {
        Told told = new Told();
        try (RpcServer server = RpcServer.forClients(
                        RpcSettings.DEFAULT,
                        Handlers.NO_QUERIES,
                        (statement, sink) -> {
                            throw new AssertionError("not asked for");
                        },
                        Handlers.NO_ADMIN,
                        told);
                BufferAllocator allocator = new RootAllocator();
                FlightClient client = FlightClient.builder(
                                allocator, new Location(URI.create("grpc+tcp://127.0.0.1:" + server.port())))
                        .build()) {
            for (int call = 0; call < 2; call++) {
                try (FlightStream answer = client.getStream(new Ticket("any".getBytes(StandardCharsets.UTF_8)))) {
                    assertThatThrownBy(answer::next)
                            .isInstanceOf(FlightRuntimeException.class)
                            .hasMessageContaining("no rows");
                }
            }
        }
        assertThat(told.network).hasSize(2).isEqualTo(told.reading).doesNotContainAnyElementsOf(told.answering);
    }
}
