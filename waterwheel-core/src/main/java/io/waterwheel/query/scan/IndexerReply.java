package io.waterwheel.query.scan;

import io.waterwheel.query.IndexerHeader;
import io.waterwheel.query.rows.RowSink;
import java.io.IOException;

/** An indexer's answer to a subquery: a header, then tuples. Holds memory of the indexer until closed. */
public interface IndexerReply extends AutoCloseable {
    IndexerHeader header();

    /**
     * Hands over the matching tuples, once; only after a header that says ANSWER.
     *
     * @return number of matching tuples
     * @throws IOException when the answer was cut off: what the sink has seen is then not the whole
     */
    long rows(RowSink sink) throws IOException;

    /**
     * After {@link #rows}: per partition, an offset above every tuple that was handed over (protocol rule 10). At least
     * the watermarks of the header, and more where the indexer went on to take tuples meanwhile.
     */
    long[] shown();

    @Override
    void close();
}
