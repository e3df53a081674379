package io.waterwheel.decode.protobuf;

import io.waterwheel.decode.typed.MalformedException;
import io.waterwheel.decode.typed.ValueSink;

/**
 * Reads {@code google.protobuf.Timestamp}: seconds and nanoseconds since 1970 UTC. A message that is there twice is one
 * with the members of both, so those of before are kept. One thread.
 */
final class WireTimestamp implements WireField {
    private static final int SECONDS = 1;
    private static final int NANOS = 2;
    private static final int MOST_NANOS = 999_999_999;

    private final int field;
    private long seconds;
    private int nanos;

    WireTimestamp(int field) {
        this.field = field;
    }

    @Override
    public void read(WireInput in, ValueSink sink) throws MalformedException {
        if (!sink.has(field)) {
            seconds = 0;
            nanos = 0;
        }
        int end = in.length() + in.at;
        int before = in.to;
        in.to = end;
        while (in.hasMore()) {
            int tag = in.tag();
            if (tag == (SECONDS << 3 | WireInput.VARINT)) {
                seconds = in.varint();
            } else if (tag == (NANOS << 3 | WireInput.VARINT)) {
                nanos = (int) in.varint();
            } else {
                in.skip(tag);
            }
        }
        in.to = before;
        if (nanos < 0 || nanos > MOST_NANOS) {
            throw new MalformedException("a Timestamp of " + nanos + " nanoseconds, expected 0 to " + MOST_NANOS);
        }
        sink.instant(field, seconds, nanos);
    }
}
