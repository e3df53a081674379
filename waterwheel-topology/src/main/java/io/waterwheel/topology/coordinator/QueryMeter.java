package io.waterwheel.topology.coordinator;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.metrics.Counter;
import io.waterwheel.metrics.Histogram;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.metrics.QueryMetrics;
import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.run.AnswerSink;
import io.waterwheel.query.run.ForwardingSink;
import io.waterwheel.tuple.TupleBlock;

/** Measures queries by what reaches their clients. Thread-safe. */
final class QueryMeter {
    private final Metrics metrics;
    private final Histogram complete;
    private final Histogram partial;
    private final Histogram failed;
    private final Histogram cancelled;
    private final Histogram probes;
    private final Counter rows;
    private final Counter bytes;
    private final ReadMeter read;

    QueryMeter(Metrics metrics) {
        this.metrics = metrics;
        this.complete = metrics.histogram(QueryMetrics.QUERIES, "complete");
        this.partial = metrics.histogram(QueryMetrics.QUERIES, "partial");
        this.failed = metrics.histogram(QueryMetrics.QUERIES, "failed");
        this.cancelled = metrics.histogram(QueryMetrics.QUERIES, "cancelled");
        this.probes = metrics.histogram(QueryMetrics.QUERIES, "probe");
        this.rows = metrics.counter(QueryMetrics.ROWS);
        this.bytes = metrics.counter(QueryMetrics.BYTES);
        this.read = new ReadMeter(metrics);
    }

    /** The sink of a query that comes now. */
    AnswerSink measured(Query query, AnswerSink sink) {
        return sink.counts() ? new Measured(isProbe(query), sink) : sink;
    }

    /** Whether it asks for tuples of a time before all: how far queries see, as a tail does. */
    private static boolean isProbe(Query query) {
        return query.times().to() == Long.MIN_VALUE;
    }

    /** Called by one thread at a time. */
    private final class Measured extends ForwardingSink {
        private final boolean probe;
        private final long beginNanos = System.nanoTime();
        private boolean ended;

        Measured(boolean probe, AnswerSink to) {
            super(to);
            this.probe = probe;
        }

        @Override
        public void rows(TupleBlock block) {
            int size = block.size();
            long held = block.bytes();
            super.rows(block);
            rows.add(size);
            bytes.add(held);
        }

        @Override
        public void finish(Verdict verdict) {
            if (!probe) {
                // First: who has the answer, and looks at the metrics, finds it there.
                read.add(verdict.statistics());
            }
            super.finish(verdict);
            end(verdict.completeness().complete() ? complete : partial);
        }

        @Override
        public void fail(WaterwheelException failure) {
            boolean gone = cancelled();
            super.fail(failure);
            if (end(gone ? cancelled : failed) && !gone && !probe) {
                metrics.counter(QueryMetrics.FAILURES, failure.code().toString())
                        .increment();
            }
        }

        private boolean end(Histogram outcome) {
            boolean first = !ended;
            if (first) {
                ended = true;
                (probe ? probes : outcome).since(beginNanos);
            }
            return first;
        }
    }
}
