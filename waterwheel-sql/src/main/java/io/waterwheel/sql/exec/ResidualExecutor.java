package io.waterwheel.sql.exec;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.sql.ResidualPlan;
import io.waterwheel.tuple.TupleBlock;

/** Answers statements that are more than one query. Thread-safe. */
public interface ResidualExecutor extends AutoCloseable {
    /** Where rows go; blocks while they cannot be taken. */
    interface Rows {
        /** Takes the rows; the block may be filled anew afterwards. */
        void take(TupleBlock rows);
    }

    /** Reads the leaves of a plan: asks the engine. */
    interface LeafReader {
        /**
         * Reads a leaf to its end.
         *
         * @param leaf its number in the plan
         * @param query the leaf's, with a narrower condition perhaps
         * @throws WaterwheelException when it cannot be read whole, and must be
         */
        void read(int leaf, Query query, Rows rows) throws InterruptedException;

        /**
         * Hands over all rows of a system table.
         *
         * @param name its qualified one
         */
        default void readSystem(String name, Rows rows) {
            throw new IllegalStateException("there is no " + name);
        }
    }

    /** The client that waits for the answer. */
    interface Asker {
        /** Takes rows of the plan's fields. */
        void take(TupleBlock rows);

        /** Its turn has come. */
        default void begins() {}

        /** Whether nothing more is wanted. */
        boolean cancelled();

        /** {@link System#nanoTime} at which the statement must have ended. */
        long deadlineNanos();
    }

    /**
     * Answers a plan: reads each leaf once, one after another, and hands the rows of the answer over.
     *
     * @throws WaterwheelException when it cannot be answered: SQL_VALUE for a value that cannot be computed,
     *     INTEGER_OVERFLOW, QUERY_MEMORY when the rows need more than the executor may take, SQL_EXECUTOR_MISSING,
     *     SQL_EXECUTOR_ENDED, TIMEOUT at the deadline, CANCELLED
     */
    void execute(ResidualPlan plan, LeafReader leaves, Asker asker) throws InterruptedException;

    /**
     * What it has to do.
     *
     * @param running statements that are answered
     * @param waiting statements that wait for their turn, about
     * @param atOnce the bound of the running
     * @param starts of its process so far
     * @param residentBytes memory of that process as the operating system tells; 0 when there is none, or where the
     *     system does not tell
     */
    record Load(int running, int waiting, int atOnce, long starts, long residentBytes) {}

    /** As it is now; does not wait. */
    Load load();

    @Override
    void close();
}
