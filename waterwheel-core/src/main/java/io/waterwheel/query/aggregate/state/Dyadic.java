package io.waterwheel.query.aggregate.state;

import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/** The number {@code digits x 2^exponent}, exactly. */
record Dyadic(BigInteger digits, int exponent) {
    /** Significant bits of a quotient or a root, so that one more rounding, to a double, is right. */
    private static final int BITS = 128;

    static final Dyadic ZERO = new Dyadic(BigInteger.ZERO, 0);

    Dyadic times(long factor) {
        return new Dyadic(digits.multiply(BigInteger.valueOf(factor)), exponent);
    }

    Dyadic squared() {
        return new Dyadic(digits.multiply(digits), 2 * exponent);
    }

    Dyadic plus(Dyadic other) {
        if (other.digits.signum() == 0) {
            return this;
        } else if (digits.signum() == 0) {
            return other;
        }
        int least = Math.min(exponent, other.exponent);
        return new Dyadic(
                digits.shiftLeft(exponent - least).add(other.digits.shiftLeft(other.exponent - least)), least);
    }

    Dyadic minus(Dyadic other) {
        return plus(new Dyadic(other.digits.negate(), other.exponent));
    }

    /** The same number times a power of two. */
    Dyadic shifted(int powers) {
        return new Dyadic(digits, exponent + powers);
    }

    /**
     * The double nearest to this number, which is not negative, divided by two others; or to the root of that.
     *
     * @param one at least 1
     * @param two at least 1
     */
    double quotient(long one, long two, boolean root) {
        if (digits.signum() == 0) {
            return 0;
        }
        BigInteger divisor = BigInteger.valueOf(one).multiply(BigInteger.valueOf(two));
        // A root has half the bits, and halves the exponent, which must be even.
        int shift = Math.max(0, 2 * BITS + divisor.bitLength() - digits.bitLength());
        shift += (exponent - shift) & 1;
        BigInteger[] parts = digits.shiftLeft(shift).divideAndRemainder(divisor);
        BigInteger value = parts[0];
        boolean more = parts[1].signum() != 0;
        int scale = exponent - shift;
        if (root) {
            BigInteger[] halves = value.sqrtAndRemainder();
            value = halves[0];
            more |= halves[1].signum() != 0;
            scale /= 2;
        }
        // One bit below the others says whether anything was cut off, so that ties are told from what is above them.
        value = value.shiftLeft(1).or(more ? BigInteger.ONE : BigInteger.ZERO);
        return ExactSum.rounded(value, scale - 1);
    }

    /**
     * The variance that these sums say, or its root: nearest to the exact value; null of too few values.
     *
     * @param count number of values
     * @param sum of the values
     * @param squares sum of their squares
     */
    static @Nullable Double variance(long count, Dyadic sum, Dyadic squares, boolean sample, boolean root) {
        long divisor = sample ? count - 1 : count;
        if (divisor < 1) {
            return null;
        }
        // (n S2 - S1^2) / (n d): not negative, by Cauchy and Schwarz, because nothing was rounded before.
        return squares.times(count).minus(sum.squared()).quotient(count, divisor, root);
    }
}
