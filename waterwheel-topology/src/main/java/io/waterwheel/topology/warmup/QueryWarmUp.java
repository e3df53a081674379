package io.waterwheel.topology.warmup;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.run.AnswerSink;
import io.waterwheel.topology.rpc.QueryHandler;
import io.waterwheel.topology.rpc.RpcServer;
import io.waterwheel.topology.rpc.RpcSettings;
import io.waterwheel.wire.WireQueries;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
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
 * Asks questions of every kind about {@link ScratchStreams}, over Flight, through a server of its own on loopback: what
 * answers the first clients then has been loaded, and later ones find it compiled. In parts. The first asks a question
 * of each kind, or until its time is up, and is waited for by {@link #await}. Then {@link #askAsClients} asks where
 * clients will. The rest begins with {@link #goOn}, beside the first clients: on threads of the lowest priority, while
 * none has asked for a second, until its time is up. Once a process; a failure is logged and costs nothing but slow
 * first answers. Thread-safe.
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
    /** How long it may ask as clients do, by the clock, of the processor's time that its other parts may take. */
    private static final int AS_CLIENTS_PERCENT = 150;

    /** When answers to clients are as quick as they need to be. */
    private static final Duration QUICK = Duration.ofMillis(1);

    /**
     * After its first part it goes on by itself: a worker may have no coordinator that clients come to. Longer than a
     * start takes also on a busy machine, which would take longer still.
     */
    private static final Duration LONGEST_REST = Duration.ofMinutes(1);

    /** Whether what clients wait for is loaded. */
    private final CountDownLatch loaded = new CountDownLatch(1);
    /** Whether clients may come by now. */
    private final CountDownLatch clients = new CountDownLatch(1);

    private final AtomicBoolean asClients = new AtomicBoolean();
    /** Whether it asks as clients do no longer. */
    private final CountDownLatch askedAsClients = new CountDownLatch(1);

    private final CountDownLatch ended = new CountDownLatch(1);
    private final QuietMoments quiet = new QuietMoments();
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
    /** Whether clients may be beside it. */
    private volatile boolean later;

    private volatile int answered;
    /** The one that was begun before; null when this one is begun, or none is. */
    private @Nullable QueryWarmUp first;

    private QueryWarmUp(Duration most, Path parent) {
        this.most = most;
        this.parent = parent;
        deadline = deadline();
        thread = new Thread(this::run, "query-warm-up");
        thread.setDaemon(true);
    }

    private long deadline() {
        return System.nanoTime()
                + Math.min(PATIENCE * most.toNanos(), most.plus(MOST_PATIENCE).toNanos());
    }

    /**
     * Begins, on a thread of its own. Where this process has begun before, by another worker in it or by the server
     * that starts the worker, this is that one: it may last as long as if it began now, and only its maker lets it go
     * on and closes it.
     *
     * @param most of the processor's time, for both parts together; zero for no warm-up
     */
    public static QueryWarmUp start(Duration most) {
        QueryWarmUp made = new QueryWarmUp(most, Path.of(System.getProperty("java.io.tmpdir")));
        if (most.isZero()) {
            made.neverBegins();
        } else if (FIRST.compareAndSet(null, made)) {
            made.thread.start();
        } else {
            QueryWarmUp first = Objects.requireNonNull(FIRST.get());
            first.deadline = made.deadline;
            made.first = first;
        }
        return made;
    }

    /** One that is not the process's, with its temporary folder in another. */
    static QueryWarmUp apart(Duration most, Path parent) {
        QueryWarmUp made = new QueryWarmUp(most, parent);
        made.thread.start();
        return made;
    }

    private void neverBegins() {
        loaded.countDown();
        ended.countDown();
    }

    /**
     * Waits for the end of its first part, not much longer than that may last. Returns at once when this thread is
     * interrupted, or was.
     */
    public void await() {
        if (first != null) {
            first.await();
            return;
        }
        try {
            if (!loaded.await(deadline + GRACE.toNanos() - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                LOG.warn("[warm-up] each kind of question was not answered in time; the first answers will be slow");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Asks about streams that are there, through the port where clients will, until that is quick or, by the clock,
     * half as long again as this one's time of the processor is over. Once a process, on a thread of its own; other
     * callers wait for the same. Returns half a second after that time at the latest, also where an answer never comes;
     * early when this thread is interrupted, and when this is closed.
     *
     * @param host and port of the coordinator's server, which answers already
     * @param streams of which a few are asked about
     * @param queries answers a query of the coordinator's own; may block
     */
    public void askAsClients(String host, int port, Collection<StreamInfo> streams, QueryHandler queries) {
        if (first != null) {
            first.askAsClients(host, port, streams, queries);
            return;
        }
        if (most.isZero()) {
            return;
        }
        Duration bound = most.multipliedBy(AS_CLIENTS_PERCENT).dividedBy(100);
        if (asClients.compareAndSet(false, true)) {
            // A stream is followed, in ZooKeeper and the chunk store, without a deadline: no start waits for that.
            Thread asking = new Thread(
                    () -> ask(host, port, streams, queries, new OwnQuestions.End(bound, QUICK, () -> !closed)),
                    "query-warm-up-as-client");
            asking.setDaemon(true);
            asking.start();
        }
        try {
            if (!askedAsClients.await(bound.plus(OwnQuestions.PATIENCE).toNanos(), TimeUnit.NANOSECONDS)) {
                LOG.warn("[warm-up] what it asked as clients do was not answered in time; it is not waited for");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void ask(
            String host, int port, Collection<StreamInfo> streams, QueryHandler queries, OwnQuestions.End end) {
        try {
            OwnQuestions.ask(host, port, streams, queries, end);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            // An Error too: what asks must never end the worker.
            LOG.warn(
                    "[warm-up] it could not ask as clients do, and the first answers will be slow: {}",
                    e.toString(),
                    e);
        } finally {
            askedAsClients.countDown();
        }
    }

    /**
     * Whether a question is one of {@link #askAsClients}, which shall not count: none is when that does not run.
     *
     * @param trace the caller's {@code traceparent}
     */
    public static boolean asks(String trace) {
        return OwnQuestions.has(trace);
    }

    /** Says that clients may come: what is left of its time begins now. Of its maker only; another's does nothing. */
    public void goOn() {
        if (first == null && clients.getCount() > 0) {
            deadline = deadline();
            // The first of them find the processors free.
            quiet.begin();
            quiet.end();
            clients.countDown();
        }
    }

    /**
     * Waits, for work of its second part on other threads, until its turn has come: clients may come by now, and none
     * is being answered.
     *
     * @return false where clients leave it none, and when this is closed
     */
    public boolean mayGoOn() {
        if (first != null) {
            return first.mayGoOn();
        }
        try {
            boolean unused = clients.await(LONGEST_REST.toNanos(), TimeUnit.NANOSECONDS);
            return quiet.await(deadline) && !closed;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** A question of a client begins: until it {@link #answered has been answered}, this one asks none. */
    public void asked() {
        (first == null ? quiet : first.quiet).begin();
    }

    /** It has ended. */
    public void answered() {
        (first == null ? quiet : first.quiet).end();
    }

    /** Whether it lasts no longer, or never began. */
    boolean hasEnded() {
        return first != null ? first.hasEnded() : ended.getCount() == 0;
    }

    /** Whether its second part waits for clients' answers to end. */
    boolean givesWay() {
        return quiet.waiting() > 0;
    }

    /** Of its own questions, those that have been answered whole. */
    int questionsAnswered() {
        return answered;
    }

    private void run() {
        try (ScratchStreams streams = ScratchStreams.make(parent)) {
            if (!closed) {
                ask(streams);
            }
        } catch (Exception | Error e) {
            // An Error too: it would end the worker, and the next would begin so again.
            if (closed) {
                LOG.info("[warm-up] ended early: the worker closes");
            } else {
                LOG.warn("[warm-up] it failed, and the first answers will be slow: {}", e.toString(), e);
            }
        } finally {
            loaded.countDown();
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
        if (later) {
            lowerPriority();
        }
        streams.query(query, sink);
        answering.addAndGet(processorNanos() - before);
    }

    /** Of this thread, which is never used for anything else. */
    @SuppressWarnings("ThreadPriorityCheck") // nothing depends on it but who gives way on a full machine
    private static void lowerPriority() {
        Thread thread = Thread.currentThread();
        if (thread.getPriority() > Thread.MIN_PRIORITY) {
            thread.setPriority(Thread.MIN_PRIORITY);
        }
    }

    /** Of this thread; where the JVM cannot tell, the time of day. */
    private long processorNanos() {
        return threads.isCurrentThreadCpuTimeSupported() ? threads.getCurrentThreadCpuTime() : System.nanoTime();
    }

    private void askUntilTimeIsUp(FlightClient client) throws Exception {
        List<Query> questions = ScratchStreams.questions();
        Rounds rounds = new Rounds(questions.size());
        while (rounds.asked < questions.size() && rounds.goesOn()) {
            rounds.ask(client, questions);
        }
        LOG.info(
                "[warm-up] clients may come: {} questions answered, by {} ms of the processor, in {} ms",
                rounds.asked,
                TimeUnit.NANOSECONDS.toMillis(rounds.taken),
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - rounds.begun));
        loaded.countDown();
        if (rounds.taken < most.toNanos()) {
            boolean unused = clients.await(LONGEST_REST.toNanos(), TimeUnit.NANOSECONDS);
            goOn();
            later = true;
            lowerPriority();
            while (quiet.await(deadline) && rounds.goesOn()) {
                rounds.ask(client, questions);
            }
        }
        LOG.info(
                "[warm-up] ended: {} questions answered, by {} ms of the processor, in {} ms; each kind's last in {} ms on"
                        + " average",
                rounds.asked,
                TimeUnit.NANOSECONDS.toMillis(rounds.taken),
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - rounds.begun),
                Arrays.stream(rounds.last).average().orElse(0) / TimeUnit.MILLISECONDS.toNanos(1));
    }

    /** What has been asked so far, and what that took. Owner: the thread that asks. */
    private final class Rounds {
        final long begun = System.nanoTime();
        final long processorBegun = processorNanos();
        /** Of each kind, how long the last answer took. */
        final long[] last;

        int asked;
        /** The processor's time. */
        long taken;

        Rounds(int kinds) {
            last = new long[kinds];
        }

        boolean goesOn() {
            return !closed && taken < most.toNanos() && deadline - System.nanoTime() > 0;
        }

        void ask(FlightClient client, List<Query> questions) throws Exception {
            int question = asked % last.length;
            long before = System.nanoTime();
            QueryWarmUp.ask(client, questions.get(question));
            last[question] = System.nanoTime() - before;
            answered = ++asked;
            taken = processorNanos() - processorBegun + answering.get();
        }
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

    /**
     * Ends it after the question under way, if it lasts still, and waits a moment until its folder is gone. Its thread
     * is not interrupted: that can lose the end of an answer, for which Arrow then waits without end.
     */
    @Override
    public void close() throws InterruptedException {
        if (first != null) {
            return;
        }
        closed = true;
        // What waits for clients on other threads ends too.
        clients.countDown();
        askedAsClients.countDown();
        quiet.giveUp();
        if (!ended.await(GRACE.toNanos(), TimeUnit.NANOSECONDS)) {
            LOG.warn("[warm-up] it did not end within {} s", GRACE.toSeconds());
        }
    }
}
