package io.waterwheel.wire;

import io.waterwheel.query.InstantRange;
import io.waterwheel.wire.proto.InstantRangeMessage;
import io.waterwheel.wire.proto.Moment;
import java.time.DateTimeException;
import java.time.Instant;

/** Ranges of instants as messages. Stateless, thread-safe. */
final class WireInstants {
    private static final int NANOS_PER_SECOND = 1_000_000_000;

    private WireInstants() {}

    static InstantRangeMessage toMessage(InstantRange range) {
        InstantRangeMessage.Builder message = InstantRangeMessage.newBuilder();
        if (!range.from().equals(Instant.MIN)) {
            message.setFrom(moment(range.from()));
        }
        if (!range.to().equals(Instant.MAX)) {
            message.setTo(moment(range.to()));
        }
        return message.build();
    }

    static Moment moment(Instant instant) {
        return Moment.newBuilder()
                .setSeconds(instant.getEpochSecond())
                .setNanos(instant.getNano())
                .build();
    }

    static InstantRange fromMessage(InstantRangeMessage message) {
        WireQueries.refuseUnknown("query: instants", message);
        return new InstantRange(
                message.hasFrom() ? instant("instants.from", message.getFrom()) : Instant.MIN,
                message.hasTo() ? instant("instants.to", message.getTo()) : Instant.MAX);
    }

    static Instant instant(String what, Moment moment) {
        WireQueries.refuseUnknown("query: " + what, moment);
        if (moment.getNanos() < 0 || moment.getNanos() >= NANOS_PER_SECOND) {
            throw WireQueries.bad(what + ": nanos: expected 0 to 999,999,999, got " + moment.getNanos());
        }
        try {
            return Instant.ofEpochSecond(moment.getSeconds(), moment.getNanos());
        } catch (DateTimeException e) {
            throw WireQueries.bad(what + ": seconds: " + moment.getSeconds() + " are beyond the year 1,000,000,000");
        }
    }
}
