package io.waterwheel.key;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.schema.text.Decimals;
import io.waterwheel.schema.text.Ipv4;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.Base64;

/**
 * Keys that keep the order of values: a value that is not above another has a key that is not above the other's.
 *
 * <ul>
 *   <li>Whole numbers, timestamps, addresses, booleans and decimals of up to 18 digits (their number of last places)
 *       are their own keys.
 *   <li>A float or double: its bits, those of negative numbers turned round; -0.0 has the key of 0.0, infinities have
 *       theirs, NaN has none.
 *   <li>A string, bytes, a UUID, an IPv6 address or a longer decimal: its first {@link #PREFIX_BYTES} bytes as a
 *       big-endian number, shorter ones filled up with zeros. Different values may share a key: who asks for values
 *       must look at the tuple again.
 * </ul>
 *
 * Pure functions.
 */
public final class KeyCodec {
    /** Bytes of a string or bytes value that make its key. */
    public static final int PREFIX_BYTES = 8;

    private KeyCodec() {}

    /** The key of a number that is not NaN. */
    public static long ofDouble(double value) {
        long bits = Double.doubleToRawLongBits(value + 0.0); // -0.0 + 0.0 is 0.0
        return bits ^ (bits >> 63 & Long.MAX_VALUE);
    }

    /** The key of a number that is not NaN. */
    public static long ofFloat(float value) {
        int bits = Float.floatToRawIntBits(value + 0.0f);
        return bits ^ (bits >> 31 & Integer.MAX_VALUE);
    }

    /** The key of a string's UTF-8 bytes, or of bytes. */
    public static long ofBytes(byte[] bytes, int offset, int length) {
        if (length > 0 && offset + PREFIX_BYTES <= bytes.length) {
            // What follows a short value is cut off: one load for the bytes one by one.
            long read = Long.reverseBytes(LittleEndian.getLong(bytes, offset));
            int unused = length < PREFIX_BYTES ? Byte.SIZE * (PREFIX_BYTES - length) : 0;
            return (read & (-1L << unused)) ^ Long.MIN_VALUE;
        }
        long prefix = 0;
        int count = Math.min(length, PREFIX_BYTES);
        for (int i = 0; i < count; i++) {
            prefix |= (bytes[offset + i] & 0xFFL) << (56 - 8 * i);
        }
        return prefix ^ Long.MIN_VALUE;
    }

    /** The key of a cut, as {@link io.waterwheel.schema.Cuts} reads it; of a text, of its first bytes. */
    public static long ofCut(Object cut) {
        if (cut instanceof Long number) {
            return number;
        }
        return cut instanceof Double number ? ofDouble(number) : ofBytes((byte[]) cut, 0, ((byte[]) cut).length);
    }

    /** Whether two values with the same key are always equal. */
    public static boolean isExact(FieldType type) {
        return !type.variable();
    }

    /** Every key that a value of the type can have. */
    public static KeyInterval domain(FieldType type) {
        return switch (type.physical()) {
            case INT32 -> new KeyInterval(Integer.MIN_VALUE, Integer.MAX_VALUE);
            case UINT32 -> new KeyInterval(0, 0xFFFF_FFFFL);
            case BOOLEAN -> new KeyInterval(0, 1);
            case FLOAT32 -> new KeyInterval(ofFloat(Float.NEGATIVE_INFINITY), ofFloat(Float.POSITIVE_INFINITY));
            case FLOAT64 -> new KeyInterval(ofDouble(Double.NEGATIVE_INFINITY), ofDouble(Double.POSITIVE_INFINITY));
            case INT64, VARIABLE -> KeyInterval.ALL;
        };
    }

    /**
     * The key of a value that a person wrote: numbers in decimals, rounded as the field's type would be; timestamps as
     * they are counted or in ISO 8601 with a zone (a space may stand for the T), no finer than the field, addresses
     * with dots or colons, bytes in base64.
     *
     * @throws IllegalArgumentException when the text is no value of the field; says what was expected
     */
    public static long ofText(Field field, String text) {
        try {
            return switch (field.type().kind()) {
                case INT -> Integer.parseInt(text);
                case LONG -> Long.parseLong(text);
                case TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS -> timestamp(field.type(), text);
                case IPV4 -> address(text);
                case BOOLEAN -> bool(text);
                case FLOAT -> ofFloat(notNan(Float.parseFloat(text)));
                case DOUBLE -> ofDouble(notNan(Double.parseDouble(text)));
                case STRING -> {
                    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                    yield ofBytes(bytes, 0, bytes.length);
                }
                case BYTES -> {
                    byte[] bytes = Base64.getDecoder().decode(text);
                    yield ofBytes(bytes, 0, bytes.length);
                }
                case DECIMAL -> decimal(field.type(), text);
                case UUID, IPV6 -> ofBytes(sixteen(field.type(), text), 0, FieldType.SIXTEEN);
            };
        } catch (IllegalArgumentException | DateTimeException e) {
            throw new IllegalArgumentException(
                    "key field '" + field.name() + "': expected a value of type "
                            + field.type().schemaName() + ", got '" + text + "'",
                    e);
        }
    }

