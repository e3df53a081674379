package io.waterwheel.query.admission;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * Who is told of queries that took long.
 *
 * @param least how long a query takes that is told of, from its coming to the end of its answer
 * @param values whether the query is told with the values that it names, or only its shape
 * @param told takes each at its end, on its thread
 */
public record SlowQueries(Duration least, boolean values, Consumer<SlowQuery> told) {
    /** No query is slow enough to be told. */
    public static final SlowQueries UNTOLD = new SlowQueries(Duration.ofNanos(Long.MAX_VALUE), false, query -> {});
}
