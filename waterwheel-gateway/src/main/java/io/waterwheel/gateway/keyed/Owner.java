package io.waterwheel.gateway.keyed;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Whose lanes they are since a claim. It is noted with the mark of the claim, in one transaction.
 *
 * @param claim as the mark names it
 * @param place {@code HOST:PORT} where its gateway is reached
 */
record Owner(long claim, String place) {
    /** Its note: the claim (8 bytes), then the place. */
    byte[] note() {
        byte[] at = place.getBytes(UTF_8);
        return ByteBuffer.allocate(Long.BYTES + at.length)
                .putLong(claim)
                .put(at)
                .array();
    }

    /** Null where the note is none. */
    static @Nullable Owner of(byte @Nullable [] note) {
        return note == null || note.length <= Long.BYTES
                ? null
                : new Owner(
                        ByteBuffer.wrap(note).getLong(), new String(note, Long.BYTES, note.length - Long.BYTES, UTF_8));
    }
}