    /**
     * The least value that has the key, as {@link #ofText} reads it; of a string or bytes, the bytes that are compared.
     * A string's may end within a character, which is left out: then the text's key is a little smaller.
     */
    public static String toText(Field field, long key) {
        return switch (field.type().kind()) {
            case INT, LONG, TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS -> Long.toString(key);
            case IPV4 -> Ipv4.text((int) key);
            case BOOLEAN -> key == 0 ? "false" : "true";
            case FLOAT -> Float.toString(Float.intBitsToFloat((int) (key ^ (key >> 63 & Integer.MAX_VALUE))));
            case DOUBLE -> Double.toString(Double.longBitsToDouble(key ^ (key >> 63 & Long.MAX_VALUE)));
            case STRING, BYTES, UUID, IPV6 -> toText(field, prefix(key));
            case DECIMAL ->
                field.type().variable()
                        ? toText(field, prefix(key))
                        : decimalText(field.type(), BigInteger.valueOf(key));
        };
    }

    /**
     * The least value that begins with some bytes, as {@link #ofText} reads it; of a string or bytes, these bytes. A
     * character that is cut at the end is left out: then the text is a little smaller.
     *
     * @param field of a string, bytes, UUID, IPv6 address or longer decimal
     */
    public static String toText(Field field, byte[] prefix) {
        return switch (field.type().kind()) {
            case STRING -> {
                CharBuffer text = CharBuffer.allocate(prefix.length);
                // Stops before a character that is cut, and says so; that is what is wanted.
                StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(prefix), text, false);
                yield text.flip().toString();
            }
            case BYTES -> Base64.getEncoder().encodeToString(prefix);
            case UUID, IPV6 -> field.type().textOfSixteen(Arrays.copyOf(prefix, FieldType.SIXTEEN), 0);
            case DECIMAL -> decimalText(field.type(), Decimals.unscaled(Arrays.copyOf(prefix, Decimals.LONG_BYTES), 0));
            case INT, LONG, TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS, IPV4, BOOLEAN, FLOAT, DOUBLE ->
                throw new IllegalArgumentException(
                        "no prefixes of a " + field.type().schemaName());
        };
    }

    /** The bytes of which a key was made, without the zeros that filled it up. */
    private static byte[] prefix(long key) {
        long bits = key ^ Long.MIN_VALUE;
        int length = PREFIX_BYTES - Math.min(PREFIX_BYTES, Long.numberOfTrailingZeros(bits) / 8);
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (bits >>> (56 - 8 * i));
        }
        return bytes;
    }

    private static long timestamp(FieldType type, String text) {
        boolean number = text.chars().allMatch(c -> c == '-' || c == '+' || (c >= '0' && c <= '9'))
                && text.lastIndexOf('-') <= 0;
        return number
                ? Long.parseLong(text)
                : exact(
                        type.resolution(),
                        OffsetDateTime.parse(text.replace(' ', 'T')).toInstant());
    }

    /** A bound between two values would be rounded to one that it excludes. */
    private static long exact(TimestampUnit resolution, Instant instant) {
        long units = resolution.units(instant);
        if (!resolution.instant(units).equals(instant)) {
            throw new IllegalArgumentException("finer than the field");
        }
        return units;
    }

    /** @throws IllegalArgumentException when the text is no value of the type */
    private static byte[] sixteen(FieldType type, String text) {
        byte[] written = text.getBytes(StandardCharsets.UTF_8);
        byte[] value = new byte[FieldType.SIXTEEN];
        if (!type.parseSixteen(written, 0, written.length, value)) {
            throw new IllegalArgumentException("expected " + type.sixteenExpected());
        }
        return value;
    }

    private static long decimal(FieldType type, String text) {
        try {
            BigDecimal value = Decimals.value(text);
            return type.variable()
                    ? ofBytes(Decimals.bytes(value, type.precision(), type.scale()), 0, Decimals.LONG_BYTES)
                    : Decimals.unscaled(value, type.precision(), type.scale());
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("expected " + Decimals.expected(type.precision(), type.scale()), e);
        }
    }

    private static String decimalText(FieldType type, BigInteger unscaled) {
        // Between the greatest values and the ends of 16 bytes there are keys that no value has.
        BigInteger most = Decimals.limit(type.precision()).subtract(BigInteger.ONE);
        return Decimals.text(new BigDecimal(unscaled.min(most).max(most.negate()), type.scale()));
    }

    private static long address(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        long address = Ipv4.parse(bytes, 0, bytes.length);
        if (address < 0) {
            throw new IllegalArgumentException("no address");
        }
        return address;
    }

    private static long bool(String text) {
        if (!text.equals("true") && !text.equals("false")) {
            throw new IllegalArgumentException("no boolean");
        }
        return text.equals("true") ? 1 : 0;
    }

    private static float notNan(float value) {
        if (Float.isNaN(value)) {
            throw new IllegalArgumentException("NaN is no key");
        }
        return value;
    }

    private static double notNan(double value) {
        if (Double.isNaN(value)) {
            throw new IllegalArgumentException("NaN is no key");
        }
        return value;
    }
}
