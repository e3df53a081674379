package io.waterwheel.topology.rpc;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** Tells a call's handler whose connection it came by. */
final class CallerAddress implements ServerInterceptor {
    private static final Context.Key<String> KEY = Context.key("waterwheel-caller");

    /** Host and port of who makes the call that this thread handles; empty when it is not known. */
    static String ofThisCall() {
        String known = KEY.get();
        return known == null ? "" : known;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        SocketAddress address = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        String text = address instanceof InetSocketAddress inet
                ? inet.getHostString() + ":" + inet.getPort()
                : String.valueOf(address);
        return Contexts.interceptCall(Context.current().withValue(KEY, text), call, headers, next);
    }
}
