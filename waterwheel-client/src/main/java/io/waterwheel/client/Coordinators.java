package io.waterwheel.client;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The coordinators that a client knows: each call goes to the one that answered last, and when that does not answer to
 * the next. When none does, and others may have come ({@link Addresses#change}), it looks where they are now, and goes
 * on so for as long as the call allows. Thread-safe.
 */
final class Coordinators implements AutoCloseable {
    /** Codes of failures that another coordinator may not have, and after which nothing has been done. */
    private static final Set<String> NOTHING_DONE =
            Set.of(ErrorCode.SERVER_BUSY.name(), ErrorCode.ANSWER_CUT_OFF.name());

    /** The same, but something may have been done. */
    private static final Set<String> GONE =
            Set.of(ErrorCode.SERVER_UNREACHABLE.name(), ErrorCode.SERVER_CLOSING.name());

    /** Failures of which only the one who waited knows: the server may be at it. */
    private static final Set<String> NOT_AWAITED = Set.of(ErrorCode.INTERRUPTED.name(), ErrorCode.TIMEOUT.name());

    /** Failures to find coordinators that may pass: ZooKeeper is away, a topology starts. */
    private static final Set<String> NOT_FOUND = Set.of(
            ErrorCode.ZOOKEEPER_UNREACHABLE.name(), ErrorCode.ZOOKEEPER_FAILED.name(), ErrorCode.NO_COORDINATOR.name());

    /** Somebody who has not met a coordinator yet may have got its place wrong, and should be told soon. */
    private static final long FIRST_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private final Addresses addresses;
    private final Function<String, Connection> connect;

    /** Guarded by this; replaced, never changed. */
    private List<Connection> connections = List.of();
    /** Guarded by this: no longer announced, with calls that may still end. */
    private final List<Connection> retired = new ArrayList<>();
    /** Guarded by this. */
    private boolean closed;
    /** Guarded by this: the look that was begun before anything is asked, until somebody takes what it finds. */
    private @Nullable FutureTask<List<Connection>> begun;

    /** The one that answered last. Any thread writes it; an old value costs one attempt. */
    private volatile @Nullable Connection current;

    /** @param connect makes the connection to a URL, without waiting for it */
    Coordinators(Addresses addresses, Function<String, Connection> connect) {
        this.addresses = addresses;
        this.connect = connect;
    }

    /** Whether the failure says that a coordinator is no more, or cannot be reached. */
    private static boolean isGone(WaterwheelException failure) {
        return GONE.contains(failure.code());
    }

    /** A call; failures are WaterwheelExceptions. */
    interface Call<T> {
        T on(Connection connection);
    }

    /**
     * Makes a call that may be repeated without harm.
     *
     * @param patience how long it may be tried where coordinators come and go
     */
    <T> T repeatable(Duration patience, Call<T> call) {
        return call(call, "", patience);
    }

    /**
     * Makes a call that must not be made twice. Repeated only when it certainly was not sent.
     *
     * @param what such as "create stream s", for messages
     * @param patience as in {@link #repeatable}
     */
    <T> T once(String what, Duration patience, Call<T> call) {
        return call(call, what, patience);
    }

    /**
     * Makes a call to every coordinator that there is now; those that are just gone have nothing to say.
     *
     * @throws WaterwheelException the last failure, when none answers
     */
    <T> List<T> each(Call<T> call) {
        List<T> results = new ArrayList<>();
        WaterwheelException last = null;
        for (Connection connection : firstLook()) {
            try {
                results.add(call.on(connection));
            } catch (WaterwheelException e) {
                if (!isGone(e)) {
                    throw e;
                }
                last = last == null ? e : withSuppressed(e, last);
            }
        }
        if (results.isEmpty()) {
            throw inVain(known(), last);
        }
        return results;
    }

    private <T> T call(Call<T> call, String once, Duration patience) {
        long begin = System.nanoTime();
        List<Connection> round = known();
        WaterwheelException last = null;
        while (true) {
            for (Connection connection : fromCurrent(round)) {
                try {
                    T result = call.on(connection);
                    current = connection;
                    return result;
                } catch (WaterwheelException e) {
                    last = failed(connection, e, last, once);
                }
            }
            long waited = System.nanoTime() - begin;
            long limit = current == null ? Math.min(patience.toNanos(), FIRST_PATIENCE_NANOS) : patience.toNanos();
            if (!addresses.change() || waited >= limit) {
                throw inVain(round, last);
            }
            List<Connection> tried = round;
            try {
                round = look();
            } catch (WaterwheelException e) {
                if (!NOT_FOUND.contains(e.code())) {
                    throw e;
                }
                last = last == null ? e : withSuppressed(e, last);
                round = List.of();
            }
            if (tried.containsAll(round)) {
                pause(Math.min(PAUSE_NANOS, limit - waited));
            }
        }
    }

    /** Throws what is no reason to try another; else what is to be remembered. */
    private static WaterwheelException failed(
            Connection connection, WaterwheelException e, @Nullable WaterwheelException before, String once) {
        boolean gone = isGone(e);
        if (!once.isEmpty()
                && (gone || NOT_AWAITED.contains(e.code()) || e.is(ErrorCode.ANSWER_CUT_OFF))
                && !Connection.neverSent(e)) {
            throw new WaterwheelException(
                    ErrorCode.OUTCOME_UNKNOWN,
                    (gone
                                    ? "the connection to " + connection.address() + " was lost while it was to "
                                    : "no answer of " + connection.address() + " was awaited, which was to ")
                            + once + "; look whether it did before trying again",
                    e);
        }
        if (!gone && !NOTHING_DONE.contains(e.code())) {
            throw e;
        }
        // Those of many rounds are not kept: the last two say enough.
        return before == null ? e : withSuppressed(e, before);
    }

    private static WaterwheelException withSuppressed(WaterwheelException e, WaterwheelException before) {
        if (e != before && before.getSuppressed().length == 0) {
            e.addSuppressed(before);
        }
        return e;
    }

    private WaterwheelException inVain(List<Connection> round, @Nullable WaterwheelException last) {
        if (last == null) {
            return new WaterwheelException(
                    ErrorCode.NO_COORDINATOR, "no coordinator is known from " + addresses + "; ask again");
        }
        if (NOT_FOUND.contains(last.code()) || (round.size() == 1 && !addresses.change())) {
            return last;
        }
        return last.withMessage("none of the coordinators "
                + round.stream().map(Connection::address).collect(Collectors.joining(", "))
                + " takes the call; the last one: " + last.getMessage());
    }

    /** Begins to look where they are, and to connect to the first, on a thread of its own. */
    void reach() {
        FutureTask<List<Connection>> looking = new FutureTask<>(() -> {
            List<Connection> found = look();
            found.stream().limit(1).forEach(Connection::reach);
            return found;
        });
        synchronized (this) {
            begun = looking;
        }
        Thread thread = new Thread(looking, "waterwheel-client-reach");
        thread.setDaemon(true);
        thread.start();
    }

    /** What a look found that was begun before, or finds now. */
    private List<Connection> firstLook() {
        FutureTask<List<Connection>> looking;
        synchronized (this) {
            looking = begun;
            begun = null;
        }
        boolean old = looking != null && looking.isDone();
        if (looking == null) {
            return look();
        }
        try {
            return looking.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WaterwheelException(
                    ErrorCode.INTERRUPTED, "interrupted while looking for a coordinator; ask again", e);
        } catch (ExecutionException e) {
            if (old) {
                // It may be well by now.
                return look();
            } else if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException("looking for coordinators failed: " + e.getCause(), e);
        }
    }

    /** What is known, without asking when that is something. */
    private List<Connection> known() {
        synchronized (this) {
            if (!connections.isEmpty() && !closed) {
                return connections;
            }
        }
        try {
            return firstLook();
        } catch (WaterwheelException e) {
            if (!addresses.change() || !NOT_FOUND.contains(e.code())) {
                throw e;
            }
            return List.of();
        }
    }

    /** Asks where they are now, and keeps the connections to those that are still there. */
    private List<Connection> look() {
        List<String> urls = addresses.now();
        List<Connection> ended = new ArrayList<>();
        List<Connection> now;
        synchronized (this) {
            if (closed) {
                throw new IllegalStateException("the client is closed");
            }
            Map<String, Connection> before = new HashMap<>();
            connections.forEach(connection -> before.put(connection.url(), connection));
            List<Connection> fresh = new ArrayList<>();
            for (String url : urls) {
                Connection kept = before.remove(url);
                fresh.add(kept == null ? connect.apply(url) : kept);
            }
            before.values().forEach(gone -> {
                gone.retire();
                retired.add(gone);
            });
            retired.removeIf(connection -> connection.idle() && ended.add(connection));
            connections = List.copyOf(fresh);
            now = connections;
        }
        ended.forEach(Connection::close);
        return now;
    }

    private List<Connection> fromCurrent(List<Connection> round) {
        Connection before = current;
        int first = before == null ? 0 : Math.max(0, round.indexOf(before));
        List<Connection> ordered = new ArrayList<>(round.subList(first, round.size()));
        ordered.addAll(round.subList(0, first));
        return ordered;
    }

    private static void pause(long nanos) {
        LockSupport.parkNanos(nanos);
        if (Thread.currentThread().isInterrupted()) {
            throw new WaterwheelException(
                    ErrorCode.INTERRUPTED, "interrupted while waiting for a coordinator; ask again");
        }
    }

    /**
     * Whether a question that was lost this number of times is asked again, if there is time; waits where that helps.
     */
    boolean again(int attempts) {
        int known;
        synchronized (this) {
            known = connections.size();
        }
        if (attempts < known) {
            return true;
        }
        if (addresses.change()) {
            pause(PAUSE_NANOS);
        }
        return addresses.change();
    }

    private synchronized List<Connection> all() {
        List<Connection> all = new ArrayList<>(connections);
        all.addAll(retired);
        return all;
    }

    /** Ends all calls. */
    void shutdown() {
        synchronized (this) {
            closed = true;
        }
        all().forEach(Connection::shutdown);
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        all().forEach(Connection::close);
    }
}
