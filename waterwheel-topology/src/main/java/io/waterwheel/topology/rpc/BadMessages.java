package io.waterwheel.topology.rpc;

import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import java.io.InputStream;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers calls whose message cannot be parsed: INVALID_ARGUMENT, and a line in the log. By itself gRPC calls it the
 * service's failure, and logs it with a stack trace.
 */
final class BadMessages implements ServerInterceptor {
    private static final Logger LOG = LoggerFactory.getLogger(BadMessages.class);

    private final Occasionally occasionally = new Occasionally();

    /** Most streams of clients at a time; each has a thread while it lasts. */
    static final int MOST_PUTS = 16;

    private final boolean puts;
    private final Semaphore putsLeft = new Semaphore(MOST_PUTS);

    private BadMessages(boolean puts) {
        this.puts = puts;
    }

    /**
     * The same service.
     *
     * @param puts whether it takes streams of clients
     */
    static ServerServiceDefinition refused(ServerServiceDefinition service, boolean puts) {
        // Messages come as they are; they are parsed below the interceptor, which sees the failure. Answers pass.
        return ServerInterceptors.intercept(
                ServerInterceptors.useMarshalledMessages(service, new Unparsed()), new BadMessages(puts));
    }

    private static final class Unparsed implements MethodDescriptor.Marshaller<InputStream> {
        @Override
        public InputStream stream(InputStream value) {
            return value;
        }

        @Override
        public InputStream parse(InputStream stream) {
            return stream;
        }
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        if (puts && "DoPut".equals(call.getMethodDescriptor().getBareMethodName())) {
            if (!putsLeft.tryAcquire()) {
                call.close(
                        Status.UNAVAILABLE.withDescription("SERVER_BUSY: the server takes " + MOST_PUTS
                                + " streams of clients at a time; ask again later"),
                        new Metadata());
                return new ServerCall.Listener<>() {};
            }
            return put(call, next.startCall(call, headers));
        }
        if (!call.getMethodDescriptor().getType().clientSendsOneMessage()) {
            // Nothing here takes a stream; Flight would answer on another thread while messages still come.
            call.close(Status.UNIMPLEMENTED.withDescription("this server takes no streams"), new Metadata());
            return new ServerCall.Listener<>() {};
        }
        return new SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
            private boolean bad;

            @Override
            public void onMessage(Q message) {
                if (bad) {
                    return;
                }
                try {
                    super.onMessage(message);
                } catch (RuntimeException e) {
                    bad = true;
                    String method = call.getMethodDescriptor().getBareMethodName();
                    occasionally.run(more ->
                            LOG.warn("{} of {}: its message is none: {}{}", method, ThisCall.client(), e, more));
                    call.close(
                            Status.INVALID_ARGUMENT.withDescription(
                                    "BAD_MESSAGE: what was sent is not the message that " + method + " takes"),
                            new Metadata());
                }
            }

            @Override
            public void onHalfClose() {
                if (!bad) {
                    super.onHalfClose();
                }
            }
        };
    }

    /** A client's stream: of a message that is none its receiver is told as of a client that is gone. */
    private <Q, A> ServerCall.Listener<Q> put(ServerCall<Q, A> call, ServerCall.Listener<Q> to) {
        return new SimpleForwardingServerCallListener<>(to) {
            private boolean bad;

            @Override
            public void onMessage(Q message) {
                if (bad) {
                    return;
                }
                try {
                    super.onMessage(message);
                } catch (RuntimeException e) {
                    bad = true;
                    occasionally.run(
                            more -> LOG.warn("DoPut of {}: its message is none: {}{}", ThisCall.client(), e, more));
                    super.onCancel();
                    call.close(
                            Status.INVALID_ARGUMENT.withDescription(
                                    "BAD_MESSAGE: what was sent is not the message that DoPut takes"),
                            new Metadata());
                }
            }

            @Override
            public void onHalfClose() {
                if (!bad) {
                    super.onHalfClose();
                }
            }

            @Override
            public void onComplete() {
                putsLeft.release();
                super.onComplete();
            }

            @Override
            public void onCancel() {
                putsLeft.release();
                super.onCancel();
            }
        };
    }
}
