package io.waterwheel.cli.input;

import io.waterwheel.tuple.LittleEndian;

/** Finds signs in bytes, eight at a time. Stateless. */
final class LineSigns {
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH = 0x8080808080808080L;

    private LineSigns() {}

    /**
     * Where the first of three signs stands, which are ASCII and may be the same; {@code to} where none does.
     *
     * @param from where to begin
     */
    static int find(byte[] bytes, int from, int to, char one, char other, char third) {
        long ones = ONES * one;
        long others = ONES * other;
        long thirds = ONES * third;
        int at = from;
        for (; at <= to - Long.BYTES; at += Long.BYTES) {
            long eight = LittleEndian.getLong(bytes, at);
            long found = zeros(eight ^ ones) | zeros(eight ^ others) | zeros(eight ^ thirds);
            if (found != 0) {
                return at + (Long.numberOfTrailingZeros(found) >>> 3);
            }
        }
        while (at < to && bytes[at] != one && bytes[at] != other && bytes[at] != third) {
            at++;
        }
        return at;
    }

    /**
     * The high bit of each byte that is zero; above the lowest of them, of others perhaps too. A false one always has a
     * true one of the same mask below it, so that the lowest bit of several such masks together is a true one.
     */
    private static long zeros(long eight) {
        return (eight - ONES) & ~eight & HIGH;
    }
}
