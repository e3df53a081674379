package io.waterwheel.sql.leaf;

import io.waterwheel.schema.Field;
import io.waterwheel.schema.Schema;
import java.util.List;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.schema.Statistic;
import org.apache.calcite.schema.Statistics;
import org.apache.calcite.schema.impl.AbstractTable;

/** A stream as Calcite sees it: a table whose columns are the fields. */
public final class StreamTable extends AbstractTable {
    /** Streams are large; how large does not matter where plans are not chosen by cost. */
    private static final double ROWS = 1_000_000;

    private final String name;
    private final Schema schema;

    public StreamTable(String name, Schema schema) {
        this.name = name;
        this.schema = schema;
    }

    /** The stream, of which all is asked. */
    Leaf leaf() {
        return Leaf.of(name, schema);
    }

    @Override
    public RelDataType getRowType(RelDataTypeFactory factory) {
        SqlTypes types = (SqlTypes) factory;
        RelDataTypeFactory.Builder row = factory.builder();
        for (Field field : schema.fields()) {
            row.add(field.name(), types.of(field));
        }
        return row.build();
    }

    @Override
    public Statistic getStatistic() {
        return Statistics.of(ROWS, List.of());
    }
}
