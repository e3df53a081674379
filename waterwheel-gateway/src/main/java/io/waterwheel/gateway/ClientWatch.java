package io.waterwheel.gateway;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.BufferUtil;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at connections, a few times a second while there are some: whether the client of a request that is being
 * answered is still there, and whether the head of a request comes slower than any honest client sends one.
 * Thread-safe.
 */
final class ClientWatch implements Connection.Listener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClientWatch.class);

    private static final long LOOK_MILLIS = 200;

    /** From the first byte of a request to the end of its head. */
    static final long HEAD_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final ScheduledExecutorService clock;
    private final long headNanos;
    private final Set<Watched> waiting = ConcurrentHashMap.newKeySet();
    /** Connections, and what was last seen of each. */
    private final Map<Connection, Seen> open = new ConcurrentHashMap<>();

    private final AtomicLong looks = new AtomicLong();
    /** The looks to come; null while there is no connection. Guarded by this. */
    private @Nullable ScheduledFuture<?> looking;

    /** Guarded by this. */
    private boolean closed;

    /**
     * @param headNanos how long the head of a request may take
     * @param clock has one thread, on which nothing may last
     */
    ClientWatch(long headNanos, ScheduledExecutorService clock) {
        this.headNanos = headNanos;
        this.clock = clock;
    }

    /** A request whose client is waited for. */
    final class Watched {
        private final Connection connection;
        private final Runnable gone;
        /** Guarded by this. The first look is left out: the thread that read the request may not be through with it. */
        private boolean looked;

        private Watched(Connection connection, Runnable gone) {
            this.connection = connection;
            this.gone = gone;
        }

        /** The answer is about to be whole; only the connection itself reads what comes then. */
        synchronized void end() {
            waiting.remove(this);
        }

        private void look() {
            if (isGone()) {
                gone.run();
            }
        }

        /**
         * Reads a byte, which no other thread does meanwhile: the request has come whole, and the next one is not
         * looked for before the answer. One that has come already is put back.
         */
        private synchronized boolean isGone() {
            if (!looked || !waiting.contains(this)) {
                looked = true;
                return false;
            }
            try {
                ByteBuffer some = BufferUtil.allocate(1);
                int count = connection.getEndPoint().isOpen()
                        ? connection.getEndPoint().fill(some)
                        : -1;
                if (count > 0 && connection instanceof Connection.UpgradeTo back) {
                    back.onUpgradeTo(some);
                    waiting.remove(this);
                }
                return count < 0 && waiting.remove(this);
            } catch (IOException e) {
                LOG.debug("a client is gone", e);
                return waiting.remove(this);
            }
        }
    }

    /** How a connection looked. */
    private static final class Seen {
        /** Whether a request's head has come, and its answer is not whole. */
        private volatile boolean answering;
        /** Bytes that had come with the last request's end. */
        private volatile long bytes;
        /** Since when a head is coming; 0: none is. The clock's own. */
        private long headSince;
    }

    /** The head of a request has come. */
    void head(Request request) {
        Seen seen = open.get(request.getConnectionMetaData().getConnection());
        if (seen != null) {
            seen.answering = true;
            Request.addCompletionListener(request, failure -> {
                seen.bytes = request.getConnectionMetaData().getConnection().getBytesIn();
                seen.answering = false;
            });
        }
    }

    /**
     * Watches the client of a request that has come whole.
     *
     * @param gone called once, when it has closed its connection, or its half of it
     */
    Watched add(Request request, Runnable gone) {
        Watched watched = new Watched(request.getConnectionMetaData().getConnection(), gone);
        if (request.getConnectionMetaData().getHttpVersion() == HttpVersion.HTTP_1_1) {
            waiting.add(watched);
            begin();
        }
        return watched;
    }

    @Override
    public void onOpened(Connection connection) {
        open.put(connection, new Seen());
        begin();
    }

    private synchronized void begin() {
        if (looking == null && !closed) {
            looking = clock.scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** Ends the looks when there is nothing to look at; what comes at the same time waits, and begins them again. */
    private synchronized void rest() {
        if (looking != null && open.isEmpty() && waiting.isEmpty()) {
            looking.cancel(false);
            looking = null;
        }
    }

    @Override
    public void onClosed(Connection connection) {
        open.remove(connection);
    }

    /** Whether it will look again. */
    synchronized boolean isLooking() {
        return looking != null;
    }

    /** How often connections were looked at. */
    long looks() {
        return looks.get();
    }

    /** A scheduled task that throws is never run again; where memory is out, even a line of the log may fail. */
    private void look() {
        try {
            lookAtAll();
            rest();
        } catch (Error e) {
            // The next look leaves none out.
        }
    }

    private void lookAtAll() {
        looks.incrementAndGet();
        waiting.forEach(watched -> look(watched::look));
        long now = System.nanoTime();
        open.forEach((connection, seen) -> look(() -> look(connection, seen, now)));
    }

    /** What fails at one connection is no reason to leave out the others. */
    private static void look(Runnable one) {
        try {
            one.run();
        } catch (RuntimeException | Error e) {
            LOG.warn("a look at a connection failed", e);
        }
    }

    private void look(Connection connection, Seen seen, long now) {
        if (seen.answering || connection.getBytesIn() <= seen.bytes) {
            seen.headSince = 0;
        } else if (seen.headSince == 0) {
            seen.headSince = now == 0 ? 1 : now;
        } else if (now - seen.headSince > headNanos) {
            connection.getEndPoint().close(new TimeoutException("the head of a request did not come in time"));
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (looking != null) {
            looking.cancel(true);
        }
    }
}
