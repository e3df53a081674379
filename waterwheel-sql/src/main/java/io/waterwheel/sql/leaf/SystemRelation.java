package io.waterwheel.sql.leaf;

import io.waterwheel.schema.Field;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.schema.impl.AbstractTable;
import org.jspecify.annotations.Nullable;

/** A table of what the server knows, or of a file, as Calcite sees it. */
public final class SystemRelation extends AbstractTable {
    private final String name;
    private final List<Field> fields;
    private final @Nullable String file;
    private final @Nullable String select;

    /**
     * A table.
     *
     * @param name the qualified one
     * @param file that has its rows, and the SELECT of these; null where the server knows them
     */
    public SystemRelation(String name, List<Field> fields, @Nullable String file, @Nullable String select) {
        this.name = name;
        this.fields = List.copyOf(fields);
        this.file = file;
        this.select = select;
    }

    /** The file that has its rows; null where the server knows them. */
    public @Nullable String file() {
        return file;
    }

    /** The SELECT of the file's rows; null where the server knows them. */
    public @Nullable String select() {
        return select;
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
