package io.waterwheel.topology.sql;

import io.waterwheel.query.Query;
import io.waterwheel.query.Statement;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.run.ForwardingSink;
import io.waterwheel.schema.Schema;
import io.waterwheel.sql.ResidualPlan;
import io.waterwheel.sql.SqlPlan;
import io.waterwheel.sql.SqlPlanner;
import io.waterwheel.sql.SqlSignature;
import io.waterwheel.sql.StatementPlan;
import io.waterwheel.sql.duckdb.DuckDbExecutor;
import io.waterwheel.sql.duckdb.DuckDbSettings;
import io.waterwheel.sql.exec.ResidualExecutor;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.rpc.ColumnSink;
import io.waterwheel.topology.rpc.QueryHandler;
import io.waterwheel.topology.rpc.StatementHandler;
import io.waterwheel.topology.worker.TaskServices;
import io.waterwheel.tuple.TupleBlock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers statements by queries. Thread-safe. */
public final class Statements implements StatementHandler, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Statements.class);
    private static final AtomicBoolean WARM = new AtomicBoolean();
    private static final Duration LEAST = Duration.ofMillis(1);

    private final QueryHandler queries;
    private final KnownStreams streams;
    private final ResidualExecutor executor;
    /** Guarded by this; null before the first statement. */
    private @Nullable SqlPlanner planner;

    public Statements(TaskServices services, QueryHandler queries) {
        this.queries = queries;
        this.streams = new KnownStreams(services);
        WaterwheelConfig config = services.config();
        this.executor = new DuckDbExecutor(new DuckDbSettings(
                config.get(Keys.SQL_MEMORY).bytes(),
                config.get(Keys.SQL_SPILL).bytes(),
                Runtime.getRuntime().availableProcessors(),
                config.get(Keys.SQL_AT_ONCE)));
    }

    private synchronized SqlPlanner planner() {
        SqlPlanner made = planner;
        if (made == null) {
            made = new SqlPlanner(streams);
            planner = made;
        }
        return made;
    }

    /**
     * Makes the planner quick, on a thread of its own; once in a process. Not before the server is ready, which would
     * be later for it.
     */
    @SuppressWarnings("ThreadPriorityCheck") // nothing depends on it but what gives way on a full machine
    public static void warmUp() {
        if (!WARM.compareAndSet(false, true)) {
            return;
        }
        Thread thread = new Thread(
                () -> {
                    long begun = System.nanoTime();
                    SqlPlanner.warmUp();
                    LOG.info(
                            "the planner of SQL is warm after {} ms",
                            TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun));
                },
                "waterwheel-sql-warm-up");
        thread.setDaemon(true);
        thread.setPriority(Thread.MIN_PRIORITY);
        thread.start();
    }

    /** The plan of a statement, with its parameters. */
    public StatementPlan plan(Statement statement) {
        return planner().plan(statement.sql(), statement.parameters(), Instant.now());
    }

    /** What a statement takes and returns. */
    public SqlSignature signature(String statement) {
        return planner().signature(statement, Instant.now());
    }

    /** The streams that statements may name, by name. */
    public Map<String, Schema> streams() {
        Map<String, Schema> all = new TreeMap<>();
        for (String name : streams.names()) {
            Schema schema = streams.schema(name);
            if (schema != null) {
                all.put(name, schema);
            }
        }
        return all;
    }

    @Override
    public void answer(Statement statement, ColumnSink sink) throws InterruptedException {
        long begun = System.nanoTime();
        StatementPlan planned = plan(statement);
        if (planned instanceof ResidualPlan plan) {
            long deadline = begun + Objects.requireNonNull(statement.timeout()).toNanos();
            new ResidualAnswer(statement, plan, queries, sink, deadline).run(executor);
            return;
        }
        SqlPlan plan = (SqlPlan) planned;
        sink.show(plan.columns().stream()
                .map(column -> new ColumnSink.Column(column.label(), column.field()))
                .toList());
        Query query = statement.demanding(plan.query());
        if (statement.timeout() != null) {
            // Planning is part of the time.
            Duration left = statement.timeout().minusNanos(System.nanoTime() - begun);
            query = query.withTimeout(left.compareTo(LEAST) < 0 ? LEAST : left);
        }
        queries.query(query, new CountedRows(sink));
    }

    @Override
    public void close() {
        executor.close();
    }

    /** The verdict of a statement counts its rows, of aggregates too. */
    private static final class CountedRows extends ForwardingSink {
        private long rows;

        CountedRows(ColumnSink to) {
            super(to);
        }

        @Override
        public void rows(TupleBlock block) {
            rows += block.size();
            super.rows(block);
        }

        @Override
        public void finish(Verdict verdict) {
            super.finish(verdict.withTuples(rows));
        }
    }
}
