package io.waterwheel.topology.rpc;

/** Where the messages of a subquery's answer go. Used by one thread at a time. */
public interface MessageSink {
    /**
     * Sends one message; blocks while the receiver is not ready.
     *
     * @param message 1 to {@link RpcServer#MAX_MESSAGE_BYTES} bytes; not kept
     * @throws io.waterwheel.error.WaterwheelException of kind TEMPORARY when the receiver is gone
     * @throws InterruptedException also when the server closes
     */
    void send(byte[] message) throws InterruptedException;

    /** Whether the client has given up on the answer. */
    boolean cancelled();
}
