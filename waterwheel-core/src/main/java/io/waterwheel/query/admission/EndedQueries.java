package io.waterwheel.query.admission;

import io.waterwheel.query.Query;
import io.waterwheel.query.QueryText;
import io.waterwheel.query.ResultSpec;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The last queries that have ended. Each takes some short texts, or a small query. Guarded by the lock of its owner.
 */
final class EndedQueries {
    /** How many are remembered. */
    static final int MOST = 200;

    /** Keys, and positions, of a query that is kept as it is. */
    private static final int SMALL = 16;

    /** The oldest first. */
    private final Deque<Supplier<EndedQuery>> ended = new ArrayDeque<>();

    /**
     * The text by which to remember a query; null where the query itself may be kept until somebody asks, because a
     * text takes longer to make than a look-up does.
     */
    static @Nullable String text(Query query) {
        return isSmall(query) ? null : QueryText.of(query);
    }

    /**
     * Whether to keep the query keeps little: it has no text of its own, and few keys and positions. All else may be
     * large.
     */
    private static boolean isSmall(Query query) {
        ResultSpec result = query.result();
        boolean allFields =
                (result instanceof ResultSpec.Latest latest && latest.select().isEmpty())
                        || (result instanceof ResultSpec.Rows rows
                                && rows.select().isEmpty()
                                && rows.orderBy().isEmpty()
                                && rows.after() == null);
        return allFields
                && query.shape() == null
                && query.where() == null
                && query.keys().size() <= SMALL
                && query.keyRanges().isEmpty()
                && query.atLeast().size() <= SMALL
                && query.seen().positions().size() <= SMALL
                && query.seen().ahead().values().stream().mapToInt(Map::size).sum() <= SMALL;
    }

    /** Adds the latest; the oldest is forgotten where they are too many. */
    void add(Supplier<EndedQuery> query) {
        if (ended.size() == MOST) {
            ended.removeFirst();
        }
        ended.addLast(query);
    }

    /** All of them, the latest last. */
    List<Supplier<EndedQuery>> all() {
        return List.copyOf(ended);
    }
}
