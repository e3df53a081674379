package io.waterwheel.topology.rpc;

/** Answers the calls of {@code admin.proto}. Thread-safe; called on the server's call threads, where it may block. */
public interface AdminHandler {
    /** Who waits for the reply. */
    interface Caller {
        /** Whether the caller is gone: for calls that take long, to be asked now and then. */
        boolean isGone();

        /**
         * Fails once the caller is gone.
         *
         * @throws io.waterwheel.error.WaterwheelException TEMPORARY, code CLIENT_GONE
         */
        default void requireThere() {
            if (isGone()) {
                throw RpcErrors.clientGone();
            }
        }
    }

    /**
     * Answers one call.
     *
     * @param action the action's name, see {@link io.waterwheel.wire.AdminCall#names}; others are refused with a
     *     WaterwheelException of kind USER
     * @param body the serialized request
     * @return the serialized reply
     */
    byte[] call(String action, byte[] body, Caller caller) throws InterruptedException;
}
