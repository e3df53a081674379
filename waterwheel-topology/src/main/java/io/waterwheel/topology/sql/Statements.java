package io.waterwheel.topology.sql;

import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.state.View;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.protocol.Control;
import io.waterwheel.query.Explain;
import io.waterwheel.query.Query;
import io.waterwheel.query.Statement;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.admission.Admission;
import io.waterwheel.query.admission.OpenStatements.OpenStatement;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.query.run.ForwardingSink;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.Schema;
import io.waterwheel.sql.ResidualPlan;
import io.waterwheel.sql.SqlPlan;
import io.waterwheel.sql.SqlPlanner;
import io.waterwheel.sql.SqlSignature;
import io.waterwheel.sql.StatementPlan;
import io.waterwheel.sql.SystemPlan;
import io.waterwheel.sql.SystemTable;
import io.waterwheel.sql.change.Change;
import io.waterwheel.sql.duckdb.DuckDbExecutor;
import io.waterwheel.sql.duckdb.DuckDbSettings;
import io.waterwheel.sql.exec.ResidualExecutor;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.rpc.AdminHandler;
import io.waterwheel.topology.rpc.ColumnSink;
import io.waterwheel.topology.rpc.QueryHandler;
import io.waterwheel.topology.rpc.StatementHandler;
import io.waterwheel.topology.worker.CoordinatorServices;
import io.waterwheel.tuple.TupleBlock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers statements by queries. Thread-safe. */
public final class Statements implements StatementHandler, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Statements.class);
    private static final AtomicBoolean WARM = new AtomicBoolean();
    /** Whether the classes are loaded that the first statement takes. */
    private static final CountDownLatch LOADED = new CountDownLatch(1);

    private static final int MOST_LOADING_SECONDS = 10;
    private static final Duration LEAST = Duration.ofMillis(1);
    /** Half of the streams of clients at a time: values of queries come by the others. */
    private static final int UPDATES_AT_ONCE = 8;

    /**
     * Tells the answer of a change that {@link #update} made, whose row is the statement's parameters; changes nothing.
     */
    public static final StatementHandler DONE = (statement, sink) -> Changes.tell(statement.parameters(), sink);

    private final QueryHandler queries;
    private final KnownStreams streams;
    private final Admission admission;
    private final ResidualExecutor executor;
    private final OwnStatements own;
    private final SystemTables system;
    private final Changes changes;
    private final ViewColumns viewColumns;
    private final LastVerdicts verdicts = new LastVerdicts();
    private final Semaphore updates = new Semaphore(UPDATES_AT_ONCE);
    private final StatementMeter meter;
    /** Guarded by this; null before the first statement. */
    private @Nullable SqlPlanner planner;

    /**
     * Statements of a coordinator.
     *
     * @param queries answers the queries that statements are made of
     * @param calls answers the calls that make, change and drop streams
     * @param log takes the rows of INSERT
     * @param letters has the dead letters
     */
    public Statements(
            CoordinatorServices services,
            CoordinatorServices.QueryHandler coordinator,
            QueryHandler queries,
            AdminHandler calls,
            InsertLog log,
            LetterLog letters) {
        this.queries = queries;
        this.admission = services.admission();
        this.streams = new KnownStreams(services);
        WaterwheelConfig config = services.config();
        this.executor = new DuckDbExecutor(new DuckDbSettings(
                config.get(Keys.SQL_MEMORY).bytes(),
                config.get(Keys.SQL_SPILL).bytes(),
                Runtime.getRuntime().availableProcessors(),
                config.get(Keys.SQL_AT_ONCE),
                FileTables.folder(config.get(Keys.SQL_TABLES))));
        this.own = new OwnStatements(streams);
        this.viewColumns = new ViewColumns(streams);
        this.system = new SystemTables(
                streams::all,
                new SystemTables.Views() {
                    @Override
                    public List<View> all() {
                        return List.copyOf(streams.views().all().values());
                    }

                    @Override
                    public List<SystemTable> files() {
                        return streams.tables().all();
                    }

                    @Override
                    public List<Field> columns(View view) {
                        return columnsOf(view);
                    }
                },
                new ServerTables(
                        knowledge(coordinator),
                        config.get(Keys.INDEXER_TASKS),
                        letters,
                        admission::list,
                        admission::ended));
        this.changes = new Changes(
                config.get(Keys.SQL_CHANGES).equals("allow"),
                streams,
                executor,
                calls,
                log,
                coordinator::snapshot,
                verdicts);
        this.meter = new StatementMeter(services.metrics(), executor);
    }

    private static ServerTables.Knowledge knowledge(CoordinatorServices.QueryHandler coordinator) {
        return new ServerTables.Knowledge() {
            @Override
            public StreamSnapshot known(StreamInfo stream) {
                return coordinator.known(stream);
            }

            @Override
            public Map<Integer, Control.PartitionReport> partitionReports(int streamId) {
                return coordinator.partitionReports(streamId);
            }

            @Override
            public Map<Integer, Control.Report> indexerReports(int streamId) {
                return coordinator.indexerReports(streamId);
            }

            @Override
            public double[] keyRates(int streamId, RoutingTable table) {
                return coordinator.keyRates(streamId, table);
            }
        };
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
     * Makes the planner quick, on a thread of its own; once in a process. The first statement loads most classes; what
     * follows gives way to all else.
     *
     * @param goesOn asked before each statement after the first, may block: where it says no, the rest is left
     */
    @SuppressWarnings("ThreadPriorityCheck") // nothing depends on it but what gives way on a full machine
    public static void warmUp(BooleanSupplier goesOn) {
        if (!WARM.compareAndSet(false, true)) {
            return;
        }
        try {
            Thread thread = new Thread(() -> plan(goesOn), "waterwheel-sql-warm-up");
            thread.setDaemon(true);
            thread.setPriority(Thread.NORM_PRIORITY);
            thread.start();
        } catch (Error e) {
            // Of memory for a thread: who waits for it must not wait in vain.
            LOADED.countDown();
            throw e;
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // as above
    private static void plan(BooleanSupplier goesOn) {
        long begun = System.nanoTime();
        AtomicInteger planned = new AtomicInteger();
        try {
            SqlPlanner.warmUp(() -> {
                int before = planned.getAndIncrement();
                if (before == 1) {
                    Thread.currentThread().setPriority(Thread.MIN_PRIORITY);
                    LOADED.countDown();
                }
                return before == 0 || goesOn.getAsBoolean();
            });
        } finally {
            LOADED.countDown();
        }
        LOG.info("the planner of SQL is warm after {} ms", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun));
    }

    /**
     * Waits until the first statement of {@link #warmUp} is planned, but no longer than some seconds since a moment;
     * less when interrupted.
     *
     * @param begunNanos {@link System#nanoTime} when the wait for all that is made quick began
     */
    public static void awaitLoaded(long begunNanos) {
        try {
            long left = TimeUnit.SECONDS.toNanos(MOST_LOADING_SECONDS) - (System.nanoTime() - begunNanos);
            if (!LOADED.await(Math.max(0, left), TimeUnit.NANOSECONDS)) {
                LOG.warn("the planner of SQL is not loaded in time; the first statement will be slow");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What NOW() is: a TIMESTAMP(3). */
    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS);
    }

    private StatementPlan plan(Statement statement, String sql) {
        return planner().plan(sql, statement.parameters(), now());
    }

    /** What a statement takes and returns. */
    public StatementShape shape(Statement asked) {
        Statement statement = StatementHints.applied(asked);
        if (OwnStatements.isVerdict(statement.sql())) {
            return StatementShape.of(List.of(), LastVerdicts.FIELDS, List.of());
        }
        Change change = Changes.of(statement);
        if (change != null) {
            return shape(change, statement);
        }
        OwnStatements.Own own = this.own.answer(statement.sql(), now());
        if (own != null) {
            return StatementShape.of(own);
        }
        OwnStatements.Explained explained = OwnStatements.explained(statement.sql());
        String sql = explained == null ? statement.sql() : explained.statement();
        SqlSignature signature = statement.parameters().isEmpty()
                ? planner().signature(sql, now())
                : new SqlSignature(List.of(), plan(statement, sql));
        return explained == null
                ? StatementShape.of(signature.parameters(), signature.plan())
                : StatementShape.explained(signature.parameters(), signature.plan());
    }

    private StatementShape shape(Change change, Statement statement) {
        List<ValueType> parameters = List.of();
        List<String> read = List.of();
        if (change instanceof Change.Insert insert) {
            parameters = changes.parameters(insert);
            if (parameters == null) {
                SqlSignature signature = statement.parameters().isEmpty()
                        ? planner().signature(insert.source(), changes.columns(insert), now())
                        : new SqlSignature(List.of(), plan(statement, insert.source()));
                parameters = signature.parameters();
                read = signature.plan().streams();
            }
        }
        return StatementShape.of(parameters, Changes.fields(change), read);
    }

    /**
     * Runs a statement that changes something.
     *
     * @param asked the same one with other parameters each, at least one; all rows of an INSERT are stored, or none
     * @return rows that were stored
     * @throws WaterwheelException code SQL_UNSUPPORTED when it changes nothing
     */
    public long update(List<Statement> asked, ColumnSink sink) throws InterruptedException {
        List<Statement> statements = asked.stream().map(StatementHints::applied).toList();
        Statement first = statements.get(0);
        Change change = Changes.of(first);
        if (change == null) {
            throw new WaterwheelException(
                    ErrorCode.SQL_UNSUPPORTED,
                    "statement: it changes nothing, or it is not supported: INSERT, and CREATE, ALTER and DROP of"
                            + " streams, views and tables are; ask others as queries");
        }
        long deadline =
                System.nanoTime() + Objects.requireNonNull(first.timeout()).toNanos();
        StatementMeter.Measured measured = meter.measured(sink);
        try {
            if (!updates.tryAcquire()) {
                throw new WaterwheelException(
                        ErrorCode.SERVER_BUSY,
                        "the server is busy: " + UPDATES_AT_ONCE + " updates run or wait; nothing was done, try again");
            }
            try {
                return change(change, statements, deadline, measured);
            } finally {
                updates.release();
            }
        } catch (RuntimeException | Error | InterruptedException e) {
            measured.failed(e);
            throw e;
        }
    }

    private long change(Change change, List<Statement> statements, long deadline, StatementMeter.Measured sink)
            throws InterruptedException {
        sink.is(StatementMeter.Kind.CHANGE);
        return changes.make(change, statements, deadline, this::answerQuery, sink);
    }

    /** The query of an INSERT: another change within it is none. */
    private void answerQuery(Statement statement, ColumnSink to) throws InterruptedException {
        if (statement.changes()) {
            throw new WaterwheelException(ErrorCode.BAD_SQL, "statement: an INSERT takes VALUES or a query");
        }
        answer(statement, to);
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

    /**
     * The views that statements may name, with their columns, by name; without columns those that cannot be planned.
     */
    public Map<String, List<Field>> views() {
        return viewColumns.all();
    }

    private List<Field> columnsOf(View view) {
        return viewColumns.of(view);
    }

    /** The tables of files that statements may name, with their columns, by name. */
    public Map<String, List<Field>> fileTables() {
        Map<String, List<Field>> all = new TreeMap<>();
        streams.tables().all().forEach(table -> all.put(table.name(), table.fields()));
        return all;
    }

    /** The tables about the server. */
    public List<SystemTable> systemTables() {
        return SystemTables.ALL;
    }

    @Override
    public Statement hinted(Statement asked) {
        return StatementHints.applied(asked);
    }

    @Override
    public void answer(Statement statement, ColumnSink to) throws InterruptedException {
        StatementMeter.Measured sink = meter.measured(to);
        try {
            answer(StatementHints.applied(statement), sink);
        } catch (RuntimeException | Error | InterruptedException e) {
            sink.failed(e);
            throw e;
        }
    }

    /** A connection begins: what is known of another one from the same host and port is not its own. */
    public void connected(String client) {
        verdicts.forget(client);
    }

    private void answer(Statement statement, StatementMeter.Measured sink) throws InterruptedException {
        long begun = System.nanoTime();
        Change change = Changes.of(statement);
        if (change != null) {
            long deadline = begun + Objects.requireNonNull(statement.timeout()).toNanos();
            long unused = change(change, List.of(statement), deadline, sink);
            return;
        }
        if (OwnStatements.isVerdict(statement.sql())) {
            sink.is(StatementMeter.Kind.CATALOG);
            MemoryRows verdict = verdicts.of(sink.client());
            sink.show(
                    StatementShape.of(List.of(), LastVerdicts.FIELDS, List.of()).columns());
            verdict.to(sink);
            return;
        }
        OwnStatements.Own known = own.answer(statement.sql(), now());
        if (known != null) {
            sink.is(StatementMeter.Kind.CATALOG);
            sink.show(StatementShape.columns(known));
            known.rows().to(sink);
            return;
        }
        OwnStatements.Explained explained = OwnStatements.explained(statement.sql());
        StatementPlan planned = plan(statement, explained == null ? statement.sql() : explained.statement());
        if (planned instanceof ResidualPlan plan) {
            sink.is(
                    explained == null || explained.analyze()
                            ? StatementMeter.Kind.EXECUTOR
                            : StatementMeter.Kind.CATALOG);
            streams.tables().require(plan.files());
            long deadline = begun + Objects.requireNonNull(statement.timeout()).toNanos();
            ResidualExplanation explanation = new ResidualExplanation(statement, plan, queries, sink, deadline);
            if (explained != null && !explained.analyze()) {
                explanation.plan(streams.tables()::shown);
                return;
            }
            try (OpenStatement open = admission.statements().open(statement.sql(), sink.client())) {
                if (explained != null) {
                    explanation.analyze(executor, system, open, streams.tables()::shown);
                    return;
                }
                ResidualAnswer.Leaves leaves = (leaf, query, to) -> queries.query(query, to);
                ColumnSink noted = noted(sink, plan.streams());
                new ResidualAnswer(statement, plan, leaves, system, noted, open, deadline).run(executor);
            }
            return;
        }
        if (planned instanceof SystemPlan plan) {
            sink.is(StatementMeter.Kind.CATALOG);
            if (explained != null) {
                sink.show(List.of(new ColumnSink.Column("plan", 0)));
                new MemoryRows(OwnStatements.PLAN)
                        .add("all rows of " + plan.table() + ", which the coordinator knows")
                        .to(sink);
                return;
            }
            sink.show(StatementShape.columns(plan));
            sink.start(plan.fields());
            long[] rows = {0};
            List<String> missing = system.read(plan.table(), () -> requireWanted(sink), block -> {
                rows[0] += block.size();
                sink.rows(block);
            });
            SystemTables.requireWhole(missing, statement.allowPartial());
            sink.finish(new Verdict(missing.isEmpty(), missing, Map.of(), 0, rows[0], 0, 0));
            return;
        }
        SqlPlan plan = (SqlPlan) planned;
        sink.is(StatementMeter.Kind.QUERY);
        Query query = statement.demanding(plan.query());
        if (statement.timeout() != null) {
            // Planning is part of the time.
            Duration left = statement.timeout().minusNanos(System.nanoTime() - begun);
            query = query.withTimeout(left.compareTo(LEAST) < 0 ? LEAST : left);
        }
        if (explained != null) {
            Explain wanted = explained.analyze() ? Explain.ANALYZE : Explain.PLAN;
            queries.query(query.toBuilder().explain(wanted).build(), new ExplainedRows(sink));
            return;
        }
        sink.show(StatementShape.columns(plan));
        queries.query(query, new CountedRows(noted(sink, plan.streams())));
    }

    private static void requireWanted(ColumnSink sink) {
        if (sink.cancelled()) {
            throw new WaterwheelException(ErrorCode.CANCELLED, "the answer was cancelled");
        }
    }

    /** The sink, by which the verdict is remembered. */
    private ColumnSink noted(ColumnSink sink, List<String> read) {
        return new NotedVerdict(sink, read);
    }

    private final class NotedVerdict extends ForwardingSink implements ColumnSink {
        private final ColumnSink to;
        private final List<String> streams;

        NotedVerdict(ColumnSink to, List<String> read) {
            super(to);
            this.to = to;
            this.streams = read;
        }

        @Override
        public void show(List<Column> columns) {
            to.show(columns);
        }

        @Override
        public void finish(Verdict verdict) {
            if (counts()) {
                // Before the client knows of the end, and asks.
                verdicts.note(to.client(), LastVerdicts.Told.of(verdict, streams));
            }
            super.finish(verdict);
        }
    }

    @Override
    public void close() {
        meter.close();
        executor.close();
        streams.close();
    }

    /** Of an answer only how it came about, a line a row. */
    private static final class ExplainedRows extends ForwardingSink {
        private final ColumnSink to;

        ExplainedRows(ColumnSink to) {
            super(to);
            this.to = to;
        }

        @Override
        public void start(List<Field> fields) {}

        @Override
        public void rows(TupleBlock block) {}

        @Override
        public void finish(Verdict verdict) {
            MemoryRows lines = new MemoryRows(OwnStatements.PLAN);
            verdict.requireExplanation().text().lines().forEach(line -> lines.add(line));
            to.show(List.of(new ColumnSink.Column("plan", 0)));
            lines.to(to, verdict);
        }
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
