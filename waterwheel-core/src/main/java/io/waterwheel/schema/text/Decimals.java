package io.waterwheel.schema.text;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Decimals: whole numbers of a smallest unit, such as cents. A decimal of at most {@link #SHORT_DIGITS} digits is its
 * number in 64 bits. A longer one is its number in 16 bytes, big-endian, with the sign bit turned round, so that bytes
 * have the order of numbers. Reads and writes their text: an optional sign, digits with at most one point, and
 * optionally an exponent, such as {@code -12.50} or {@code 1.25E+3}. One thread; the static ones are pure functions.
 */
public final class Decimals {
    /** Most digits of a decimal. */
    public static final int MOST_DIGITS = 38;

    /** Most digits of one that lies in 64 bits. */
    public static final int SHORT_DIGITS = 18;

    /** Bytes of a longer one. */
    public static final int LONG_BYTES = 16;

    /** Exponents beyond it make nothing that fits, of any text that there is. */
    private static final long MOST_EXPONENT = 1_000_000_000_000L;

    /** The number that was read, in two's complement: its upper 64 bits. */
    public long high;
    /** Its lower 64 bits. A decimal of at most {@link #SHORT_DIGITS} digits is in these alone. */
    public long low;

    /**
     * Reads a decimal from ASCII bytes [from, to) into {@link #high} and {@link #low}. Nothing is rounded; zeros behind
     * the last place are nothing.
     *
     * @param precision most digits
     * @param scale how many of them stand behind the point
     * @return null; or what would have been one, for messages, and then the number is undefined
     */
    public @Nullable String parse(byte[] text, int from, int to, int precision, int scale) {
        int at = from;
        boolean negative = at < to && text[at] == '-';
        if (negative || (at < to && text[at] == '+')) {
            at++;
        }
        high = 0;
        low = 0;
        int significant = 0;
        // Digits before the point, and digits as far as the last that is not zero.
        long whole = 0;
        long last = 0;
        long digits = 0;
        boolean point = false;
        long zeros = 0;
        for (; at < to; at++) {
            byte b = text[at];
            if (b == '.' && !point) {
                point = true;
                continue;
            } else if (b < '0' || b > '9') {
                break;
            }
            digits++;
            whole += point ? 0 : 1;
            if (b == '0') {
                zeros++;
                continue;
            }
            if (significant > 0) {
                if (significant + zeros + 1 > MOST_DIGITS) {
                    return expected(precision, scale);
                }
                significant += (int) zeros;
                for (; zeros > 0; zeros--) {
                    timesTenPlus(0);
                }
            }
            zeros = 0;
            significant++;
            timesTenPlus(b - '0');
            last = digits;
        }
        if (digits == 0) {
            return expected(precision, scale);
        }
        long exponent = 0;
        if (at < to && (text[at] == 'e' || text[at] == 'E')) {
            at++;
            boolean down = at < to && text[at] == '-';
            if (down || (at < to && text[at] == '+')) {
                at++;
            }
            if (at == to) {
                return expected(precision, scale);
            }
            for (; at < to && text[at] >= '0' && text[at] <= '9'; at++) {
                exponent = Math.min(MOST_EXPONENT, exponent * 10 + text[at] - '0');
            }
            exponent = down ? -exponent : exponent;
        }
        if (at != to) {
            return expected(precision, scale);
        }
        if (significant == 0) {
            return null;
        }
        long more = whole - last + exponent + scale;
        if (more < 0) {
            return "a decimal with at most " + scale + " places behind the point";
        } else if (significant + more > precision) {
            return expected(precision, scale);
        }
        for (; more > 0; more--) {
            timesTenPlus(0);
        }
        if (negative) {
            low = -low;
            high = ~high + (low == 0 ? 1 : 0);
        }
        return null;
    }

    private void timesTenPlus(int digit) {
        long product = low * 10;
        long carry = Math.multiplyHigh(low, 10) + (low >> 63 & 10);
        low = product + digit;
        high = high * 10 + carry + (Long.compareUnsigned(low, product) < 0 ? 1 : 0);
    }

    /** Writes the number that was read into the first {@link #LONG_BYTES} bytes of {@code out}. */
    public void write(byte[] out) {
        write(high, low, out);
    }

    /** The number that was read, as a decimal of {@code scale} places. */
    public BigDecimal value(int scale) {
        byte[] out = new byte[LONG_BYTES];
        write(out);
        return new BigDecimal(unscaled(out, 0), scale);
    }

    private static void write(long high, long low, byte[] out) {
        long turned = high ^ Long.MIN_VALUE;
        for (int i = 0; i < 8; i++) {
            out[i] = (byte) (turned >>> (56 - 8 * i));
            out[8 + i] = (byte) (low >>> (56 - 8 * i));
        }
    }

    /** A decimal of these digits in words, for messages. */
    public static String expected(int precision, int scale) {
        return "a decimal of at most " + (precision - scale) + " digits before the point and " + scale + " behind it";
    }

    /**
     * The unscaled number of a value in 64 bits.
     *
     * @throws ArithmeticException when the value has more places or more digits
     */
    public static long unscaled(BigDecimal value, int precision, int scale) {
        return unscaledOf(value, precision, scale).longValueExact();
    }

    /**
     * The unscaled number of a value in {@link #LONG_BYTES} bytes.
     *
     * @throws ArithmeticException when the value has more places or more digits
     */
    public static byte[] bytes(BigDecimal value, int precision, int scale) {
        return bytes(unscaledOf(value, precision, scale));
    }

    /** A number of at most 127 bits and a sign as a longer decimal has it. */
    public static byte[] bytes(BigInteger unscaled) {
        byte[] out = new byte[LONG_BYTES];
        write(unscaled.shiftRight(64).longValueExact(), unscaled.longValue(), out);
        return out;
    }

    /**
     * The unscaled number of a value.
     *
     * @throws ArithmeticException when the value has more places or more digits
     */
    public static BigInteger unscaledOf(BigDecimal value, int precision, int scale) {
        // A scale of a few thousand million digits would fill the memory with zeros, also of a zero.
        if (value.signum() == 0) {
            return BigInteger.ZERO;
        } else if ((long) value.precision() - value.scale() > precision - scale) {
            throw new ArithmeticException("more than " + (precision - scale) + " digits before the point");
        } else if ((long) value.scale() - scale >= value.precision()) {
            throw new ArithmeticException("more than " + scale + " digits behind the point");
        }
        return value.setScale(scale, RoundingMode.UNNECESSARY).unscaledValue();
    }

    /** The unscaled number in the {@link #LONG_BYTES} bytes from {@code at} on. */
    public static BigInteger unscaled(byte[] bytes, int at) {
        byte[] number = new byte[LONG_BYTES];
        System.arraycopy(bytes, at, number, 0, LONG_BYTES);
        number[0] ^= (byte) 0x80;
        return new BigInteger(number);
    }

    /** Ten to the power of the number of digits: the least unscaled number that has more. */
    public static BigInteger limit(int digits) {
        return BigInteger.TEN.pow(digits);
    }

    /** A decimal as text, with all of its places: {@code 1.20}, never with an exponent. */
    public static String text(BigDecimal value) {
        return value.toPlainString();
    }

    /**
     * The value of a text of any form.
     *
     * @throws IllegalArgumentException when it is none, or has more than {@link #MOST_DIGITS} digits
     */
    public static BigDecimal value(String text) {
        byte[] ascii = text.getBytes(StandardCharsets.UTF_8);
        BigDecimal value;
        try {
            if (ascii.length > 200) {
                throw new NumberFormatException("too long");
            }
            value = new BigDecimal(text);
            value = value.scale() < 0 && value.scale() >= -MOST_DIGITS ? value.setScale(0) : value;
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("expected a decimal such as -12.50, got '" + text + "'", e);
        }
        if (value.scale() < 0 || Math.max(value.precision(), value.scale()) > MOST_DIGITS) {
            throw new IllegalArgumentException(
                    "expected a decimal of at most " + MOST_DIGITS + " digits, got '" + text + "'");
        }
        return value;
    }
}
