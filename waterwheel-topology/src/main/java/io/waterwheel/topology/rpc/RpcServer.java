package io.waterwheel.topology.rpc;

import io.grpc.Attributes;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallExecutorSupplier;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServerTransportFilter;
import io.grpc.netty.NettyServerBuilder;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.run.AnswerPace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.arrow.flight.FlightGrpcUtils;
import org.apache.arrow.flight.auth.ServerAuthHandler;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One Arrow Flight server: for clients' queries and calls, or for other workers' subqueries and control messages. Plain
 * text, no login: it binds to loopback unless told otherwise. Thread-safe.
 */
public final class RpcServer implements AutoCloseable {
    /**
     * Longest message between workers: of a subquery's answer, and a request; before the proof {@link UnprovedLimit}.
     */
    public static final int MAX_MESSAGE_BYTES = 64 << 20;

    /** Longest request of a client. */
    public static final int MAX_CLIENT_MESSAGE_BYTES = 2 << 20;

    /** Calls at a time on one connection of a client; further ones wait in the client. */
    public static final int MAX_CALLS_A_CONNECTION = 100;

    private static final int MAX_METADATA_BYTES = 16 << 10;
    private static final int MAX_IDLE_MINUTES = 30;

    /** Of threads that work for queries: below those that take tuples in, where the JVM heeds priorities. */
    public static final int QUERY_PRIORITY = Thread.NORM_PRIORITY - 1;

    private static final Logger LOG = LoggerFactory.getLogger(RpcServer.class);

    /** Bytes queued for another worker above which it is not ready for more; for a client see {@link AnswerPace}. */
    private static final int QUEUED_BYTES = 1 << 20;

    private static final int CONNECTION_THREADS = 8;
    private static final int CALL_THREADS = 16;
    /** Four to plan, beside the changes that run at a time. */
    private static final int PLAN_THREADS = 12;
    /** Most memory for what clients put. */
    private static final long MAX_PUT_BYTES = 32 << 20;

    private static final long CLOSE_SECONDS = 5;
    /** A thread that had nothing to do for so long ends: less than what a gateway lets pass between its calls. */
    private static final long REST_SECONDS = 15;

    private final Server server;
    private final RpcProducer producer;
    private final BufferAllocator allocator;
    /** For what clients put: parameters of statements. */
    private final BufferAllocator puts;

    private final List<ThreadPoolExecutor> pools;

    private RpcServer(
            Server server,
            RpcProducer producer,
            BufferAllocator allocator,
            BufferAllocator puts,
            List<ThreadPoolExecutor> pools) {
        this.server = server;
        this.producer = producer;
        this.allocator = allocator;
        this.puts = puts;
        this.pools = pools;
    }

    /**
     * Starts a server for clients' queries, statements and calls. Subqueries and control messages are refused.
     *
     * @throws WaterwheelException of kind TEMPORARY, code {@code ADDRESS_UNUSABLE}, when the address cannot be bound
     */
    public static RpcServer forClients(
            RpcSettings settings, QueryHandler queries, StatementHandler statements, AdminHandler admin) {
        return start(settings, queries, statements, admin, null, null, null);
    }

    /**
     * The same, which also speaks another protocol.
     *
     * @throws WaterwheelException of kind TEMPORARY, code {@code ADDRESS_UNUSABLE}, when the address cannot be bound
     */
    public static RpcServer forClients(
            RpcSettings settings,
            QueryHandler queries,
            StatementHandler statements,
            AdminHandler admin,
            FlightExtension extension) {
        return start(settings, queries, statements, admin, null, null, extension);
    }

    /**
     * The same where no statements are answered.
     *
     * @throws WaterwheelException of kind TEMPORARY, code {@code ADDRESS_UNUSABLE}, when the address cannot be bound
     */
    public static RpcServer forClients(RpcSettings settings, QueryHandler queries, AdminHandler admin) {
        return forClients(
                settings,
                queries,
                (statement, sink) -> sink.fail(new WaterwheelException(
                        ErrorCode.SQL_UNSUPPORTED, "this server answers queries and no statements")),
                admin);
    }

