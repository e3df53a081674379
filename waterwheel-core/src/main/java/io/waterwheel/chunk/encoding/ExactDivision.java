package io.waterwheel.chunk.encoding;

/**
 * Division by a number, of numbers that are mostly its multiples, by a multiplication: an integer division takes
 * several times as long. One thread.
 */
/*
 * An odd number has an inverse modulo 2^64: a multiple times the inverse is the quotient, as with any product that is
 * taken modulo 2^64. What is no multiple gives a number too large to be a quotient [Warren 2012]. A divisor is an odd
 * number times a power of two.
 */
final class ExactDivision {
    private int shift;
    private long inverse;
    private long mostQuotient;

    /** Divides by this from now on. */
    void by(long divisor) {
        shift = Long.numberOfTrailingZeros(divisor);
        long odd = divisor >>> shift;
        // Right in the lowest three bits, and in twice as many after each step.
        inverse = odd;
        for (int step = 0; step < 5; step++) {
            inverse *= 2 - odd * inverse;
        }
        mostQuotient = Long.divideUnsigned(-1, odd);
    }

    /** The quotient of a multiple of the divisor. */
    long quotient(long multiple) {
        return (multiple >> shift) * inverse;
    }

    /** Whether a number, 0 or above, is a multiple of the divisor. */
    boolean divides(long number) {
        long high = number >>> shift;
        return high << shift == number && Long.compareUnsigned(high * inverse, mostQuotient) <= 0;
    }
}
