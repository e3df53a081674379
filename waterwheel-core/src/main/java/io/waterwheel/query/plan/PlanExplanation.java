package io.waterwheel.query.plan;

import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.query.Explanation;
import io.waterwheel.query.PruneReason;
import io.waterwheel.query.Pruning;
import io.waterwheel.query.QueryText;
import io.waterwheel.query.Subquery;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionPrinter;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.WantedCells;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiPredicate;

/**
 * Why a plan is as it is. Looks at every chunk of the stream, a million in some hundredths of a second: nothing that
 * every query should do.
 */
public final class PlanExplanation {
    /** Characters of a condition that are shown. */
    private static final int CONDITION = 1_000;

    /** Between two looks whether to go on. */
    private static final int CHUNKS_BETWEEN = 10_000;

    /**
     * A reason for which {@link QueryPlan#of} leaves out a chunk.
     *
     * @param leavesOut true when no tuple of the chunk can match the query
     */
    private record ChunkTest(PruneReason reason, BiPredicate<ResolvedQuery, ChunkDescriptor> leavesOut) {}

    /**
     * All of them, in the order in which they count, after the dimensions. Whatever the plan leaves out, a test here
     * must.
     */
    private static final List<ChunkTest> TESTS = List.of(
            new ChunkTest(
                    PruneReason.KEY,
                    (query, chunk) -> !meets(query.keys(), chunk.region().keys())),
            new ChunkTest(
                    PruneReason.TIME,
                    (query, chunk) -> query.isOfNoRow()
                            || !query.spec().times().overlaps(chunk.region().times())));

    private PlanExplanation() {}

    /**
     * Explains a plan.
     *
     * @param tuples that it is expected to look at
     * @param lane in which it takes its turn
     * @param check throws when it is to go no further; called now and then
     */
    public static Explanation of(QueryPlan plan, long tuples, String lane, Runnable check) {
        ResolvedQuery query = plan.resolved();
        boolean noTime = query.isOfNoRow() && !query.keys().isEmpty();
        Expression where = query.spec().where();
        return new Explanation(
                new Explanation.Asked(
                        plan.snapshot().edit(),
                        keys(query),
                        query.keys().size(),
                        noTime ? null : query.spec().times(),
                        query.spec().area() != null,
                        where == null ? "" : condition(where),
                        QueryText.result(query.query().result())),
                chunks(plan, check),
                indexers(plan),
                new Explanation.Cost(tuples, lane),
                null);
    }

    private static String condition(Expression where) {
        String text = ExpressionPrinter.beginning(where, CONDITION);
        return text.length() <= CONDITION ? text : text.substring(0, CONDITION - 3) + "...";
    }

    private static List<Explanation.KeySpan> keys(ResolvedQuery query) {
        KeyScheme scheme = KeyScheme.of(query.stream().schema());
        KeyInterval domain = scheme.domain();
        return query.keys().stream()
                .limit(Explanation.MOST_KEYS)
                .map(keys -> new Explanation.KeySpan(
                        keys.low(),
                        keys.high(),
                        keys.low() <= domain.low() ? "" : scheme.format(keys.low()),
                        keys.high() >= domain.high() ? "" : scheme.format(keys.high())))
                .toList();
    }

    private static Explanation.Indexers indexers(QueryPlan plan) {
        List<Integer> asked =
                plan.indexers().stream().map(Subquery.OfIndexer::indexer).toList();
        int total = plan.snapshot().checkpoints().size();
        int byReports = plan.excused().size();
        return new Explanation.Indexers(total, total - byReports - asked.size(), byReports, asked);
    }

    private static Explanation.Chunks chunks(QueryPlan plan, Runnable check) {
        StreamSnapshot snapshot = plan.snapshot();
        long[] pruned = new long[TESTS.size()];
        Map<Integer, Integer> byDimension = new TreeMap<>();
        long[] seen = {0};
        check.run();
        snapshot.chunks(new Region(KeyInterval.ALL, TimeInterval.ALL), chunk -> {
            if (++seen[0] % CHUNKS_BETWEEN == 0) {
                check.run();
            }
            int dimension = QueryPlan.missedBy(plan.resolved(), chunk);
            if (dimension != WantedCells.NONE) {
                byDimension.merge(dimension, 1, Integer::sum);
                return;
            }
            for (int t = 0; t < pruned.length; t++) {
                if (TESTS.get(t).leavesOut().test(plan.resolved(), chunk)) {
                    pruned[t]++;
                    return;
                }
            }
        });
        List<Pruning.Count> counts =
                new ArrayList<>(QueryPlan.pruning(plan.resolved(), byDimension).counts());
        for (int t = 0; t < pruned.length; t++) {
            counts.addAll(Pruning.of(TESTS.get(t).reason(), pruned[t]).counts());
        }
        return new Explanation.Chunks(
                snapshot.chunkCount(),
                new Pruning(counts),
                plan.chunks().size(),
                plan.chunks().stream().mapToLong(ChunkDescriptor::tuples).sum(),
                plan.chunks().stream().mapToLong(ChunkDescriptor::bytes).sum());
    }

    /** Whether one of the intervals, which are sorted and disjoint, overlaps this. */
    private static boolean meets(List<KeyInterval> intervals, KeyInterval keys) {
        int from = 0;
        int to = intervals.size();
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (intervals.get(middle).high() < keys.low()) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from < intervals.size() && intervals.get(from).low() <= keys.high();
    }
}
