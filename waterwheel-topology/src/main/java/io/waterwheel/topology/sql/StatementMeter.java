package io.waterwheel.topology.sql;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.metrics.QueryMetrics;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.run.ForwardingSink;
import io.waterwheel.sql.exec.ResidualExecutor;
import io.waterwheel.topology.rpc.ColumnSink;
import io.waterwheel.topology.worker.Closing;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Measures statements by what reaches their clients, and what the executor has to do. Thread-safe. */
final class StatementMeter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StatementMeter.class);

    /** By what a statement is answered. */
    enum Kind {
        /** It failed before that was known. */
        UNKNOWN,
        /** By what the catalog knows, or by a plan. */
        CATALOG,
        QUERY,
        EXECUTOR,
        /** It changed something. */
        CHANGE
    }

    private final Metrics metrics;
    private final List<AutoCloseable> readings;

    StatementMeter(Metrics metrics, ResidualExecutor executor) {
        this.metrics = metrics;
        this.readings = List.of(
                metrics.read(QueryMetrics.EXECUTOR_STATEMENTS, values -> {
                    ResidualExecutor.Load load = executor.load();
                    values.add(load.running(), "running");
                    values.add(load.waiting(), "waiting");
                }),
                metrics.gauge(QueryMetrics.EXECUTOR_LIMIT, () -> executor.load().atOnce()),
                metrics.gauge(QueryMetrics.EXECUTOR_BYTES, () -> executor.load().residentBytes()),
                metrics.read(
                        QueryMetrics.EXECUTOR_STARTS,
                        values -> values.add(executor.load().starts())));
    }

    /** The sink of a statement that comes now. */
    Measured measured(ColumnSink sink) {
        return new Measured(sink);
    }

    @Override
    public void close() {
        Closing.all(LOG, "statements", readings.toArray(new AutoCloseable[0]));
    }

    /** Called by one thread at a time. */
    final class Measured extends ForwardingSink implements ColumnSink {
        private final ColumnSink to;
        private final long beginNanos = System.nanoTime();
        private Kind kind = Kind.UNKNOWN;
        private boolean ended;

        Measured(ColumnSink to) {
            super(to);
            this.to = to;
        }

        void is(Kind known) {
            kind = known;
        }

        @Override
        public void show(List<Column> columns) {
            to.show(columns);
        }

        @Override
        public void finish(Verdict verdict) {
            super.finish(verdict);
            end(verdict.completeness().complete() ? "complete" : "partial");
        }

        @Override
        public void fail(WaterwheelException failure) {
            boolean gone = cancelled();
            super.fail(failure);
            failed(failure, gone);
        }

        /** It ends by an exception. */
        void failed(Throwable failure) {
            failed(failure, cancelled());
        }

        private void failed(Throwable failure, boolean gone) {
            if (ended) {
                return;
            }
            if (gone || failure instanceof InterruptedException) {
                end("cancelled");
                return;
            }
            end("failed");
            if (!counts()) {
                return;
            }
            String code = failure instanceof WaterwheelException known ? known.code() : ErrorCode.BUG.name();
            metrics.counter(QueryMetrics.STATEMENT_FAILURES, code).increment();
        }

        private void end(String outcome) {
            if (!ended) {
                ended = true;
                if (counts()) {
                    metrics.histogram(QueryMetrics.STATEMENTS, kind.name().toLowerCase(Locale.ROOT), outcome)
                            .since(beginNanos);
                }
            }
        }
    }
}
