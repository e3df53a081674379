package io.waterwheel.sql.plan;

import io.waterwheel.sql.leaf.EngineFunctions;
import io.waterwheel.sql.parse.ExactLiteral;
import io.waterwheel.sql.parse.SqlErrors;
import io.waterwheel.sql.residual.RestAggregate;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCharStringLiteral;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlDynamicParam;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlOperator;
import org.apache.calcite.sql.fun.SqlCase;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.jspecify.annotations.Nullable;

/** Functions of numbers in the engine's words, casts between them, and what numbers may be. */
final class NumberCalls {
    /** Behind a point, of ROUND. */
    private static final int MOST_DIGITS = 15;
    /** Of GREATEST, which compares each with each. */
    private static final int MOST_COMPARED = 8;
    /** Calls within one that is written several times. */
    private static final int MOST_PARTS = 100;
    /** Calls within ROUND to digits, which is written three times: ROUND within ROUND grows with each level. */
    private static final int MOST_ROUNDED = 400;
    /** From here on doubles are whole numbers. */
    private static final BigDecimal WITHOUT_FRACTION = BigDecimal.valueOf(1L << 53);

    /** Texts that are doubles and no numbers of the engine's. */
    private static final Pattern NOT_FINITE = Pattern.compile("(?i)\\s*[-+]?(inf(inity)?|nan)\\s*");

    private final EngineFunctions functions;

    NumberCalls(EngineFunctions functions) {
        this.functions = functions;
    }

    /** A larger one would be compared as a double, which rounds it. */
    static void requireBigint(SqlNumericLiteral number) {
        try {
            number.bigDecimalValue().longValueExact();
        } catch (ArithmeticException e) {
            throw SqlErrors.at(
                    number.getParserPosition(),
                    "expected a whole number of 64 bits, or one with an exponent, got " + number);
        }
    }

    /** Types that would round, pad or cut; here all integers have 64 bits, and texts any length. */
    static void requireWide(SqlDataTypeSpec type) {
        if (!(type.getTypeNameSpec() instanceof SqlBasicTypeNameSpec name)) {
            return;
        }
        String word = name.getTypeName().getSimple().toUpperCase(Locale.ROOT);
        if (ExactLiteral.isDecimal(name)) {
            ExactLiteral.requireDigits(type, name);
            return;
        }
        boolean cut =
                switch (word) {
                    case "TINYINT", "SMALLINT", "CHAR", "CHARACTER", "BINARY" -> true;
                    case "VARCHAR", "VARBINARY" -> name.getPrecision() >= 0;
                    case "TIMESTAMP" ->
                        name.getPrecision() >= 0 && (name.getPrecision() == 0 || name.getPrecision() % 3 != 0);
                    default -> false;
                };
        if (cut) {
            throw SqlErrors.at(
                    type.getParserPosition(),
                    "CAST to " + type
                            + " is not supported; BIGINT, DOUBLE, DECIMAL(18, 2), VARCHAR, DATE, and TIMESTAMP of 3,"
                            + " 6 or 9 digits are");
        }
    }

    /** What stands before WITHIN GROUP, of the values that its order has; null for a function that is none of these. */
    @Nullable
    SqlNode quantile(SqlCall call) {
        if (!(call.operand(0) instanceof SqlCall of) || !(call.operand(1) instanceof SqlNodeList order)) {
            return null;
        }
        String name = of.getOperator().getName().toUpperCase(Locale.ROOT);
        boolean mode = name.equals(RestAggregate.MODE);
        if (!(mode || name.equals("PERCENTILE_DISC") || name.equals("PERCENTILE_CONT"))
                || of.operandCount() != (mode ? 0 : 1)) {
            return null;
        }
        SqlNode value = order.get(0);
        if (value.getKind() == SqlKind.NULLS_FIRST || value.getKind() == SqlKind.NULLS_LAST) {
            // Nulls are left out.
            value = ((SqlCall) value).operand(0);
        }
        if (order.size() != 1 || value.getKind() == SqlKind.DESCENDING) {
            throw SqlErrors.at(
                    call.getParserPosition(),
                    name + " is of one value that ascends: " + name + "(" + (mode ? "" : "0.5")
                            + ") WITHIN GROUP (ORDER BY x)");
        }
        SqlOperator function = name.equals("PERCENTILE_DISC")
                ? functions.aggregate("QUANTILE")
                : Objects.requireNonNull(RestAggregate.of(mode ? name : RestAggregate.QUANTILE));
        List<SqlNode> operands = new ArrayList<>();
        operands.add(value);
        operands.addAll(of.getOperandList());
        return function.createCall(
                of.getFunctionQuantifier(), call.getParserPosition(), operands.toArray(SqlNode[]::new));
    }

