package io.waterwheel.topology.rpc;

import java.util.function.BooleanSupplier;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;

/** A subquery's answer as a Flight stream of messages that are metadata only. */
final class FlightMessages implements MessageSink {
    private final ServerStreamListener listener;
    private final BufferAllocator allocator;
    private final Readiness readiness;
    private final long deadlineNanos;

    FlightMessages(
            ServerStreamListener listener, BufferAllocator allocator, long deadlineNanos, BooleanSupplier closing) {
        this.listener = listener;
        this.allocator = allocator;
        // A coordinator takes nothing while its own client does not: that one's patience ends both.
        this.readiness = new Readiness(listener, Long.MAX_VALUE, closing);
        this.deadlineNanos = deadlineNanos;
    }

    @Override
    public void send(byte[] message) throws InterruptedException {
        // An empty message could not be told from none at the other end.
        if (message.length == 0 || message.length > RpcServer.MAX_MESSAGE_BYTES) {
            throw new IllegalArgumentException(
                    "a message of " + message.length + " bytes, expected 1 to " + RpcServer.MAX_MESSAGE_BYTES);
        }
        readiness.await(deadlineNanos);
        ArrowBuf metadata = allocator.buffer(message.length);
        metadata.writeBytes(message);
        listener.putMetadata(metadata);
    }

    @Override
    public boolean cancelled() {
        return readiness.cancelled();
    }
}
