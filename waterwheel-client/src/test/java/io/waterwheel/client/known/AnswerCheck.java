package io.waterwheel.client.known;

import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.Verdict;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TimeInterval;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * Asks and compares: every answer that says complete holds each acknowledged row once, no row twice, no row that was
 * not appended. An answer that is refused, or says that it is not complete, is counted.
 */
public final class AnswerCheck {
    /** A wrong answer. */
    public static final class WrongAnswerException extends RuntimeException {
        private static final long serialVersionUID = 1;

        WrongAnswerException(String message) {
            super(message);
        }
    }

    private static final long REFUSED_REST_NANOS = 20_000_000;

    private final WaterwheelClient client;
    private final Random random;
    private final Map<Integer, Long> seen = new HashMap<>();
    private long complete;
    private long refused;
    private long rows;
    private String lastRefusal = "none";

    /** Asks this client what the random numbers say. */
    public AnswerCheck(WaterwheelClient client, Random random) {
        this.client = client;
        this.random = random;
    }

    /** Complete answers, all of them right. */
    public long complete() {
        return complete;
    }

    /** Questions without a complete answer. */
    public long refused() {
        return refused;
    }

    /** Rows compared. */
    public long rows() {
        return rows;
    }

    /** Why the last question without a complete answer had none. */
    public String lastRefusal() {
        return lastRefusal;
    }

    /**
     * Asks one question of a random kind.
     *
     * @return whether there was a complete answer, which was right then
     */
    public boolean askOne(Feed feed, Duration timeout) {
        Feed.Acknowledged known = feed.acknowledged();
        Query query = Query.of(KnownRows.STREAM).withAtLeast(known.positions()).withTimeout(timeout);
        try {
            switch (random.nextInt(3)) {
                case 0 -> checkSums(query, known.rows());
                case 1 -> checkKeys(query, known.rows(), feed);
                default -> checkCount(query, known.rows(), feed);
            }
            complete++;
            return true;
        } catch (WaterwheelException e) {
            switch (e.kind()) {
                case TEMPORARY, UNKNOWN_OUTCOME, CORRUPT -> {
                    refused++;
                    // One that is away refuses thousands of times a second.
                    LockSupport.parkNanos(REFUSED_REST_NANOS);
                    lastRefusal = e.kind() + " " + e.code() + ": " + e.getMessage();
                    return false;
                }
                case USER, BUG -> throw new WrongAnswerException("refused as " + e.kind() + ": " + e.getMessage());
            }
            throw e;
        }
    }

    /** Count and sum of a time interval that is wholly acknowledged: exact. */
    private void checkSums(Query query, long acknowledged) {
        long to = acknowledged == 0 ? 0 : random.nextLong(acknowledged) / 8 * 8;
        long from = to == 0 ? 0 : random.nextLong(to) / 8 * 8;
        if (from == to) {
            return;
        }
        Query asked = query.withTimes(new TimeInterval(KnownRows.time(from), KnownRows.time(to) - 1))
                .withResult(new ResultSpec.Aggregates(
                        List.of(Aggregate.parse("count(*)"), Aggregate.parse("sum(v)")), List.of(), null));
        long sum = 0;
        for (long id = from; id < to; id++) {
            sum += KnownRows.value(id);
        }
        try (Cursor cursor = client.query(asked)) {
            cursor.next();
            long count = (long) cursor.value(0);
            Object total = cursor.value(1);
            Verdict verdict = toEnd(cursor);
            note(asked, verdict);
            if (count != to - from || !String.valueOf(total).equals(Long.toString(sum))) {
                throw new WrongAnswerException("rows " + from + " to " + (to - 1) + ": count " + count + ", sum "
                        + total + "; expected " + (to - from) + " and " + sum + "; " + verdict);
            }
            rows += count;
        }
    }

    /** The rows of a key interval, as a set. */
    private void checkKeys(Query query, long acknowledged, Feed feed) {
        long middle = random.nextLong();
        long half = (1L << 62) >> random.nextInt(10);
        KeyInterval keys = new KeyInterval(
                middle < Long.MIN_VALUE + half ? Long.MIN_VALUE : middle - half,
                middle > Long.MAX_VALUE - half ? Long.MAX_VALUE : middle + half);
        checkSet(query.withKeys(List.of(keys)), keys, acknowledged, feed);
    }

    /**
     * The rows of an answer, as a set.
     *
     * @param keys what the query asks for
     */
    public void checkSet(Query query, KeyInterval keys, long acknowledged, Feed feed) {
        BitSet found = new BitSet();
        Verdict verdict;
        try (Cursor cursor = client.query(query.withSelect(List.of("id", "k", "t", "v")))) {
            while (cursor.next()) {
                long id = (long) cursor.value(0);
                boolean whole = id >= 0
                        && id < feed.begun()
                        && (long) cursor.value(1) == KnownRows.key(id)
                        && (long) cursor.value(2) == KnownRows.time(id)
                        && (long) cursor.value(3) == KnownRows.value(id)
                        && keys.contains(KnownRows.key(id));
                if (!whole || found.get((int) id)) {
                    throw new WrongAnswerException("row " + id + (whole ? " is twice" : " does not belong")
                            + " in the answer for " + query + "; rows begun " + feed.begun());
                }
                found.set((int) id);
            }
            verdict = cursor.verdict();
        }
        note(query, verdict);
        for (long id = 0; id < acknowledged; id++) {
            if (!found.get((int) id) && keys.contains(KnownRows.key(id))) {
                throw new WrongAnswerException(
                        "acknowledged row " + id + " is missing in the answer for " + query + "; " + verdict);
            }
        }
        rows += found.cardinality();
    }

    private void checkCount(Query query, long acknowledged, Feed feed) {
        try (Cursor cursor = client.query(query.withCount())) {
            Verdict verdict = toEnd(cursor);
            note(query, verdict);
            if (verdict.tuples() < acknowledged || verdict.tuples() > feed.begun()) {
                throw new WrongAnswerException("count " + verdict.tuples() + ", acknowledged " + acknowledged
                        + ", begun " + feed.begun() + "; " + verdict);
            }
            rows += verdict.tuples();
        }
    }

    private static Verdict toEnd(Cursor cursor) {
        boolean more = true;
        while (more) {
            more = cursor.nextBatch();
        }
        return cursor.verdict();
    }

    /** Rule 10: a session's answers never go back in time, and reach what was demanded. */
    private void note(Query query, Verdict verdict) {
        if (!verdict.complete()) {
            throw new WrongAnswerException("an answer is not complete and did not fail: " + verdict);
        }
        query.atLeast().forEach((partition, offset) -> {
            if (verdict.positions().getOrDefault(partition, 0L) < offset) {
                throw new WrongAnswerException("demanded " + query.atLeast() + ", got " + verdict);
            }
        });
        verdict.positions().forEach((partition, offset) -> {
            if (offset < seen.getOrDefault(partition, 0L)) {
                throw new WrongAnswerException("partition " + partition + " went back from " + seen.get(partition)
                        + " to " + offset + "; " + verdict);
            }
            seen.put(partition, offset);
        });
    }
}
