package io.waterwheel.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.netty.NettyChannelBuilder;
import io.waterwheel.Rounds;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightGrpcUtils;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever is held back, every batch comes: an answer that waits for a request would never end. */
@Timeout(300)
final class FewRequestsTest {
    private static final int MOST_BATCHES = 60;

    /** Requests of the last call that reach the connection. */
    private AtomicInteger requests = new AtomicInteger();

    /** Answers with as many batches of one row as its ticket says, by a seed with rests and other messages between. */
    private static final class Batches extends NoOpFlightProducer {
        private final BufferAllocator allocator;
        private final ExecutorService threads;

        Batches(BufferAllocator allocator, ExecutorService threads) {
            this.allocator = allocator;
            this.threads = threads;
        }

        @Override
        public void getStream(CallContext context, Ticket ticket, ServerStreamListener listener) {
            String[] asked = new String(ticket.getBytes(), StandardCharsets.UTF_8).split(" ");
            threads.execute(() -> send(Integer.parseInt(asked[0]), new Random(Long.parseLong(asked[1])), listener));
        }

        private void send(int batches, Random random, ServerStreamListener listener) {
            try (BigIntVector numbers = new BigIntVector("n", allocator);
                    VectorSchemaRoot root = new VectorSchemaRoot(List.of(numbers))) {
                listener.start(root);
                for (int batch = 0; batch < batches && !listener.isCancelled(); batch++) {
                    if (random.nextInt(6) == 0) {
                        LockSupport.parkNanos(random.nextInt(1_000_000));
                    }
                    if (random.nextInt(5) == 0) {
                        ArrowBuf metadata = allocator.buffer(4);
                        metadata.writeInt(7);
                        listener.putMetadata(metadata);
                    }
                    numbers.allocateNew(1);
                    numbers.set(0, batch);
                    root.setRowCount(1);
                    listener.putNext();
                }
                listener.completed();
            }
        }
    }

    /** Stands between what is tested and the connection. */
    private final class Counting implements io.grpc.ClientInterceptor {
        @Override
        public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
            AtomicInteger ofCall = new AtomicInteger();
            requests = ofCall;
            return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
                @Override
                public void request(int messages) {
                    ofCall.incrementAndGet();
                    super.request(messages);
                }
            };
        }
    }

    @Test
    void everyBatchComes() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try (BufferAllocator allocator = new RootAllocator();
                FlightServer server = FlightServer.builder(
                                allocator, Location.forGrpcInsecure("127.0.0.1", 0), new Batches(allocator, threads))
                        .build()
                        .start()) {
            ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
                    .usePlaintext()
                    .directExecutor()
                    // The last is the first to see a call.
                    .intercept(new Counting(), new FewRequests())
                    .build();
            try (FlightClient client = FlightGrpcUtils.createFlightClient(allocator, channel)) {
                for (long seed = 1; seed <= Rounds.of(150, 5000); seed++) {
                    ask(client, seed);
                }
            } finally {
                channel.shutdownNow();
                assertThat(channel.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
            }
            server.shutdown();
            server.awaitTermination();
            threads.shutdown();
            assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        } finally {
            threads.shutdownNow();
        }
    }

    private void ask(FlightClient client, long seed) throws Exception {
        Random random = new Random(seed);
        int batches = random.nextInt(MOST_BATCHES);
        int wanted = random.nextInt(4) == 0 ? random.nextInt(batches + 1) : batches;
        boolean asksForTheSchema = random.nextBoolean();
        boolean isSlow = random.nextInt(20) == 0;
        byte[] ticket = (batches + " " + seed).getBytes(StandardCharsets.UTF_8);
        try (FlightStream answer = client.getStream(new Ticket(ticket))) {
            if (asksForTheSchema) {
                assertThat(answer.getRoot().getFieldVectors()).hasSize(1);
            }
            int got = 0;
            int messages = 0;
            while (got < wanted && answer.next()) {
                messages++;
                if (answer.getRoot().getRowCount() == 1) {
                    assertThat(((BigIntVector) answer.getRoot().getVector(0)).get(0))
                            .as("seed %s", seed)
                            .isEqualTo(got);
                    got++;
                }
                if (isSlow) {
                    LockSupport.parkNanos(1_000_000);
                }
            }
            assertThat(got).as("seed %s", seed).isEqualTo(wanted);
            if (wanted < batches) {
                answer.cancel("enough", null);
            } else {
                while (answer.next()) {
                    messages++;
                    assertThat(answer.getRoot().getRowCount()).isZero();
                }
                // The first two, and a third of the others.
                assertThat(requests.get()).as("seed %s", seed).isLessThanOrEqualTo(4 + messages / 3);
            }
        }
    }
}
