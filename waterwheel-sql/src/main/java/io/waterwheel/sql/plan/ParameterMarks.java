package io.waterwheel.sql.plan;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.expression.ValueType;
import io.waterwheel.sql.leaf.EngineFunctions;
import io.waterwheel.sql.leaf.SqlTypes;
import io.waterwheel.sql.parse.ExactLiteral;
import io.waterwheel.sql.parse.SqlErrors;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.util.SqlShuttle;
import org.jspecify.annotations.Nullable;

/** The question marks of a statement, and what stands for them. */
final class ParameterMarks extends SqlBasicVisitor<@Nullable Void> {
    private static final Expression.Text POLYGON = new Expression.Text("POLYGON ((0 0, 1 0, 1 1, 0 0))");
    private static final Expression.Text POINT = new Expression.Text("POINT (0 0)");

    /** By number: GROUP BY ALL has a column of SELECT once more. */
    private final Map<Integer, SqlDynamicParam> marks = new TreeMap<>();

    private ParameterMarks() {}

    /** In their order in the text. */
    static List<SqlDynamicParam> of(SqlNode statement) {
        ParameterMarks found = new ParameterMarks();
        statement.accept(found);
        return List.copyOf(found.marks.values());
    }

    @Override
    public @Nullable Void visit(SqlDynamicParam mark) {
        marks.putIfAbsent(mark.getIndex(), mark);
        return null;
    }

    static void requireAsMany(SqlNode statement, List<Expression.Literal> parameters) {
        int expected = of(statement).size();
        if (expected != parameters.size()) {
            throw new WaterwheelException(
                    ErrorCode.BAD_SQL,
                    "statement: expected a value for each of its " + expected + " question marks, got "
                            + parameters.size());
        }
    }

    /**
     * The types of those that are values of VALUES, by number.
     *
     * @param columns what its columns are to be; empty where nothing tells that
     */
    static Map<Integer, ValueType> ofColumns(SqlNode statement, List<ValueType> columns) {
        Map<Integer, ValueType> types = new TreeMap<>();
        if (statement.getKind() != SqlKind.VALUES) {
            return types;
        }
        for (SqlNode row : ((SqlCall) statement).getOperandList()) {
            List<SqlNode> cells = row.getKind() == SqlKind.ROW ? ((SqlCall) row).getOperandList() : List.of(row);
            for (int c = 0; c < Math.min(cells.size(), columns.size()); c++) {
                if (cells.get(c) instanceof SqlDynamicParam mark) {
                    types.put(mark.getIndex(), columns.get(c));
                }
            }
        }
        return types;
    }

    /** The statement with values in place of these. */
    static SqlNode withSamples(SqlNode statement, Map<Integer, ValueType> known) {
        SqlNode sampled = statement.accept(new SqlShuttle() {
            @Override
            public SqlNode visit(SqlDynamicParam mark) {
                ValueType type = known.get(mark.getIndex());
                return type == null ? mark : literal(sample(type), mark.getParserPosition());
            }
        });
        return Objects.requireNonNull(sampled);
    }

    /**
     * The types that a validated statement wants.
     *
     * @param known those that are known without it, by number
     */
    static List<ValueType> types(
            List<SqlDynamicParam> marks, StatementPlanner.Validated valid, Map<Integer, ValueType> known) {
        List<ValueType> types = new ArrayList<>();
        for (SqlDynamicParam mark : marks) {
            RelDataType wanted = valid.validator().getValidatedNodeTypeIfKnown(mark);
            ValueType told = known.get(mark.getIndex());
            ValueType type = told != null ? told : wanted == null ? null : SqlTypes.valueType(wanted);
            if (type == null || type == ValueType.NULL) {
                throw SqlErrors.at(
                        mark.getParserPosition(), "the type of ? cannot be told here; write CAST(? AS BIGINT) or such");
            }
            types.add(type);
        }
        return types;
    }

