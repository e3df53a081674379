package io.waterwheel.topology.rpc;

import io.waterwheel.query.Query;
import io.waterwheel.query.run.AnswerSink;

/** Answers clients' queries. Thread-safe; called on the server's query threads, where it may block. */
public interface QueryHandler {
    /**
     * Answers one query; returns when the answer has ended. An exception that is thrown fails the answer.
     *
     * @param sink takes the rows; its {@code rows} throws when the client is gone or too slow
     */
    void query(Query query, AnswerSink sink) throws InterruptedException;
}
