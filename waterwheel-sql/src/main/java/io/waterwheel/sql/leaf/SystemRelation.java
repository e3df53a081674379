package io.waterwheel.sql.leaf;

import io.waterwheel.schema.Field;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.schema.impl.AbstractTable;

/** A table of what the server knows, as Calcite sees it. */
public final class SystemRelation extends AbstractTable {
    private final String name;
    private final List<Field> fields;

    /** @param name the qualified one */
    public SystemRelation(String name, List<Field> fields) {
        this.name = name;
        this.fields = List.copyOf(fields);
    }

    public String name() {
        return name;
    }

    public List<Field> fields() {
        return fields;
    }

    @Override
    public RelDataType getRowType(RelDataTypeFactory factory) {
        SqlTypes types = (SqlTypes) factory;
        RelDataTypeFactory.Builder row = factory.builder();
        fields.forEach(field -> row.add(field.name(), types.of(field)));
        return row.build();
    }
}
