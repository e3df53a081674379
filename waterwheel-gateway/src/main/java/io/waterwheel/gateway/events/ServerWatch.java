package io.waterwheel.gateway.events;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.status.ServerReport;
import java.security.SecureRandom;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at a server once a second while somebody reads, and for a minute after, so that a reader who comes again finds
 * what it has missed. All readers share one look. Looks take about a tenth of one thread's time. Thread-safe.
 */
public final class ServerWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServerWatch.class);

    private static final long PACE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int LOOK_SHARE = 10;
    /** Looks that take very long come this often all the same. */
    private static final long MOST_PACE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long LINGER_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** Events that a reader takes at a time. */
    private static final int AT_ONCE = 500;

    private final Supplier<ServerReport> look;
    private final long paceNanos;
    private final long lingerNanos;
    private final EventLog log = new EventLog();
    private final String name = String.format(Locale.ROOT, "%08x", new SecureRandom().nextInt());

    // Guarded by this.
    private final ReportChanges changes = new ReportChanges();
    private @Nullable Thread thread;
    private int readers;
    private long lastReadNanos;
    /** Looks that have ended, whether the server answered or not. */
    private long looks;

    private boolean closed;

    /** @param look asks the server; a failure of it is an alert */
    public ServerWatch(Supplier<ServerReport> look) {
        this(look, PACE_NANOS, LINGER_NANOS);
    }

    ServerWatch(Supplier<ServerReport> look, long paceNanos, long lingerNanos) {
        this.look = look;
        this.paceNanos = paceNanos;
        this.lingerNanos = lingerNanos;
    }

    /**
     * How things are, and events from there on.
     *
     * @param lastId of the event that the reader has, as {@link Reader#id} gave it; null: none
     */
    public synchronized Reader read(@Nullable String lastId) {
        if (closed) {
            throw new IllegalStateException("the watch is closed");
        }
        readers++;
        if (thread == null) {
            // What is known is of the last reader's time.
            looks = 0;
            Thread started = new Thread(this::run, "gateway-events-watch");
            started.setDaemon(true);
            started.start();
            thread = started;
        }
        return new Reader(lastId);
    }

    /** What a reader gets at a time. */
    public sealed interface Part {
        /**
         * Events in their order.
         *
         * @param id of the last; a reader that comes with it gets what follows
         */
        record Events(List<ServerEvent> events, String id) implements Part {}

        /**
         * Some events do not come; how things are now is the next part.
         *
         * @param events how many; 0: not known
         * @param reason why
         */
        record Missed(long events, String reason) implements Part {}
    }

    /** One who reads. One thread. */
    public final class Reader implements AutoCloseable {
        private long after;
        /** Whether how things are is to come first. */
        private boolean needsState;

        private Part.@Nullable Missed missed;
        private boolean ended;

        private Reader(@Nullable String lastId) {
            needsState = true;
            if (lastId != null) {
                resume(lastId);
            }
        }

        private void resume(String lastId) {
            int dash = lastId.indexOf('-');
            if (dash < 0
                    || !lastId.substring(0, dash).equals(name)
                    || !lastId.substring(dash + 1).matches("\\d{1,18}")) {
                missed = new Part.Missed(0, "the id " + shown(lastId) + " is not of this gateway since it started");
                return;
            }
            after = Long.parseLong(lastId.substring(dash + 1));
            // A reader has an id only once it has got how things are.
            needsState = after > log.last();
        }

        private static String shown(String id) {
            return id.length() > 50 ? id.substring(0, 50) + "..." : id;
        }

        /** Of the last event that was given; null where how things are is still to come. */
        public @Nullable String id() {
            return needsState ? null : idAfter();
        }

        private String idAfter() {
            return name + "-" + after;
        }

        /** What comes next; null when nothing has come within the time. */
        public @Nullable Part next(long millis) throws InterruptedException {
            Part.Missed lost = missed;
            if (lost != null) {
                missed = null;
                return lost;
            }
            if (needsState) {
                return state(millis);
            }
            List<ServerEvent> events = log.after(after, AT_ONCE, millis);
            if (events == null) {
                needsState = true;
                return new Part.Missed(
                        log.first() - after - 1, "the reader was slower than events came, or away for long");
            }
            if (events.isEmpty()) {
                return null;
            }
            after += events.size();
            return new Part.Events(events, idAfter());
        }

        private @Nullable Part state(long millis) throws InterruptedException {
            synchronized (ServerWatch.this) {
                long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
                long left = millis;
                while (looks == 0 && left > 0) {
                    ServerWatch.this.wait(left);
                    left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                }
                if (looks == 0) {
                    return null;
                }
                needsState = false;
                after = log.last();
                return new Part.Events(changes.current(), idAfter());
            }
        }

        @Override
        public void close() {
            synchronized (ServerWatch.this) {
                if (!ended) {
                    ended = true;
                    readers--;
                    lastReadNanos = System.nanoTime();
                }
            }
        }
    }

    private void run() {
        try {
            while (goesOn()) {
                long begin = System.nanoTime();
                boolean answered = look();
                long took = System.nanoTime() - begin;
                // To wait for a server that does not answer is no work.
                long share = answered ? Math.min(LOOK_SHARE * took, MOST_PACE_NANOS) : 0;
                TimeUnit.NANOSECONDS.sleep(Math.max(paceNanos, share));
            }
        } catch (InterruptedException e) {
            LOG.debug("looks at the server end: the gateway closes", e);
        } finally {
            synchronized (this) {
                // Another may have begun since this one found that it need not go on.
                if (thread == Thread.currentThread()) {
                    thread = null;
                }
            }
        }
    }

    /** Where it does not, the thread counts as ended: the next reader starts another. */
    private synchronized boolean goesOn() {
        boolean goesOn = !closed && (readers > 0 || System.nanoTime() - lastReadNanos < lingerNanos);
        if (!goesOn) {
            thread = null;
        }
        return goesOn;
    }

    /** Whether the server answered. */
    private boolean look() {
        ServerReport report = null;
        String why = "";
        try {
            report = look.get();
        } catch (WaterwheelException e) {
            why = String.valueOf(e.getMessage());
        } catch (RuntimeException e) {
            // Readers are told, and the next look may be right: without this one they would hear nothing for good.
            LOG.warn("a look at the server failed", e);
            why = e.toString();
        }
        synchronized (this) {
            log.add(report == null ? changes.noReport(why) : changes.next(report));
            looks++;
            notifyAll();
        }
        return report != null;
    }

    /** Whether it looks at the server. */
    synchronized boolean looks() {
        return thread != null;
    }

    @Override
    public synchronized void close() {
        closed = true;
        Thread running = thread;
        if (running != null) {
            running.interrupt();
        }
    }
}
