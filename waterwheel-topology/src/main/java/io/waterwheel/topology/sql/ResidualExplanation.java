package io.waterwheel.topology.sql;

import io.waterwheel.query.Explain;
import io.waterwheel.query.Explanation;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Query;
import io.waterwheel.query.QueryText;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.Statement;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.admission.OpenStatements.OpenStatement;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.run.AnswerSink;
import io.waterwheel.query.run.ForwardingSink;
import io.waterwheel.schema.Field;
import io.waterwheel.sql.ResidualPlan;
import io.waterwheel.sql.exec.Narrowed;
import io.waterwheel.sql.exec.ResidualExecutor;
import io.waterwheel.topology.rpc.ColumnSink;
import io.waterwheel.topology.rpc.QueryHandler;
import io.waterwheel.tuple.TupleBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How a statement is answered that is more than one query: what each leaf reads and prunes, and what is answered of
 * them; when it is analysed, how many rows each gave, how long that took, and how it was narrowed. One thread.
 */
final class ResidualExplanation {
    private static final Duration LEAST = Duration.ofMillis(1);
    /** Characters of a line. */
    private static final int MOST_SHOWN = 200;

    private final Statement statement;
    private final ResidualPlan plan;
    private final QueryHandler queries;
    private final ColumnSink sink;
    private final long deadlineNanos;
    private final MemoryRows lines = new MemoryRows(OwnStatements.PLAN);
    private final List<@Nullable Read> reads = new ArrayList<>();
    private int turn;

    ResidualExplanation(
            Statement statement, ResidualPlan plan, QueryHandler queries, ColumnSink sink, long deadlineNanos) {
        this.statement = statement;
        this.plan = plan;
        this.queries = queries;
        this.sink = sink;
        this.deadlineNanos = deadlineNanos;
        plan.leaves().forEach(unused -> reads.add(null));
    }

    /**
     * What a leaf did.
     *
     * @param turn of its reading, from 1
     * @param times that it was asked: some tuples first, then perhaps groups, or all tuples
     * @param query as it was asked last
     * @param nanos of all times
     */
    private record Read(
            int turn,
            int times,
            Query query,
            long rows,
            long nanos,
            @Nullable Verdict verdict) {}

    /**
     * Explains without an answer.
     *
     * @param shown texts of DuckDB without what is of no one's concern
     */
    void plan(UnaryOperator<String> shown) throws InterruptedException {
        Verdicts verdicts = new Verdicts();
        statement.requireDemandsOf(Set.copyOf(plan.streams()));
        for (int number = 0; number < plan.leaves().size(); number++) {
            Duration left = Duration.ofNanos(deadlineNanos - System.nanoTime());
            Query query = statement
                    .oneOfSeveral(plan.leaves().get(number).query())
                    .withTimeout(left.compareTo(LEAST) < 0 ? LEAST : left);
            LeafSink answer = new LeafSink(sink, sink::cancelled, rows -> {});
            queries.query(query.toBuilder().explain(Explain.PLAN).build(), answer);
            leaf(number, answer.verdict());
            verdicts.add(query.stream(), answer.verdict());
        }
        rest(shown);
        show(verdicts.merged(0));
    }

    /** Answers, drops the rows, and explains what that took. */
    void analyze(ResidualExecutor executor, SystemTables system, OpenStatement open, UnaryOperator<String> shown)
            throws InterruptedException {
        long begun = System.nanoTime();
        Dropped answer = new Dropped(sink);
        new ResidualAnswer(statement, plan, this::read, system, answer, open, deadlineNanos).run(executor);
        long nanos = System.nanoTime() - begun;
        long leaves = 0;
        for (int number = 0; number < reads.size(); number++) {
            Read read = reads.get(number);
            if (read == null) {
                lines.add(ResidualPlan.table(number) + ": not read");
                continue;
            }
            leaves += read.nanos;
            leaf(number, read.verdict);
        }
        rest(shown);
        lines.add("answer: " + rows(answer.rows) + " in " + millis(nanos) + ", of which the leaves took "
                + millis(leaves));
        show(Objects.requireNonNull(answer.verdict));
    }

    private void read(int leaf, Query query, AnswerSink to) throws InterruptedException {
        long begun = System.nanoTime();
        Counted answer = new Counted(to);
        queries.query(query.toBuilder().explain(Explain.ANALYZE).build(), answer);
        // Of a leaf that is asked again the last answer is the one that counts.
        Read before = reads.get(leaf);
        if (before == null) {
            turn++;
        }
        long nanos = System.nanoTime() - begun;
        reads.set(
                leaf,
                before == null
                        ? new Read(turn, 1, query, answer.rows, nanos, answer.verdict)
                        : new Read(
                                before.turn,
                                before.times + 1,
                                query,
                                answer.rows,
                                before.nanos + nanos,
                                answer.verdict));
    }

