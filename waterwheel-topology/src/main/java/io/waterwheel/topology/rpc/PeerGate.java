package io.waterwheel.topology.rpc;

import io.grpc.Attributes;
import io.grpc.ServerTransportFilter;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets only those connections talk as workers that have proved to be some: the client sends a nonce, the server another
 * with its own proof, the client its proof. What was proved holds for the connection. Thread-safe.
 *
 * <pre>
 *   client                                    server
 *     | -- peer-challenge: nonce c ------------> |
 *     | <- nonce s, HMAC(c, s, server, address)  |
 *     | -- peer-proof: HMAC(c, s, client, addr)  |
 *     | <- (nothing: it is taken)                |
 * </pre>
 */
final class PeerGate extends ServerTransportFilter {
    static final String CHALLENGE = "peer-challenge";
    static final String PROOF = "peer-proof";

    private static final Attributes.Key<Connection> CONNECTION = Attributes.Key.create("waterwheel-connection");

    private final PeerSecret secret;
    private final Supplier<String> address;

    /** @param address HOST:PORT of this server, as the workers know it */
    PeerGate(PeerSecret secret, Supplier<String> address) {
        this.secret = secret;
        this.address = address;
    }

    /** What a connection has shown so far. */
    private static final class Connection {
        // Guarded by this.
        private byte @Nullable [] expected;

        private volatile boolean proved;

        synchronized void expect(byte[] proof) {
            expected = proof;
        }

        /** Each challenge is good for one attempt. */
        synchronized boolean prove(byte[] proof) {
            byte[] wanted = expected;
            expected = null;
            proved |= wanted != null && PeerSecret.equal(wanted, proof);
            return proved;
        }
    }

    @Override
    public Attributes transportReady(Attributes attributes) {
        return attributes.toBuilder().set(CONNECTION, new Connection()).build();
    }

    private static Connection ofThisCall() {
        Connection connection = ThisCall.attributes().get(CONNECTION);
        if (connection == null) {
            throw new IllegalStateException("a call without a connection");
        }
        return connection;
    }

    /** Answers {@link #CHALLENGE} and {@link #PROOF}. */
    byte[] answer(String action, byte[] body) {
        if (body.length != PeerSecret.BYTES) {
            throw refused(action + ": " + body.length + " bytes: expected " + PeerSecret.BYTES);
        }
        Connection connection = ofThisCall();
        if (action.equals(PROOF)) {
            if (!connection.prove(body)) {
                throw refused("the proof is wrong: its sender does not share this topology's catalog");
            }
            return new byte[0];
        }
        byte[] nonce = PeerSecret.random();
        connection.expect(secret.ofClient(address.get(), body, nonce));
        return ByteBuffer.allocate(2 * PeerSecret.BYTES)
                .put(nonce)
                .put(secret.ofServer(address.get(), body, nonce))
                .array();
    }

    /** Whether the connection of these attributes is a worker's. */
    static boolean hasProved(Attributes attributes) {
        Connection connection = attributes.get(CONNECTION);
        return connection != null && connection.proved;
    }

    /** Fails when the call came by a connection that has proved nothing. */
    static void requireProved() {
        if (!ofThisCall().proved) {
            throw refused("this connection has not proved to be a worker's");
        }
    }

    private static WaterwheelException refused(String why) {
        return new WaterwheelException(ErrorCode.PEER_UNPROVED, why);
    }
}