    /**
     * What is made of a statement with a value for each mark that is valid in most places. The text of a shape is that
     * of a polygon, else of a point.
     */
    static <T> T sampled(
            List<SqlDynamicParam> marks,
            List<ValueType> types,
            StatementPlanner.Validated valid,
            Function<List<Expression.Literal>, T> made) {
        List<Expression.Literal> samples = samples(marks, types, valid, POLYGON);
        try {
            return made.apply(samples);
        } catch (WaterwheelException e) {
            List<Expression.Literal> others = samples(marks, types, valid, POINT);
            if (others.equals(samples)) {
                throw e;
            }
            try {
                return made.apply(others);
            } catch (WaterwheelException second) {
                // What is wrong with the statement the first has said.
                throw e;
            }
        }
    }

    private static List<Expression.Literal> samples(
            List<SqlDynamicParam> marks,
            List<ValueType> types,
            StatementPlanner.Validated valid,
            Expression.Text shape) {
        List<Expression.Literal> samples = new ArrayList<>();
        for (int m = 0; m < types.size(); m++) {
            RelDataType wanted = valid.validator().getValidatedNodeTypeIfKnown(marks.get(m));
            ValueType canonical = wanted == null ? null : SqlTypes.canonical(wanted);
            boolean isShape = types.get(m) == ValueType.STRING
                    && isShape(valid.node(), marks.get(m).getIndex());
            samples.add(isShape ? shape : sample(canonical == null ? types.get(m) : canonical));
        }
        return samples;
    }

    /** Whether the mark is the text of a shape. */
    private static boolean isShape(SqlNode statement, int mark) {
        boolean[] found = {false};
        statement.accept(new SqlBasicVisitor<@Nullable Void>() {
            @Override
            public @Nullable Void visit(SqlCall call) {
                found[0] |= call.getOperator().getName().equals(EngineFunctions.FROM_TEXT)
                        && call.operand(0) instanceof SqlDynamicParam text
                        && text.getIndex() == mark;
                return super.visit(call);
            }
        });
        return found[0];
    }

    private static Expression.Literal sample(ValueType type) {
        return switch (type.kind()) {
            case BOOLEAN -> new Expression.Truth(true);
            // The least number of points of a plot.
            case INTEGER -> new Expression.Whole(2);
            case DOUBLE -> new Expression.Decimal(1);
            case TIMESTAMP, TIMESTAMP_US, TIMESTAMP_NS -> new Expression.Moment(Instant.EPOCH);
            case STRING -> new Expression.Text("");
            case IPV4 -> new Expression.Text("0.0.0.0");
            case IPV6 -> new Expression.Text("::");
            case UUID -> new Expression.Text("00000000-0000-0000-0000-000000000000");
            case BYTES -> new Expression.Hex("");
            case DECIMAL -> new Expression.Exact(BigDecimal.ONE);
            case NULL -> new Expression.Null();
        };
    }

    /** The value as the text would have it. */
    static SqlNode literal(Expression.Literal value, SqlParserPos position) {
        if (value instanceof Expression.Whole whole) {
            return SqlLiteral.createExactNumeric(Long.toString(whole.value()), position);
        } else if (value instanceof Expression.Decimal decimal && !Double.isFinite(decimal.value())) {
            return SqlStdOperatorTable.CAST.createCall(
                    position,
                    SqlLiteral.createCharString(Double.toString(decimal.value()), position),
                    new SqlDataTypeSpec(new SqlBasicTypeNameSpec(SqlTypeName.DOUBLE, position), position));
        } else if (value instanceof Expression.Decimal decimal) {
            return SqlLiteral.createApproxNumeric(Double.toString(decimal.value()), position);
        } else if (value instanceof Expression.Exact exact) {
            return ExactLiteral.of(exact.value(), position);
        } else if (value instanceof Expression.Text text) {
            return SqlLiteral.createCharString(text.value(), position);
        } else if (value instanceof Expression.Truth truth) {
            return SqlLiteral.createBoolean(truth.value(), position);
        } else if (value instanceof Expression.Hex hex) {
            return SqlLiteral.createBinaryString(hex.digits(), position);
        } else if (value instanceof Expression.Moment moment) {
            return TimeCalls.timestamp(moment.value(), position);
        } else if (value instanceof Expression.Null) {
            return SqlLiteral.createNull(position);
        }
        throw SqlErrors.at(position, "a parameter cannot be " + value);
    }
}
