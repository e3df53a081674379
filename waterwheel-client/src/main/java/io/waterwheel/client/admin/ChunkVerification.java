package io.waterwheel.client.admin;

import java.util.List;

/**
 * What came of reading the chunks of a stream.
 *
 * @param chunks that were read whole
 * @param bytes of their files
 * @param damages what is wrong, a sentence each, which names the file and the place; empty when all are as they were
 *     written
 */
public record ChunkVerification(long chunks, long bytes, List<String> damages) {
    /** A copy of its own. */
    public ChunkVerification {
        damages = List.copyOf(damages);
    }
}
