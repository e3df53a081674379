package io.waterwheel.gateway.arrow;

import java.util.Locale;
import org.apache.arrow.flatbuf.Date;
import org.apache.arrow.flatbuf.DateUnit;
import org.apache.arrow.flatbuf.Decimal;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FixedSizeBinary;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.TimeUnit;
import org.apache.arrow.flatbuf.Timestamp;
import org.apache.arrow.flatbuf.Type;
import org.jspecify.annotations.Nullable;

/**
 * What the values of an Arrow column are, and how they lie in its buffers.
 *
 * @param width bytes of a value, or of an offset where values have lengths of their own; 0 for truths and nulls
 * @param signed whether whole numbers have a sign
 * @param unitNanos nanoseconds of the unit that times are counted in; 0 for others
 * @param scale digits behind the point of decimals, perhaps below 0; 0 for others
 */
record ColumnType(Kind kind, int width, boolean signed, long unitNanos, int scale) {
    ColumnType(Kind kind, int width, boolean signed, long unitNanos) {
        this(kind, width, signed, unitNanos, 0);
    }

    /** The values, whatever their width. */
    enum Kind {
        NULL,
        BOOLEAN,
        INTEGER,
        FLOATING,
        TIME,
        TEXT,
        BINARY,
        FIXED_BINARY,
        DECIMAL
    }

    private static final long DAY_NANOS = 86_400_000_000_000L;

    /** The type of a column; null where no field of a stream can take it. */
    static @Nullable ColumnType of(Field field) {
        return switch (field.typeType()) {
            case Type.Null -> new ColumnType(Kind.NULL, 0, false, 0);
            case Type.Bool -> new ColumnType(Kind.BOOLEAN, 0, false, 0);
            case Type.Int -> integer((Int) field.type(new Int()));
            case Type.FloatingPoint -> floating((FloatingPoint) field.type(new FloatingPoint()));
            case Type.Utf8 -> new ColumnType(Kind.TEXT, 4, false, 0);
            case Type.LargeUtf8 -> new ColumnType(Kind.TEXT, 8, false, 0);
            case Type.Binary -> new ColumnType(Kind.BINARY, 4, false, 0);
            case Type.LargeBinary -> new ColumnType(Kind.BINARY, 8, false, 0);
            case Type.FixedSizeBinary -> fixed((FixedSizeBinary) field.type(new FixedSizeBinary()));
            case Type.Decimal -> decimal((Decimal) field.type(new Decimal()));
            case Type.Date -> date((Date) field.type(new Date()));
            case Type.Timestamp -> time((Timestamp) field.type(new Timestamp()));
            default -> null;
        };
    }

    /** The type of whole numbers. */
    static @Nullable ColumnType integer(@Nullable Int type) {
        if (type == null) {
            return null;
        }
        int bits = type.bitWidth();
        return bits == 8 || bits == 16 || bits == 32 || bits == 64
                ? new ColumnType(Kind.INTEGER, bits / 8, type.isSigned(), 0)
                : null;
    }

    private static @Nullable ColumnType floating(@Nullable FloatingPoint type) {
        if (type == null || type.precision() == Precision.HALF) {
            return null;
        }
        return new ColumnType(Kind.FLOATING, type.precision() == Precision.SINGLE ? 4 : 8, true, 0);
    }

    private static @Nullable ColumnType fixed(@Nullable FixedSizeBinary type) {
        return type == null || type.byteWidth() <= 0
                ? null
                : new ColumnType(Kind.FIXED_BINARY, type.byteWidth(), false, 0);
    }

    /** Digits of decimals of 256 bits. */
    private static final int MOST_PLACES = 76;

    private static @Nullable ColumnType decimal(@Nullable Decimal type) {
        if (type == null) {
            return null;
        }
        boolean known =
                (type.bitWidth() == 128 || type.bitWidth() == 256) && Math.abs((long) type.scale()) <= MOST_PLACES;
        return known ? new ColumnType(Kind.DECIMAL, type.bitWidth() / 8, true, 0, type.scale()) : null;
    }

    private static @Nullable ColumnType date(@Nullable Date type) {
        if (type == null) {
            return null;
        }
        return type.unit() == DateUnit.DAY
                ? new ColumnType(Kind.TIME, 4, true, DAY_NANOS)
                : new ColumnType(Kind.TIME, 8, true, 1_000_000);
    }

    private static @Nullable ColumnType time(@Nullable Timestamp type) {
        if (type == null) {
            return null;
        }
        long nanos =
                switch (type.unit()) {
                    case TimeUnit.SECOND -> 1_000_000_000;
                    case TimeUnit.MILLISECOND -> 1_000_000;
                    case TimeUnit.MICROSECOND -> 1_000;
                    default -> 1;
                };
        return new ColumnType(Kind.TIME, 8, true, nanos);
    }

    /** Whether each value has a length of its own. */
    boolean variable() {
        return kind == Kind.TEXT || kind == Kind.BINARY;
    }

    /** Buffers of a column of this type. */
    int buffers() {
        return kind == Kind.NULL ? 0 : variable() ? 3 : 2;
    }

    /** The type in words, for messages. */
    String words() {
        return switch (kind) {
            case INTEGER, FLOATING ->
                (signed ? "" : "unsigned ") + (kind == Kind.INTEGER ? "integers" : "floats") + " of " + 8 * width
                        + " bits";
            case DECIMAL -> "decimals with " + scale + " places";
            case FIXED_BINARY -> "binary of " + width + " bytes";
            case BOOLEAN, NULL, TIME, TEXT, BINARY -> kind.name().toLowerCase(Locale.ROOT);
        };
    }
}
