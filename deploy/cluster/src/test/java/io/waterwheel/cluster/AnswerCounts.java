package io.waterwheel.cluster;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/** What a round of queries saw. */
final class AnswerCounts {
    private static final int MOST = 100_000;

    private final long[] countMillis = new long[MOST];
    private int queries;
    private long rows;
    private long rowMillis;
    private long chunks;
    private final Set<Integer> sizes = new HashSet<>();

    int queries() {
        return queries;
    }

    void add(long millis, long listed, int found, int chunksRead) {
        countMillis[queries++] = millis;
        rowMillis += listed;
        rows += found;
        chunks += chunksRead;
        sizes.add(found);
    }

    @Override
    public String toString() {
        long[] sorted = Arrays.copyOf(countMillis, queries);
        Arrays.sort(sorted);
        return "%d counts and row sets equal brute force; %d rows (%d sizes), %.1f chunks a query; counts p50 %d ms, p95 %d ms; rows mean %d ms"
                .formatted(
                        queries,
                        rows,
                        sizes.size(),
                        (double) chunks / queries,
                        sorted[queries / 2],
                        sorted[queries * 95 / 100],
                        rowMillis / queries);
    }
}
