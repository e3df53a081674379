package io.waterwheel.sql;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.sql.plan.StatementPlanner;
import java.time.Instant;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Plans statements. Thread-safe. */
public final class SqlPlanner {
    /** What queries of the engine may answer of a statement. */
    public enum Pushdown {
        /** As much as they can. */
        ALL,
        /**
         * To read whole streams: all else is the executor's. Both give the same answers, this one slowly, but for what
         * the engine alone has, such as LTTB, which it refuses.
         */
        NOTHING
    }

    private final StatementPlanner planner;

    public SqlPlanner(StreamSchemas streams) {
        this(streams, Pushdown.ALL);
    }

    public SqlPlanner(StreamSchemas streams, Pushdown pushdown) {
        planner = new StatementPlanner(streams, pushdown == Pushdown.ALL);
    }

    /**
     * The plan of one statement; a semicolon may end it.
     *
     * @param now what {@code NOW()} and {@code CURRENT_TIMESTAMP} are
     * @throws WaterwheelException of kind USER: code BAD_SQL when it cannot be read, or names what is not there;
     *     SQL_UNSUPPORTED when it asks for what is not supported. The message names the place
     */
    public StatementPlan plan(String statement, Instant now) {
        return planner.plan(statement, List.of(), now);
    }

    /**
     * The same with parameters: each question mark of the text means what the literal in its place means.
     *
     * @throws WaterwheelException also, code BAD_SQL, when there are not as many parameters as question marks
     */
    public StatementPlan plan(String statement, List<Expression.Literal> parameters, Instant now) {
        return planner.plan(statement, parameters, now);
    }

    /**
     * The plan of a view's query, for its columns.
     *
     * @throws WaterwheelException as {@link #plan(String, Instant)}; also when the view would be over itself
     */
    public StatementPlan view(String name, String query, Instant now) {
        return planner.view(name, query, now);
    }

    /**
     * The row of a SELECT of literals without FROM; null when the statement is another, or none.
     *
     * @param now what {@code NOW()} and {@code CURRENT_TIMESTAMP} are
     */
    public static @Nullable SqlConstants constants(String statement, Instant now) {
        return StatementPlanner.constants(statement, now);
    }

    /**
     * The rows of a VALUES of literals and question marks; null when the statement is another, or has a value that is
     * to be computed.
     *
     * @param now what {@code NOW()} and {@code CURRENT_TIMESTAMP} are
     * @throws WaterwheelException as {@link #plan(String, Instant)}
     */
    public static @Nullable SqlValues values(String statement, Instant now) {
        return StatementPlanner.values(statement, now);
    }

    /**
     * The instant of a text in ISO 8601, with a T or a blank, in UTC without a zone; or of a day's beginning.
     *
     * @throws java.time.DateTimeException when it is none
     */
    public static Instant instant(String text) {
        return StatementPlanner.instant(text);
    }

    /**
     * Loads the classes that planning takes, and has them compiled where they are used most: the first statement of a
     * process takes half a second of a processor otherwise, of which the first statement here takes most.
     *
     * @param goesOn asked before each statement; where it says no, the rest is left
     */
    public static void warmUp(BooleanSupplier goesOn) {
        WarmUpStatements.run(goesOn);
    }

    /**
     * What a statement takes and returns.
     *
     * @throws WaterwheelException as {@link #plan(String, Instant)}; also when the type of a parameter cannot be told
     */
    public SqlSignature signature(String statement, Instant now) {
        return planner.signature(statement, List.of(), now);
    }

    /**
     * What the query of an INSERT takes.
     *
     * @param columns the types of the columns that its rows are for: a parameter that is one of VALUES has its column's
     * @throws WaterwheelException as {@link #signature(String, Instant)}
     */
    public SqlSignature signature(String query, List<ValueType> columns, Instant now) {
        return planner.signature(query, columns, now);
    }
}
