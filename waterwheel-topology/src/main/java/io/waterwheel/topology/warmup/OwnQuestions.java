package io.waterwheel.topology.warmup;

import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.topology.rpc.QueryHandler;
import io.waterwheel.wire.TraceParent;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
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
    /** Of one question: what takes longer is not asked again. */
    private static final Duration PATIENCE = Duration.ofMillis(500);

    /** Answers whose median says how quick they are. */
    private static final int LAST = 20;

    private static final long QUICK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final BooleanSupplier wanted;
    private final long begun = System.nanoTime();
    private final long deadline;
    private final long[] last = new long[LAST];
    private int asked;

    private OwnQuestions(Duration most, BooleanSupplier wanted) {
        this.deadline = begun + most.toNanos();
        this.wanted = wanted;
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
     * Asks, and says in the log what that took. A stream that has no rows is left out, and so is what is not answered
     * soon.
     *
     * @param host and port of the server
     * @param streams of which a few are asked about
     * @param queries answers the question for rows to ask about
     * @param most how long it may last
     * @param wanted whether it shall go on; asked before each question
     */
    static void ask(
            String host,
            int port,
            Collection<StreamInfo> streams,
            QueryHandler queries,
            Duration most,
            BooleanSupplier wanted)
            throws InterruptedException {
        new OwnQuestions(most, wanted).ask(host, port, streams, queries);
    }

    private void ask(String host, int port, Collection<StreamInfo> streams, QueryHandler queries)
            throws InterruptedException {
        List<List<byte[]>> questions = new ArrayList<>();
        for (StreamInfo stream : streams) {
            if (questions.size() == MOST_STREAMS || !goesOn()) {
                break;
            }
            StreamQuestions.Sample sample = new StreamQuestions.Sample();
            queries.query(StreamQuestions.sampling(stream, least()), sample);
            List<byte[]> tickets = StreamQuestions.of(stream, sample, PATIENCE);
            if (!tickets.isEmpty()) {
                questions.add(tickets);
            }
        }
        int found = questions.size();
        try (LoopbackClient client = new LoopbackClient(host, port, TRACE)) {
            for (int round = 0; !questions.isEmpty() && goesOn(); round++) {
                int of = round % questions.size();
                List<byte[]> tickets = questions.get(of);
                int next = round / questions.size() % tickets.size();
                if (!ask(client, tickets.get(next))) {
                    tickets.remove(next);
                    if (tickets.isEmpty()) {
                        questions.remove(of);
                    }
                }
            }
        }
        LOG.info(
                "[warm-up] {} questions about {} streams answered as clients ask, in {} ms; the last in {} ms by the median",
                asked,
                found,
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun),
                median() / 1e6);
    }

    private Duration least() {
        Duration left = Duration.ofNanos(Math.max(TimeUnit.MILLISECONDS.toNanos(1), deadline - System.nanoTime()));
        return left.compareTo(PATIENCE) < 0 ? left : PATIENCE;
    }

    private boolean goesOn() {
        return wanted.getAsBoolean() && deadline - System.nanoTime() > 0 && (asked < LAST || median() > QUICK_NANOS);
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
