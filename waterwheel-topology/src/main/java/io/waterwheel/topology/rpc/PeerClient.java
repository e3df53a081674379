package io.waterwheel.topology.rpc;

import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.wire.WireErrors;
import io.waterwheel.wire.WireQueries;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.CallOptions;
import org.apache.arrow.flight.ErrorFlightMetadata;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightGrpcUtils;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.Result;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One worker's connection to another. Connects when it is first used, and again when the connection was lost.
 * Thread-safe.
 */
public final class PeerClient implements AutoCloseable {
    static final Logger LOG = LoggerFactory.getLogger(PeerClient.class);

    /** Control messages that wait for the sender; more are dropped, which their protocol allows. */
    private static final int QUEUE = 4096;

    private static final int BATCH = 512;
    private static final long CALL_SECONDS = 5;
    private static final long CALL_NANOS = TimeUnit.SECONDS.toNanos(CALL_SECONDS);
    private static final long RETRY_MILLIS = 100;
    /** Well below what a connection may send that has proved nothing: what wraps a request counts too. */
    private static final int LONG_REQUEST = UnprovedLimit.MAX_BYTES / 2;

    private static final Set<FlightStatusCode> ENDED_ON_THE_WAY =
            Set.of(FlightStatusCode.RESOURCE_EXHAUSTED, FlightStatusCode.CANCELLED);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS);

    private final String address;
    private final PeerSecret secret;
    private final ManagedChannel channel;
    private final FlightClient client;
    private final BlockingQueue<ControlFrames.Frame> queue = new ArrayBlockingQueue<>(QUEUE);
    private final AtomicLong dropped = new AtomicLong();
    private final Thread sender;
    private volatile boolean closed;
    /** Whether the peer has been shown, by the connection that there is, that this is a worker. */
    private volatile boolean proved;

    private final ReentrantLock proving = new ReentrantLock();
    /** Guarded by proving: the last attempt that failed, for those who waited behind it. */
    private @Nullable WaterwheelException notProved;

    private long notProvedNanos;

    /**
     * @param allocator the process's, {@link RpcServer#allocator}
     * @param secret by which the two ends know each other
     */
    public PeerClient(BufferAllocator allocator, String host, int port, PeerSecret secret) {
        this.secret = secret;
        address = host + ":" + port;
        channel = ManagedChannelBuilder.forAddress(host, port)
                .usePlaintext()
                .maxInboundMessageSize(RpcServer.MAX_MESSAGE_BYTES + (1 << 10))
                .build();
        client = FlightGrpcUtils.createFlightClient(allocator, channel);
        forgetWithTheConnection();
        sender = new Thread(this::send, "waterwheel-peer-" + address);
        sender.setDaemon(true);
        sender.start();
    }

    /** What was proved was proved on one connection. */
    private void forgetWithTheConnection() {
        ConnectivityState now = channel.getState(false);
        if (now != ConnectivityState.READY) {
            proved = false;
        }
        if (now != ConnectivityState.SHUTDOWN) {
            channel.notifyWhenStateChanged(now, this::forgetWithTheConnection);
        }
    }

    /**
     * Proves who we are, and has the peer prove it, unless that is done; blocks for two round trips, or while another
     * thread is at it.
     */
    private void prove(long deadlineNanos) throws InterruptedException {
        if (proved) {
            return;
        }
        if (!proving.tryLock(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
            throw late();
        }
        try {
            if (proved) {
                return;
            }
            WaterwheelException before = notProved;
            if (before != null && System.nanoTime() - notProvedNanos < RETRY_NANOS) {
                throw before.withMessage(String.valueOf(before.getMessage()));
            }
            notProved = null;
            try {
                exchangeProofs(deadlineNanos);
                proved = true;
            } catch (WaterwheelException e) {
                notProved = e;
                notProvedNanos = System.nanoTime();
                throw e;
            }
        } finally {
            proving.unlock();
        }
    }

    private void exchangeProofs(long deadlineNanos) {
        byte[] own = PeerSecret.random();
        byte[] reply = call(PeerGate.CHALLENGE, own, deadlineNanos);
        byte[] theirs = Arrays.copyOf(reply, PeerSecret.BYTES);
        byte[] proof = Arrays.copyOfRange(reply, PeerSecret.BYTES, Math.max(PeerSecret.BYTES, reply.length));
        if (!PeerSecret.equal(secret.ofServer(address, own, theirs), proof)) {
            throw new WaterwheelException(
                    ErrorCode.PEER_UNPROVED,
                    address + " has not proved to be a worker of this topology: another process listens there");
        }
        call(PeerGate.PROOF, secret.ofClient(address, own, theirs), deadlineNanos);
    }

    private WaterwheelException late() {
        return new WaterwheelException(ErrorCode.TIMEOUT, address + " did not answer in time; ask again");
    }

    private byte[] call(String action, byte[] body, long deadlineNanos) {
        long left = deadlineNanos - System.nanoTime();
        if (left <= 0) {
            throw late();
        }
        try {
            Iterator<Result> results =
                    client.doAction(new Action(action, body), CallOptions.timeout(left, TimeUnit.NANOSECONDS));
            byte[] reply = results.hasNext() ? results.next().getBody() : new byte[0];
            results.forEachRemaining(further -> {});
            return reply;
        } catch (FlightRuntimeException e) {
            throw failure(e, body.length);
        }
    }

    /**
     * Sends a control message when it can; does not block. Messages are sent in order, and may be lost.
     *
     * @param message not kept unchanged by the caller afterwards: hand over a copy if in doubt
     * @return false when the queue is full and the message was dropped
     */
    public boolean offerControl(String target, byte[] message) {
        if (!closed && queue.offer(new ControlFrames.Frame(target, message))) {
            return true;
        }
        dropped.incrementAndGet();
        return false;
    }

    /** Number of control messages that were not sent: the queue was full, or the peer did not answer. */
    public long droppedControls() {
        return dropped.get();
    }

    /**
     * Asks a subquery.
     *
     * @param timeout after which the answer, however far it has come, fails as TEMPORARY
     * @throws WaterwheelException QUERY_TOO_LARGE, before anything is sent, for a request that no worker would take
     */
    public MessageStream subquery(byte[] request, Duration timeout) {
        byte[] ticket = WireQueries.subqueryTicket(request);
        if (ticket.length > WireQueries.MAX_TICKET_BYTES) {
            throw new WaterwheelException(
                    ErrorCode.QUERY_TOO_LARGE,
                    "query: what " + address + " is asked to read takes " + ticket.length + " bytes, expected at most "
                            + WireQueries.MAX_TICKET_BYTES
                            + "; ask with fewer key ranges, a shorter condition or a simpler polygon");
        }
        try {
            if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
                channel.resetConnectBackoff();
            }
            long deadline = System.nanoTime() + timeout.toNanos();
            prove(Math.min(deadline, System.nanoTime() + CALL_NANOS));
            return new MessageStream(
                    client.getStream(
                            new Ticket(ticket),
                            CallOptions.timeout(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS)),
                    this,
                    request.length);
        } catch (FlightRuntimeException e) {
            throw failure(e, request.length);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WaterwheelException(ErrorCode.INTERRUPTED, "interrupted while waiting for " + address, e);
        }
    }

    /** @param sent bytes of the request */
    WaterwheelException failure(FlightRuntimeException e, int sent) {
        ErrorFlightMetadata metadata = e.status().metadata();
        byte[] detail = metadata != null && metadata.containsKey(WireErrors.TRAILER)
                ? metadata.getByte(WireErrors.TRAILER)
                : null;
        if (detail == null
                && sent > LONG_REQUEST
                && ENDED_ON_THE_WAY.contains(e.status().code())) {
            // As UnprovedLimit ends it: the connection was made anew, and this side had not heard of it yet.
            proved = false;
            return new WaterwheelException(
                    ErrorCode.PEER_UNPROVED,
                    address + " ended a request of " + sent
                            + " bytes before it looked at it; the connection is proved anew, ask again: "
                            + e.getMessage(),
                    e);
        }
        WaterwheelException failure = WireErrors.of(e.status().code().name(), detail, address, e);
        if (failure.is(ErrorCode.PEER_UNPROVED)) {
            // The connection was lost and made anew in between.
            proved = false;
        }
        return failure;
    }

    private void send() {
        List<ControlFrames.Frame> frames = new ArrayList<>(BATCH);
        boolean reachable = true;
        while (!closed) {
            try {
                frames.clear();
                frames.add(queue.take());
                // Before more is taken: what is in the queue is not lost when the peer is not there yet.
                prove(System.nanoTime() + CALL_NANOS);
                queue.drainTo(frames, BATCH - 1);
                call(ControlFrames.ACTION, ControlFrames.write(frames), System.nanoTime() + CALL_NANOS);
                if (!reachable) {
                    LOG.info("{}: reachable again", address);
                    reachable = true;
                }
            } catch (WaterwheelException e) {
                dropped.addAndGet(frames.size());
                if (closed) {
                    return;
                }
                if (reachable && e.is(ErrorCode.SERVER_UNREACHABLE)) {
                    LOG.info("{}: unreachable, control messages are dropped: {}", address, e.getMessage());
                } else if (reachable) {
                    LOG.warn("{}: control messages were refused", address, e);
                }
                reachable = false;
                pause();
                // gRPC alone would wait up to two minutes before it connects again.
                channel.resetConnectBackoff();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } catch (RuntimeException e) {
                // The thread must live on: without it nothing would ever be sent to this peer again.
                dropped.addAndGet(frames.size());
                LOG.warn("{}: control messages were dropped", address, e);
                pause();
            }
        }
    }

    private void pause() {
        try {
            Thread.sleep(RETRY_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the connection; streams under way fail. */
    @Override
    public void close() {
        closed = true;
        sender.interrupt();
        channel.shutdownNow();
        try {
            sender.join(TimeUnit.SECONDS.toMillis(CALL_SECONDS));
            client.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IllegalStateException e) {
            LOG.warn("{}: a stream was not closed before its connection: {}", address, e.getMessage());
        }
    }

    @Override
    public String toString() {
        return "peer " + address;
    }
}
