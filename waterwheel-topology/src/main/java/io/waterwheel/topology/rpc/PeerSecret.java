package io.waterwheel.topology.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * What only the workers of one catalog know: by it two of them prove to each other, at the two ends of a connection,
 * that they belong together. It is never sent. Immutable; its text does not show it.
 */
public final class PeerSecret {
    /** Of the secret, of a nonce, and of a proof. */
    public static final int BYTES = 32;

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String MAC = "HmacSHA256";

    private final SecretKeySpec key;

    /** @param secret {@link #BYTES} random bytes */
    public PeerSecret(byte[] secret) {
        if (secret.length != BYTES) {
            throw new IllegalArgumentException("peer secret: " + secret.length + " bytes: expected " + BYTES);
        }
        key = new SecretKeySpec(secret, MAC);
    }

    /** Fresh random bytes: a secret, or a nonce. */
    public static byte[] random() {
        byte[] bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return bytes;
    }

    /**
     * The proof of the end that was connected to.
     *
     * @param address of the server, as the other end calls it: so that a proof cannot be passed on to another server
     */
    byte[] ofServer(String address, byte[] clientNonce, byte[] serverNonce) {
        return proof("server", address, clientNonce, serverNonce);
    }

    /** The proof of the end that connects. */
    byte[] ofClient(String address, byte[] clientNonce, byte[] serverNonce) {
        return proof("client", address, clientNonce, serverNonce);
    }

    /** Whether two proofs are equal; takes as long when they are not. */
    static boolean equal(byte[] expected, byte[] got) {
        return MessageDigest.isEqual(expected, got);
    }

    private byte[] proof(String end, String address, byte[] clientNonce, byte[] serverNonce) {
        try {
            Mac mac = Mac.getInstance(MAC);
            mac.init(key);
            // The nonces have a fixed length and come first: no two inputs give the same bytes.
            mac.update(clientNonce);
            mac.update(serverNonce);
            return mac.doFinal((end + " " + address).getBytes(UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + MAC, e);
        }
    }

    @Override
    public String toString() {
        return "a peer secret";
    }
}
