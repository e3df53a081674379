package io.waterwheel.local;

import io.waterwheel.query.Aggregate;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ExpressionTypes;
import io.waterwheel.schema.FieldType;
import io.waterwheel.tuple.TimeInterval;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What buckets without tuples hold, one row of objects after another, as docs/queries.md says it. */
final class FilledBuckets {
    private static final MathContext DIGITS = new MathContext(60);

    private final ResultSpec.Aggregates wanted;
    private final TimeInterval times;
    private final ExpressionTypes types;
    private final long step;
    private final long ahead;
    /** Where in a row the bucket is: behind what makes the series. */
    private final int at;

    FilledBuckets(ResultSpec.Aggregates wanted, TimeInterval times, ExpressionTypes types) {
        this.wanted = wanted;
        this.times = times;
        this.types = types;
        this.step = wanted.bucket().millis();
        this.ahead = wanted.bucket().ahead();
        this.at = wanted.groupBy().size();
    }

    /** Puts all buckets in place of those that have tuples. */
    void fill(List<List<Object>> rows) {
        // By text, so that null and arrays of bytes may be compared.
        Map<String, TreeMap<Long, List<Object>>> series = new LinkedHashMap<>();
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        for (List<Object> row : rows) {
            long bucket = ((Instant) row.get(at)).toEpochMilli();
            first = Math.min(first, bucket);
            last = Math.max(last, bucket);
            String name =
                    row.subList(0, at).stream().map(QuestionTwin::text).toList().toString();
            series.computeIfAbsent(name, key -> new TreeMap<>()).put(bucket, row);
        }
        boolean fromOpen = times.from() == Long.MIN_VALUE;
        boolean toOpen = times.to() == Long.MAX_VALUE;
        if (series.isEmpty() && at == 0 && !fromOpen && !toOpen) {
            series.put("all", new TreeMap<>());
        }
        first = fromOpen ? first : begin(times.from());
        last = toOpen ? last : begin(times.to());
        rows.clear();
        for (TreeMap<Long, List<Object>> one : series.values()) {
            for (long bucket = first; bucket <= last; bucket += step) {
                rows.add(one.containsKey(bucket) ? one.get(bucket) : without(one, bucket));
            }
        }
    }

    private long begin(long time) {
        return Math.floorDiv(time - ahead, step) * step + ahead;
    }

    /** A row without tuples. */
    private List<Object> without(NavigableMap<Long, List<Object>> series, long bucket) {
        List<Object> row = new ArrayList<>(
                series.isEmpty() ? List.of() : series.firstEntry().getValue().subList(0, at));
        row.add(Instant.ofEpochMilli(bucket));
        Map.Entry<Long, List<Object>> before = series.lowerEntry(bucket);
        Map.Entry<Long, List<Object>> after = series.higherEntry(bucket);
        for (Aggregate value : wanted.values()) {
            int place = row.size();
            if (value.function().name().contains("count")) {
                row.add(0L);
            } else {
                row.add(
                        switch (wanted.fill()) {
                            case NULL -> null;
                            case PREVIOUS ->
                                before == null ? null : before.getValue().get(place);
                            case LINEAR ->
                                before == null || after == null || !isNumber(value)
                                        ? null
                                        : between(
                                                value,
                                                before.getValue().get(place),
                                                after.getValue().get(place),
                                                bucket - before.getKey(),
                                                after.getKey() - before.getKey());
                        });
            }
        }
        return row;
    }

    /** An address is an integer here, too, but no number. */
    private boolean isNumber(Aggregate value) {
        return value.function().name().equals("avg")
                || types.typeOf(value.arguments().get(0)).numeric();
    }

    /** Whether it is of the type of a field that holds floats. */
    private boolean isFloat(Aggregate value) {
        return List.of("min", "max", "first", "last", "arg_min", "arg_max", "quantile", "median")
                        .contains(value.function().name())
                && value.arguments().get(0) instanceof Expression.FieldValue field
                && types.field(field.name()).type() == FieldType.FLOAT;
    }

    private @Nullable Object between(Aggregate value, @Nullable Object low, @Nullable Object high, long part, long of) {
        if (low == null || high == null) {
            return null;
        }
        if (low instanceof Long whole) {
            BigDecimal from = BigDecimal.valueOf(whole);
            BigDecimal way = BigDecimal.valueOf((Long) high).subtract(from).multiply(BigDecimal.valueOf(part));
            return from.add(way.divide(BigDecimal.valueOf(of), DIGITS))
                    .add(BigDecimal.valueOf(0.5))
                    .setScale(0, RoundingMode.FLOOR)
                    .longValueExact();
        }
        double from = (Double) low;
        double to = (Double) high;
        double share = (double) part / of;
        // The way between large numbers may be infinite, or no number.
        double number = Double.compare(from, to) == 0
                ? from
                : Double.isFinite(to - from) ? from + (to - from) * share : from * (1 - share) + to * share;
        return isFloat(value) ? (double) (float) number : number;
    }
}