    private void leaf(int number, @Nullable Verdict verdict) {
        ResidualPlan.Leaf leaf = plan.leaves().get(number);
        Query query = leaf.query();
        Read read = reads.get(number);
        lines.add(ResidualPlan.table(number) + (read == null ? ": " : ", as planned: ") + QueryText.of(query));
        String columns = columns(query.result());
        if (!columns.isEmpty()) {
            lines.add("  columns    " + columns);
        }
        if (leaf.singles() != null) {
            lines.add("  " + partial(read == null ? null : read.query));
        }
        if (read != null) {
            lines.add("  read as number " + read.turn + (read.times > 1 ? ", asked " + read.times + " times: " : ": ")
                    + rows(read.rows) + " in " + millis(read.nanos) + narrowed(query, read.query));
        }
        Explanation explanation = verdict == null ? null : verdict.explanation();
        if (explanation != null) {
            explanation.text().lines().forEach(line -> lines.add("  " + line));
        }
    }

    /** What a leaf gives, as far as a line goes; empty where that is all columns of its stream. */
    private static String columns(ResultSpec result) {
        List<String> columns = new ArrayList<>();
        if (result instanceof ResultSpec.Rows rows) {
            rows.select().forEach(column -> columns.add(named(column)));
        } else if (result instanceof ResultSpec.Series series) {
            series.select().forEach(column -> columns.add(named(column)));
            series.values().forEach(value -> columns.add(value.toString()));
        } else if (result instanceof ResultSpec.Aggregates aggregates) {
            aggregates.groupBy().forEach(column -> columns.add(named(column)));
            aggregates.values().forEach(value -> columns.add(value.toString()));
        } else if (result instanceof ResultSpec.Latest latest) {
            columns.addAll(latest.select());
        }
        String text = String.join(", ", columns);
        return text.length() <= MOST_SHOWN ? text : text.substring(0, MOST_SHOWN - 3) + "...";
    }

    private static String named(NamedExpression column) {
        return column.expression() instanceof Expression.FieldValue field ? field.name() : column.toString();
    }

    /** What is said of groups that are merged again. */
    private static String partial(@Nullable Query asked) {
        if (asked == null) {
            return "groups that the rest merges again; read as tuples where there are hardly fewer groups";
        } else if (asked.result() instanceof ResultSpec.Rows rows) {
            return rows.limit() == Query.NO_LIMIT
                    ? "read as tuples, for there are hardly fewer groups, or the engine could not have them"
                    : "read as tuples, for there are few";
        }
        return "read as groups, which the rest merges again";
    }

    private void rest(UnaryOperator<String> shown) {
        for (int number = 0; number < plan.systems().size(); number++) {
            lines.add(ResidualPlan.systemTable(number) + ": "
                    + plan.systems().get(number).name());
        }
        for (int number = 0; number < plan.sides().size(); number++) {
            lines.add(ResidualPlan.sideTable(number) + ": "
                    + shown.apply(plan.sides().get(number)));
        }
        for (int number = 0; number < plan.regions().size(); number++) {
            lines.add(ResidualPlan.regionTable(number) + ": "
                    + shown.apply(plan.regions().get(number)));
        }
        shown.apply(plan.text()).lines().forEach(line -> lines.add(line));
    }

    private void show(Verdict verdict) {
        sink.show(List.of(new ColumnSink.Column("plan", 0)));
        lines.to(sink, verdict);
    }

    private static String narrowed(Query planned, Query asked) {
        return Narrowed.counts(planned.where(), asked.where()).stream()
                .map(count -> ", narrowed to " + count + (count == 1 ? " value" : " values") + " of another table")
                .collect(Collectors.joining());
    }

    private static String rows(long count) {
        return count + (count == 1 ? " row" : " rows");
    }

    private static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.1f ms", nanos / 1e6);
    }

    /** Hands on, and counts. */
    private static final class Counted extends ForwardingSink {
        private long rows;
        private @Nullable Verdict verdict;

        Counted(AnswerSink to) {
            super(to);
        }

        @Override
        public void rows(TupleBlock block) {
            rows += block.size();
            super.rows(block);
        }

        @Override
        public void finish(Verdict end) {
            verdict = end;
            super.finish(end);
        }
    }

    /** The number of rows and the verdict of an answer; its rows are dropped. */
    private static final class Dropped extends ForwardingSink implements ColumnSink {
        private long rows;
        private @Nullable Verdict verdict;

        Dropped(ColumnSink to) {
            super(to);
        }

        @Override
        public void show(List<Column> columns) {}

        @Override
        public void start(List<Field> fields) {}

        @Override
        public void rows(TupleBlock block) {
            rows += block.size();
        }

        @Override
        public void finish(Verdict end) {
            verdict = end;
        }
    }
}
