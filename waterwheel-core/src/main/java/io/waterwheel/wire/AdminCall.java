package io.waterwheel.wire;

import com.google.protobuf.DescriptorProtos.MethodOptions.IdempotencyLevel;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.waterwheel.wire.proto.Admin;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A call of the service {@code AdminCalls} of {@code admin.proto}, with the types of its request and its reply. The
 * service is the list of calls; a request's type says which call it is. Immutable.
 *
 * @param <Q> the request
 * @param <R> the reply
 */
public final class AdminCall<Q extends Message, R extends Message> {
    private static final List<MethodDescriptor> METHODS =
            Admin.getDescriptor().findServiceByName("AdminCalls").getMethods();
    private static final Map<Descriptor, MethodDescriptor> BY_REQUEST = byRequest();

    private final MethodDescriptor method;
    private final Parser<Q> request;
    private final Parser<R> reply;

    private AdminCall(MethodDescriptor method, Parser<Q> request, Parser<R> reply) {
        this.method = method;
        this.request = request;
        this.reply = reply;
    }

    private static Map<Descriptor, MethodDescriptor> byRequest() {
        Map<Descriptor, MethodDescriptor> calls = new HashMap<>();
        for (MethodDescriptor method : METHODS) {
            if (calls.put(method.getInputType(), method) != null) {
                throw new IllegalStateException("admin.proto: "
                        + method.getInputType().getName() + " is the request of two calls; give each its own");
            }
        }
        return calls;
    }

    /**
     * The call that takes such a request.
     *
     * @param request any message of the type
     * @param reply any message of the reply's type
     * @throws IllegalArgumentException when the service has no call of these two types
     */
    @SuppressWarnings("unchecked") // the parser of a message is of its own type
    public static <Q extends Message, R extends Message> AdminCall<Q, R> of(Q request, R reply) {
        MethodDescriptor method = BY_REQUEST.get(request.getDescriptorForType());
        if (method == null || !method.getOutputType().equals(reply.getDescriptorForType())) {
            throw new IllegalArgumentException("the service AdminCalls of admin.proto has no call of "
                    + request.getDescriptorForType().getName() + " that returns "
                    + reply.getDescriptorForType().getName());
        }
        return new AdminCall<>(method, (Parser<Q>) request.getParserForType(), (Parser<R>) reply.getParserForType());
    }

    /** The names of all calls, in the order of the service. */
    public static List<String> names() {
        return METHODS.stream().map(AdminCall::name).toList();
    }

    /** Its name on the wire, such as {@code create-stream}. */
    public String name() {
        return name(method);
    }

    private static String name(MethodDescriptor method) {
        return method.getName().replaceAll("(?<=.)(?=[A-Z])", "-").toLowerCase(Locale.ROOT);
    }

    /** Whether it may be made again when it is not known whether it was done. */
    public boolean isRepeatable() {
        return method.getOptions().getIdempotencyLevel() != IdempotencyLevel.IDEMPOTENCY_UNKNOWN;
    }

    /**
     * Reads a request of it.
     *
     * @throws IllegalArgumentException when it has a field that this release does not know: what it asks for would else
     *     be left undone without a word
     */
    public Q readRequest(byte[] bytes) throws InvalidProtocolBufferException {
        Q read = request.parseFrom(bytes);
        refuseUnknown(read);
        return read;
    }

    private void refuseUnknown(Message message) {
        var unknown = message.getUnknownFields().asMap();
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException(name() + ": "
                    + message.getDescriptorForType().getName() + " has fields " + unknown.keySet()
                    + " that this server does not know; client and server are of different releases");
        }
        for (Object value : message.getAllFields().values()) {
            for (Object part : value instanceof List<?> parts ? parts : List.of(value)) {
                if (part instanceof Message nested) {
                    refuseUnknown(nested);
                }
            }
        }
    }

    /** Reads a reply to it. */
    public R readReply(byte[] bytes) throws InvalidProtocolBufferException {
        return reply.parseFrom(bytes);
    }

    @Override
    public String toString() {
        return name();
    }
}
