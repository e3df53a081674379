package io.waterwheel.topology.sql;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.Statement;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.admission.OpenStatements.OpenStatement;
import io.waterwheel.query.admission.QueryState.Stage;
import io.waterwheel.query.run.AnswerSink;
import io.waterwheel.sql.ResidualPlan;
import io.waterwheel.sql.exec.ResidualExecutor;
import io.waterwheel.topology.rpc.ColumnSink;
import io.waterwheel.tuple.TupleBlock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The answer to a statement that is more than one query: asks the queries of its leaves, one after another, and hands
 * over what the executor makes of them. The queries share the statement's deadline, and what it demands. One thread,
 * but for {@link #cancelled}.
 */
final class ResidualAnswer implements ResidualExecutor.LeafReader, ResidualExecutor.Asker {
    private static final Duration LEAST = Duration.ofMillis(1);

    /** Who answers the queries of the leaves. */
    interface Leaves {
        /**
         * Answers a query to its end.
         *
         * @param leaf its number in the plan
         */
        void query(int leaf, Query query, AnswerSink sink) throws InterruptedException;
    }

    private final Statement statement;
    private final ResidualPlan plan;
    private final Leaves leaves;
    private final SystemTables system;
    private final ColumnSink sink;
    private final OpenStatement open;
    private final long deadlineNanos;
    private final Verdicts verdicts = new Verdicts();
    /** By leaf, of the query that was answered last: what was read before it is in no answer. */
    private final Map<Integer, Verdict> lastOfLeaf = new TreeMap<>();

    private boolean started;
    private long rows;

    /** @param open the statement, as it is listed; the caller closes it */
    ResidualAnswer(
            Statement statement,
            ResidualPlan plan,
            Leaves leaves,
            SystemTables system,
            ColumnSink sink,
            OpenStatement open,
            long deadlineNanos) {
        this.open = open;
        this.system = system;
        this.statement = statement;
        this.plan = plan;
        this.leaves = leaves;
        this.sink = sink;
        this.deadlineNanos = deadlineNanos;
        // Also while the client takes nothing, and the thread waits in the sink.
        sink.endWhen(open::killed);
    }

    void run(ResidualExecutor executor) throws InterruptedException {
        try {
            answer(executor);
        } catch (WaterwheelException e) {
            WaterwheelException told = open.killed() ? open.killedFailure() : e;
            open.endedAs(told.code());
            throw told;
        }
    }

    private void answer(ResidualExecutor executor) throws InterruptedException {
        statement.requireDemandsOf(Set.copyOf(plan.streams()));
        sink.show(plan.columns().stream()
                .map(column -> new ColumnSink.Column(column.label(), column.field()))
                .toList());
        executor.execute(plan, this, this);
        start();
        lastOfLeaf.forEach((leaf, verdict) -> verdicts.add(plan.leaves().get(leaf).query().stream(), verdict));
        Verdict whole = verdicts.merged(rows);
        open.endedAs(whole.completeness().complete() ? "complete" : "incomplete");
        sink.finish(whole);
    }

    private void start() {
        if (!started) {
            started = true;
            sink.start(plan.fields());
        }
    }

    @Override
    public void take(TupleBlock block) {
        start();
        rows += block.size();
        open.enter(Stage.SENDING);
        sink.rows(block);
        open.sent(block.size());
        open.enter(Stage.RUNNING);
    }

    @Override
    public void begins() {
        open.enter(Stage.RUNNING);
    }

    @Override
    public boolean cancelled() {
        return open.killed() || sink.cancelled();
    }

    @Override
    public long deadlineNanos() {
        return deadlineNanos;
    }

    @Override
    public void readSystem(String name, ResidualExecutor.Rows taker) {
        List<String> missing = system.read(name, this::requireWanted, taker::take);
        SystemTables.requireWhole(missing, statement.allowPartial());
        verdicts.lacks(missing);
    }

    private void requireWanted() {
        if (cancelled()) {
            throw new WaterwheelException(ErrorCode.CANCELLED, "the answer was cancelled");
        } else if (System.nanoTime() - deadlineNanos > 0) {
            throw new WaterwheelException(ErrorCode.TIMEOUT, "the statement's time is over");
        }
    }

    @Override
    public void read(int leaf, Query query, ResidualExecutor.Rows taker) throws InterruptedException {
        Duration left = Duration.ofNanos(deadlineNanos - System.nanoTime());
        LeafSink leafSink = new LeafSink(sink, this::cancelled, taker);
        Query asked = statement.oneOfSeveral(query).withTimeout(left.compareTo(LEAST) < 0 ? LEAST : left);
        leaves.query(leaf, asked, leafSink);
        lastOfLeaf.put(leaf, leafSink.verdict());
    }
}
