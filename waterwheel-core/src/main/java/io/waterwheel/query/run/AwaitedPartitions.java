package io.waterwheel.query.run;

import io.waterwheel.query.IndexerHeader;
import io.waterwheel.query.Subquery;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;

/** For which partitions an answer waits: indexers have not taken up what it demands of them. One thread. */
final class AwaitedPartitions implements IntPredicate {
    private final Set<Integer> behind = new HashSet<>();
    /** One recovers: it may wait for any. */
    private boolean any;

    /** Takes what an indexer says. */
    void add(IndexerHeader header, Subquery.OfIndexer subquery) {
        any |= header.recovering();
        for (int p = 0; p < header.watermarks().length; p++) {
            if (isBehind(header, subquery, p)) {
                behind.add(p);
            }
        }
    }

    private static boolean isBehind(IndexerHeader header, Subquery.OfIndexer subquery, int partition) {
        return partition < subquery.demand().length && header.watermarks()[partition] < subquery.demand()[partition];
    }

    /** Where an indexer is behind, in words: a part of a sentence for each partition. */
    static List<String> behind(IndexerHeader header, Subquery.OfIndexer subquery) {
        List<String> behind = new ArrayList<>();
        for (int p = 0; p < header.watermarks().length; p++) {
            if (isBehind(header, subquery, p)) {
                behind.add("at offset " + header.watermarks()[p] + " of partition " + p + ", " + subquery.demand()[p]
                        + " was demanded");
            }
        }
        return behind;
    }

    boolean isEmpty() {
        return !any && behind.isEmpty();
    }

    @Override
    public boolean test(int partition) {
        return any || behind.contains(partition);
    }
}
