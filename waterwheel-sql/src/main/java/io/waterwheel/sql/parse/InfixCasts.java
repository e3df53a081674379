package io.waterwheel.sql.parse;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import org.apache.calcite.sql.SqlBinaryOperator;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlKind;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlPostfixOperator;
import org.apache.calcite.sql.parser.SqlParserPos;
import org.apache.calcite.sql.util.SqlShuttle;
import org.jspecify.annotations.Nullable;

/**
 * {@code a / b::DOUBLE} as {@code a / (b::DOUBLE)}: Calcite takes all of {@code a / b} to stand before the sign, with
 * parentheses or not. Whether there are parentheses is in the text: what stands in some is at the place of these.
 */
final class InfixCasts extends SqlShuttle {
    static final String CAST = "::";

    private final String text;
    /** What was moved, and is in no parentheses: what stands behind it was taken to be of all of it. */
    private final Set<SqlNode> open = Collections.newSetFromMap(new IdentityHashMap<>());

    /** @param text that was parsed */
    InfixCasts(String text) {
        this.text = text;
    }

    @Override
    public @Nullable SqlNode visit(SqlCall call) {
        boolean isCast = call.getOperator().getName().equals(CAST);
        boolean cast = isCast && isOpen(call.operand(0));
        SqlNode visited = cast ? moved(call, call.operand(0)).accept(this) : super.visit(call);
        if (isCast && !cast && visited instanceof SqlCall outer && open.contains(outer.operand(0))) {
            // x BETWEEN a AND b::BIGINT::DOUBLE: the first of the casts is within already.
            visited = moved(outer, outer.operand(0));
            cast = true;
        }
        if (visited instanceof SqlCall made) {
            SqlNode turned = turned(made, false);
            if ((cast || turned != visited) && !isEnclosed(call.getParserPosition())) {
                open.add(turned);
            }
            return turned;
        }
        return visited;
    }

    /**
     * Where what was moved is the first or the last operand of an operator that binds closer, that is of the operand
     * beside it alone.
     *
     * @param moved whether what it has as operands was moved, too, without being known as that
     */
    private SqlNode turned(SqlCall call, boolean moved) {
        int end = call.operandCount() - 1;
        if (binds(call)
                && end > 0
                && call.operand(end) instanceof SqlCall last
                && (open.contains(last) || (moved && isOpen(last)))
                && last.getOperator() instanceof SqlBinaryOperator looser
                && last.operandCount() == 2
                && looser.getLeftPrec() < call.getOperator().getRightPrec()) {
            List<SqlNode> operands = new ArrayList<>(call.getOperandList());
            operands.set(end, last.operand(0));
            SqlNode closer = turned(call.getOperator().createCall(call.getParserPosition(), operands), true);
            open.add(closer);
            SqlCall outer = looser.createCall(call.getParserPosition(), List.of(closer, last.<SqlNode>operand(1)));
            open.add(outer);
            // What is looser than the operator that was met may be within.
            return turned(outer, true);
        }
        if (!binds(call)
                || !open.contains(call.operand(0))
                || !(call.operand(0) instanceof SqlCall first)
                || !(first.getOperator() instanceof SqlBinaryOperator)
                || first.getOperator().getRightPrec() >= call.getOperator().getLeftPrec()) {
            return call;
        }
        List<SqlNode> operands = new ArrayList<>(call.getOperandList());
        operands.set(0, first.operand(1));
        SqlCall inner = call.getOperator().createCall(call.getParserPosition(), operands);
        if (isOpen(first.operand(1))) {
            open.add(first.operand(1));
        }
        return first.getOperator()
                .createCall(call.getParserPosition(), List.of(first.<SqlNode>operand(0), turned(inner, moved)));
    }

    /** Whether its first operand stands before the operator's word. */
    private static boolean binds(SqlCall call) {
        return switch (call.getKind()) {
            case BETWEEN, LIKE, SIMILAR -> true;
            default ->
                (call.getOperator() instanceof SqlBinaryOperator && call.operandCount() == 2)
                        || call.getOperator() instanceof SqlPostfixOperator;
        };
    }

    /** Whether it is an operator between operands, and not in parentheses. */
    private boolean isOpen(SqlNode node) {
        return node instanceof SqlCall call && isBetween(call) && !isEnclosed(call.getParserPosition());
    }

    private static boolean isBetween(SqlCall call) {
        return switch (call.getKind()) {
            case BETWEEN, LIKE, SIMILAR -> true;
            default ->
                call.getOperator() instanceof SqlBinaryOperator operator
                        && !call.isA(SqlKind.QUERY)
                        && !operator.getName().equals(CAST)
                        && call.operandCount() == 2;
        };
    }

    /** The operator around a cast of its last operand. */
    private SqlNode moved(SqlCall cast, SqlCall operator) {
        List<SqlNode> operands = new ArrayList<>(operator.getOperandList());
        int end = operands.size() - 1;
        SqlNode last = operands.get(end);
        operands.set(
                end,
                open.contains(last) || isOpen(last)
                        ? moved(cast, (SqlCall) last)
                        : cast.getOperator()
                                .createCall(cast.getParserPosition(), List.of(last, cast.<SqlNode>operand(1))));
        return operator.getOperator().createCall(cast.getParserPosition(), operands);
    }

    /** Whether the parenthesis that begins there ends there. */
    private boolean isEnclosed(SqlParserPos position) {
        int begin = StatementParser.offset(text, position.getLineNum(), position.getColumnNum());
        int end = StatementParser.offset(text, position.getEndLineNum(), position.getEndColumnNum());
        if (begin < 0 || end < begin || text.charAt(begin) != '(') {
            return false;
        }
        int open = 0;
        // Of what stands in comments, texts and quoted names nothing counts.
        Matcher token = StatementParser.TOKEN.matcher(text).region(begin, end + 1);
        while (token.find()) {
            if (token.group().equals("(")) {
                open++;
            } else if (token.group().equals(")") && --open == 0) {
                return token.end() == end + 1;
            }
        }
        return false;
    }
}
