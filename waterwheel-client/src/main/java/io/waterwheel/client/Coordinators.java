package io.waterwheel.client;

import io.waterwheel.model.WaterwheelException;
import io.waterwheel.model.WaterwheelException.Kind;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The coordinators that a client knows: each call goes to the one that answered last, and when that does not answer to
 * the next, each tried once. Thread-safe.
 */
final class Coordinators implements AutoCloseable {
    /** Codes of failures that another coordinator may not have, and after which nothing has been done. */
    private static final Set<String> NOTHING_DONE = Set.of("SERVER_BUSY", Cursor.CUT_OFF);

    /** The same, but something may have been done. */
    private static final Set<String> GONE = Set.of("SERVER_UNREACHABLE", "SERVER_CLOSING");

    private final List<Connection> connections;

    /** Index of the one that answered last. Any thread writes it; a stale value costs one attempt. */
    private volatile int current;

    Coordinators(List<Connection> connections) {
        this.connections = List.copyOf(connections);
    }

    /** Whether the failure says that a coordinator is no more, or cannot be reached. */
    private static boolean isGone(WaterwheelException failure) {
        return GONE.contains(failure.code());
    }

    /** A call; failures are WaterwheelExceptions. */
    interface Call<T> {
        T on(Connection connection);
    }

    /** Makes a call that may be repeated without harm. */
    <T> T repeatable(Call<T> call) {
        return call(call, "");
    }

    /**
     * Makes a call that must not be made twice. Repeated only when it certainly was not sent.
     *
     * @param what such as "create stream s", for messages
     */
    <T> T once(String what, Call<T> call) {
        return call(call, what);
    }

    private <T> T call(Call<T> call, String once) {
        int first = current;
        WaterwheelException last = null;
        for (int i = 0; i < connections.size(); i++) {
            int index = (first + i) % connections.size();
            Connection connection = connections.get(index);
            try {
                T result = call.on(connection);
                current = index;
                return result;
            } catch (WaterwheelException e) {
                boolean gone = isGone(e);
                if (!gone && !NOTHING_DONE.contains(e.code())) {
                    throw e;
                }
                if (gone && !once.isEmpty() && !Connection.neverSent(e)) {
                    throw new WaterwheelException(
                            Kind.UNKNOWN_OUTCOME,
                            "OUTCOME_UNKNOWN",
                            "the connection to " + connection.address() + " was lost while it was to " + once
                                    + "; look whether it did before trying again",
                            e);
                }
                if (last != null) {
                    e.addSuppressed(last);
                }
                last = e;
            }
        }
        if (last == null || connections.size() == 1) {
            throw last == null ? new IllegalStateException("a client without a coordinator") : last;
        }
        throw new WaterwheelException(
                last.kind(),
                last.code(),
                "none of the coordinators "
                        + connections.stream().map(Connection::address).collect(Collectors.joining(", "))
                        + " takes the call; the last one: " + last.getMessage(),
                last);
    }

    /** How many there are. */
    int size() {
        return connections.size();
    }

    /** Ends all calls. */
    void shutdown() {
        connections.forEach(Connection::shutdown);
    }

    @Override
    public void close() {
        connections.forEach(Connection::close);
    }
}
