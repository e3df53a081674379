package io.waterwheel.gateway.keyed;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The first 128 bits of a SHA-256: stands for a key, or for a body, and is taken to be no other's. */
public record Digest(long high, long low) {
    /** Of these bytes, one behind the other; where one ends and the next begins counts. */
    public static Digest of(byte[]... parts) {
        MessageDigest sha;
        try {
            sha = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
        for (byte[] part : parts) {
            sha.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, part.length));
            sha.update(part);
        }
        ByteBuffer bytes = ByteBuffer.wrap(sha.digest());
        return new Digest(bytes.getLong(), bytes.getLong());
    }
}
