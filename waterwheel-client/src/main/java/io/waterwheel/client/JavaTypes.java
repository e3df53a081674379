package io.waterwheel.client;

import io.waterwheel.schema.FieldType;
import io.waterwheel.wire.TypeMetadata;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.TimeStampMicroTZVector;
import org.apache.arrow.vector.TimeStampMilliTZVector;
import org.apache.arrow.vector.TimeStampNanoTZVector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;

/** The types of fields in Java: which vectors, objects and record components they are, both ways. Pure functions. */
final class JavaTypes {
    private JavaTypes() {}

    /** The type of the field that a vector of an answer is of. */
    static FieldType of(FieldVector vector) {
        if (vector instanceof IntVector) {
            return FieldType.INT;
        } else if (vector instanceof BigIntVector) {
            return FieldType.LONG;
        } else if (vector instanceof TimeStampMilliTZVector) {
            return FieldType.TIMESTAMP;
        } else if (vector instanceof TimeStampMicroTZVector) {
            return FieldType.TIMESTAMP_US;
        } else if (vector instanceof TimeStampNanoTZVector) {
            return FieldType.TIMESTAMP_NS;
        } else if (vector instanceof UInt4Vector) {
            return FieldType.IPV4;
        } else if (vector instanceof Float4Vector) {
            return FieldType.FLOAT;
        } else if (vector instanceof Float8Vector) {
            return FieldType.DOUBLE;
        } else if (vector instanceof BitVector) {
            return FieldType.BOOLEAN;
        } else if (vector instanceof VarCharVector) {
            return FieldType.STRING;
        } else if (vector instanceof VarBinaryVector) {
            return FieldType.BYTES;
        } else if (vector instanceof DecimalVector decimals) {
            return FieldType.decimal(decimals.getPrecision(), decimals.getScale());
        } else if (vector instanceof FixedSizeBinaryVector bytes && bytes.getByteWidth() == FieldType.SIXTEEN) {
            FieldType type = TypeMetadata.sixteen(vector.getField().getMetadata());
            if (type != null) {
                return type;
            }
        }
        throw new IllegalArgumentException("field " + vector.getField() + ": its type is unknown to this client");
    }

    /** The types of a record's component that hold every value of a field of the type. */
    static Set<Class<?>> fitting(FieldType type) {
        return switch (type.kind()) {
            case INT -> Set.of(int.class, Integer.class, long.class, Long.class);
            case LONG -> Set.of(long.class, Long.class);
            case TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS -> Set.of(Instant.class, long.class, Long.class);
            case FLOAT -> Set.of(float.class, Float.class, double.class, Double.class);
            case DOUBLE -> Set.of(double.class, Double.class);
            case BOOLEAN -> Set.of(boolean.class, Boolean.class);
            case STRING, IPV4, IPV6 -> Set.of(String.class);
            case UUID -> Set.of(UUID.class, String.class);
            case BYTES -> Set.of(byte[].class);
            case DECIMAL -> Set.of(BigDecimal.class);
        };
    }

    /** The value of a row that is not null. */
    static Object value(Columns columns, int field, int row) {
        return switch (columns.fields().get(field).type().kind()) {
            case INT -> (int) columns.getLong(field, row);
            case LONG, TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS -> columns.getLong(field, row);
            case FLOAT -> columns.getFloat(field, row);
            case DOUBLE -> columns.getDouble(field, row);
            case BOOLEAN -> columns.getBoolean(field, row);
            case STRING, IPV4, IPV6, UUID -> columns.getString(field, row);
            case BYTES -> columns.getBytes(field, row);
            case DECIMAL -> columns.getDecimal(field, row);
        };
    }
}
