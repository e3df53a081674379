package io.waterwheel.catalog.store;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The seam under the catalog: a tree of small versioned nodes with atomic multi-node transactions, as ZooKeeper offers
 * it. Paths are absolute, {@code /a/b}, relative to the namespace's root. Thread-safe. Calls block.
 */
public interface CatalogStore extends AutoCloseable {
    /**
     * A node as read.
     *
     * @param version how often the data was set since the node was created, starting at 0
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Node(byte[] data, int version) {}

    /** One step of a transaction. */
    sealed interface Op {
        String path();

        /** Creates a node; conflicts when it exists. The parent must exist or be created earlier in the transaction. */
        @SuppressWarnings("ArrayRecordComponent") // never compared
        record Create(String path, byte[] data) implements Op {}

        /** Replaces the data; conflicts unless the node is at the expected version. */
        @SuppressWarnings("ArrayRecordComponent") // never compared
        record Set(String path, byte[] data, int expectedVersion) implements Op {}

        /**
         * Deletes a node without children; conflicts unless it is at the expected version, or is there when that is
         * {@link #ANY_VERSION}.
         */
        record Delete(String path, int expectedVersion) implements Op {
            /** Whatever was written there meanwhile. */
            public static final int ANY_VERSION = -1;
        }

        /** Changes nothing; conflicts unless the node is at the expected version. */
        record Check(String path, int expectedVersion) implements Op {}
    }

    /** A transaction was refused and nothing was changed: a node is not as one of the steps expects. */
    final class ConflictException extends Exception {
        private static final long serialVersionUID = 1;

        public ConflictException(String message) {
            super(message);
        }
    }

    /** The connection was lost after a transaction was sent: {@link #sync}, read, and see whether it was done. */
    final class UnknownOutcomeException extends Exception {
        private static final long serialVersionUID = 1;

        public UnknownOutcomeException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /** The node, or empty when there is none. */
    Optional<Node> read(String path);

    /**
     * Several nodes, in the order of the paths, each as it was at some moment of the call: in one round trip where the
     * store can, for those who change what others change all the time.
     */
    default List<Optional<Node>> readAll(List<String> paths) {
        return paths.stream().map(this::read).toList();
    }

    /** Names (not paths) of the children, sorted; empty when the node is absent. */
    List<String> children(String path);

    /** Creates the node and its parents, with empty data, where they are absent. */
    void ensure(String path);

    /** Does all steps or none. */
    void commit(List<Op> ops) throws ConflictException, UnknownOutcomeException;

    /**
     * Called between the tries of a transaction that met others. Where these are far away it waits for a random while,
     * the longer the more tries there were, so that those who are in each other's way get out of step.
     *
     * @param tries that failed, at least 1
     */
    default void pause(int tries) {}

    /**
     * Whether it is connected at present: where it is not, a call may wait for long. For those who would rather go on
     * without it.
     */
    default boolean isConnected() {
        return true;
    }

    /** Returns when later reads see everything that was committed, by anyone, before the call. */
    void sync();

    /**
     * Calls back after the node's data or its list of children changed, and after a lost session was renewed. May call
     * without a change; several changes may become one call. The callback runs on a thread of the store and must be
     * short.
     *
     * @return closing it ends the watch
     */
    AutoCloseable watch(String path, Runnable onChange);

    /**
     * Calls back after a child of the node came, went or changed its data, with its name; and with an empty name when
     * it is not known which did, as after a lost session was renewed. Otherwise as {@link #watch}.
     *
     * @return closing it ends the watch
     */
    default AutoCloseable watchChildren(String path, Consumer<String> onChange) {
        return watch(path, () -> onChange.accept(""));
    }

    /**
     * Keeps a node of this data alive as long as this process is: gone soon after the process dies, put back after a
     * lost session. Replaces a node of the same path that an earlier process left, or this one announced.
     *
     * @return closing it removes the node, unless another announcement has replaced it: at once, or soon after when the
     *     store is away at that moment
     */
    AutoCloseable announce(String path, byte[] data);

    @Override
    void close();
}
