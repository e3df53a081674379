package io.waterwheel.sql.leaf;

import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.text.Decimals;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.calcite.jdbc.JavaTypeFactoryImpl;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeSystem;
import org.apache.calcite.rel.type.RelDataTypeSystemImpl;
import org.apache.calcite.sql.SqlCollation;
import org.apache.calcite.sql.type.BasicSqlType;
import org.apache.calcite.sql.type.SqlTypeMappingRule;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/**
 * The engine's kinds of value as types of SQL. As in the engine's expressions, there is one integer, BIGINT, one number
 * with a fraction, DOUBLE, and one text, VARCHAR: Calcite's narrower types would wrap, pad and round where the engine
 * does not. Addresses and UUIDs are text that knows what it is of: a literal beside it is one, too. Decimals are those
 * that fields or a statement name; of numbers without the word Calcite makes none, for the statement's are doubles.
 */
public final class SqlTypes extends JavaTypeFactoryImpl {
    private static final int MILLIS = 3;
    private static final int MICROS = 6;
    private static final int NANOS = 9;

    public SqlTypes() {
        super(new TypeSystem());
    }

    /** Calcite's own is Latin 1. */
    @Override
    public Charset getDefaultCharset() {
        return StandardCharsets.UTF_8;
    }

    private static final class TypeSystem extends RelDataTypeSystemImpl {
        @Override
        public int getMaxPrecision(SqlTypeName type) {
            return type == SqlTypeName.TIMESTAMP
                    ? NANOS
                    : type == SqlTypeName.DECIMAL ? Decimals.MOST_DIGITS : super.getMaxPrecision(type);
        }

        @Override
        public int getMaxScale(SqlTypeName type) {
            return type == SqlTypeName.DECIMAL ? Decimals.MOST_DIGITS : super.getMaxScale(type);
        }

        @Override
        public RelDataType deriveSumType(RelDataTypeFactory types, RelDataType argument) {
            return DecimalTypes.isDecimal(argument)
                    ? types.createTypeWithNullability(
                            types.createSqlType(SqlTypeName.DECIMAL, Decimals.MOST_DIGITS, argument.getScale()),
                            argument.isNullable())
                    : super.deriveSumType(types, argument);
        }

        @Override
        public int getDefaultPrecision(SqlTypeName type) {
            return type == SqlTypeName.TIMESTAMP ? MILLIS : super.getDefaultPrecision(type);
        }

        @Override
        public RelDataType deriveAvgAggType(RelDataTypeFactory types, RelDataType argument) {
            return types.createTypeWithNullability(types.createSqlType(SqlTypeName.DOUBLE), argument.isNullable());
        }

        @Override
        public boolean shouldConvertRaggedUnionTypesToVarying() {
            return true;
        }
    }

    /** The canonical text of an address or a UUID. What is computed of it, and with other text, is plain VARCHAR. */
    private static final class CanonicalType extends BasicSqlType {
        private final ValueType of;

        CanonicalType(RelDataTypeSystem system, ValueType of, boolean nullable) {
            super(system, SqlTypeName.VARCHAR, nullable);
            this.of = of;
            // The constructor above has told it without this.
            computeDigest();
        }

        @Override
        public BasicSqlType createWithNullability(boolean nullable) {
            return nullable == isNullable() ? this : new CanonicalType(typeSystem, of, nullable);
        }

        @Override
        public Charset getCharset() {
            return StandardCharsets.UTF_8;
        }

        @Override
        public SqlCollation getCollation() {
            return SqlCollation.IMPLICIT;
        }

        @Override
        protected void generateTypeString(StringBuilder text, boolean withDetail) {
            super.generateTypeString(text, withDetail);
            if (withDetail) {
                text.append(" OF ").append(of);
            }
        }
    }

    /** What a text is the canonical text of: an address or a UUID; null for any other type. */
    public static @Nullable ValueType canonical(RelDataType type) {
        return type instanceof CanonicalType canonical ? canonical.of : null;
    }

    /** Beside other texts, and beside NULL, an address is a text. */
    private RelDataType plain(RelDataType type) {
        return canonical(type) == null
                ? type
                : createTypeWithNullability(createSqlType(SqlTypeName.VARCHAR), type.isNullable());
    }

    @Override
    public RelDataType createTypeWithCharsetAndCollation(RelDataType type, Charset charset, SqlCollation collation) {
        // It has both, and Calcite would make a plain text of it.
        return canonical(type) == null ? super.createTypeWithCharsetAndCollation(type, charset, collation) : type;
    }

