package io.waterwheel.topology.rpc;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a call that brings more than a proof can be long by a connection that has proved nothing. gRPC's own limit is
 * one for all connections of a server, and a worker's messages are long: without this a stranger makes the server take
 * memory for a message of the full length, before anything could look at it. Of what comes after the limit the
 * connection's flow control lets a megabyte through, and it is thrown away with the call. Thread-safe.
 */
final class UnprovedLimit extends ServerStreamTracer.Factory {
    /** Bytes of one call's messages; a proof has 32. */
    static final int MAX_BYTES = 64 << 10;

    private static final Logger LOG = LoggerFactory.getLogger(UnprovedLimit.class);

    private final Occasionally occasionally = new Occasionally();

    @Override
    public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
        return new Count(method);
    }

    /** Of one call. Its messages are read by one thread at a time, after it was told of the connection. */
    private final class Count extends ServerStreamTracer {
        private final String method;
        private volatile Attributes connection = Attributes.EMPTY;
        private long wire;
        private long unpacked;

        Count(String method) {
            this.method = method;
        }

        @Override
        public void serverCallStarted(ServerCallInfo<?, ?> call) {
            connection = call.getAttributes();
        }

        @Override
        public void inboundWireSize(long bytes) {
            wire += bytes;
            check(wire);
        }

        /** A few compressed bytes can become many. */
        @Override
        public void inboundUncompressedSize(long bytes) {
            unpacked += bytes;
            check(unpacked);
        }

        private void check(long bytes) {
            if (bytes <= MAX_BYTES || PeerGate.hasProved(connection)) {
                return;
            }
            occasionally.run(more -> LOG.warn(
                    "{} from {}: more than {} bytes by a connection that has not proved to be a worker's: the call is ended{}",
                    method,
                    connection.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR),
                    MAX_BYTES,
                    more));
            // As gRPC does at its own limit.
            throw Status.RESOURCE_EXHAUSTED
                    .withDescription(
                            "a connection that has not proved to be a worker's may send " + MAX_BYTES + " bytes a call")
                    .asRuntimeException();
        }
    }
}
