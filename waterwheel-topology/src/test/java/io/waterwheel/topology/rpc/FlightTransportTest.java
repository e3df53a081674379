package io.waterwheel.topology.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.Test;

/**
 * Holds the versions together: Arrow's allocator reaches into netty's buffers, and the netty that we pin is a newer one
 * than Arrow was built with.
 */
final class FlightTransportTest {
    private static final int ROWS = 10_000;

    /** The stream's end reaches the client before the server has given its buffers back. */
    private final CountDownLatch answered = new CountDownLatch(1);

    @Test
    void streamsABatchOverLoopback() throws Exception {
        try (BufferAllocator allocator = new RootAllocator();
                FlightServer server = FlightServer.builder(
                                allocator, Location.forGrpcInsecure("127.0.0.1", 0), new Counting(allocator))
                        .build()
                        .start();
                FlightClient client =
                        FlightClient.builder(allocator, server.getLocation()).build();
                FlightStream stream = client.getStream(new Ticket("any".getBytes(StandardCharsets.UTF_8)))) {
            assertThat(stream.next()).isTrue();
            BigIntVector numbers = (BigIntVector) stream.getRoot().getVector("number");
            assertThat(numbers.getValueCount()).isEqualTo(ROWS);
            assertThat(numbers.get(ROWS - 1)).isEqualTo(ROWS - 1L);
            assertThat(stream.next()).isFalse();
            assertThat(answered.await(1, TimeUnit.MINUTES)).isTrue();
        }
    }

    /** Answers every ticket with the numbers from 0 on. */
    private final class Counting extends NoOpFlightProducer {
        private final BufferAllocator allocator;

        Counting(BufferAllocator allocator) {
            this.allocator = allocator;
        }

        @Override
        public void getStream(CallContext context, Ticket ticket, ServerStreamListener listener) {
            try (BigIntVector numbers = new BigIntVector("number", allocator);
                    VectorSchemaRoot root = new VectorSchemaRoot(List.of(numbers))) {
                listener.start(root);
                numbers.allocateNew(ROWS);
                for (int row = 0; row < ROWS; row++) {
                    numbers.set(row, row);
                }
                root.setRowCount(ROWS);
                listener.putNext();
                listener.completed();
            }
            answered.countDown();
        }
    }
}
