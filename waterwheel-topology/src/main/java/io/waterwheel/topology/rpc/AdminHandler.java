package io.waterwheel.topology.rpc;

/** Answers the calls of {@code admin.proto}. Thread-safe; called on the server's call threads, where it may block. */
public interface AdminHandler {
    /**
     * Answers one call.
     *
     * @param action the action's name, see {@code io.waterwheel.wire.AdminActions}; others are refused with a
     *     WaterwheelException of kind USER
     * @param body the serialized request
     * @return the serialized reply
     */
    byte[] call(String action, byte[] body) throws InterruptedException;
}
