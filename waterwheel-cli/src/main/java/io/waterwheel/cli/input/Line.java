package io.waterwheel.cli.input;

import java.util.Arrays;

/**
 * The bytes of a line where they lie, in an array that others use too: they are the line's until the next one is asked
 * for. One thread.
 */
public final class Line {
    private byte[] bytes = {};
    private int from;
    private int to;

    Line() {}

    /** A line that is all of an array. */
    public static Line of(byte[] bytes) {
        return new Line().set(bytes, 0, bytes.length);
    }

    Line set(byte[] array, int begin, int end) {
        bytes = array;
        from = begin;
        to = end;
        return this;
    }

    /** The array that it lies in. */
    public byte[] bytes() {
        return bytes;
    }

    /** Where it begins. */
    public int from() {
        return from;
    }

    /** Behind its last byte. */
    public int to() {
        return to;
    }

    public int length() {
        return to - from;
    }

    /** Its bytes, for who keeps them. */
    public byte[] copy() {
        return Arrays.copyOfRange(bytes, from, to);
    }
}