    /** Of decimals and whole numbers such that none is rounded; see {@link DecimalTypes#common}. */
    @Override
    public @Nullable RelDataType leastRestrictive(List<RelDataType> types, SqlTypeMappingRule rule) {
        RelDataType decimal = DecimalTypes.common(this, types);
        if (decimal != null) {
            return decimal;
        }
        ValueType canonical = canonical(types.get(0));
        if (canonical != null && types.stream().allMatch(type -> canonical(type) == canonical)) {
            boolean nullable = types.stream().anyMatch(RelDataType::isNullable);
            return createTypeWithNullability(types.get(0), nullable);
        }
        return super.leastRestrictive(types.stream().map(this::plain).toList(), rule);
    }

    private static SqlTypeName widest(SqlTypeName type) {
        if (SqlTypeName.FRACTIONAL_TYPES.contains(type)) {
            return SqlTypeName.DOUBLE;
        }
        return switch (type) {
            case TINYINT, SMALLINT, INTEGER -> SqlTypeName.BIGINT;
            case CHAR -> SqlTypeName.VARCHAR;
            case BINARY -> SqlTypeName.VARBINARY;
            default -> type;
        };
    }

    @Override
    public RelDataType createSqlType(SqlTypeName type) {
        return super.createSqlType(widest(type));
    }

    @Override
    public RelDataType createSqlType(SqlTypeName type, int precision) {
        if (type == SqlTypeName.DECIMAL && precision > 0) {
            return super.createSqlType(type, precision, 0);
        }
        SqlTypeName widest = widest(type);
        if (isText(widest)) {
            return super.createSqlType(widest, RelDataType.PRECISION_NOT_SPECIFIED);
        }
        return widest == type ? super.createSqlType(type, precision) : super.createSqlType(widest);
    }

    @Override
    public RelDataType createSqlType(SqlTypeName type, int precision, int scale) {
        if (type == SqlTypeName.DECIMAL && precision > 0) {
            return super.createSqlType(type, precision, Math.max(0, scale));
        }
        SqlTypeName widest = widest(type);
        return widest == type ? super.createSqlType(type, precision, scale) : super.createSqlType(widest);
    }

    private static boolean isText(SqlTypeName type) {
        return type == SqlTypeName.VARCHAR || type == SqlTypeName.VARBINARY;
    }

    /** Whether values are whole numbers, doubles or decimals. */
    public static boolean isNumber(RelDataType type) {
        return switch (type.getSqlTypeName()) {
            case BIGINT, DOUBLE, DECIMAL -> true;
            default -> false;
        };
    }

    /** The type of a field of a stream. */
    RelDataType of(Field field) {
        return createTypeWithNullability(of(ValueType.of(field.type())), field.nullable());
    }

    /** The type of values that are never null. */
    private RelDataType of(ValueType type) {
        return switch (type.kind()) {
            case BOOLEAN -> createSqlType(SqlTypeName.BOOLEAN);
            case INTEGER -> createSqlType(SqlTypeName.BIGINT);
            case DOUBLE -> createSqlType(SqlTypeName.DOUBLE);
            case TIMESTAMP -> createSqlType(SqlTypeName.TIMESTAMP, MILLIS);
            case TIMESTAMP_US -> createSqlType(SqlTypeName.TIMESTAMP, MICROS);
            case TIMESTAMP_NS -> createSqlType(SqlTypeName.TIMESTAMP, NANOS);
            case STRING -> createSqlType(SqlTypeName.VARCHAR);
            case IPV4, IPV6, UUID -> canonize(new CanonicalType(getTypeSystem(), type, false));
            case BYTES -> createSqlType(SqlTypeName.VARBINARY);
            case NULL -> createSqlType(SqlTypeName.NULL);
            case DECIMAL -> createSqlType(SqlTypeName.DECIMAL, type.precision(), type.scale());
        };
    }

    /** The kind of value that this type is to the engine; null for one that the engine lacks. */
    public static @Nullable ValueType valueType(RelDataType type) {
        return switch (type.getSqlTypeName()) {
            case BOOLEAN -> ValueType.BOOLEAN;
            case BIGINT -> ValueType.INTEGER;
            case DOUBLE -> ValueType.DOUBLE;
            case TIMESTAMP ->
                type.getPrecision() <= MILLIS
                        ? ValueType.TIMESTAMP
                        : type.getPrecision() <= MICROS ? ValueType.TIMESTAMP_US : ValueType.TIMESTAMP_NS;
            case VARCHAR -> ValueType.STRING;
            case VARBINARY -> ValueType.BYTES;
            case DECIMAL -> ValueType.decimal(type.getPrecision(), type.getScale());
            case NULL -> ValueType.NULL;
            default -> null;
        };
    }
}