    /**
     * Starts a server for other workers' subqueries and control messages. Queries and calls are refused, and so is a
     * caller that has not proved to be a worker.
     *
     * @throws WaterwheelException of kind TEMPORARY, code {@code ADDRESS_UNUSABLE}, when the address cannot be bound
     */
    public static RpcServer forPeers(RpcSettings settings, PeerHandler peers, PeerSecret secret) {
        return start(
                settings,
                (query, sink) -> sink.fail(notACoordinator()),
                (statement, sink) -> sink.fail(notACoordinator()),
                (action, body, caller) -> {
                    throw notACoordinator();
                },
                peers,
                secret,
                null);
    }

    private static WaterwheelException notACoordinator() {
        return new WaterwheelException(
                ErrorCode.NOT_A_COORDINATOR, "this port is for workers; 'waterwheel status' names the coordinators");
    }

    private static RpcServer start(
            RpcSettings settings,
            QueryHandler queries,
            StatementHandler statements,
            AdminHandler admin,
            @Nullable PeerHandler peers,
            @Nullable PeerSecret secret,
            @Nullable FlightExtension extension) {
        BufferAllocator allocator = new RootAllocator(settings.memoryBytes());
        BufferAllocator puts = allocator.newChildAllocator("puts", 0, MAX_PUT_BYTES);
        ThreadPoolExecutor connections = fixedPool("rpc", CONNECTION_THREADS);
        ThreadPoolExecutor queryPool = pool("query", settings.queries(), QUERY_PRIORITY);
        ThreadPoolExecutor subqueryPool = pool("subquery", settings.subqueries(), QUERY_PRIORITY);
        ThreadPoolExecutor callPool = pool("call", CALL_THREADS, Thread.NORM_PRIORITY);
        ThreadPoolExecutor putPool = pool("put", BadMessages.MOST_PUTS, Thread.NORM_PRIORITY);
        ThreadPoolExecutor planPool = fixedPool("plan", PLAN_THREADS);
        List<ThreadPoolExecutor> pools = List.of(queryPool, subqueryPool, callPool, putPool, planPool, connections);
        AtomicReference<String> address = new AtomicReference<>("");
        PeerGate gate = secret == null ? null : new PeerGate(secret, address::get);
        RpcProducer producer = new RpcProducer(
                settings,
                allocator,
                queries,
                statements,
                admin,
                peers,
                gate,
                queryPool,
                subqueryPool,
                callPool,
                connections,
                extension);
        NettyServerBuilder builder = NettyServerBuilder.forAddress(
                        new InetSocketAddress(settings.host(), settings.port()))
                .directExecutor()
                .maxInboundMessageSize(peers == null ? MAX_CLIENT_MESSAGE_BYTES : MAX_MESSAGE_BYTES)
                .callExecutor(threads(connections, planPool))
                .addService(BadMessages.refused(flight(puts, producer, putPool), extension != null));
        limit(builder, gate);
        if (extension != null) {
            builder.addTransportFilter(new Arrivals(extension));
        }
        Server server = builder.build();
        RpcServer started = new RpcServer(server, producer, allocator, puts, pools);
        try {
            server.start();
        } catch (IOException e) {
            pools.forEach(ExecutorService::shutdownNow);
            puts.close();
            allocator.close();
            throw new WaterwheelException(
                    ErrorCode.ADDRESS_UNUSABLE,
                    "cannot listen on " + settings.host() + ":" + settings.port() + ": " + e.getMessage()
                            + "; is another server running there?",
                    e);
        }
        address.set(settings.host() + ":" + server.getPort());
        LOG.info("listening on {}:{}", settings.host(), server.getPort());
        return started;
    }

    /** Tells the extension of connections. */
    private static final class Arrivals extends ServerTransportFilter {
        private final FlightExtension extension;

        Arrivals(FlightExtension extension) {
            this.extension = extension;
        }

        @Override
        public Attributes transportReady(Attributes connection) {
            extension.connected(ThisCall.client(connection));
            return connection;
        }
    }

    /**
     * The threads on which gRPC tells of a call. Of one that asks for rows it does so on the connection's own: to
     * change the thread for each event takes longer than the event itself. Calls that plan statements may block.
     */
    private static ServerCallExecutorSupplier threads(ExecutorService connections, ExecutorService planning) {
        return new ServerCallExecutorSupplier() {
            @Override
            public <Q, A> @Nullable Executor getExecutor(ServerCall<Q, A> call, Metadata headers) {
                return switch (String.valueOf(call.getMethodDescriptor().getBareMethodName())) {
                    case "DoGet" -> null;
                    case "GetFlightInfo", "GetSchema" -> planning;
                    default -> connections;
                };
            }
        };
    }

