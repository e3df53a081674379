package io.waterwheel.topology.warmup;

import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.topology.rpc.QueryHandler;
import io.waterwheel.wire.TraceParent;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a coordinator asks itself before clients come: about streams that are there, through its own port, by the way
 * that clients' questions take. Until its answers are as quick as they will be, or its time is up. One thread.
 */
final class OwnQuestions {
    private static final Logger LOG = LoggerFactory.getLogger(OwnQuestions.class);

    /** The trace of all of them, by which they are known from those of clients; of this process alone. */
    static final String TRACE = trace();

    private static final int MOST_STREAMS = 3;
    /** Of one question. */
    static final Duration PATIENCE = Duration.ofMillis(500);

    /** Answers whose median says how quick they are. */
    private static final int LAST = 20;

    /** Before it may end for quick answers each stream has been asked a question of each kind. */
    private static final int LEAST = Math.max(LAST, MOST_STREAMS * StreamQuestions.KINDS);

    /** How many of this process ask now; more than one in tests alone. */
    private static final AtomicInteger UNDER_WAY = new AtomicInteger();

    /**
     * When it ends.
     *
     * @param most how long it may last
     * @param quick it ends early once the median of the last answers is no longer than this; zero for never
     * @param wanted whether it shall go on; asked before each question
     */
    record End(Duration most, Duration quick, BooleanSupplier wanted) {}

    private final End end;
    private final long begun = System.nanoTime();
    private final long deadline;
    private final long[] last = new long[LAST];
    private int asked;

    private OwnQuestions(End end) {
        this.deadline = begun + end.most().toNanos();
        this.end = end;
    }

    /**
     * Whether a question is one of these: it has their trace, and they are being asked.
     *
     * @param trace the caller's {@code traceparent}
     */
    static boolean has(String trace) {
        return UNDER_WAY.get() > 0 && trace.equals(TRACE);
    }

    private static String trace() {
        byte[] random = new byte[24];
        new SecureRandom().nextBytes(random);
        // Not all zero.
        random[0] |= 1;
        random[16] |= 1;
        String digits = HexFormat.of().formatHex(random);
        return new TraceParent(digits.substring(0, 32), digits.substring(32), "00").toString();
    }

    /**
     * Asks, and says in the log what that took. A stream that has no rows is left out, and so is one that fails. What
     * is not answered soon is asked once more, after the others. Lasts longer than it may where {@code queries} does
     * not return.
     *
     * @param host and port of the server
     * @param streams of which a few are asked about
     * @param queries answers the question for rows to ask about
     */
    static void ask(String host, int port, Collection<StreamInfo> streams, QueryHandler queries, End end)
            throws InterruptedException {
        UNDER_WAY.incrementAndGet();
        try {
            new OwnQuestions(end).ask(host, port, streams, queries);
        } finally {
            UNDER_WAY.decrementAndGet();
        }
    }

    private void ask(String host, int port, Collection<StreamInfo> streams, QueryHandler queries)
            throws InterruptedException {
        Deque<Deque<Question>> questions = new ArrayDeque<>();
        for (StreamInfo stream : streams) {
            if (questions.size() == MOST_STREAMS || !goesOn()) {
                break;
            }
            Deque<Question> about = about(stream, queries);
            if (!about.isEmpty()) {
                questions.add(about);
            }
        }
        if (questions.isEmpty()) {
            LOG.debug("[warm-up] no stream has rows to ask about");
            return;
        }
        int found = questions.size();
        try (LoopbackClient client = new LoopbackClient(host, port, TRACE)) {
            while (!questions.isEmpty() && goesOn()) {
                Deque<Question> about = questions.remove();
                Question question = about.remove();
                if (ask(client, question.ticket)) {
                    about.add(question);
                } else if (!question.again) {
                    question.again = true;
                    about.add(question);
                }
                if (!about.isEmpty()) {
                    questions.add(about);
                }
            }
        }
        LOG.info(
                "[warm-up] {} questions about {} streams answered as clients ask, in {} ms; the last in {} ms by the median",
                asked,
                found,
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun),
                // To a tenth of a millisecond.
                Math.round(median() / 1e5) / 10.0);
    }

    /** Those about a stream; none where it has no rows, or fails. */
    private Deque<Question> about(StreamInfo stream, QueryHandler queries) throws InterruptedException {
        Deque<Question> about = new ArrayDeque<>();
        try {
            StreamQuestions.Sample sample = new StreamQuestions.Sample();
            // More patience than for others, as all depends on it; and something is left for the next stream.
            queries.query(StreamQuestions.sampling(stream, left().dividedBy(2)), sample);
            StreamQuestions.of(stream, sample, PATIENCE).forEach(ticket -> about.add(new Question(ticket)));
        } catch (RuntimeException e) {
            LOG.debug("[warm-up] stream '{}' is left out: {}", stream.name(), e.toString(), e);
        }
        return about;
    }

    private static final class Question {
        final byte[] ticket;
        /** Whether it was given up once. */
        boolean again;

        Question(byte[] ticket) {
            this.ticket = ticket;
        }
    }

    private Duration least() {
        Duration left = left();
        return left.compareTo(PATIENCE) < 0 ? left : PATIENCE;
    }

    private Duration left() {
        return Duration.ofNanos(Math.max(TimeUnit.MILLISECONDS.toNanos(2), deadline - System.nanoTime()));
    }

    private boolean goesOn() {
        return end.wanted().getAsBoolean()
                && deadline - System.nanoTime() > 0
                && (asked < LEAST || median() > end.quick().toNanos());
    }

    private long median() {
        long[] sorted = Arrays.copyOf(last, Math.min(asked, LAST));
        Arrays.sort(sorted);
        return sorted.length == 0 ? 0 : sorted[sorted.length / 2];
    }

    private boolean ask(LoopbackClient client, byte[] ticket) throws InterruptedException {
        long before = System.nanoTime();
        if (!client.ask(ticket, least().toNanos())) {
            return false;
        }
        last[asked++ % LAST] = System.nanoTime() - before;
        return true;
    }
}