    /** A CAST of a text that is null where the text is no such value. */
    SqlNode tried(SqlCall call) {
        SqlNode value = call.operand(0);
        SqlParserPos position = call.getParserPosition();
        // Of milliseconds, without which digits are written.
        String type = call.operand(1) instanceof SqlDataTypeSpec spec
                        && spec.getTypeNameSpec() instanceof SqlBasicTypeNameSpec name
                        && (name.getPrecision() < 0 || name.getPrecision() == 3)
                ? name.getTypeName().getSimple().toUpperCase(Locale.ROOT)
                : "";
        String function =
                switch (type) {
                    case "BIGINT", "INTEGER", "INT" -> EngineFunctions.TRY_WHOLE;
                    case "DOUBLE", "FLOAT", "REAL" -> "TO_NUMBER";
                    case "TIMESTAMP" -> EngineFunctions.TRY_TIME;
                    default ->
                        throw SqlErrors.at(
                                position,
                                "TRY_CAST is of a text to BIGINT, DOUBLE or TIMESTAMP, not to " + call.operand(1));
                };
        if (function.equals("TO_NUMBER")
                && value instanceof SqlCharStringLiteral text
                && NOT_FINITE.matcher(text.getValueAs(String.class)).matches()) {
            throw SqlErrors.at(
                    position,
                    "TRY_CAST reads numbers that are finite; CAST('Infinity' AS DOUBLE) and CAST('NaN' AS DOUBLE) are"
                            + " the others");
        }
        return functions.required(function).createCall(position, value);
    }

    /**
     * A CAST to DOUBLE as a function, or as the double that a written number is: Calcite casts by itself what is
     * compared with a double, and such a cast does not round. Null for any other.
     */
    @Nullable
    SqlNode toDouble(SqlNode operand, SqlDataTypeSpec type, SqlParserPos position) {
        boolean isDouble = type.getTypeNameSpec() instanceof SqlBasicTypeNameSpec name
                && Set.of("DOUBLE", "FLOAT", "REAL")
                        .contains(name.getTypeName().getSimple().toUpperCase(Locale.ROOT));
        if (isDouble && operand instanceof SqlNumericLiteral number && number.isInteger()) {
            return SqlLiteral.createApproxNumeric(number.bigDecimalValue() + "E0", position);
        }
        boolean written = operand instanceof SqlLiteral || operand instanceof SqlDynamicParam;
        return isDouble && !written
                ? functions.required(EngineFunctions.TO_DOUBLE).createCall(position, operand)
                : null;
    }

    /** To a written number of digits behind the point: a double, as ROUND of one argument is. */
    SqlNode rounded(SqlCall call) {
        SqlParserPos position = call.getParserPosition();
        int digits = call.operand(1) instanceof SqlNumericLiteral number && number.isInteger()
                ? number.bigDecimalValue().min(BigDecimal.TEN.pow(2)).intValue()
                : -1;
        if (digits < 0 || digits > MOST_DIGITS) {
            throw SqlErrors.at(
                    position,
                    "ROUND takes a written number of digits from 0 to " + MOST_DIGITS + ", got " + call.operand(1));
        }
        SqlNode number = call.operand(0);
        if (StatementSize.hasSelect(number)) {
            throw SqlErrors.at(position, "ROUND to digits of a sub-query; round what it selects instead");
        }
        requireSmall(call, MOST_ROUNDED);
        // Numbers beyond have no such digits, and a product with the scale would not be exact.
        SqlNode least = SqlLiteral.createApproxNumeric(WITHOUT_FRACTION.movePointLeft(digits) + "E0", position);
        SqlNode scale = SqlLiteral.createApproxNumeric("1E" + digits, position);
        SqlNode scaled = SqlStdOperatorTable.MULTIPLY.createCall(position, number, scale);
        return new SqlCase(
                position,
                null,
                SqlNodeList.of(SqlStdOperatorTable.LESS_THAN.createCall(
                        position,
                        SqlStdOperatorTable.ABS.createCall(
                                position,
                                functions.required(EngineFunctions.TO_DOUBLE).createCall(position, number)),
                        least)),
                SqlNodeList.of(SqlStdOperatorTable.DIVIDE.createCall(
                        position, functions.required("ROUND").createCall(position, scaled), scale)),
                functions.required(EngineFunctions.TO_DOUBLE).createCall(position, number));
    }

