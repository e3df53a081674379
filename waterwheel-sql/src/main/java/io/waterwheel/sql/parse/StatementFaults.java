package io.waterwheel.sql.parse;

import io.waterwheel.error.WaterwheelException;
import io.waterwheel.sql.leaf.Literals;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import org.apache.calcite.rel.type.RelDataType;
import org.apache.calcite.sql.JoinType;
import org.apache.calcite.sql.SqlBinaryOperator;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlCharStringLiteral;
import org.apache.calcite.sql.SqlFunction;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.SqlNumericLiteral;
import org.apache.calcite.sql.SqlOrderBy;
import org.apache.calcite.sql.SqlSelect;
import org.apache.calcite.sql.SqlSyntax;
import org.apache.calcite.sql.SqlWith;
import org.apache.calcite.sql.SqlWithItem;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlBasicVisitor;
import org.apache.calcite.sql.validate.AggregatingScope;
import org.apache.calcite.sql.validate.SqlValidator;
import org.jspecify.annotations.Nullable;

/**
 * What is wrong with a statement that cannot be planned, as its text shows it: a word of SQL that was meant as a
 * column, and values beside others of another type, such as {@code ts > 'yesterday'}. Of the latter Calcite makes
 * casts, of which a plan no longer tells where they come from.
 */
public final class StatementFaults extends SqlBasicVisitor<@Nullable Void> {
    /** Characters of a value that a message shows. */
    private static final int MOST_SHOWN = 60;

    private final Function<SqlNode, @Nullable RelDataType> types;
    private final Collection<String> fields;
    private @Nullable WaterwheelException first;

    private StatementFaults(Function<SqlNode, @Nullable RelDataType> types, Collection<String> fields) {
        this.types = types;
        this.fields = fields;
    }

    /**
     * The first of them; null where the statement has none.
     *
     * @param statement with names and types looked up
     * @param types of its parts
     * @param fields of the streams that it names
     */
    public static @Nullable WaterwheelException in(
            SqlNode statement, Function<SqlNode, @Nullable RelDataType> types, Collection<String> fields) {
        StatementFaults faults = new StatementFaults(types, fields);
        statement.accept(faults);
        return faults.first;
    }

    /**
     * Refuses a statement with a word of SQL for which a stream has a column, also where it could be planned: of
     * {@code user IS NOT NULL} Calcite makes what is always true.
     */
    public static void requireNoWord(SqlNode statement, Collection<String> fields) {
        StatementFaults faults = new StatementFaults(node -> null, fields);
        statement.accept(new SqlBasicVisitor<@Nullable Void>() {
            @Override
            public @Nullable Void visit(SqlCall call) {
                if (faults.first == null && isWord(call)) {
                    faults.word(call);
                }
                return super.visit(call);
            }
        });
        if (faults.first != null) {
            throw faults.first;
        }
    }

    /**
     * Refuses what is no statement though it can be read: a WITH that has a name twice, and counts that are not whole.
     */
    static void requireWellFormed(SqlNode statement) {
        statement.accept(new SqlBasicVisitor<@Nullable Void>() {
            @Override
            public @Nullable Void visit(SqlCall call) {
                if (call instanceof SqlWith with) {
                    requireDistinct(with);
                } else if (call instanceof SqlOrderBy order) {
                    requireWhole("LIMIT", order.fetch);
                    requireWhole("OFFSET", order.offset);
                }
                return super.visit(call);
            }
        });
    }

    private static void requireDistinct(SqlWith with) {
        Set<String> names = new HashSet<>();
        for (SqlNode item : with.withList) {
            SqlIdentifier name = ((SqlWithItem) item).name;
            if (!names.add(name.getSimple().toLowerCase(Locale.ROOT))) {
                throw SqlErrors.at(name.getParserPosition(), name.getSimple() + " is named twice in this WITH");
            }
        }
    }

    private static void requireWhole(String word, @Nullable SqlNode count) {
        if (count instanceof SqlNumericLiteral number && !number.isInteger()) {
            throw SqlErrors.at(
                    count.getParserPosition(), word + " takes a whole number, 0 or more, and not " + number.toValue());
        }
    }

