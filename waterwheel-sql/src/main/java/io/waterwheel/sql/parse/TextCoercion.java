package io.waterwheel.sql.parse;

import io.waterwheel.sql.leaf.SqlTypes;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.validate.SqlValidator;
import org.apache.calcite.sql.validate.implicit.TypeCoercionImpl;
import org.jspecify.annotations.Nullable;

/**
 * Calcite's coercion of types, but that an address and NULL in one column, as in a UNION, are texts: NULL becomes a
 * CAST to VARCHAR there, which says nothing of addresses.
 */
public final class TextCoercion extends TypeCoercionImpl {
    public TextCoercion(RelDataTypeFactory types, SqlValidator validator) {
        super(types, validator);
    }

    @Override
    public @Nullable RelDataType getTightestCommonType(@Nullable RelDataType one, @Nullable RelDataType other) {
        boolean address =
                one != null && other != null && (isAddressBesideNull(one, other) || isAddressBesideNull(other, one));
        return address
                ? factory.createTypeWithNullability(factory.createSqlType(SqlTypeName.VARCHAR), true)
                : super.getTightestCommonType(one, other);
    }

    private static boolean isAddressBesideNull(RelDataType one, RelDataType other) {
        return SqlTypes.canonical(one) != null && other.getSqlTypeName() == SqlTypeName.NULL;
    }
}