    /** What LEFT takes as its length; an error for any other number. */
    static SqlNode length(SqlNumericLiteral length) {
        BigDecimal characters = length.bigDecimalValue();
        if (characters == null
                || characters.signum() < 0
                || characters.stripTrailingZeros().scale() > 0) {
            throw SqlErrors.at(
                    length.getParserPosition(), "LEFT takes a whole number of characters, 0 or more, got " + length);
        }
        return length;
    }

    /** Refuses what would stand in its rewritten form several times, and grow with each level of nesting. */
    private static void requireSmall(SqlCall call, int most) {
        AtomicInteger parts = new AtomicInteger();
        call.accept(new SqlBasicVisitor<@Nullable Void>() {
            @Override
            public @Nullable Void visit(SqlCall part) {
                return parts.incrementAndGet() > most ? null : super.visit(part);
            }
        });
        if (parts.get() > most || StatementSize.hasSelect(call)) {
            throw SqlErrors.at(
                    call.getParserPosition(),
                    call.getOperator().getName()
                            + " takes columns and small expressions; compute others in a sub-query of FROM");
        }
    }

    /**
     * One of the values, by which the types of the question marks among them can be told: each stands in it once. It is
     * never answered.
     */
    static SqlNode either(SqlCall call) {
        SqlParserPos position = call.getParserPosition();
        List<SqlNode> values = call.getOperandList();
        List<SqlNode> conditions = new ArrayList<>();
        values.forEach(value -> conditions.add(SqlLiteral.createBoolean(true, position)));
        return new SqlCase(
                position,
                null,
                new SqlNodeList(conditions, position),
                new SqlNodeList(values, position),
                SqlLiteral.createNull(position));
    }

    /** 1, 0 or -1; null of null. */
    static SqlNode sign(SqlCall call) {
        SqlParserPos position = call.getParserPosition();
        requireSmall(call, MOST_PARTS);
        SqlNode number = call.operand(0);
        SqlNode zero = SqlLiteral.createExactNumeric("0", position);
        return new SqlCase(
                position,
                null,
                SqlNodeList.of(
                        SqlStdOperatorTable.GREATER_THAN.createCall(position, number, zero),
                        SqlStdOperatorTable.LESS_THAN.createCall(position, number, zero),
                        SqlStdOperatorTable.EQUALS.createCall(position, number, zero)),
                SqlNodeList.of(
                        SqlLiteral.createExactNumeric("1", position),
                        SqlLiteral.createExactNumeric("-1", position),
                        zero),
                SqlLiteral.createNull(position));
    }

    /** The first value that is not null, and goes before each other one that is not. */
    static SqlNode extreme(SqlCall call, SqlOperator before) {
        SqlParserPos position = call.getParserPosition();
        List<SqlNode> values = call.getOperandList();
        if (values.isEmpty() || values.size() > MOST_COMPARED) {
            throw SqlErrors.at(position, call.getOperator().getName() + " takes 1 to " + MOST_COMPARED + " values");
        }
        requireSmall(call, MOST_PARTS);
        List<SqlNode> conditions = new ArrayList<>();
        for (SqlNode value : values) {
            SqlNode condition = SqlStdOperatorTable.IS_NOT_NULL.createCall(position, value);
            for (SqlNode other : values) {
                if (other != value) {
                    SqlNode goes = SqlStdOperatorTable.OR.createCall(
                            position,
                            SqlStdOperatorTable.IS_NULL.createCall(position, other),
                            before.createCall(position, value, other));
                    condition = SqlStdOperatorTable.AND.createCall(position, condition, goes);
                }
            }
            conditions.add(condition);
        }
        return new SqlCase(
                position,
                null,
                new SqlNodeList(conditions, position),
                new SqlNodeList(values, position),
                SqlLiteral.createNull(position));
    }
}
