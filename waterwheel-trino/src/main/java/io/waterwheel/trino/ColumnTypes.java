package io.waterwheel.trino;

import com.google.inject.Inject;
import io.trino.spi.type.BigintType;
import io.trino.spi.type.BooleanType;
import io.trino.spi.type.DecimalType;
import io.trino.spi.type.DoubleType;
import io.trino.spi.type.IntegerType;
import io.trino.spi.type.RealType;
import io.trino.spi.type.TimestampWithTimeZoneType;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeManager;
import io.trino.spi.type.UuidType;
import io.trino.spi.type.VarbinaryType;
import io.trino.spi.type.VarcharType;
import io.waterwheel.schema.FieldType;

/** The type of Trino that holds each type of fields. Thread-safe. */
final class ColumnTypes {
    private final Type address;

    @Inject
    ColumnTypes(TypeManager types) {
        // Of Trino itself: the interface for plugins has no constant for it.
        address = types.fromSqlType("ipaddress");
    }

    /** Of a field's values; a type of its own for each, so that none is text that is none. */
    Type of(FieldType type) {
        return switch (type.kind()) {
            case INT -> IntegerType.INTEGER;
            case LONG -> BigintType.BIGINT;
            case FLOAT -> RealType.REAL;
            case DOUBLE -> DoubleType.DOUBLE;
            case BOOLEAN -> BooleanType.BOOLEAN;
            case TIMESTAMP -> TimestampWithTimeZoneType.TIMESTAMP_TZ_MILLIS;
            case TIMESTAMP_US -> TimestampWithTimeZoneType.TIMESTAMP_TZ_MICROS;
            case TIMESTAMP_NS -> TimestampWithTimeZoneType.TIMESTAMP_TZ_NANOS;
            case STRING -> VarcharType.VARCHAR;
            case BYTES -> VarbinaryType.VARBINARY;
            case UUID -> UuidType.UUID;
            case IPV4, IPV6 -> address;
            case DECIMAL -> DecimalType.createDecimalType(type.precision(), type.scale());
        };
    }
}
