package io.waterwheel.query.run;

import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.Subquery;
import io.waterwheel.query.admission.QueryCost;
import io.waterwheel.query.plan.IndexerReports;
import io.waterwheel.query.plan.QueryPlan;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many tuples a plan will look at: of each chunk and tree, the share of its keys that are asked for. Keys are taken
 * to lie evenly, and times and conditions not to help, so that it is rather too high.
 */
final class CostEstimate {
    private CostEstimate() {}

    /**
     * The cost of a plan.
     *
     * @param reports of the stream's indexers
     * @param readers of all query servers together
     */
    static QueryCost of(QueryPlan plan, Map<Integer, IndexerReports> reports, int readers) {
        List<KeyInterval> keys = plan.resolved().keys();
        int parts = Math.max(1, plan.indexers().size() + Math.min(plan.chunks().size(), Math.max(1, readers)));
        if (plan.resolved().isOfNoRow()) {
            return new QueryCost(0, parts);
        }
        double tuples = 0;
        for (Subquery.OfIndexer subquery : plan.indexers()) {
            IndexerReports reported = reports.get(subquery.indexer());
            if (reported != null) {
                tuples +=
                        share(reported.last().region(), keys) * reported.last().tuples();
            }
        }
        for (ChunkDescriptor chunk : plan.chunks()) {
            tuples += share(chunk.region(), keys) * chunk.tuples();
        }
        Query query = plan.resolved().query();
        if (query.result() instanceof ResultSpec.Rows rows
                && rows.orderBy().isEmpty()
                && plan.resolved().spec().where() == null
                && query.times().equals(TimeInterval.ALL)
                && query.instants().isAll()
                && query.shape() == null) {
            // It ends with the first that it finds.
            tuples = Math.min(tuples, (double) rows.limit());
        }
        return new QueryCost((long) tuples, parts);
    }

    /** Of a region's keys, how many lie in the intervals, which are sorted and disjoint: 0 to 1. */
    private static double share(@Nullable Region region, List<KeyInterval> keys) {
        if (region == null) {
            return 0;
        }
        KeyInterval all = region.keys();
        double within = 0;
        for (int i = first(keys, all.low()); i < keys.size() && keys.get(i).low() <= all.high(); i++) {
            KeyInterval interval = keys.get(i);
            within += width(Math.max(interval.low(), all.low()), Math.min(interval.high(), all.high()));
        }
        return Math.min(1, within / width(all.low(), all.high()));
    }

    /** The first interval that ends at this key or later. */
    private static int first(List<KeyInterval> keys, long low) {
        int from = 0;
        int to = keys.size();
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (keys.get(middle).high() < low) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from;
    }

    private static double width(long low, long high) {
        return (double) high - (double) low + 1;
    }
}