    /**
     * Refuses what the validator lets pass: a QUALIFY that names a column of single rows where a SELECT has one row of
     * a group, and joins of which there are no operators.
     *
     * @param statement with names and types looked up
     * @throws org.apache.calcite.runtime.CalciteContextException for the first such column
     */
    public static void requireOperators(SqlNode statement, SqlValidator validator) {
        statement.accept(new SqlBasicVisitor<@Nullable Void>() {
            @Override
            public @Nullable Void visit(SqlCall call) {
                if (call instanceof SqlSelect select
                        && select.getQualify() != null
                        && validator.getSelectScope(select) instanceof AggregatingScope scope) {
                    boolean unused = scope.checkAggregateExpr(select.getQualify(), true);
                } else if (call instanceof SqlJoin join
                        && (join.getJoinType() == JoinType.LEFT_SEMI_JOIN
                                || join.getJoinType() == JoinType.LEFT_ANTI_JOIN)) {
                    boolean semi = join.getJoinType() == JoinType.LEFT_SEMI_JOIN;
                    throw SqlErrors.unsupported(
                            join.getJoinTypeNode().getParserPosition(),
                            (semi ? "LEFT SEMI JOIN; write WHERE EXISTS" : "LEFT ANTI JOIN; write WHERE NOT EXISTS")
                                    + " (SELECT 1 FROM b WHERE b.k = a.k)");
                }
                return super.visit(call);
            }
        });
    }

    @Override
    public @Nullable Void visit(SqlCall call) {
        if (first != null) {
            return null;
        }
        if (isWord(call)) {
            word(call);
        }
        List<SqlNode> operands = operands(call);
        for (SqlNode operand : operands) {
            if (first == null && operand instanceof SqlCall cast && cast.getKind() == SqlKind.CAST) {
                cast(call, operands, cast);
            }
        }
        return first == null ? super.visit(call) : null;
    }

    private static boolean isWord(SqlNode node) {
        return node instanceof SqlCall call
                && call.operandCount() == 0
                && call.getOperator().getSyntax() == SqlSyntax.FUNCTION_ID;
    }

    /** {@code user} and its like have no value here, and a column may be called so. */
    private void word(SqlCall call) {
        String word = call.getOperator().getName();
        for (String field : fields) {
            if (field.equalsIgnoreCase(word)) {
                first = SqlErrors.at(
                        call.getParserPosition(),
                        word + " is a word of SQL; the column is written in double quotes: \"" + field + "\"");
                return;
            }
        }
    }

    private static List<SqlNode> operands(SqlCall call) {
        List<SqlNode> all = new ArrayList<>();
        for (SqlNode operand : call.getOperandList()) {
            if (operand instanceof SqlNodeList list) {
                all.addAll(list.getList());
            } else if (operand != null) {
                all.add(operand);
            }
        }
        return all;
    }

    private void cast(SqlCall within, List<SqlNode> beside, SqlCall cast) {
        SqlNode value = cast.operand(0);
        SqlNode target = cast.operand(1);
        String type = target.toString().toUpperCase(Locale.ROOT);
        if (value instanceof SqlCharStringLiteral text) {
            literal(within, text, type, beside, cast);
        } else if (isWord(value)) {
            word((SqlCall) value);
        } else if (isImplicit(cast) && isText(value)) {
            text(within, value, type, other(beside, cast));
        }
    }

    /** Whether Calcite made it: what is written begins before its value, or goes on behind it. */
    private static boolean isImplicit(SqlCall cast) {
        SqlParserPos own = cast.getParserPosition();
        SqlParserPos value = cast.operand(0).getParserPosition();
        return own.getLineNum() == 0 || own.equals(value);
    }

    private boolean isText(SqlNode node) {
        RelDataType type = types.apply(node);
        return type != null && type.getSqlTypeName().getName().endsWith("CHAR");
    }

    /** What stands beside a value, without the casts that Calcite made; null where nothing does. */
    private static @Nullable SqlNode other(List<SqlNode> all, SqlNode one) {
        SqlNode found = null;
        for (SqlNode node : all) {
            SqlNode written = node instanceof SqlCall cast && cast.getKind() == SqlKind.CAST && isImplicit(cast)
                    ? cast.operand(0)
                    : node;
            if (node != one && (found == null || (found instanceof SqlLiteral && !(written instanceof SqlLiteral)))) {
                found = written;
            }
        }
        return found;
    }

    /** A written text that is no value of the type that it would have to have. */
    private void literal(SqlCall within, SqlCharStringLiteral literal, String type, List<SqlNode> all, SqlCall cast) {
        String text = literal.getValueAs(String.class);
        String expected = expected(text, type);
        if (expected == null) {
            return;
        }
        // Looked for once it is needed: a list may have very many values.
        SqlNode beside = isComparison(within) ? other(all, cast) : null;
        String column = beside instanceof SqlIdentifier name ? label(name) + typed(beside, " is a ") + ", and " : "";
        first = SqlErrors.at(literal.getParserPosition(), column + "'" + shown(text) + "' is " + expected);
    }

