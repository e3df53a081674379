package io.waterwheel.topology.rpc;

/** Takes what other workers send. Thread-safe. */
public interface PeerHandler {
    /**
     * Takes one control message. Must be quick: it runs on the connection's thread.
     *
     * @param target whom it is for; unknown targets are ignored
     */
    void control(String target, byte[] message);

    /**
     * Answers one subquery; returns when the answer has ended. An exception that is thrown fails the answer, a return
     * ends it.
     */
    void subquery(byte[] request, MessageSink sink) throws InterruptedException;
}
