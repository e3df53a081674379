package io.waterwheel.client;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.wire.AdminCall;
import io.waterwheel.wire.WireErrors;
import java.net.ConnectException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.CallOptions;
import org.apache.arrow.flight.ErrorFlightMetadata;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightGrpcUtils;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.Result;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.jspecify.annotations.Nullable;

/** The connection to one coordinator. Connects when it is first used, and again when it was lost. Thread-safe. */
final class Connection implements AutoCloseable {
    // Together well below the time that a coordinator is looked for, by a query that names no timeout (30 s): of a host
    // that vanished without a word it must be known early enough to ask another coordinator.
    private static final int CONNECT_MILLIS = 5_000;
    private static final long KEEP_ALIVE_SECONDS = 10; // gRPC takes no less
    private static final long KEEP_ALIVE_ANSWER_SECONDS = 8;

    /** What a server may take beyond the time it was given before it counts as not answering. */
    static final Duration GRACE = Duration.ofSeconds(5);

    /** For the thread's end; it has nothing left to do then. */
    private static final int LOOP_SECONDS = 2;

    /** A thread that had nothing to do for so long ends. */
    private static final long REST_SECONDS = 15;

    private static final AtomicInteger NAME_THREADS = new AtomicInteger();

    /** Threads on which gRPC looks for addresses of names, of all connections of the process. */
    private static final ThreadPoolExecutor NAMES = new ThreadPoolExecutor(
            0, Integer.MAX_VALUE, REST_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                Thread thread = new Thread(task, "waterwheel-client-names-" + NAME_THREADS.incrementAndGet());
                thread.setDaemon(true);
                return thread;
            });

    private final String url;
    private final String address;
    private final EventLoopGroup loop;
    private final ManagedChannel channel;
    private final FlightClient flight;
    /** Answers that are not closed: they hold memory of this connection, also when it is lost. */
    private final AtomicInteger answers = new AtomicInteger();

    /**
     * @param url {@code grpc://HOST:PORT} or {@code HOST:PORT}
     * @throws IllegalArgumentException when it is none
     */
    Connection(BufferAllocator allocator, String url) {
        URI uri = parse(url);
        this.url = url;
        address = uri.getHost() + ":" + uri.getPort();
        // Its own, so that it ends with it: gRPC's shared ones linger, and a JVM that exits waits 0.3 s for such
        // threads.
        loop = new NioEventLoopGroup(1, new DefaultThreadFactory("waterwheel-client", true));
        channel = NettyChannelBuilder.forAddress(uri.getHost(), uri.getPort())
                .usePlaintext()
                .eventLoopGroup(loop)
                .channelType(NioSocketChannel.class)
                // It tells of an answer on the connection's own thread, where a batch is copied and queued for its
                // reader: to wake up another thread for that takes longer.
                .directExecutor()
                .offloadExecutor(NAMES)
                .intercept(new FewRequests())
                // Batches are about a megabyte, or one row.
                .maxInboundMessageSize(64 << 20)
                .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
                .keepAliveTimeout(KEEP_ALIVE_ANSWER_SECONDS, TimeUnit.SECONDS)
                .build();
        flight = FlightGrpcUtils.createFlightClient(allocator, channel);
    }

    /** The parts of a {@code grpc://HOST:PORT}, or of one that is written without its scheme. */
    static URI parse(String url) {
        try {
            URI uri = new URI(url.contains("://") ? url : "grpc://" + url);
            boolean bare = (uri.getPath() == null || uri.getPath().isEmpty()) && uri.getQuery() == null;
            if ("grpc".equals(uri.getScheme()) && uri.getHost() != null && uri.getPort() > 0 && bare) {
                return uri;
            }
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("server '" + url + "': expected grpc://HOST:PORT", e);
        }
        throw new IllegalArgumentException("server '" + url + "': expected grpc://HOST:PORT");
    }

    /** As it was given. */
    String url() {
        return url;
    }

    /** Host and port. */
    String address() {
        return address;
    }

    /** Begins to connect, if it has not, and does not wait for it. */
    void reach() {
        channel.getState(true);
    }

    /** What calls are made on. */
    FlightClient flight() {
        if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
            // gRPC alone would wait up to two minutes before it connects again.
            channel.resetConnectBackoff();
        }
        return flight;
    }

    /**
     * Makes a call and reads its reply.
     *
     * @throws WaterwheelException as the server said, or as {@link #failure} says
     */
    <Q extends Message, R extends Message> R call(AdminCall<Q, R> call, Q request, Duration timeout) {
        byte[] reply;
        try {
            Iterator<Result> results = flight().doAction(
                            new Action(call.name(), request.toByteArray()),
                            CallOptions.timeout(timeout.plus(GRACE).toMillis(), TimeUnit.MILLISECONDS));
            if (!results.hasNext()) {
                throw new WaterwheelException(ErrorCode.NO_REPLY, address + ": " + call + " ended without a reply");
            }
            reply = results.next().getBody();
            // To the end: a failure may follow.
            results.forEachRemaining(further -> {});
        } catch (WaterwheelException e) {
            throw e;
        } catch (RuntimeException e) {
            throw failure(e);
        }
        try {
            return call.readReply(reply);
        } catch (InvalidProtocolBufferException e) {
            throw new WaterwheelException(
                    ErrorCode.BAD_REPLY, address + ": the reply to " + call + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** What went wrong, as the server said it; or as the connection did, when the server said nothing. */
    WaterwheelException failure(RuntimeException e) {
        Throwable cause = e.getCause();
        if (cause instanceof InterruptedException) {
            Thread.currentThread().interrupt();
            return new WaterwheelException(
                    ErrorCode.INTERRUPTED, "interrupted while waiting for " + address + "; ask again", e);
        }
        if (e instanceof OutOfMemoryException || cause instanceof OutOfMemoryException) {
            return new WaterwheelException(
                    ErrorCode.CLIENT_MEMORY_FULL,
                    "the answers that are open have used up the client's memory for them; read or close some, then ask"
                            + " again",
                    e);
        }
        if (e instanceof FlightRuntimeException failure) {
            ErrorFlightMetadata metadata = failure.status().metadata();
            byte @Nullable [] detail = metadata != null && metadata.containsKey(WireErrors.TRAILER)
                    ? metadata.getByte(WireErrors.TRAILER)
                    : null;
            FlightStatusCode code = failure.status().code();
            if (code == FlightStatusCode.CANCELLED) {
                // A cancellation by this client does not come here. A server that ends cancels; gRPC itself, with a
                // cause, when it cannot take what came.
                code = cause == null ? FlightStatusCode.UNAVAILABLE : FlightStatusCode.INTERNAL;
            }
            return detail == null && isOtherProtocol(e)
                    ? new WaterwheelException(
                            ErrorCode.NOT_A_SERVER,
                            "what listens at " + address + " is no server for queries: it speaks another protocol. The"
                                    + " server's line 'ready: grpc://...' names the port, 7070 by default; the one"
                                    + " behind it is for HTTP",
                            e)
                    : WireErrors.of(code.name(), detail, address, e);
        }
        return new WaterwheelException(ErrorCode.CALL_FAILED, "the call to " + address + " failed: " + e, e);
    }

    /** Whether the other side answered with something that is not HTTP/2. */
    private static boolean isOtherProtocol(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (String.valueOf(at.getMessage()).startsWith("First received frame was not SETTINGS")) {
                return true;
            }
        }
        return false;
    }

    /** Whether the failed call certainly never reached the server. */
    static boolean neverSent(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof ConnectException || at instanceof UnknownHostException) {
                return true;
            }
        }
        return false;
    }

    /** Takes no further calls; those under way may end. {@link #close} when they have. */
    void retire() {
        channel.shutdown();
    }

    /** An answer is asked for; {@link #endAnswer} when it is closed, or failed to begin. */
    void beginAnswer() {
        answers.incrementAndGet();
    }

    void endAnswer() {
        answers.decrementAndGet();
    }

    /** Whether a retired one has no call left, nor memory in use. */
    boolean idle() {
        return channel.isTerminated() && answers.get() == 0;
    }

    /** Ends all calls at once: a closed client has no use for those under way. */
    void shutdown() {
        channel.shutdownNow();
    }

    @Override
    public void close() {
        shutdown();
        try {
            flight.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            loop.shutdownGracefully(0, LOOP_SECONDS, TimeUnit.SECONDS)
                    .awaitUninterruptibly(LOOP_SECONDS, TimeUnit.SECONDS);
        }
    }
}
