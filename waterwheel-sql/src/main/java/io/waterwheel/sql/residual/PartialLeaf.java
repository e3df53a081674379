package io.waterwheel.sql.residual;

import io.waterwheel.query.Aggregate;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.aggregate.AggregateFunctions;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.sql.leaf.DecimalTypes;
import io.waterwheel.sql.leaf.Leaf;
import io.waterwheel.sql.leaf.LeafNode;
import io.waterwheel.sql.leaf.NotPushed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.rel.type.RelDataTypeFactory;
import org.apache.calcite.rel.type.RelDataTypeField;
import org.apache.calcite.sql.type.SqlTypeName;

/**
 * Groups of a leaf's tuples in place of the tuples, of which an aggregate above merges those that belong together: of
 * {@code SUM(x)} over joined rows the sums of x by what is joined. Pure functions.
 */
final class PartialLeaf {
    private static final Expression NONE = new Expression.Whole(0);
    private static final Expression ONE = new Expression.Whole(1);

    private PartialLeaf() {}

    /** What is computed of each group. */
    enum Function {
        /** The tuples. */
        ALL("count"),
        COUNT("count"),
        SUM("sum"),
        MIN("min"),
        MAX("max");

        private final String engine;

        Function(String engine) {
            this.engine = engine;
        }
    }

    /** A function of a column of the leaf; of {@link Function#ALL} the column is -1. */
    record Value(Function function, int column) {
        /** @param row type of the leaf's rows */
        boolean isSumOfDoubles(RelDataType row) {
            return function == Function.SUM
                    && row.getFieldList().get(column).getType().getSqlTypeName() == SqlTypeName.DOUBLE;
        }
    }

    /**
     * The leaf of groups: first the values that make a group, then what is computed of it.
     *
     * @param node all tuples that match, in no order
     * @param keys columns whose values make a group, at least one
     * @throws NotPushed when the engine has no such groups
     */
    static LeafNode of(LeafNode node, List<Integer> keys, List<Value> values) throws NotPushed {
        Leaf leaf = node.leaf();
        List<RelDataTypeField> row = node.getRowType().getFieldList();
        RelDataTypeFactory types = node.getCluster().getTypeFactory();
        RelDataTypeFactory.Builder shown = types.builder();
        List<Expression> columns = new ArrayList<>();
        List<Expression> single = new ArrayList<>();
        Map<Expression, NamedExpression> by = new HashMap<>();
        List<NamedExpression> groups = new ArrayList<>();
        for (int key : keys) {
            Expression value = leaf.columns().get(key);
            if (row.get(key).getType().getSqlTypeName() == SqlTypeName.DOUBLE) {
                throw new NotPushed("groups of doubles, for zero has two signs");
            }
            NamedExpression named = by.get(value);
            if (named == null) {
                named = new NamedExpression(value, "g" + groups.size());
                by.put(value, named);
                groups.add(named);
            }
            columns.add(new Expression.FieldValue(named.name()));
            single.add(value);
            shown.add(row.get(key).getName(), row.get(key).getType());
        }
        List<Aggregate> aggregates = new ArrayList<>();
        for (Value value : values) {
            boolean all = value.function() == Function.ALL;
            Expression argument = all ? ONE : leaf.columns().get(value.column());
            RelDataType type = all
                    ? types.createSqlType(SqlTypeName.BIGINT)
                    : type(value.function(), row.get(value.column()).getType(), types);
            String name = "a" + aggregates.size();
            aggregates.add(new Aggregate(
                    AggregateFunctions.of(value.function().engine), all ? List.of() : List.of(argument), null, name));
            columns.add(new Expression.FieldValue(name));
            single.add(
                    value.function() == Function.COUNT
                            ? new Expression.Case(List.of(new Expression.IsNull(argument, false)), List.of(NONE), ONE)
                            : argument);
            shown.add("partial" + columns.size(), type);
        }
        LeafNode made = node.with(
                leaf.withWhat(new Leaf.Groups(groups, null, null, aggregates, null, List.copyOf(single)), columns),
                shown.build());
        made.leaf().require();
        leaf.withColumns(single).require();
        return made;
    }

    private static RelDataType type(Function function, RelDataType argument, RelDataTypeFactory types)
            throws NotPushed {
        return switch (function) {
            case ALL, COUNT -> types.createSqlType(SqlTypeName.BIGINT);
            case MIN, MAX -> argument;
            case SUM -> {
                if (argument.getSqlTypeName() != SqlTypeName.BIGINT
                        && argument.getSqlTypeName() != SqlTypeName.DOUBLE
                        && !DecimalTypes.isDecimal(argument)) {
                    throw new NotPushed("a sum of " + argument);
                }
                yield types.getTypeSystem().deriveSumType(types, argument);
            }
        };
    }
}
