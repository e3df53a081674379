package io.waterwheel.client.admin;

import io.waterwheel.schema.Retention;
import io.waterwheel.wire.proto.RetentionReply;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How long a stream's tuples are kept.
 *
 * @param retention the stream's
 * @param horizon tuples of times before it have expired; null when none has
 * @param next where it would be now; null when nothing more goes
 * @param chunks that go whole
 * @param tuples of those
 * @param bytes of those
 * @param cut chunks that reach across {@code next}: they stay, and no answer has what of them lies before
 */
public record StreamRetention(
        Retention retention,
        @Nullable Instant horizon,
        @Nullable Instant next,
        long chunks,
        long tuples,
        long bytes,
        long cut) {
    public static StreamRetention of(RetentionReply reply) {
        return new StreamRetention(
                Retention.parse(reply.getRetention()),
                reply.hasHorizon() ? Instant.ofEpochMilli(reply.getHorizon()) : null,
                reply.hasNext() ? Instant.ofEpochMilli(reply.getNext()) : null,
                reply.getChunks(),
                reply.getTuples(),
                reply.getBytes(),
                reply.getCut());
    }
}