    /** What is wrong with a text as a value of a type; null where nothing is. */
    private static @Nullable String expected(String text, String type) {
        if (type.startsWith("TIMESTAMP")) {
            return isTime(text) ? null : "no time; write one such as '2026-11-25 10:00:00.123'";
        } else if (type.startsWith("BIGINT")) {
            return isWhole(text) ? null : "no whole number of 64 bits; write one such as 42, without quotes";
        } else if (type.startsWith("DECIMAL")) {
            return isNumber(text) ? "a text; write the number without quotes" : "no number; write one such as 1.5";
        } else if (type.startsWith("DOUBLE")) {
            return isNumber(text) || Convertlets.unbounded(text) != null
                    ? null
                    : "no number; write one such as 1.5, without quotes";
        } else if (type.startsWith("BOOLEAN")) {
            String word = text.strip().toLowerCase(Locale.ROOT);
            return word.equals("true") || word.equals("false") ? null : "no BOOLEAN; write TRUE or FALSE";
        }
        return null;
    }

    private static boolean isTime(String text) {
        try {
            Instant unused = Literals.instant(text);
            return true;
        } catch (DateTimeException e) {
            return false;
        }
    }

    private static boolean isWhole(String text) {
        try {
            long unused = new BigDecimal(text.strip()).longValueExact();
            return true;
        } catch (ArithmeticException | NumberFormatException e) {
            return false;
        }
    }

    private static boolean isNumber(String text) {
        try {
            BigDecimal unused = new BigDecimal(text.strip());
            return true;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /** A text where a number, a time or a truth is wanted. */
    private void text(SqlCall within, SqlNode value, String type, @Nullable SqlNode beside) {
        String what = label(value) + " is a text (VARCHAR)";
        SqlParserPos position = value.getParserPosition();
        if (!isComparison(within)) {
            boolean named =
                    within.getOperator() instanceof SqlFunction || within.getOperator() instanceof SqlBinaryOperator;
            String operator = named ? within.getOperator().getName() + ": " : "";
            first = SqlErrors.at(position, operator + "expected a " + kind(type) + ", and " + what);
        } else if (beside instanceof SqlNumericLiteral number) {
            String written = shown(digits(String.valueOf(number.toValue())));
            first = SqlErrors.at(
                    position,
                    what + ", and " + written + " a number; compare it with a text, such as '" + written + "'");
        } else if (beside instanceof SqlLiteral literal) {
            first = SqlErrors.at(
                    position,
                    what + ", and " + shown(String.valueOf(literal.toValue())) + " a " + kind(type)
                            + "; compare it with a text in quotes");
        } else {
            String other = beside instanceof SqlIdentifier ? label(beside) : "what it is compared with";
            String cast = type.startsWith("BIGINT") && beside instanceof SqlIdentifier
                    ? ", such as CAST(" + other + " AS VARCHAR)"
                    : "";
            first = SqlErrors.at(
                    position, what + ", and " + other + " a " + kind(type) + "; compare values of one type" + cast);
        }
    }

    /** A number as people write it, where that takes few digits. */
    private static String digits(String number) {
        BigDecimal value = new BigDecimal(number);
        boolean few = value.precision() <= MOST_SHOWN && Math.abs((long) value.scale()) <= MOST_SHOWN;
        return few ? value.toPlainString() : number;
    }

    private static boolean isComparison(SqlCall call) {
        return call.isA(SqlKind.COMPARISON)
                || call.getKind() == SqlKind.BETWEEN
                || call.getKind() == SqlKind.IN
                || call.getKind() == SqlKind.NOT_IN;
    }

    private static String kind(String type) {
        if (type.startsWith("TIMESTAMP")) {
            return "time";
        }
        return type.startsWith("BOOLEAN") ? "truth value (BOOLEAN)" : "number";
    }

    private String typed(SqlNode node, String before) {
        RelDataType type = types.apply(node);
        return type == null ? "" : before + type;
    }

    /** The name of a column as it may be written; for anything else a word. */
    private static String label(SqlNode node) {
        return node instanceof SqlIdentifier name ? name.names.get(name.names.size() - 1) : "what stands here";
    }

    private static String shown(String text) {
        return text.length() <= MOST_SHOWN ? text : text.substring(0, MOST_SHOWN) + "...";
    }
}
