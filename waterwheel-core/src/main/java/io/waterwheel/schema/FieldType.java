package io.waterwheel.schema;

import io.waterwheel.schema.text.Decimals;
import io.waterwheel.schema.text.Ipv4;
import io.waterwheel.schema.text.Ipv6;
import io.waterwheel.schema.text.Uuid;
import io.waterwheel.tuple.TupleBlock;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a field of a tuple holds, and how many bytes a row of its column takes. There is one object of each type, so
 * that {@code ==} tells whether two are the same; {@link #kind} is what a {@code switch} asks for. Immutable.
 */
public final class FieldType {
    /** The kinds of types; each constant of {@link FieldType} has the kind of its name, {@link #decimal} the last. */
    public enum Kind {
        INT,
        LONG,
        FLOAT,
        DOUBLE,
        BOOLEAN,
        TIMESTAMP,
        TIMESTAMP_US,
        TIMESTAMP_NS,
        IPV4,
        STRING,
        BYTES,
        UUID,
        IPV6,
        /** A decimal of any precision and scale. */
        DECIMAL
    }

    /** Signed 32-bit integer. */
    public static final FieldType INT = new FieldType(Kind.INT, PhysicalType.INT32);

    /** Signed 64-bit integer. */
    public static final FieldType LONG = new FieldType(Kind.LONG, PhysicalType.INT64);

    /** IEEE 754 single, raw bits. */
    public static final FieldType FLOAT = new FieldType(Kind.FLOAT, PhysicalType.FLOAT32);

    /** IEEE 754 double, raw bits. */
    public static final FieldType DOUBLE = new FieldType(Kind.DOUBLE, PhysicalType.FLOAT64);

    /** 0 or 1 in one byte. */
    public static final FieldType BOOLEAN = new FieldType(Kind.BOOLEAN, PhysicalType.BOOLEAN);

    /** Milliseconds since 1970-01-01T00:00:00Z, signed 64-bit. */
    public static final FieldType TIMESTAMP = new FieldType(Kind.TIMESTAMP, PhysicalType.INT64);

    /** Microseconds since 1970-01-01T00:00:00Z, signed 64-bit. */
    public static final FieldType TIMESTAMP_US = new FieldType(Kind.TIMESTAMP_US, PhysicalType.INT64);

    /** Nanoseconds since 1970-01-01T00:00:00Z, signed 64-bit: from the year 1677 to 2262. */
    public static final FieldType TIMESTAMP_NS = new FieldType(Kind.TIMESTAMP_NS, PhysicalType.INT64);

    /** IPv4 address, 32 bits, ordered as an unsigned number. */
    public static final FieldType IPV4 = new FieldType(Kind.IPV4, PhysicalType.UINT32);

    /** UTF-8 text of at most {@link TupleBlock#MAX_VALUE_BYTES} bytes, kept in the arena. */
    public static final FieldType STRING = new FieldType(Kind.STRING, PhysicalType.VARIABLE);

    /** Bytes, at most {@link TupleBlock#MAX_VALUE_BYTES}, kept in the arena. */
    public static final FieldType BYTES = new FieldType(Kind.BYTES, PhysicalType.VARIABLE);

    /** UUID, its 16 bytes in the arena, ordered as bytes. */
    public static final FieldType UUID = new FieldType(Kind.UUID, PhysicalType.VARIABLE);

    /** IPv6 address, its 16 bytes in the arena, ordered as an unsigned number. */
    public static final FieldType IPV6 = new FieldType(Kind.IPV6, PhysicalType.VARIABLE);

    /** Bytes of a value of a type that {@link #hasSixteenBytes}. */
    public static final int SIXTEEN = 16;

    private static final Pattern DECIMAL = Pattern.compile("decimal\\(([0-9]{1,2})(?:, ?([0-9]{1,2}))?\\)");

    private static final FieldType[] ALL = {
        INT, LONG, FLOAT, DOUBLE, BOOLEAN, TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS, IPV4, STRING, BYTES, UUID, IPV6
    };

    /** By precision and scale; see {@link #decimal}. */
    private static final FieldType[][] DECIMALS = new FieldType[Decimals.MOST_DIGITS + 1][];

    static {
        for (int precision = 1; precision < DECIMALS.length; precision++) {
            DECIMALS[precision] = new FieldType[precision + 1];
            for (int scale = 0; scale <= precision; scale++) {
                DECIMALS[precision][scale] = new FieldType(
                        Kind.DECIMAL,
                        precision <= Decimals.SHORT_DIGITS ? PhysicalType.INT64 : PhysicalType.VARIABLE,
                        precision,
                        scale);
            }
        }
    }

    private final Kind kind;
    private final PhysicalType physical;
    private final int precision;
    private final int scale;
    /** The least number of last places that a decimal does not hold. */
    private final BigInteger limit;

    private FieldType(Kind kind, PhysicalType physical) {
        this(kind, physical, 0, 0);
    }

    private FieldType(Kind kind, PhysicalType physical, int precision, int scale) {
        this.kind = kind;
        this.physical = physical;
        this.precision = precision;
        this.scale = scale;
        this.limit = Decimals.limit(precision);
    }

    /** All types but those with parameters ({@link #decimal}), in an array of the caller's own. */
    public static FieldType[] values() {
        return ALL.clone();
    }

    /**
     * An exact decimal: whole numbers of its last place. One of up to 18 digits lies in 64 bits, a longer one as 16
     * bytes in the arena, in the order of numbers.
     *
     * @param precision most digits, 1 to 38
     * @param scale how many of them are behind the point, up to all
     * @throws IllegalArgumentException when they are not so
     */
    public static FieldType decimal(int precision, int scale) {
        if (precision < 1 || precision > Decimals.MOST_DIGITS || scale < 0 || scale > precision) {
            throw new IllegalArgumentException("decimal(" + precision + ", " + scale + "): expected 1 to "
                    + Decimals.MOST_DIGITS + " digits, and as many of them behind the point at most");
        }
        return DECIMALS[precision][scale];
    }

    /** Every {@link #decimal}. */
    static List<FieldType> decimals() {
        List<FieldType> all = new ArrayList<>();
        for (int precision = 1; precision < DECIMALS.length; precision++) {
            all.addAll(List.of(DECIMALS[precision]));
        }
        return all;
    }

    /** Whether it is a {@link #decimal}. */
    public boolean isDecimal() {
        return kind == Kind.DECIMAL;
    }

    /** Most digits of a decimal; 0 of any other type. */
    public int precision() {
        return precision;
    }

    /** How many digits of a decimal are behind the point; 0 of any other type. */
    public int scale() {
        return scale;
    }

    /** The type of that {@link #schemaName}; null when there is none. */
    public static @Nullable FieldType named(String schemaName) {
        for (FieldType type : ALL) {
            if (type.schemaName().equals(schemaName)) {
                return type;
            }
        }
        Matcher decimal = DECIMAL.matcher(schemaName);
        return decimal.matches() ? decimal(decimal) : null;
    }

    private static @Nullable FieldType decimal(Matcher name) {
        int digits = Integer.parseInt(name.group(1));
        int behind = name.group(2) == null ? 0 : Integer.parseInt(name.group(2));
        return digits >= 1 && digits < DECIMALS.length && behind <= digits ? DECIMALS[digits][behind] : null;
    }

    /**
     * The type of that {@link #name}.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static FieldType valueOf(String name) {
        for (FieldType type : ALL) {
            if (type.name().equals(name)) {
                return type;
            }
        }
        FieldType decimal = named(name.toLowerCase(Locale.ROOT));
        if (decimal != null && decimal.isDecimal()) {
            return decimal;
        }
        throw new IllegalArgumentException("no type of fields has the name " + name);
    }

    /** What tells it from types that are read and written in another way. */
    public Kind kind() {
        return kind;
    }

    /** The type's name in catalogs: that of its constant, or such as {@code DECIMAL(18, 2)}. */
    public String name() {
        return isDecimal() ? kind.name() + "(" + precision + ", " + scale + ")" : kind.name();
    }

    /** How values lie in columns. */
    public PhysicalType physical() {
        return physical;
    }

    /** Bytes one row takes in the column; for variable fields the width of the arena reference. */
    public int width() {
        return physical.width();
    }

    /** Whether the value lies in the arena and the column holds a reference to it. */
    public boolean variable() {
        return physical == PhysicalType.VARIABLE;
    }

    /** The type's name in a schema file: lower case, such as {@code decimal(18, 2)}. */
    public String schemaName() {
        return name().toLowerCase(Locale.ROOT);
    }

    public boolean isTimestamp() {
        return this == TIMESTAMP || this == TIMESTAMP_US || this == TIMESTAMP_NS;
    }

    /** Whether it is a number of a machine: whole or not, no time and no decimal. */
    public boolean isNumber() {
        return this == INT || this == LONG || this == FLOAT || this == DOUBLE;
    }

    /** Whether each value has 16 bytes, which are written as text in one way: a UUID or an IPv6 address. */
    public boolean hasSixteenBytes() {
        return this == UUID || this == IPV6;
    }

    /** Whether a number of last places has no more digits than this type of decimals that lies in 64 bits. */
    public boolean holds(long unscaled) {
        long most = limit.longValue();
        return unscaled > -most && unscaled < most;
    }

    /** The same of one that lies in 16 bytes from {@code at} on. */
    public boolean holds(byte[] bytes, int at) {
        return Decimals.unscaled(bytes, at).abs().compareTo(limit) < 0;
    }

    /** How many bytes each value in the arena has; -1 when they have several lengths, or lie in the column. */
    public int valueBytes() {
        return physical == PhysicalType.VARIABLE && kind != Kind.STRING && kind != Kind.BYTES ? SIXTEEN : -1;
    }

    /**
     * Reads a value of 16 bytes from ASCII bytes [from, to) into the first 16 of {@code out}.
     *
     * @return whether they are a value of this type; when not, what {@code out} holds is undefined
     * @throws IllegalStateException for a type that has no {@link #hasSixteenBytes 16 bytes}
     */
    public boolean parseSixteen(byte[] text, int from, int to, byte[] out) {
        return switch (kind) {
            case UUID -> Uuid.parse(text, from, to, out);
            case IPV6 -> Ipv6.parse(text, from, to, out);
            default -> throw new IllegalStateException(this + " has no 16 bytes");
        };
    }

    /**
     * A value of 16 bytes, those from {@code at} on, as text.
     *
     * @throws IllegalStateException for a type that has no {@link #hasSixteenBytes 16 bytes}
     */
    public String textOfSixteen(byte[] bytes, int at) {
        return switch (kind) {
            case UUID -> Uuid.text(bytes, at);
            case IPV6 -> Ipv6.text(bytes, at);
            default -> throw new IllegalStateException(this + " has no 16 bytes");
        };
    }

    /** A value of 16 bytes in words, for messages. */
    public String sixteenExpected() {
        return switch (kind) {
            case UUID -> "a UUID such as 123e4567-e89b-12d3-a456-426614174000";
            case IPV6 -> "an IPv6 address such as 2001:db8::1";
            default -> throw new IllegalStateException(this + " has no 16 bytes");
        };
    }

    /** Whether a value is a whole number that is its own order-preserving key. */
    public boolean isWholeNumber() {
        return physical.isWholeNumber();
    }

    /**
     * The unit that a timestamp type counts in.
     *
     * @throws IllegalStateException for any other type
     */
    public TimestampUnit resolution() {
        return switch (kind) {
            case TIMESTAMP -> TimestampUnit.MILLISECONDS;
            case TIMESTAMP_US -> TimestampUnit.MICROSECONDS;
            case TIMESTAMP_NS -> TimestampUnit.NANOSECONDS;
            default -> throw new IllegalStateException(this + " is no timestamp");
        };
    }

    /**
     * A whole number of this type as an object, for borders where people look: Integer, Long, BigDecimal, or an address
     * as text.
     *
     * @throws IllegalStateException for a type that is not of whole numbers
     */
    public Object object(long value) {
        return switch (kind) {
            case INT -> (int) value;
            case LONG, TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS -> value;
            case IPV4 -> Ipv4.text((int) value);
            case DECIMAL -> BigDecimal.valueOf(value, scale);
            case FLOAT, DOUBLE, BOOLEAN, STRING, BYTES, UUID, IPV6 ->
                throw new IllegalStateException(this + " is no whole number");
        };
    }

    /**
     * The bytes of a value as an object, for borders where people look: byte[]; String of text, a UUID and an address;
     * BigDecimal.
     *
     * @throws IllegalStateException for a type whose values do not lie in the arena
     */
    public Object object(byte[] bytes) {
        return switch (kind) {
            case STRING -> new String(bytes, StandardCharsets.UTF_8);
            case BYTES -> bytes;
            case UUID, IPV6 -> textOfSixteen(bytes, 0);
            case DECIMAL -> new BigDecimal(Decimals.unscaled(bytes, 0), scale);
            default -> throw new IllegalStateException(this + " is not in the arena");
        };
    }

    @Override
    public String toString() {
        return name();
    }
}
