package io.waterwheel.topology.rpc;

import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.netty.util.internal.ThreadExecutorMap;
import io.waterwheel.wire.TraceParent;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.Executor;

/** Tells a call's handler by which connection it came, and bounds what is queued for its receiver. */
final class ThisCall implements ServerInterceptor {
    private static final Context.Key<Attributes> KEY =
            Context.keyWithDefault("waterwheel-connection", Attributes.EMPTY);

    private static final Context.Key<FlightExtension.Headers> HEADERS =
            Context.keyWithDefault("waterwheel-headers", new FlightExtension.Headers(new Metadata()));

    private static final Context.Key<Executor> NETWORK = Context.keyWithDefault("waterwheel-network", Runnable::run);

    private final int queuedBytes;

    /** @param queuedBytes of a call, above which its receiver counts as not ready for more */
    ThisCall(int queuedBytes) {
        this.queuedBytes = queuedBytes;
    }

    /** Of the call that this thread was given. */
    static FlightExtension.Headers headers() {
        return HEADERS.get();
    }

    /** Of the connection of the call that this thread was given. */
    static Attributes attributes() {
        return KEY.get();
    }

    /** A call whose answer begins with the cookie that its handler set. */
    private static final class Answering<Q, A> extends SimpleForwardingServerCall<Q, A> {
        private final FlightExtension.Headers told;

        Answering(ServerCall<Q, A> call, FlightExtension.Headers told) {
            super(call);
            this.told = told;
        }

        @Override
        public void sendHeaders(Metadata headers) {
            told.addTo(headers);
            super.sendHeaders(headers);
        }
    }

    /**
     * The thread that reads and writes the connection of the call that this thread was given; where that is not known,
     * whichever hands something over. What it runs must be short, and must not wait.
     */
    static Executor network() {
        return NETWORK.get();
    }

    /** Host and port of who makes the call that this thread was given; empty when it is not known. */
    static String client() {
        return client(attributes());
    }

    /** The same of a connection. */
    static String client(Attributes connection) {
        SocketAddress address = connection.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
        if (address == null) {
            return "";
        }
        return address instanceof InetSocketAddress inet
                ? inet.getHostString() + ":" + inet.getPort()
                : address.toString();
    }

    /** The caller's {@code traceparent} of the call that this thread was given; empty where there is none. */
    static String trace() {
        TraceParent given = TraceParent.parse(headers().get(TraceParent.HEADER));
        return given == null ? "" : given.toString();
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        call.setOnReadyThreshold(queuedBytes);
        FlightExtension.Headers told = new FlightExtension.Headers(headers);
        Context context = Context.current().withValues(KEY, call.getAttributes(), HEADERS, told);
        // Known where the call is told of on that thread, as each that asks for rows is.
        Executor network = ThreadExecutorMap.currentExecutor();
        if (network != null) {
            context = context.withValue(NETWORK, network);
        }
        return Contexts.interceptCall(context, new Answering<>(call, told), headers, next);
    }
}
