package io.waterwheel.gateway;

import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.MetricsPlace;
import io.waterwheel.gateway.http.ConnectionThreads;
import io.waterwheel.gateway.http.HttpCode;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.gateway.http.Json;
import io.waterwheel.gateway.http.PushBudget;
import io.waterwheel.gateway.keyed.KeyedSlot;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.status.ServerReport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HTTP in front of a Waterwheel server: docs/http.md has its endpoints. It keeps nothing, so that any number of them
 * may serve the same streams. Start and close from one thread; the rest is thread-safe.
 */
public final class Gateway implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);

    /** Of a request's line and header fields together. */
    static final int MOST_HEAD_BYTES = 16 << 10;

    private static final int MOST_ANSWER_HEAD_BYTES = 16 << 10;
    private static final int IO_THREADS = 16;
    /** One accepts connections, one waits for their news, and the next. */
    private static final int LEAST_IO_THREADS = 3;

    private static final int LOOK_THREADS = 4;
    private static final int LOOKS_THAT_WAIT = 64;
    private static final int PUSHES_THAT_WAIT = 1_024;
    private static final Duration DECODING_ENDS = Duration.ofSeconds(5);
    /** Of the bodies of queries that are coming or being read. */
    private static final long MOST_QUERY_BYTES = 64L << 20;

    private static final int ACCEPT_QUEUE = 128;
    /** Coordinators forget it after 90 s. */
    private static final long ANNOUNCEMENT_SECONDS = 30;

    private static final long FIRST_ANNOUNCEMENT_SECONDS = 1;
    private static final Duration THREADS_REST = Duration.ofSeconds(15);

    private final Server server;
    private final ServerConnector connector;
    private final ClientWatch watch;
    private final ThreadPoolExecutor queries;
    private final ThreadPoolExecutor looks;
    private final ThreadPoolExecutor pushes;
    private final ThreadPoolExecutor questions;
    private final ThreadPoolExecutor answers;
    private final ThreadPoolExecutor tails;
    private final ThreadPoolExecutor eventThreads;
    private final ThreadPoolExecutor ready;
    private final EventsEndpoint events;
    private final GatewayMeter meter;
    private final PushTargets targets;
    /** Looks at connections, and says when it is time for an announcement: nothing that it does may last. */
    private final ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(task, "gateway-watch");
        thread.setDaemon(true);
        return thread;
    });
    /** One announcement at a time, which may wait for a coordinator and a name server. */
    private final ThreadPoolExecutor announcements = pool("gateway-announce", 1, new SynchronousQueue<>());

    private final MetricsEndpoints metrics;
    private final Readiness readiness;
    private final List<Route> routes;
    private final String host;
    private final long startedMillis = System.currentTimeMillis();
    private volatile @Nullable WaterwheelClient client;
    /** What {@link #place} has said last. Threads that must not wait for a name server read this. */
    private volatile String lastPlace = "";

    /**
     * How long it waits for others; tests have less time.
     *
     * @param headNanos for the head of a request
     * @param keys for rows that are to be stored under a key
     */
    record Patience(long headNanos, Duration keys) {
        static final Patience DEFAULT = new Patience(ClientWatch.HEAD_NANOS, KeyedSlot.PATIENCE);
    }

    private Gateway(GatewaySettings settings, Patience patience, Metrics measured) {
        this.host = settings.host();
        this.watch = new ClientWatch(patience.headNanos(), clock);
        this.queries = pool("gateway-query", 2 * settings.queries(), new SynchronousQueue<>());
        this.looks = pool("gateway-look", LOOK_THREADS, new ArrayBlockingQueue<>(LOOKS_THAT_WAIT));
        this.pushes = pool(
                "gateway-decode",
                Runtime.getRuntime().availableProcessors(),
                new ArrayBlockingQueue<>(PUSHES_THAT_WAIT));
        // One for each stream that rows go to, which begins the next before it is over.
        this.questions = pool("gateway-visible", 2 * PushTargets.MOST_STREAMS, new SynchronousQueue<>());
        // What waits is bounded by the connections: each has one request that is not answered.
        this.answers = pool("gateway-answer", Runtime.getRuntime().availableProcessors(), new LinkedBlockingQueue<>());
        this.tails = pool("gateway-tail", TailEndpoint.AT_ONCE, new SynchronousQueue<>());
        this.eventThreads = pool("gateway-events", EventsEndpoint.AT_ONCE, new SynchronousQueue<>());
        // One look at a time, whatever else waits for coordinators.
        this.ready = pool("gateway-ready", 1, new LinkedBlockingQueue<>());
        this.meter = new GatewayMeter(measured);
        QueuedThreadPool threads = new QueuedThreadPool(IO_THREADS, LEAST_IO_THREADS);
        threads.setName("gateway");
        threads.setDaemon(true);
        ConnectionThreads connections = new ConnectionThreads(threads);
        this.targets = new PushTargets(
                this::client,
                questions,
                answers,
                connections,
                settings.keyBytes(),
                patience.keys(),
                () -> lastPlace,
                meter);
        this.metrics = new MetricsEndpoints(measured, this::places);
        this.readiness = new Readiness(this::client, ready);
        PushBudget budget = new PushBudget(settings.pushBytes(), "rows");
        PushBudget others = new PushBudget(MOST_QUERY_BYTES, "queries");
        this.server = new Server(threads);
        server.setStopTimeout(0);
        server.setErrorHandler(new Errors());
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        http.setRequestHeaderSize(MOST_HEAD_BYTES);
        http.setMaxResponseHeaderSize(MOST_ANSWER_HEAD_BYTES);
        this.connector = connections.connector(server, http);
        connector.setHost(settings.host());
        connector.setPort(settings.port());
        connector.setIdleTimeout(settings.idle().toMillis());
        connector.setAcceptQueueSize(ACCEPT_QUEUE);
        connector.addBean(watch);
        server.addConnector(connector);
        server.addBean(new NetworkConnectionLimit(settings.connections(), connector));
        TailEndpoint tail =
                new TailEndpoint(this::client, tails, watch, settings.idle().toMillis(), meter);
        this.events = new EventsEndpoint(
                this::client, eventThreads, watch, settings.idle().toMillis());
        QueryEndpoint query = new QueryEndpoint(
                this::client,
                queries,
                settings.queries(),
                watch,
                settings.idle().toMillis());
        this.routes = Routes.of(this::client, settings, targets, pushes, query, tail, events, metrics, readiness);
        server.setHandler(new GatewayHandler(routes, connections, looks, budget, others, watch, settings, meter));
        meter.measure(
                budget,
                others,
                targets,
                tail,
                events,
                () -> connector.getConnectedEndPoints().size(),
                settings.connections());
    }

    private static ThreadPoolExecutor pool(String name, int most, BlockingQueue<Runnable> waiting) {
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                // A pool with a queue makes threads beyond its core only when the queue is full.
                waiting instanceof SynchronousQueue ? 0 : most,
                most,
                THREADS_REST.toMillis(),
                TimeUnit.MILLISECONDS,
                waiting,
                task -> {
                    Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /**
     * Listens. Until {@link #serve} says whom to ask, requests are answered with GATEWAY_STARTING.
     *
     * @throws IOException when it cannot listen there
     */
    public static Gateway start(GatewaySettings settings) throws IOException {
        return start(settings, new Metrics(Metrics.DEFAULT_STREAMS));
    }

    /**
     * The same, with a registry for what it measures.
     *
     * @throws IOException when it cannot listen there
     */
    public static Gateway start(GatewaySettings settings, Metrics metrics) throws IOException {
        return start(settings, Patience.DEFAULT, metrics);
    }

    static Gateway start(GatewaySettings settings, Patience patience) throws IOException {
        return start(settings, patience, new Metrics(Metrics.DEFAULT_STREAMS));
    }

    private static Gateway start(GatewaySettings settings, Patience patience, Metrics metrics) throws IOException {
        Gateway gateway = new Gateway(settings, patience, metrics);
        try {
            gateway.server.start();
            return gateway;
        } catch (Exception e) {
            gateway.close();
            throw new IOException(
                    "the gateway cannot listen on " + settings.host() + ", port " + settings.port() + ": "
                            + said(e.getCause() == null ? e : e.getCause()),
                    e);
        }
    }

    private static String said(Throwable failure) {
        if (failure instanceof UnresolvedAddressException) {
            return "the host has no address";
        }
        return failure.getMessage() == null ? failure.toString() : failure.getMessage();
    }

    /**
     * Answers requests from now on.
     *
     * @param asked not closed by the gateway; to be closed after it
     */
    public void serve(WaterwheelClient asked) {
        lastPlace = place();
        client = asked;
        var unused = clock.scheduleWithFixedDelay(
                this::beginAnnouncement, FIRST_ANNOUNCEMENT_SECONDS, ANNOUNCEMENT_SECONDS, TimeUnit.SECONDS);
    }

    private void beginAnnouncement() {
        try {
            announcements.execute(this::announce);
        } catch (RejectedExecutionException e) {
            LOG.debug("the last announcement lasts still; the next follows", e);
        } catch (Error e) {
            // No memory for a thread, and perhaps for a line. A scheduled task that throws is never run again.
            try {
                LOG.warn("the gateway could not say where it is scraped: {}", e.toString());
            } catch (Error again) {
                // The next may be told of.
            }
        }
    }

    /** Lets Prometheus find it by any gateway, and the status list it. */
    private void announce() {
        try {
            int known = places().size();
            LOG.debug("{} processes are known to be scraped", known);
        } catch (RuntimeException e) {
            LOG.debug("the gateway could not say where it is scraped; it says so again soon", e);
        }
    }

    /** Shows these metrics beside its own: those of other parts of the process. */
    public void show(Supplier<? extends Collection<Metrics>> more) {
        metrics.show(more);
    }

    /** The port that it listens at. */
    public int port() {
        return connector.getLocalPort();
    }

    /** {@code http://HOST:PORT}. */
    public String url() {
        return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port();
    }

    /** Asks a coordinator, which lists this gateway from then on. */
    private List<MetricsPlace> places() {
        String at = place();
        lastPlace = at;
        return client().metricsPlaces(at, ServerReport.version(Gateway.class), startedMillis);
    }

    /** {@code HOST:PORT} for other machines: where it listens at all addresses, by the name of this one. */
    private String place() {
        String reached = host;
        try {
            if (InetAddress.getByName(host).isAnyLocalAddress()) {
                reached = InetAddress.getLocalHost().getHostName();
            }
        } catch (UnknownHostException e) {
            LOG.debug("what {} is called elsewhere is not known", host, e);
        }
        return (reached.contains(":") ? "[" + reached + "]" : reached) + ":" + port();
    }

    /** What looks at its connections. */
    ClientWatch watch() {
        return watch;
    }

    private WaterwheelClient client() {
        WaterwheelClient present = client;
        if (present == null) {
            throw HttpFailure.of(HttpCode.GATEWAY_STARTING, "the server is starting; ask again in a moment");
        }
        return present;
    }

    /** All endpoints. */
    List<Route> routes() {
        return routes;
    }

    /** Ends all connections, and the answers under way. */
    @Override
    public void close() {
        watch.close();
        clock.shutdownNow();
        announcements.shutdownNow();
        try {
            server.stop();
        } catch (Exception e) {
            LOG.warn("the gateway did not stop: {}", e.toString(), e);
        }
        // What is not decoded is not stored, and no client was told that it would be.
        pushes.getQueue().clear();
        pushes.shutdown();
        try {
            if (!pushes.awaitTermination(DECODING_ENDS.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("the gateway closes while rows are decoded; they are not stored");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        targets.close();
        answers.shutdown();
        pushes.shutdownNow();
        questions.shutdownNow();
        tails.shutdownNow();
        events.close();
        eventThreads.shutdownNow();
        queries.shutdownNow();
        looks.shutdownNow();
        ready.shutdownNow();
        meter.close();
    }

    /** What Jetty itself refuses, in the form of all other failures. */
    private static final class Errors extends ErrorHandler {
        @Override
        public boolean errorPageForMethod(String method) {
            return true;
        }

        @Override
        protected void generateResponse(
                Request request,
                Response response,
                int code,
                @Nullable String message,
                @Nullable Throwable cause,
                Callback callback) {
            HttpFailure failure = code < 500 || code == 505
                    ? HttpFailure.ofProtocol(code, message)
                    : HttpFailure.of(cause == null ? new IllegalStateException(String.valueOf(message)) : cause);
            new Exchange(
                            request,
                            response,
                            callback,
                            "",
                            java.util.Map.of(),
                            new byte[0],
                            new PushBudget(0, "bytes").lease())
                    .answer(code, Exchange.JSON, Json.bytes(failure::write));
        }
    }
}
