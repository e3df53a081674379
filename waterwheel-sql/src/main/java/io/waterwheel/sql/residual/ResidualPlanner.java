package io.waterwheel.sql.residual;

import io.waterwheel.query.expression.ValueType;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.sql.ResidualPlan;
import io.waterwheel.sql.leaf.Leaf;
import io.waterwheel.sql.leaf.NotPushed;
import io.waterwheel.sql.leaf.SqlTypes;
import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeField;

/** Makes the plan of a statement that is more than one leaf. */
public final class ResidualPlanner {
    /** A row of the answer has one bit for each column that may be null, of 64. */
    private static final int MOST_COLUMNS = 64;

    private ResidualPlanner() {}

    /**
     * The plan.
     *
     * @param root with as much in leaves as can be
     * @param labels of its columns
     */
    public static ResidualPlan plan(RelNode root, List<String> labels) throws NotPushed {
        Narrowings narrowings = Narrowings.of(root);
        ResidualText text = new ResidualText(narrowings.sides(), false);
        String select = text.answer(root);
        List<ResidualPlan.Leaf> leaves = new ArrayList<>();
        for (Leaf leaf : text.leaves()) {
            if (leaf.columns().size() > MOST_COLUMNS) {
                throw new NotPushed("more than " + MOST_COLUMNS + " columns of one stream");
            }
            leaves.add(asked(leaf));
        }
        List<ResidualPlan.SystemLeaf> systems = text.systems().stream()
                .map(system -> new ResidualPlan.SystemLeaf(system.name(), system.fields()))
                .toList();
        return new ResidualPlan(
                leaves,
                systems,
                text.files(),
                text.sides(),
                text.regions(),
                select,
                new ResidualText(narrowings.sides(), true).answer(root),
                fields(root, labels),
                labels,
                narrowings.in(text));
    }

    private static ResidualPlan.Leaf asked(Leaf leaf) {
        Leaf.Asked asked = leaf.ask(List.of());
        Leaf singles = leaf.ofSingles();
        return new ResidualPlan.Leaf(
                asked.query(), asked.fields(), asked.places(), singles == null ? null : asked(singles));
    }

    private static List<Field> fields(RelNode root, List<String> labels) throws NotPushed {
        List<Field> fields = new ArrayList<>();
        if (labels.size() > MOST_COLUMNS) {
            throw new NotPushed("more than " + MOST_COLUMNS + " columns of such an answer");
        }
        for (RelDataTypeField column : root.getRowType().getFieldList()) {
            int c = column.getIndex();
            fields.add(new Field("c" + c, type(column.getType()), true));
        }
        return fields;
    }

    private static FieldType type(RelDataType type) throws NotPushed {
        ValueType value = SqlTypes.valueType(type);
        if (value == null) {
            throw new NotPushed("a column of type " + type);
        }
        return switch (value.kind()) {
            case BOOLEAN -> FieldType.BOOLEAN;
            case INTEGER -> FieldType.LONG;
            case DOUBLE -> FieldType.DOUBLE;
            case TIMESTAMP -> FieldType.TIMESTAMP;
            case TIMESTAMP_US -> FieldType.TIMESTAMP_US;
            case TIMESTAMP_NS -> FieldType.TIMESTAMP_NS;
            case BYTES -> FieldType.BYTES;
            case STRING, NULL -> FieldType.STRING;
            case DECIMAL -> value.fieldType();
            case IPV4, IPV6, UUID -> throw new IllegalStateException("no type of SQL: " + value);
        };
    }
}
