package io.waterwheel.query.admission;

/**
 * What a query is expected to take.
 *
 * @param tuples to be looked at, about: from the sizes and the key ranges of chunks and trees, not from the condition
 * @param parts threads that may work on it at a time, at least 1
 */
public record QueryCost(long tuples, int parts) {
    public QueryCost {
        if (tuples < 0 || parts < 1) {
            throw new IllegalArgumentException("cost: " + tuples + " tuples, " + parts + " parts");
        }
    }
}
