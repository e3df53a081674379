package io.waterwheel.sql.parse;

import io.waterwheel.schema.text.Decimals;
import io.waterwheel.sql.leaf.EngineFunctions;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Pattern;
import org.apache.calcite.sql.SqlBasicTypeNameSpec;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCharStringLiteral;
import org.apache.calcite.sql.SqlDataTypeSpec;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.fun.SqlStdOperatorTable;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.type.SqlTypeName;
import org.apache.calcite.sql.util.SqlShuttle;
import org.jspecify.annotations.Nullable;

/** {@code DECIMAL '1.20'}, which Calcite's parser takes for {@code 1.20}: a number without the word is a double. */
public final class ExactLiteral extends SqlNumericLiteral {
    private static final String APART = "(?:\\s++|" + StatementParser.COMMENT + ")*+";

    private static final Pattern SIGNED = Pattern.compile("(?i)[-+]" + APART + "decimal" + APART + "'");

    private final BigDecimal exact;

    private ExactLiteral(BigDecimal value, SqlParserPos position) {
        super(value, precision(value), value.scale(), true, position);
        this.exact = value;
    }

    /**
     * The literal of a number.
     *
     * @throws io.waterwheel.error.WaterwheelException when it has too many digits
     */
    public static ExactLiteral of(BigDecimal value, SqlParserPos position) {
        try {
            return new ExactLiteral(Decimals.value(value.toString()), position);
        } catch (IllegalArgumentException e) {
            throw SqlErrors.at(position, String.valueOf(e.getMessage()));
        }
    }

    private static int precision(BigDecimal value) {
        return Math.max(value.precision(), Math.max(1, value.scale()));
    }

    public BigDecimal value() {
        return exact;
    }

    @Override
    public ExactLiteral clone(SqlParserPos position) {
        return new ExactLiteral(exact, position);
    }

    /** As Calcite knows a number of a type: a cast. */
    public SqlNode typed() {
        return typed(exact, precision(exact), getParserPosition());
    }

    private static SqlNode typed(BigDecimal value, int precision, SqlParserPos position) {
        return SqlStdOperatorTable.CAST.createCall(
                position,
                SqlLiteral.createExactNumeric(value.toPlainString(), position),
                new SqlDataTypeSpec(
                        new SqlBasicTypeNameSpec(SqlTypeName.DECIMAL, precision, value.scale(), position), position));
    }

    /**
     * A written number, or text of one, that is cast to decimals, rounded as the engine rounds; Calcite cuts it. Null
     * when what is cast is something else.
     *
     * @throws io.waterwheel.error.WaterwheelException when it does not fit
     */
    public static @Nullable SqlNode cast(SqlNode written, SqlDataTypeSpec type, SqlParserPos position) {
        BigDecimal number =
                type.getTypeNameSpec() instanceof SqlBasicTypeNameSpec name && isDecimal(name) ? number(written) : null;
        if (number == null) {
            return null;
        }
        SqlBasicTypeNameSpec wanted = (SqlBasicTypeNameSpec) type.getTypeNameSpec();
        int precision = wanted.getPrecision();
        int scale = Math.max(0, wanted.getScale());
        boolean large = (long) number.precision() - number.scale() > precision - scale && number.signum() != 0;
        BigDecimal rounded = large ? number : number.setScale(scale, RoundingMode.HALF_UP);
        if (large || rounded.precision() > precision) {
            throw SqlErrors.at(position, number + " exceeds DECIMAL(" + precision + ", " + scale + ")");
        }
        return typed(rounded, precision, position);
    }

    public static boolean isDecimal(SqlBasicTypeNameSpec name) {
        String word = name.getTypeName().getSimple().toUpperCase(Locale.ROOT);
        return word.equals("DECIMAL") || word.equals("NUMERIC");
    }

    /** Makes sure that a type of decimals says how many digits, as the systems that let it be left out differ. */
    public static void requireDigits(SqlDataTypeSpec type, SqlBasicTypeNameSpec name) {
        int scale = Math.max(0, name.getScale());
        if (name.getPrecision() < 1 || name.getPrecision() > Decimals.MOST_DIGITS || scale > name.getPrecision()) {
            throw SqlErrors.at(
                    type.getParserPosition(),
                    "expected 1 to " + Decimals.MOST_DIGITS
                            + " digits, and how many of them are behind the point, such as DECIMAL(18, 2), got "
                            + type);
        }
    }

    private static @Nullable BigDecimal number(SqlNode written) {
        if (written instanceof SqlNumericLiteral number) {
            return number.bigDecimalValue();
        } else if (written instanceof SqlCharStringLiteral text) {
            try {
                return Decimals.value(text.getValueAs(String.class).strip());
            } catch (IllegalArgumentException e) {
                throw SqlErrors.at(text.getParserPosition(), String.valueOf(e.getMessage()));
            }
        }
        // As typed above, or as approximate makes of one with many digits.
        if (written instanceof SqlCall made
                && made.getOperator().getName().equals(EngineFunctions.TO_DOUBLE)
                && made.operand(0) instanceof SqlNumericLiteral number) {
            return number.bigDecimalValue();
        }
        return written instanceof SqlCall cast
                        && cast.getKind() == SqlKind.CAST
                        && cast.operand(0) instanceof SqlNumericLiteral number
                        && number.isExact()
                        && cast.operand(1) instanceof SqlDataTypeSpec type
                        && type.getTypeName().getSimple().equals("DECIMAL")
                ? number.bigDecimalValue()
                : null;
    }

    /**
     * A statement in which those with the word are such literals.
     *
     * @param text that was parsed: at the place of such a number there is the quote of its text
     */
    static SqlNode in(SqlNode statement, String text) {
        SqlNode found = statement.accept(new SqlShuttle() {
            @Override
            public @Nullable SqlNode visit(SqlLiteral literal) {
                return literal instanceof SqlNumericLiteral number && isQuoted(number, text)
                        ? of(number.bigDecimalValue(), number.getParserPosition())
                        : literal;
            }
        });
        return found == null ? statement : found;
    }

    private static boolean isQuoted(SqlNumericLiteral number, String text) {
        SqlParserPos position = number.getParserPosition();
        int at = StatementParser.offset(text, position.getLineNum(), position.getColumnNum());
        if (at < 0) {
            return false;
        }
        char first = text.charAt(at);
        // The parser makes one number of a sign and what follows.
        return first == '\''
                || (number.bigDecimalValue().signum() <= 0
                        && SIGNED.matcher(text.substring(at)).lookingAt());
    }
}
