package io.waterwheel.gateway.http;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.Executor;
import org.eclipse.jetty.util.thread.TryExecutor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that look after connections. Who answers 32 requests, one behind the other, does so in a {@link #round}:
 * it then looks itself whether those connections have their next request, which most of them have by then. Jetty alone
 * would wake a thread after each of the answers, which looks too early, and wake the selector to look again.
 * Thread-safe.
 */
public final class ConnectionThreads implements TryExecutor {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionThreads.class);

    /** Requests that are answered in one go, before somebody looks what their clients send next. */
    private static final int ANSWERS = 8;

    private final TryExecutor threads;
    /** What is left to do by a thread that is in a round. */
    private final ThreadLocal<@Nullable ArrayDeque<Runnable>> rounds = new ThreadLocal<>();

    /** @param threads on which connections are looked after outside of rounds */
    public ConnectionThreads(TryExecutor threads) {
        this.threads = threads;
    }

    @Override
    public void execute(Runnable task) {
        ArrayDeque<Runnable> round = rounds.get();
        if (round == null) {
            threads.execute(task);
        } else {
            round.add(task);
        }
    }

    @Override
    public boolean tryExecute(Runnable task) {
        return threads.tryExecute(task);
    }

    /** Has each task of an executor be a round. */
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
            rounds.execute(() -> some.forEach(Runnable::run));
        }
    }

    /**
     * Answers requests on this thread, and looks after their connections behind that. It may handle their next
     * requests, so nothing that was called for may depend on its return.
     *
     * @param answers waits for no client
     */
    public void round(Runnable answers) {
        if (rounds.get() != null) {
            answers.run();
            return;
        }
        ArrayDeque<Runnable> round = new ArrayDeque<>();
        rounds.set(round);
        try {
            answers.run();
        } finally {
            try {
                Runnable next = round.poll();
                while (next != null) {
                    look(next);
                    next = round.poll();
                }
            } finally {
                rounds.remove();
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
