package io.waterwheel.topology.warmup;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.waterwheel.wire.TraceParent;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.arrow.flight.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * Asks at a port of this machine as clients do, and looks at nothing of the answers but whether they come whole: what a
 * client does with them would be compiled in vain. One thread asks.
 */
final class LoopbackClient implements AutoCloseable {
    private static final int CLOSE_SECONDS = 2;
    /** Messages that are asked for ahead, as clients do. */
    private static final int AHEAD = 3;
    /** The largest message, as clients have it. */
    private static final int MOST_BYTES = 64 << 20;

    private static final MethodDescriptor<byte[], Integer> DO_GET = MethodDescriptor.<byte[], Integer>newBuilder()
            .setType(MethodDescriptor.MethodType.SERVER_STREAMING)
            .setFullMethodName("arrow.flight.protocol.FlightService/DoGet")
            .setRequestMarshaller(new Bytes())
            .setResponseMarshaller(new Lengths())
            .build();

    private static final Metadata.Key<String> TRACE =
            Metadata.Key.of(TraceParent.HEADER, Metadata.ASCII_STRING_MARSHALLER);

    private final String trace;
    private final EventLoopGroup loop = new NioEventLoopGroup(1, new DefaultThreadFactory("query-warm-up", true));
    private final ManagedChannel channel;

    /** @param trace the {@code traceparent} of all that it asks */
    LoopbackClient(String host, int port, String trace) {
        this.trace = trace;
        this.channel = NettyChannelBuilder.forAddress(host, port)
                .usePlaintext()
                .eventLoopGroup(loop)
                .channelType(NioSocketChannel.class)
                .directExecutor()
                .maxInboundMessageSize(MOST_BYTES)
                .build();
    }

    /**
     * Asks, and waits for the end of the answer.
     *
     * @param ticket of a query or a statement
     * @param nanos how long at most; what has not ended then is called off
     * @return whether the answer came whole
     */
    boolean ask(byte[] ticket, long nanos) throws InterruptedException {
        ClientCall<byte[], Integer> call = channel.newCall(DO_GET, CallOptions.DEFAULT);
        CompletableFuture<Status> end = new CompletableFuture<>();
        Metadata headers = new Metadata();
        headers.put(TRACE, trace);
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onMessage(Integer length) {
                        call.request(1);
                    }

                    @Override
                    public void onClose(Status status, @Nullable Metadata trailers) {
                        end.complete(status);
                    }
                },
                headers);
        boolean ended = false;
        try {
            call.request(AHEAD);
            ByteBuffer serial = new Ticket(ticket).serialize();
            byte[] message = new byte[serial.remaining()];
            serial.get(message);
            call.sendMessage(message);
            call.halfClose();
            Status status = end.get(nanos, TimeUnit.NANOSECONDS);
            ended = true;
            return status.isOk();
        } catch (TimeoutException | ExecutionException e) {
            return false;
        } finally {
            if (!ended) {
                call.cancel("it is not waited for", null);
            }
        }
    }

    @Override
    public void close() throws InterruptedException {
        try {
            boolean unused = channel.shutdownNow().awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } finally {
            loop.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS)
                    .awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
        }
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] message) {
            return new ByteArrayInputStream(message);
        }

        @Override
        public byte[] parse(InputStream stream) {
            throw new UnsupportedOperationException("no such message is received");
        }
    }

    /** Reads a message to its end, and tells how long it was. */
    private static final class Lengths implements MethodDescriptor.Marshaller<Integer> {
        @Override
        public InputStream stream(Integer length) {
            throw new UnsupportedOperationException("no such message is sent");
        }

        @Override
        public Integer parse(InputStream message) {
            try {
                return Math.toIntExact(message.skip(Integer.MAX_VALUE));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
