package io.waterwheel.topology.rpc;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.wire.AdminCall;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The calls of {@code admin.proto}, each with the method that answers it. Built on one thread, then used by any number.
 */
public final class AdminCalls implements AdminHandler {
    /**
     * Answers one call. Thread-safe; may block.
     *
     * @param <Q> the request
     * @param <R> the reply
     */
    @FunctionalInterface
    public interface Answer<Q, R> {
        /**
         * Answers a request.
         *
         * @throws IllegalArgumentException when the request is wrong: its sender is told BAD_REQUEST
         */
        R to(Q request, Caller caller) throws InterruptedException;
    }

    private record Entry<Q extends Message, R extends Message>(AdminCall<Q, R> call, Answer<Q, R> answer) {
        byte[] answer(byte[] body, Caller caller) throws InterruptedException, InvalidProtocolBufferException {
            return answer.to(call.readRequest(body), caller).toByteArray();
        }
    }

    private final Map<String, Entry<?, ?>> entries = new LinkedHashMap<>();

    /**
     * Answers the call that takes such a request.
     *
     * @param request any message of the type
     * @param reply any message of the reply's type
     * @throws IllegalArgumentException when there is no call of these types
     * @throws IllegalStateException when it is answered already
     */
    public <Q extends Message, R extends Message> AdminCalls on(Q request, R reply, Answer<Q, R> answer) {
        AdminCall<Q, R> call = AdminCall.of(request, reply);
        if (entries.put(call.name(), new Entry<>(call, answer)) != null) {
            throw new IllegalStateException("action " + call + " is answered twice");
        }
        return this;
    }

    /**
     * Makes sure that each call has an answer.
     *
     * @throws IllegalStateException naming the calls of {@code admin.proto} that are not answered
     */
    public AdminCalls requireAll() {
        List<String> missing = new ArrayList<>(AdminCall.names());
        missing.removeAll(entries.keySet());
        if (!missing.isEmpty()) {
            throw new IllegalStateException("no answer is registered to the calls of admin.proto " + missing);
        }
        return this;
    }

    @Override
    public byte[] call(String action, byte[] body, Caller caller) throws InterruptedException {
        Entry<?, ?> entry = entries.get(action);
        if (entry == null) {
            throw new WaterwheelException(ErrorCode.NO_SUCH_ACTION, "there is no action '" + action + "'");
        }
        try {
            return entry.answer(body, caller);
        } catch (InvalidProtocolBufferException e) {
            throw new WaterwheelException(
                    ErrorCode.BAD_REQUEST,
                    "action " + action + ": the body is not its request message: " + e.getMessage(),
                    e);
        } catch (IllegalArgumentException e) {
            throw new WaterwheelException(ErrorCode.BAD_REQUEST, String.valueOf(e.getMessage()), e);
        }
    }
}