    /** The service alone: FlightServer's builder leaves no way to answer messages that are none. */
    @SuppressWarnings("deprecation") // of the handler, which has no successor where a service is made
    private static ServerServiceDefinition flight(
            BufferAllocator puts, RpcProducer producer, ExecutorService putThreads) {
        return FlightGrpcUtils.createFlightService(puts, producer, ServerAuthHandler.NO_OP, putThreads)
                .bindService();
    }

    private static void limit(NettyServerBuilder builder, @Nullable PeerGate gate) {
        // A client whose machine is gone sends no end of connection: ask it now and then.
        builder.keepAliveTime(30, TimeUnit.SECONDS)
                .keepAliveTimeout(10, TimeUnit.SECONDS)
                .permitKeepAliveTime(5, TimeUnit.SECONDS)
                .permitKeepAliveWithoutCalls(true)
                .maxInboundMetadataSize(MAX_METADATA_BYTES)
                .intercept(new ThisCall(gate == null ? AnswerPace.QUEUED_BYTES : QUEUED_BYTES));
        if (gate == null) {
            builder.maxConcurrentCallsPerConnection(MAX_CALLS_A_CONNECTION)
                    .maxConnectionIdle(MAX_IDLE_MINUTES, TimeUnit.MINUTES);
        } else {
            // Workers' connections carry as many subqueries as there are queries.
            builder.addTransportFilter(gate).addStreamTracerFactory(new UnprovedLimit());
        }
    }

    /** The port it listens on. */
    public int port() {
        return server.getPort();
    }

    /** The process's memory for answers, limited as the settings say; {@link PeerClient}s take theirs from it too. */
    public BufferAllocator allocator() {
        return allocator;
    }

    /**
     * Ends all calls: new ones are refused, handlers interrupted. Waits some seconds for them and for what is on its
     * way to clients, then cuts the connections.
     */
    @Override
    public void close() {
        producer.closing();
        server.shutdown();
        try {
            for (ThreadPoolExecutor pool : pools.subList(0, pools.size() - 1)) {
                pool.shutdownNow();
            }
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
            for (ThreadPoolExecutor pool : pools.subList(0, pools.size() - 1)) {
                if (!pool.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                    LOG.warn("a handler did not end within {} s of being interrupted", CLOSE_SECONDS);
                }
            }
            if (!server.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                server.shutdownNow();
                if (!server.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                    LOG.warn("connections did not end within {} s of being cut", CLOSE_SECONDS);
                }
            }
        } catch (InterruptedException e) {
            server.shutdownNow();
            cut();
            Thread.currentThread().interrupt();
        } finally {
            pools.forEach(ExecutorService::shutdownNow);
            try {
                puts.close();
                allocator.close();
            } catch (IllegalStateException e) {
                LOG.warn("memory of an answer was not given back: {}", e.getMessage());
            }
        }
    }

    /** Waits a moment for connections that were cut: they give back the memory of answers. */
    private void cut() {
        try {
            if (!server.awaitTermination(1, TimeUnit.SECONDS)) {
                LOG.warn("connections did not end within a second of being cut");
            }
        } catch (InterruptedException again) {
            LOG.warn("interrupted again while connections end", again);
        }
    }

    /** Runs tasks at once on up to {@code threads} threads, refuses further ones: nothing waits unseen. */
    @SuppressWarnings("ThreadPriorityCheck") // nothing depends on it but who gives way on a full machine
    private static ThreadPoolExecutor pool(String name, int threads, int priority) {
        return new ThreadPoolExecutor(0, threads, REST_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
            Thread thread = thread(name, task);
            thread.setPriority(priority);
            return thread;
        });
    }

    /** For what is short; how many calls wait is bounded by gRPC's own flow control. */
    private static ThreadPoolExecutor fixedPool(String name, int threads) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads,
                threads,
                REST_SECONDS,
                TimeUnit.SECONDS,
                new java.util.concurrent.LinkedBlockingQueue<>(),
                task -> thread(name, task));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    private static final AtomicInteger THREADS = new AtomicInteger();

    private static Thread thread(String name, Runnable task) {
        Thread thread = new Thread(task, "waterwheel-" + name + "-" + THREADS.incrementAndGet());
        thread.setDaemon(true);
        return thread;
    }
}
