package io.waterwheel.client;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.MethodDescriptor;

/**
 * Asks for further messages of an answer a few at a time, as each request wakes up the connection's thread. A Flight
 * stream asks for the first message, then for others until five are to come, and from then on for one whenever one is
 * taken. Of these single ones up to two are held back, so that a small answer costs the first two requests alone; a
 * reader that waits has asked for others before.
 */
final class FewRequests implements ClientInterceptor {
    private static final int TOGETHER = 3;

    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
        ClientCall<Q, A> call = next.newCall(method, options);
        return "DoGet".equals(method.getBareMethodName()) ? new Gathering<>(call) : call;
    }

    private static final class Gathering<Q, A> extends SimpleForwardingClientCall<Q, A> {
        // Guarded by this: who reads asks, and so does the connection's thread.
        private int held;
        private boolean begun;

        Gathering(ClientCall<Q, A> call) {
            super(call);
        }

        @Override
        public void request(int messages) {
            int wanted;
            synchronized (this) {
                wanted = messages + held;
                if (begun && messages == 1 && wanted < TOGETHER) {
                    held = wanted;
                    return;
                }
                held = 0;
                begun = true;
            }
            super.request(wanted);
        }
    }
}
