package io.waterwheel.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers {@code GET /metrics} of a process that has no other HTTP server, and {@code GET /healthz} with 200: two
 * scrapes at a time, over 64 connections at most. A client that takes longer than ten seconds to send its request or to
 * take the answer is cut off.
 */
public final class MetricsServer implements AutoCloseable {
    private static final int AT_ONCE = 2;
    private static final int MOST_CONNECTIONS = 64;
    private static final int BACKLOG = 16;
    private static final int REST_SECONDS = 30;

    static {
        // The JDK's server reads these once. Without them a client that is silent keeps a thread.
        bound("sun.net.httpserver.maxReqTime", "10");
        bound("sun.net.httpserver.maxRspTime", "10");
        bound("sun.net.httpserver.maxReqHeaders", "100");
        bound("jdk.httpserver.maxConnections", String.valueOf(MOST_CONNECTIONS));
        // Else a scraper that keeps its connection waits 40 ms for each answer.
        bound("sun.net.httpserver.nodelay", "true");
    }

    private static void bound(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }

    private final HttpServer server;
    private final ThreadPoolExecutor threads;
    private final Semaphore scrapes = new Semaphore(AT_ONCE);
    private final Supplier<? extends Collection<Metrics>> metrics;

    private MetricsServer(HttpServer server, Supplier<? extends Collection<Metrics>> metrics) {
        this.server = server;
        this.metrics = metrics;
        AtomicInteger number = new AtomicInteger();
        this.threads = new ThreadPoolExecutor(
                // A client that sends half a request keeps a thread: those that wait must not wait for it.
                0,
                MOST_CONNECTIONS,
                REST_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                task -> {
                    Thread thread = new Thread(task, "metrics-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                },
                // Should this JDK not know a bound for connections: the thread that takes them helps out.
                new ThreadPoolExecutor.CallerRunsPolicy());
        server.setExecutor(threads);
        server.createContext("/", this::answer);
    }

    /**
     * Listens at the first of these ports that is free; 0 is any.
     *
     * @throws IOException when none is free
     */
    public static MetricsServer start(String host, List<Integer> ports, Supplier<? extends Collection<Metrics>> metrics)
            throws IOException {
        IOException last = new IOException("no port is named");
        for (int port : ports) {
            try {
                HttpServer bound = HttpServer.create(new InetSocketAddress(InetAddress.getByName(host), port), BACKLOG);
                MetricsServer started = new MetricsServer(bound, metrics);
                bound.start();
                return started;
            } catch (IOException e) {
                last = e;
            }
        }
        throw new IOException(
                "cannot listen for scrapes at " + host + ", ports " + ports + ": " + last.getMessage(), last);
    }

    public int port() {
        return server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (isStrange(exchange)) {
                plain(exchange, 403, "this port is for programs of this machine");
                return;
            }
            String path = exchange.getRequestURI().getPath();
            if (!path.equals("/metrics") && !path.equals("/healthz")) {
                plain(exchange, 404, "there are /metrics and /healthz only");
            } else if (!exchange.getRequestMethod().equals("GET")) {
                exchange.getResponseHeaders().set("Allow", "GET");
                plain(exchange, 405, path + " takes GET");
            } else if (path.equals("/healthz")) {
                // Beside the scrapes: it must not wait for two that are slow.
                plain(exchange, 200, "the process answers");
            } else {
                Scrape scrape = scrape(exchange.getRequestHeaders().getFirst("Accept"));
                exchange.getResponseHeaders().set("Content-Type", scrape.contentType());
                exchange.sendResponseHeaders(200, scrape.body().length);
                exchange.getResponseBody().write(scrape.body());
            }
        }
    }

    private Scrape scrape(@Nullable String accept) {
        scrapes.acquireUninterruptibly();
        try {
            return Scrape.of(metrics.get(), accept);
        } finally {
            scrapes.release();
        }
    }

    /** Whether a page in a browser asks, by a name that was made to stand for this machine. */
    private static boolean isStrange(HttpExchange exchange) {
        if (!exchange.getLocalAddress().getAddress().isLoopbackAddress()) {
            return false;
        }
        String host = exchange.getRequestHeaders().getFirst("Host");
        return exchange.getRequestHeaders().getFirst("Origin") != null || !isLoopback(host);
    }

    private static boolean isLoopback(@Nullable String host) {
        if (host == null) {
            return true; // HTTP/1.0, which no browser speaks
        }
        String name = host.replaceFirst(":\\d+$", "").toLowerCase(Locale.ROOT);
        return name.equals("localhost") || name.equals("[::1]") || name.matches("127(\\.\\d{1,3}){3}");
    }

    private static void plain(HttpExchange exchange, int status, String line) throws IOException {
        byte[] text = (line + "\n").getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
        exchange.sendResponseHeaders(status, text.length);
        exchange.getResponseBody().write(text);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
