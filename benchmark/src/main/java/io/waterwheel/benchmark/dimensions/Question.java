package io.waterwheel.benchmark.dimensions;

import io.waterwheel.query.KeyRange;
import io.waterwheel.tuple.TimeInterval;
import java.util.ArrayList;
import java.util.List;

/**
 * What is asked: rows whose fields lie in ranges, and an aggregate of them.
 *
 * @param name for people
 * @param aggregate one of {@code count(FIELD)}, {@code avg(FIELD)} and {@code max(FIELD)}
 * @param times of the rows
 * @param ranges of the fields' values, one a field
 */
record Question(String name, String aggregate, TimeInterval times, List<KeyRange> ranges) {
    /** About all rows. */
    static Question of(String name, String aggregate) {
        return new Question(name, aggregate, TimeInterval.ALL, List.of());
    }

    /** The same about rows whose value of one more field lies between; "" for no bound. */
    Question where(String field, String least, String greatest) {
        List<KeyRange> more = new ArrayList<>(ranges);
        more.add(new KeyRange(field, least.isEmpty() ? null : least, greatest.isEmpty() ? null : greatest));
        return new Question(name, aggregate, times, more);
    }

    /** The same between two seconds since 1970. */
    Question during(long from, long to) {
        return new Question(name, aggregate, new TimeInterval(from * 1000, to * 1000), ranges);
    }

    /** The field that is aggregated. */
    String aggregated() {
        return aggregate.substring(aggregate.indexOf('(') + 1, aggregate.length() - 1);
    }
}
