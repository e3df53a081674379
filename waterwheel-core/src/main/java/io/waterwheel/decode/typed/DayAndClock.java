package io.waterwheel.decode.typed;

import java.util.Arrays;

/** A time whose day and time of day stand in two places of a record, as they come. Reuses its buffers; one thread. */
public final class DayAndClock {
    private static final int SHORT = 64;

    private byte[] day = new byte[SHORT];
    private byte[] clock = new byte[SHORT];
    /** -1: there is none. */
    private int dayLength = -1;

    private int clockLength = -1;
    /** Whether a place was seen, also without a value. */
    private boolean dayIsSeen;

    private boolean clockIsSeen;

    /** Forgets both. */
    public void clear() {
        dayLength = -1;
        clockLength = -1;
        dayIsSeen = false;
        clockIsSeen = false;
    }

    /** Notes that one of them was seen, also without a value; returns whether it was before. */
    public boolean seesAgain(boolean ofClock) {
        boolean before = ofClock ? clockIsSeen : dayIsSeen;
        clockIsSeen |= ofClock;
        dayIsSeen |= !ofClock;
        return before;
    }

    /** Takes bytes [from, to), of the time of day or of the day. */
    public void take(boolean ofClock, byte[] bytes, int from, int to) {
        int length = to - from;
        if (ofClock) {
            clock = room(clock, length);
            clockLength = length;
            System.arraycopy(bytes, from, clock, 0, length);
        } else {
            day = room(day, length);
            dayLength = length;
            System.arraycopy(bytes, from, day, 0, length);
        }
    }

    private static byte[] room(byte[] buffer, int length) {
        return buffer.length >= length ? buffer : Arrays.copyOf(buffer, length);
    }

    /** Whether one of them is there. */
    public boolean has(boolean ofClock) {
        return (ofClock ? clockLength : dayLength) >= 0;
    }

    /** Both with a space between them, as a time is written in one place. */
    public byte[] joined() {
        byte[] joined = Arrays.copyOf(day, dayLength + 1 + clockLength);
        joined[dayLength] = ' ';
        System.arraycopy(clock, 0, joined, dayLength + 1, clockLength);
        return joined;
    }
}
