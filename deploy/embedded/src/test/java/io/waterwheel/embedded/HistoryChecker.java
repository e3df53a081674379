package io.waterwheel.embedded;

import io.waterwheel.client.Cursor;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.query.Query;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TimeInterval;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Asks, and holds every answer against the producers' history: a tuple that was acknowledged before the question, and
 * matches it, must be there once; one that is there must have been produced, match, and be there once.
 */
final class HistoryChecker {
    private static final Duration TIMEOUT = Duration.ofMinutes(5);
    /** Larger answers say no more, and take long. */
    private static final int MOST_WANTED = 400_000;

    private final List<HistoryProducer> producers;
    private final Random random;
    private final String stream;
    private final List<String> anomalies = new ArrayList<>();
    private long answers;
    private long tuples;

    HistoryChecker(String stream, List<HistoryProducer> producers, long seed) {
        this.stream = stream;
        this.producers = producers;
        this.random = new Random(seed);
    }

    long answers() {
        return answers;
    }

    long tuples() {
        return tuples;
    }

    /** What was wrong, the first of each answer. */
    List<String> anomalies() {
        return anomalies;
    }

    /** One question of random keys and times. */
    void ask(WaterwheelClient client) {
        HistoryProducer any = producers.get(random.nextInt(producers.size()));
        KeyInterval keys =
                switch (random.nextInt(4)) {
                    case 0 -> KeyInterval.ALL;
                    case 1 -> new KeyInterval(any.hotFrom(), any.hotTo());
                    case 2 -> {
                        long low = any.hotFrom() + (random.nextLong() & (1L << 33) - 1);
                        yield new KeyInterval(low, low + (1L << 31));
                    }
                    default -> {
                        long a = random.nextLong();
                        long b = random.nextLong();
                        yield new KeyInterval(Math.min(a, b), Math.max(a, b));
                    }
                };
        long now = System.currentTimeMillis();
        TimeInterval times =
                switch (random.nextInt(4)) {
                    case 0 -> TimeInterval.ALL;
                    case 1 -> new TimeInterval(now - 5_000, now);
                    case 2 -> new TimeInterval(now - 60_000, now);
                    default -> {
                        long from = now - random.nextLong(30L * 24 * 3600 * 1000);
                        yield new TimeInterval(from, from + 3600 * 1000);
                    }
                };
        ask(client, keys, times);
    }

    /** One question; everything acknowledged before it must be seen. */
    void ask(WaterwheelClient client, KeyInterval keys, TimeInterval times) {
        Map<Integer, Long> demand = new HashMap<>();
        int[] acknowledged = new int[producers.size()];
        for (int p = 0; p < acknowledged.length; p++) {
            HistoryProducer.Acknowledged now = producers.get(p).acknowledged();
            acknowledged[p] = now.tuples();
            now.positions().forEach((partition, position) -> demand.merge(partition, position, Math::max));
        }
        BitSet[] missing = new BitSet[acknowledged.length];
        long wanted = 0;
        for (int p = 0; p < acknowledged.length; p++) {
            missing[p] = new BitSet();
            for (int n = 0; n < acknowledged[p]; n++) {
                if (matches(producers.get(p), n, keys, times)) {
                    missing[p].set(n);
                }
            }
            wanted += missing[p].cardinality();
        }
        Query query = Query.of(stream)
                .withKeys(List.of(keys))
                .withTimes(times)
                .withAtLeast(demand)
                .withTimeout(TIMEOUT);
        answers++;
        if (wanted > MOST_WANTED) {
            long counted = client.count(query);
            long most = matching(keys, times);
            tuples += counted;
            if (counted < wanted || counted > most) {
                anomalies.add(query + ": counted " + counted + ", acknowledged before " + wanted + ", produced by then "
                        + most);
            }
            return;
        }
        String first = null;
        BitSet[] seen = new BitSet[acknowledged.length];
        for (int p = 0; p < seen.length; p++) {
            seen[p] = new BitSet();
        }
        try (Cursor cursor = client.query(query)) {
            int column = cursor.indexOf("id");
            while (cursor.next()) {
                long id = cursor.getLong(column);
                int p = (int) (id >>> 32);
                int n = (int) id;
                tuples++;
                if (p >= producers.size() || n < 0 || n >= producers.get(p).begun()) {
                    first = first == null ? "never produced: " + p + "/" + n : first;
                } else if (!matches(producers.get(p), n, keys, times)) {
                    first = first == null ? "does not match: " + p + "/" + n : first;
                } else if (seen[p].get(n)) {
                    first = first == null ? "twice: " + p + "/" + n : first;
                } else {
                    seen[p].set(n);
                }
            }
        }
        for (int p = 0; p < missing.length && first == null; p++) {
            missing[p].andNot(seen[p]);
            if (!missing[p].isEmpty()) {
                first = "missing: " + missing[p].cardinality() + " of producer " + p + ", the first "
                        + missing[p].nextSetBit(0);
            }
        }
        if (first != null) {
            anomalies.add(query + ": " + first);
        }
    }

    private long matching(KeyInterval keys, TimeInterval times) {
        long count = 0;
        for (HistoryProducer producer : producers) {
            int begun = producer.begun();
            for (int n = 0; n < begun; n++) {
                count += matches(producer, n, keys, times) ? 1 : 0;
            }
        }
        return count;
    }

    private static boolean matches(HistoryProducer producer, int n, KeyInterval keys, TimeInterval times) {
        long key = producer.key(n);
        long time = producer.time(n);
        return key >= keys.low() && key <= keys.high() && time >= times.from() && time <= times.to();
    }
}
