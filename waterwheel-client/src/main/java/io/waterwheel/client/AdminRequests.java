package io.waterwheel.client;

import com.google.protobuf.Message;
import io.waterwheel.wire.AdminCall;
import java.time.Duration;
import java.util.List;

/** Makes the calls of {@code admin.proto}. Thread-safe. */
final class AdminRequests {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final Coordinators coordinators;

    AdminRequests(Coordinators coordinators) {
        this.coordinators = coordinators;
    }

    /** {@link #call(Message, Message, Duration)} within 30 seconds. */
    <Q extends Message, R extends Message> R call(Q request, R reply) {
        return call(request, reply, TIMEOUT);
    }

    /**
     * Makes a call: again where it may have been lost and may be repeated, else only when it certainly was not sent.
     *
     * @param reply any message of the reply's type
     * @throws io.waterwheel.error.WaterwheelException as the server said; code OUTCOME_UNKNOWN when a call that must
     *     not be made twice was lost
     */
    <Q extends Message, R extends Message> R call(Q request, R reply, Duration timeout) {
        return call(AdminCall.of(request, reply).name().replace('-', ' '), request, reply, timeout);
    }

    /** @param what such as "create stream s", for messages */
    <Q extends Message, R extends Message> R call(String what, Q request, R reply, Duration timeout) {
        AdminCall<Q, R> call = AdminCall.of(request, reply);
        Coordinators.Call<R> on = connection -> connection.call(call, request, timeout);
        return call.isRepeatable() ? coordinators.repeatable(timeout, on) : coordinators.once(what, timeout, on);
    }

    /** The replies of all coordinators that there are. */
    <Q extends Message, R extends Message> List<R> each(Q request, R reply) {
        AdminCall<Q, R> call = AdminCall.of(request, reply);
        return coordinators.each(connection -> connection.call(call, request, TIMEOUT));
    }
}
