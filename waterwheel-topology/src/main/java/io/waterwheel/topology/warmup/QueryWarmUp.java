package io.waterwheel.topology.warmup;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.run.AnswerSink;
import io.waterwheel.topology.rpc.RpcServer;
import io.waterwheel.topology.rpc.RpcSettings;
import io.waterwheel.wire.WireQueries;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightGrpcUtils;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks questions of every kind about {@link ScratchStreams}, over Flight, through a server of its own on loopback,
 * until its time is up: what answers the first clients then has been loaded and compiled. Once a process; a failure is
 * logged and costs nothing but slow first answers. Thread-safe.
 */
public final class QueryWarmUp implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(QueryWarmUp.class);
    /** The first of the process; null when there was none. */
    private static final AtomicReference<@Nullable QueryWarmUp> FIRST = new AtomicReference<>();

    /** How much longer it may last than the processor's time that it may take; at most so much more. */
    private static final int PATIENCE = 10;

    private static final Duration MOST_PATIENCE = Duration.ofSeconds(10);

    /** For the question under way when time is up, and for closing. */
    private static final Duration GRACE = Duration.ofSeconds(2);

    private static final int CLOSE_SECONDS = 2;

    private final CountDownLatch ended = new CountDownLatch(1);
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    /** What the threads that answer have taken. */
    private final AtomicLong answering = new AtomicLong();

    private final Duration most;
    /** Where the temporary folder is made. */
    private final Path parent;

    /** By {@link System#nanoTime}. */
    private volatile long deadline;

    private final Thread thread;
    private volatile boolean closed;
    private volatile int answered;
    /** The one that was begun before; null when this one is begun, or none is. */
    private @Nullable QueryWarmUp first;

    private QueryWarmUp(Duration most, Path parent) {
        this.most = most;
        this.parent = parent;
        deadline = System.nanoTime()
                + Math.min(PATIENCE * most.toNanos(), most.plus(MOST_PATIENCE).toNanos());
        thread = new Thread(this::run, "query-warm-up");
        thread.setDaemon(true);
    }

    /**
     * Begins, on a thread of its own. Where this process has begun before, by another worker in it or by the server
     * that starts the worker, this is that one: it may last as long as if it began now, and only its maker closes it.
     *
     * @param most of the processor's time; zero for no warm-up
     */
    public static QueryWarmUp start(Duration most) {
        return start(most, Path.of(System.getProperty("java.io.tmpdir")));
    }

    /** The same, with its temporary folder in another. */
    static QueryWarmUp start(Duration most, Path parent) {
        QueryWarmUp made = new QueryWarmUp(most, parent);
        if (most.isZero()) {
            made.ended.countDown();
        } else if (FIRST.compareAndSet(null, made)) {
            made.thread.start();
        } else {
            QueryWarmUp first = Objects.requireNonNull(FIRST.get());
            first.deadline = made.deadline;
            made.first = first;
        }
        return made;
    }

    /** Waits for its end, not much longer than it may last. Returns at once when this thread is interrupted, or was. */
    public void await() {
        if (first != null) {
            first.await();
            return;
        }
        try {
            if (!ended.await(deadline + GRACE.toNanos() - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                LOG.warn("[warm-up] it has not ended in time; the first answers will be slow");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether it lasts no longer, or never began. */
    boolean hasEnded() {
        return first != null ? first.hasEnded() : ended.getCount() == 0;
    }

    /** Of its own questions, those that have been answered whole. */
    int answered() {
        return answered;
    }

    private void run() {
        try (ScratchStreams streams = ScratchStreams.make(parent)) {
            ask(streams);
        } catch (Exception | Error e) {
            // An Error too: it would end the worker, and the next would begin so again. What an interruption is told
            // as differs.
            if (closed) {
                LOG.info("[warm-up] ended early: the worker closes");
            } else {
                LOG.warn("[warm-up] it failed, and the first answers will be slow: {}", e.toString(), e);
            }
        } finally {
            ended.countDown();
        }
    }

    private void ask(ScratchStreams streams) throws Exception {
        RpcServer server = RpcServer.forClients(
                RpcSettings.DEFAULT, (query, sink) -> answer(streams, query, sink), (action, body, caller) -> {
                    throw new WaterwheelException(
                            ErrorCode.NO_SUCH_ACTION, "this port is for a worker's own questions");
                });
        EventLoopGroup loop = new NioEventLoopGroup(1, new DefaultThreadFactory("query-warm-up", true));
        // The server is closed first: what it sends to the channel is in the allocator still.
        try (BufferAllocator allocator = new RootAllocator();
                server) {
            ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", server.port())
                    .usePlaintext()
                    .eventLoopGroup(loop)
                    .channelType(NioSocketChannel.class)
                    .build();
            try (FlightClient client = FlightGrpcUtils.createFlightClient(allocator, channel)) {
                askUntilTimeIsUp(client);
            } finally {
                channel.shutdownNow().awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
            }
        } finally {
            loop.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS)
                    .awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
        }
    }

    private void answer(ScratchStreams streams, Query query, AnswerSink sink) throws InterruptedException {
        long before = processorNanos();
        streams.query(query, sink);
        answering.addAndGet(processorNanos() - before);
    }

    /** Of this thread; where the JVM cannot tell, the time of day. */
    private long processorNanos() {
        return threads.isCurrentThreadCpuTimeSupported() ? threads.getCurrentThreadCpuTime() : System.nanoTime();
    }

    private void askUntilTimeIsUp(FlightClient client) throws Exception {
        List<Query> questions = ScratchStreams.questions();
        long begun = System.nanoTime();
        long asking = processorNanos();
        long taken = 0;
        long[] last = new long[questions.size()];
        int asked = 0;
        while (taken < most.toNanos() && deadline - System.nanoTime() > 0) {
            int question = asked % last.length;
            long before = System.nanoTime();
            ask(client, questions.get(question));
            last[question] = System.nanoTime() - before;
            answered = ++asked;
            taken = processorNanos() - asking + answering.get();
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
        LOG.info(
                "[warm-up] {} questions answered, by {} ms of the processor, in {} ms; each kind's last in {} ms on average",
                asked,
                TimeUnit.NANOSECONDS.toMillis(taken),
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun),
                Arrays.stream(last).average().orElse(0) / TimeUnit.MILLISECONDS.toNanos(1));
    }

    private static void ask(FlightClient client, Query question) throws Exception {
        boolean verdict = false;
        try (FlightStream answer = client.getStream(new Ticket(WireQueries.ticket(question)))) {
            while (answer.next()) {
                verdict |= answer.getLatestMetadata() != null;
            }
        }
        if (!verdict) {
            throw new IOException("an answer ended without a verdict: " + question);
        }
    }

    /** Ends it, if it lasts still, and waits a moment until its folder is gone. */
    @Override
    public void close() throws InterruptedException {
        if (first != null) {
            return;
        }
        closed = true;
        thread.interrupt();
        if (!ended.await(GRACE.toNanos(), TimeUnit.NANOSECONDS)) {
            LOG.warn("[warm-up] it did not end within {} s of being interrupted", GRACE.toSeconds());
        }
    }
}
