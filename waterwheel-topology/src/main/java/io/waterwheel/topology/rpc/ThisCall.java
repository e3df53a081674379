package io.waterwheel.topology.rpc;

import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** Tells a call's handler by which connection it came, and bounds what is queued for its receiver. */
final class ThisCall implements ServerInterceptor {
    private static final Context.Key<Attributes> KEY =
            Context.keyWithDefault("waterwheel-connection", Attributes.EMPTY);

    private final int queuedBytes;

    /** @param queuedBytes of a call, above which its receiver counts as not ready for more */
    ThisCall(int queuedBytes) {
        this.queuedBytes = queuedBytes;
    }

    /** Of the connection of the call that this thread was given. */
    static Attributes attributes() {
        return KEY.get();
    }

    /** Host and port of who makes the call that this thread was given; empty when it is not known. */
    static String client() {
        SocketAddress address = attributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        if (address == null) {
            return "";
        }
        return address instanceof InetSocketAddress inet
                ? inet.getHostString() + ":" + inet.getPort()
                : address.toString();
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        call.setOnReadyThreshold(queuedBytes);
        return Contexts.interceptCall(Context.current().withValue(KEY, call.getAttributes()), call, headers, next);
    }
}
