package io.waterwheel.client.cli;

import io.waterwheel.query.ReadCosts;
import io.waterwheel.query.Verdict;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What an answer took, for {@code query --stats}. */
final class AnswerStats {
    private final long begin = System.nanoTime();
    private long first;

    /** The answer has begun. */
    void begun() {
        first = System.nanoTime();
    }

    void print(Verdict verdict, PrintStream err) {
        err.printf(
                Locale.ROOT,
                "answer     %d tuples; began after %.1f ms, ended after %.1f ms%n",
                verdict.tuples(),
                (first - begin) / 1e6,
                (System.nanoTime() - begin) / 1e6);
        err.println("indexers   " + verdict.indexersAsked() + " asked");
        ReadCosts costs = verdict.costs();
        if (costs.known()) {
            err.println("chunks     " + costs.chunks() + " there, " + (costs.chunks() - verdict.chunksRead())
                    + " passed over, " + verdict.chunksRead() + " read");
            err.println("leaves     " + costs.leaves() + " in the chunks read, " + (costs.leaves() - costs.leavesRead())
                    + " passed over, " + costs.leavesRead() + " read");
            err.printf(
                    Locale.ROOT,
                    "parts      %d read from files, %d bytes; %d found in the cache (%.0f %%)%n",
                    costs.partsRead(),
                    costs.bytesRead(),
                    costs.cacheHits(),
                    100.0 * costs.cacheHits() / Math.max(1, costs.cacheHits() + costs.partsRead()));
        } else {
            err.println("chunks     " + verdict.chunksRead() + " read");
        }
        err.println("seen       all below " + positions(verdict.positions()) + " (edit " + verdict.edit() + ")");
    }

    /** As {@code --at-least} takes them. */
    static String positions(Map<Integer, Long> positions) {
        return new TreeMap<>(positions)
                .entrySet().stream()
                        .map(entry -> entry.getKey() + ":" + entry.getValue())
                        .collect(Collectors.joining(","));
    }
}
