package io.waterwheel.topology.rpc;

import io.waterwheel.query.Statement;

/** Answers clients' statements. Thread-safe; called on the server's query threads, where it may block. */
public interface StatementHandler {
    /**
     * Answers one statement; returns when the answer has ended. An exception that is thrown fails the answer.
     *
     * @param statement with its timeout
     * @param sink is told the columns before anything else
     */
    void answer(Statement statement, ColumnSink sink) throws InterruptedException;
}
