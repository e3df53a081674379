package io.waterwheel.query;

import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionPrinter;
import io.waterwheel.tuple.TimeInterval;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A query in one line for people, such as {@code flights: 2 key intervals, where speed > 50, count}. Stateless. */
public final class QueryText {
    private static final int MOST = 200;

    private QueryText() {}

    /** At most 200 characters. */
    public static String of(Query query) {
        return of(query, true);
    }

    /**
     * The same without a value that it names: those of a condition are question marks, and of a time only its length is
     * told, so that queries of one shape are of one text.
     */
    public static String shape(Query query) {
        return of(query, false);
    }

    private static String of(Query query, boolean values) {
        List<String> parts = new ArrayList<>();
        int keys = query.keys().size() + query.keyRanges().size();
        if (keys > 0) {
            parts.add(keys == 1 ? "1 key interval" : keys + " key intervals");
        }
        if (query.shape() != null) {
            parts.add("a shape");
        }
        if (!values) {
            addTimesShape(query, parts);
        } else if (!query.instants().isAll()) {
            parts.add("time " + query.instants().from() + " to "
                    + query.instants().to());
        } else if (!query.times().equals(TimeInterval.ALL)) {
            parts.add("time " + instant(query.times().from()) + " to "
                    + instant(query.times().to()));
        }
        if (query.where() != null) {
            parts.add("where "
                    + (values
                            ? ExpressionPrinter.beginning(query.where(), MOST)
                            : ExpressionPrinter.shape(query.where(), MOST)));
        }
        parts.add(result(query.result()));
        String text = query.stream() + ": " + String.join(", ", parts);
        return text.length() <= MOST ? text : text.substring(0, MOST - 3) + "...";
    }

    /** Both ways to bound times count: from one of each a length would follow that gives the bound away. */
    private static void addTimesShape(Query query, List<String> parts) {
        TimeInterval times = query.times();
        Instant from = query.instants().from();
        Instant to = query.instants().to();
        if (times.from() != Long.MIN_VALUE && Instant.ofEpochMilli(times.from()).isAfter(from)) {
            from = Instant.ofEpochMilli(times.from());
        }
        if (times.to() != Long.MAX_VALUE && Instant.ofEpochMilli(times.to()).isBefore(to)) {
            to = Instant.ofEpochMilli(times.to());
        }
        boolean begins = !from.equals(Instant.MIN);
        boolean ends = !to.equals(Instant.MAX);
        if (begins && ends) {
            parts.add("time of " + Duration.between(from, to));
        } else if (begins) {
            parts.add("time from a moment on");
        } else if (ends) {
            parts.add("time up to a moment");
        }
    }

    /** What is returned of tuples, such as {@code 10 rows in order}. */
    public static String result(ResultSpec result) {
        if (result instanceof ResultSpec.Aggregates aggregates) {
            if (aggregates.countsOnly()) {
                return "count";
            }
            if (aggregates.values().isEmpty()) {
                return aggregates.groupBy().isEmpty() ? "time buckets" : "distinct " + names(aggregates.groupBy());
            }
            return (aggregates.values().size() == 1
                            ? "1 aggregate"
                            : aggregates.values().size() + " aggregates")
                    + (aggregates.groupBy().isEmpty() ? "" : " by " + names(aggregates.groupBy()));
        }
        if (result instanceof ResultSpec.Latest latest) {
            return "latest " + latest.perKey() + (latest.every() == 1 ? "" : ", one in " + latest.every());
        }
        if (result instanceof ResultSpec.Lookup lookup) {
            return "rows " + (lookup.asOf() ? "as of " : "at ") + lookup.pairs().size() + " pairs";
        }
        if (result instanceof ResultSpec.Series series) {
            return (series.limit() == Query.NO_LIMIT ? "all rows" : series.limit() + " rows") + " of series"
                    + (series.downsampling() == null ? "" : ", " + series.downsampling())
                    + (series.by().isEmpty() ? "" : " by " + String.join(", ", series.by()));
        }
        ResultSpec.Rows rows = (ResultSpec.Rows) result;
        return (rows.limit() == Query.NO_LIMIT ? "all rows" : rows.limit() + " rows")
                + (rows.orderBy().isEmpty() ? "" : " in order");
    }

    private static String names(List<NamedExpression> groups) {
        // A field by its own name: a statement of SQL calls it c0 or g0.
        return groups.stream()
                .map(group -> group.expression() instanceof Expression.FieldValue field ? field.name() : group.name())
                .collect(Collectors.joining(", "));
    }

    private static String instant(long millis) {
        try {
            return Instant.ofEpochMilli(millis).toString();
        } catch (DateTimeException e) {
            return millis + " ms";
        }
    }
}
