package io.waterwheel.topology.worker;

/** What a query server task needs. Thread-safe. */
public interface QueryServerServices {
    /** Lets chunk subqueries reach a query server of this worker. */
    AutoCloseable hostQueryServer(int index);
}
