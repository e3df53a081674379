package io.waterwheel.topology.rpc;

import io.waterwheel.query.Statement;

/** Answers clients' statements. Thread-safe; called on the server's query threads, where it may block. */
public interface StatementHandler {
    /**
     * The statement with what its text says of how it is to be answered, such as a timeout. Does not block.
     *
     * @param asked its timeout is null where the client named none
     * @throws io.waterwheel.error.WaterwheelException code BAD_SQL, when the text says what cannot be
     */
    default Statement hinted(Statement asked) {
        return asked;
    }

    /**
     * Answers one statement; returns when the answer has ended. An exception that is thrown fails the answer.
     *
     * @param statement with its timeout
     * @param sink is told the columns before anything else
     */
    void answer(Statement statement, ColumnSink sink) throws InterruptedException;
}
