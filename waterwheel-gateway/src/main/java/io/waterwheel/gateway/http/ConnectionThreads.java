package io.waterwheel.gateway.http;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.TryExecutor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that look after connections. An example: 32 clients post one row each, and all rows are confirmed at
 * once. The thread that answers sends eight answers, then looks whether those eight connections have their next
 * request, which most of them have by then: that is a {@link #round}. Jetty alone looks after each answer, on another
 * thread that it wakes for that; this is too early, so it waits for the connection again. Thread-safe.
 */
public final class ConnectionThreads implements TryExecutor {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionThreads.class);

    /** Requests that are answered in one go, before somebody looks what their clients send next. */
    private static final int ANSWERS = 8;

    /** Longer bodies are read elsewhere, so that they hold up no answers. */
    private static final int SHORT_BYTES = 1 << 10;

    /** When looks have taken so long, the rest is left to other threads. */
    private static final long LOOKS_NANOS = 500_000;

    /** The one that this thread is in. */
    private static final ThreadLocal<@Nullable Round> ROUND = new ThreadLocal<>();

    /** What a thread does one after the other. */
    private static final class Round {
        final ConnectionThreads of;
        /** The connections that are left to look at. */
        final ArrayDeque<Runnable> looks = new ArrayDeque<>();
        /** Whether the connection that it looks at has had a request handled there. */
        boolean handled;

        Round(ConnectionThreads of) {
            this.of = of;
        }
    }

    private final TryExecutor threads;
    private final long looksNanos;

    /** @param threads on which connections are looked after outside of rounds */
    public ConnectionThreads(TryExecutor threads) {
        this(threads, LOOKS_NANOS);
    }

    ConnectionThreads(TryExecutor threads, long looksNanos) {
        this.threads = threads;
        this.looksNanos = looksNanos;
    }

    /**
     * A connector whose connections are looked after by these threads. A thread of its own accepts them: where none
     * does, Jetty closes the port for good when the limit of connections is reached and left at once.
     */
    public ServerConnector connector(Server server, HttpConfiguration http) {
        return new ServerConnector(server, this, null, null, 1, 1, new HttpConnectionFactory(http));
    }

    @Override
    public void execute(Runnable task) {
        Round round = round();
        if (round == null) {
            threads.execute(task);
        } else {
            round.looks.add(task);
        }
    }

    private @Nullable Round round() {
        Round round = ROUND.get();
        return round != null && round.of == this ? round : null;
    }

    @Override
    public boolean tryExecute(Runnable task) {
        return threads.tryExecute(task);
    }

    /**
     * Handles a request: on this thread, but in a round only the first of a connection, if it is short. One client that
     * sends without end must not hold a thread that answers others.
     *
     * @param length of the body; negative when it is not known
     */
    public void handle(long length, Runnable handling) {
        Round round = round();
        if (round != null) {
            if (length < 0 || length > SHORT_BYTES || round.handled) {
                elsewhere(handling);
                return;
            }
            round.handled = true;
        }
        handling.run();
    }

    /** On another thread; once those have ended, on this. */
    private void elsewhere(Runnable task) {
        try {
            threads.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("the threads of the connections have ended", e);
            task.run();
        }
    }

    /** An executor whose tasks are rounds, on the threads of another. */
    public Executor inRounds(Executor executor) {
        return task -> executor.execute(() -> round(task));
    }

    /**
     * Answers requests, some at a time: the clients of the first send again while the last are answered.
     *
     * @param rounds an executor of {@link #inRounds}
     * @param answers of one request each. What they hold is kept until the next requests are read, so none holds rows,
     *     which count no more once they are stored
     */
    public static void answerAll(Executor rounds, List<Runnable> answers) {
        for (int from = 0; from < answers.size(); from += ANSWERS) {
            List<Runnable> some = answers.subList(from, Math.min(answers.size(), from + ANSWERS));
            try {
                rounds.execute(() -> some.forEach(Runnable::run));
            } catch (RejectedExecutionException e) {
                LOG.debug("the gateway closes: answers come from the thread that has them", e);
                some.forEach(Runnable::run);
            }
        }
    }

    /**
     * Answers requests on this thread, and looks after their connections behind that. It may handle their next
     * requests, so nothing that was called for may depend on its return.
     *
     * @param answers waits for no client
     */
    public void round(Runnable answers) {
        if (ROUND.get() != null) {
            answers.run();
            return;
        }
        Round round = new Round(this);
        ROUND.set(round);
        try {
            answers.run();
        } finally {
            try {
                long begin = System.nanoTime();
                Runnable next = round.looks.poll();
                while (next != null) {
                    round.handled = false;
                    if (System.nanoTime() - begin < looksNanos) {
                        look(next);
                    } else {
                        elsewhere(next);
                    }
                    next = round.looks.poll();
                }
            } finally {
                ROUND.remove();
            }
        }
    }

    /** What fails at one connection is no reason to leave out the others. */
    private static void look(Runnable connection) {
        try {
            connection.run();
        } catch (RuntimeException | Error e) {
            LOG.error("a connection was not looked after", e);
        }
    }
}
