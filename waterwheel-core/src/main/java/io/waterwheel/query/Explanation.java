package io.waterwheel.query;

import io.waterwheel.tuple.TimeInterval;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a query is answered, for people who wonder why it is as quick or as slow as it is. The sums are equal: chunks
 * that are there are pruned or to be read, those to be read were read or left, and so on down to leaves.
 *
 * @param asked what the query comes to in terms of its stream
 * @param chunks which chunks it reads
 * @param indexers which indexers it asks for what is not in chunks yet
 * @param cost what it is expected to take
 * @param analysis what it took; null when it was only planned
 */
public record Explanation(
        Asked asked,
        Chunks chunks,
        Indexers indexers,
        Cost cost,
        @Nullable Analysis analysis) {
    /** Key intervals that an explanation names. */
    public static final int MOST_KEYS = 8;

    /**
     * What a query looks for: its ranges, its shape, and what its condition says of keys and times.
     *
     * @param edit number of the catalog's edit that it is planned on
     * @param keys the first {@link #MOST_KEYS} of the key intervals, sorted and disjoint
     * @param keyIntervals how many there are; 0 when nothing can match
     * @param times milliseconds in which times must lie; null when nothing can match
     * @param shape whether the exact position is compared with a shape
     * @param condition what is tested on tuples, shortened; empty when nothing is
     * @param result what is returned of the tuples that match, in words
     */
    public record Asked(
            long edit,
            List<KeySpan> keys,
            long keyIntervals,
            @Nullable TimeInterval times,
            boolean shape,
            String condition,
            String result) {
        public Asked {
            keys = List.copyOf(keys);
        }
    }

    /**
     * A closed interval of keys.
     *
     * @param from {@code low} as a value of the key field; empty when that is no bound
     * @param to {@code high} as a value of the key field; empty when that is no bound
     */
    public record KeySpan(long low, long high, String from, String to) {}

    /**
     * Chunks of the stream, by what the catalog knows of them.
     *
     * @param total that are there
     * @param pruned whose region the query does not meet
     * @param toRead the others
     * @param tuples in these
     * @param bytes of these
     */
    public record Chunks(long total, Pruning pruned, long toRead, long tuples, long bytes) {}

    /**
     * Indexers of the stream.
     *
     * @param total that there are
     * @param byKeys that hold no key of the query
     * @param byReports whose last report shows that they hold nothing of the query
     * @param asked the others, by number
     */
    public record Indexers(long total, long byKeys, long byReports, List<Integer> asked) {
        public Indexers {
            asked = List.copyOf(asked);
        }
    }

    /**
     * What is expected before anything is read, from the sizes and key ranges of chunks and trees.
     *
     * @param tuples to be looked at, rather too many
     * @param lane in which the query takes its turn: {@code light} or {@code heavy}
     */
    public record Cost(long tuples, String lane) {}

    /**
     * What an answer took.
     *
     * @param steps one after the other; their sum is the time from the query's coming to the verdict
     * @param work of all threads
     * @param servers that took part, each with its share of {@code statistics}
     * @param statistics those of the verdict
     */
    public record Analysis(List<Step> steps, Work work, List<Server> servers, Statistics statistics) {
        public Analysis {
            steps = List.copyOf(steps);
            servers = List.copyOf(servers);
        }

        /** From the query's coming to the verdict. */
        public Duration total() {
            return steps.stream().map(Step::time).reduce(Duration.ZERO, Duration::plus);
        }
    }

    /** A step of the thread that answers a query. */
    public record Step(String name, Duration time) {}

    /**
     * What took time beside each other, on several threads and in several processes: sums that may exceed the time of
     * the steps.
     *
     * @param scanning by the clock of who answers: from asking a server for a chunk or a tree to its end
     * @param reading of that, reading and decoding what the caches did not have
     * @param merging of parts into an answer
     * @param sending rows to the client, but for those that come with the verdict
     */
    public record Work(Duration scanning, Duration reading, Duration merging, Duration sending) {}

    /**
     * A server's share in an answer.
     *
     * @param name of an indexer or a query server
     * @param host of a query server; empty for an indexer
     * @param parts chunks that it read; of an indexer 1
     * @param inVain attempts at chunks that gave nothing: they failed, were put off, or another server was quicker
     * @param unread of the chunks, those that its cache's directory, or the one it read, was enough for
     * @param scanned what it looked at
     * @param time its share of {@link Work#scanning}, without attempts in vain
     */
    public record Server(
            String name, String host, long parts, long inVain, long unread, ScanStatistics scanned, Duration time) {}

    /** The same, carried out. */
    public Explanation with(Analysis took) {
        return new Explanation(asked, chunks, indexers, cost, took);
    }

    /** As lines of text, each with a word for what it is about. */
    public String text() {
        return ExplanationText.of(this);
    }
}
