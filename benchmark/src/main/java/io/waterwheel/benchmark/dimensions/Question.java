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
    /** A question by triples of a field, its least and its greatest value; "" for no bound. */
    static Question of(String name, String aggregate, String... triples) {
        List<KeyRange> ranges = new ArrayList<>();
        for (int i = 0; i < triples.length; i += 3) {
            ranges.add(new KeyRange(
                    triples[i],
                    triples[i + 1].isEmpty() ? null : triples[i + 1],
                    triples[i + 2].isEmpty() ? null : triples[i + 2]));
        }
        return new Question(name, aggregate, TimeInterval.ALL, ranges);
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
