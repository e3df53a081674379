package io.waterwheel.query.expression;

import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.text.Decimals;
import org.jspecify.annotations.Nullable;

/**
 * What an expression yields. Fields of several types share one: what is computed has no width. There is one object of
 * each type, so that {@code ==} tells whether two are the same; {@link #kind} is what a {@code switch} asks for.
 */
public final class ValueType {
    /** The kinds of types; each constant of {@link ValueType} has the kind of its name, {@link #decimal} the last. */
    public enum Kind {
        BOOLEAN,
        INTEGER,
        DOUBLE,
        TIMESTAMP,
        TIMESTAMP_US,
        TIMESTAMP_NS,
        IPV4,
        STRING,
        BYTES,
        UUID,
        IPV6,
        NULL,
        /** A decimal of any precision and scale. */
        DECIMAL
    }

    public static final ValueType BOOLEAN = new ValueType(Kind.BOOLEAN);

    /** Signed 64-bit integer; fields of type int and long. */
    public static final ValueType INTEGER = new ValueType(Kind.INTEGER);

    /** IEEE 754 double; fields of type float and double. */
    public static final ValueType DOUBLE = new ValueType(Kind.DOUBLE);

    /** Milliseconds since 1970 UTC. Timestamps of any resolution compare with each other, exactly. */
    public static final ValueType TIMESTAMP = new ValueType(Kind.TIMESTAMP);

    /** Microseconds since 1970 UTC. */
    public static final ValueType TIMESTAMP_US = new ValueType(Kind.TIMESTAMP_US);

    /** Nanoseconds since 1970 UTC. */
    public static final ValueType TIMESTAMP_NS = new ValueType(Kind.TIMESTAMP_NS);

    /** IPv4 address, ordered as an unsigned number. */
    public static final ValueType IPV4 = new ValueType(Kind.IPV4);

    /** Text, compared by its UTF-8 bytes. */
    public static final ValueType STRING = new ValueType(Kind.STRING);

    public static final ValueType BYTES = new ValueType(Kind.BYTES);

    /** UUID, ordered by its bytes. */
    public static final ValueType UUID = new ValueType(Kind.UUID);

    /** IPv6 address, ordered as an unsigned number. */
    public static final ValueType IPV6 = new ValueType(Kind.IPV6);

    /** The literal NULL, which fits wherever a value is expected. */
    public static final ValueType NULL = new ValueType(Kind.NULL);

    private static final ValueType[] ALL = {
        BOOLEAN, INTEGER, DOUBLE, TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS, IPV4, STRING, BYTES, UUID, IPV6, NULL
    };

    /** By precision and scale; see {@link #decimal}. */
    private static final ValueType[][] DECIMALS = new ValueType[Decimals.MOST_DIGITS + 1][];

    static {
        for (int precision = 1; precision < DECIMALS.length; precision++) {
            DECIMALS[precision] = new ValueType[precision + 1];
            for (int scale = 0; scale <= precision; scale++) {
                DECIMALS[precision][scale] = new ValueType(Kind.DECIMAL, FieldType.decimal(precision, scale));
            }
        }
    }

    private final Kind kind;
    /** Of a decimal, else null. */
    private final @Nullable FieldType decimal;

    private ValueType(Kind kind) {
        this(kind, null);
    }

    private ValueType(Kind kind, @Nullable FieldType decimal) {
        this.kind = kind;
        this.decimal = decimal;
    }

    /**
     * Exact decimals. Those of one scale, and of one form ({@link #variable}), compare with each other.
     *
     * @throws IllegalArgumentException when {@link FieldType#decimal} has no such type
     */
    public static ValueType decimal(int precision, int scale) {
        FieldType.decimal(precision, scale);
        return DECIMALS[precision][scale];
    }

    /** Whether it is a {@link #decimal}. */
    public boolean isDecimal() {
        return decimal != null;
    }

    /** Most digits of a decimal; 0 of any other type. */
    public int precision() {
        return decimal == null ? 0 : decimal.precision();
    }

    /** How many digits of a decimal are behind the point; 0 of any other type. */
    public int scale() {
        return decimal == null ? 0 : decimal.scale();
    }

    /** All types but decimals, in an array of the caller's own. */
    public static ValueType[] values() {
        return ALL.clone();
    }

    /** What tells it from types that are computed with in another way. */
    public Kind kind() {
        return kind;
    }

    /** The name of its constant, or such as {@code DECIMAL(18, 2)}. */
    public String name() {
        return decimal == null ? kind.name() : decimal.name();
    }

    /** What a field of this type yields. */
    public static ValueType of(FieldType type) {
        return switch (type.kind()) {
            case INT, LONG -> INTEGER;
            case FLOAT, DOUBLE -> DOUBLE;
            case BOOLEAN -> BOOLEAN;
            case TIMESTAMP -> TIMESTAMP;
            case TIMESTAMP_US -> TIMESTAMP_US;
            case TIMESTAMP_NS -> TIMESTAMP_NS;
            case IPV4 -> IPV4;
            case STRING -> STRING;
            case BYTES -> BYTES;
            case UUID -> UUID;
            case IPV6 -> IPV6;
            case DECIMAL -> decimal(type.precision(), type.scale());
        };
    }

    /** The field type that holds every value of this type. */
    public FieldType fieldType() {
        return switch (kind) {
            case BOOLEAN -> FieldType.BOOLEAN;
            case INTEGER -> FieldType.LONG;
            case DOUBLE -> FieldType.DOUBLE;
            case TIMESTAMP -> FieldType.TIMESTAMP;
            case TIMESTAMP_US -> FieldType.TIMESTAMP_US;
            case TIMESTAMP_NS -> FieldType.TIMESTAMP_NS;
            case IPV4 -> FieldType.IPV4;
            case STRING -> FieldType.STRING;
            case BYTES -> FieldType.BYTES;
            case UUID -> FieldType.UUID;
            case IPV6 -> FieldType.IPV6;
            case DECIMAL -> FieldType.decimal(precision(), scale());
            case NULL -> throw new IllegalArgumentException("NULL alone has no type");
        };
    }

    /** What it is called in CAST; null when nothing is cast to it. */
    public @Nullable String castName() {
        return switch (kind) {
            case INTEGER -> "BIGINT";
            case DOUBLE -> "DOUBLE";
            case STRING -> "VARCHAR";
            case TIMESTAMP -> "TIMESTAMP";
            case DECIMAL -> name();
            default -> null;
        };
    }

    /** Whether it is a number that is computed with: no decimal. */
    public boolean numeric() {
        return this == INTEGER || this == DOUBLE;
    }

    public boolean isTimestamp() {
        return this == TIMESTAMP || this == TIMESTAMP_US || this == TIMESTAMP_NS;
    }

    /** Whether values are bytes, of whatever meaning, rather than numbers. */
    public boolean variable() {
        return this == STRING || this == BYTES || hasSixteenBytes() || (decimal != null && decimal.variable());
    }

    /** Whether it is a UUID or an IPv6 address: 16 bytes that are written as text in one way. */
    public boolean hasSixteenBytes() {
        return this == UUID || this == IPV6;
    }

    /** The type's name in messages. */
    public String spoken() {
        return this == NULL ? "NULL" : name().toLowerCase(java.util.Locale.ROOT);
    }

    @Override
    public String toString() {
        return name();
    }
}
