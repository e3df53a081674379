package io.waterwheel.query.expression;

import io.waterwheel.schema.text.Decimals;
import io.waterwheel.schema.text.Ipv4;
import java.util.List;

/** Writes expressions as text that parses back to the same tree; parentheses only where they are needed. */
public final class ExpressionPrinter {
    private static final int OR = 1;
    private static final int AND = 2;
    private static final int NOT = 3;
    private static final int PREDICATE = 4;
    private static final int SUM = 5;
    private static final int PRODUCT = 6;
    private static final int SIGN = 7;
    private static final int PRIMARY = 8;

    private final StringBuilder out = new StringBuilder();
    private final int most;
    /** Whether values are written, or question marks in their place. */
    private final boolean values;

    private ExpressionPrinter(int most, boolean values) {
        this.most = most;
        this.values = values;
    }

    /** The text of an expression. */
    public static String print(Expression expression) {
        return beginning(expression, Integer.MAX_VALUE);
    }

    /**
     * The text of an expression, of which only the beginning is wanted. Lists are cut, so that a list of many thousand
     * values takes no longer than its beginning; the text may go on with anything after the characters that are wanted.
     *
     * @param most characters that are wanted
     */
    public static String beginning(Expression expression, int most) {
        ExpressionPrinter printer = new ExpressionPrinter(most, true);
        printer.write(expression, OR);
        return printer.out.toString();
    }

    /**
     * The same with a question mark in place of each value, and one in place of a list of values, for people: what is
     * compared with what, and not with which values.
     */
    public static String shape(Expression expression, int most) {
        ExpressionPrinter printer = new ExpressionPrinter(most, false);
        printer.write(expression, OR);
        return printer.out.toString();
    }

    /** A field's name, in double quotes when SQL needs them. */
    public static String name(String name) {
        return Tokens.plainName(name) ? name : '"' + name.replace("\"", "\"\"") + '"';
    }

    private static int level(Expression node) {
        if (node instanceof Expression.Or) {
            return OR;
        } else if (node instanceof Expression.And) {
            return AND;
        } else if (node instanceof Expression.Not) {
            return NOT;
        } else if (node instanceof Expression.Arithmetic arithmetic) {
            return switch (arithmetic.operator()) {
                case PLUS, MINUS -> SUM;
                case TIMES, DIVIDED, MODULO -> PRODUCT;
            };
        } else if (node instanceof Expression.Negation) {
            return SIGN;
        } else if (node instanceof Expression.Whole whole) {
            return whole.value() < 0 ? SIGN : PRIMARY;
        } else if (node instanceof Expression.Decimal decimal) {
            boolean signed = Double.isFinite(decimal.value()) && Double.doubleToRawLongBits(decimal.value()) < 0;
            return signed ? SIGN : PRIMARY;
        } else if (node instanceof Expression.Literal
                || node instanceof Expression.FieldValue
                || node instanceof Expression.Case
                || node instanceof Expression.Cast
                || node instanceof Expression.Call) {
            return PRIMARY;
        }
        return PREDICATE;
    }

    private void write(Expression node, int least) {
        boolean mark = !values && node instanceof Expression.Literal;
        boolean closed = !mark && level(node) < least;
        if (closed) {
            out.append('(');
        }
        write(node);
        if (closed) {
            out.append(')');
        }
    }

    private void write(Expression node) {
        if (node instanceof Expression.Literal literal) {
            literal(literal);
        } else if (node instanceof Expression.FieldValue field) {
            out.append(name(field.name()));
        } else if (node instanceof Expression.Or or) {
            list(or.terms(), " OR ", AND);
        } else if (node instanceof Expression.And and) {
            list(and.terms(), " AND ", NOT);
        } else if (node instanceof Expression.Not not) {
            out.append("NOT ");
            write(not.operand(), NOT);
        } else if (node instanceof Expression.Negation negation) {
            out.append('-');
            boolean number =
                    negation.operand() instanceof Expression.Whole || negation.operand() instanceof Expression.Decimal;
            write(negation.operand(), number ? PRIMARY + 1 : PRIMARY);
        } else if (node instanceof Expression.Comparison comparison) {
            write(comparison.left(), SUM);
            out.append(' ').append(comparison.operator().sign()).append(' ');
            write(comparison.right(), SUM);
        } else if (node instanceof Expression.Arithmetic arithmetic) {
            int level = level(arithmetic);
            write(arithmetic.left(), level);
            out.append(' ').append(arithmetic.operator().sign()).append(' ');
            write(arithmetic.right(), level + 1);
        } else if (node instanceof Expression.IsNull test) {
            write(test.operand(), SUM);
            out.append(test.negated() ? " IS NOT NULL" : " IS NULL");
        } else if (node instanceof Expression.Between between) {
            write(between.operand(), SUM);
            out.append(between.negated() ? " NOT BETWEEN " : " BETWEEN ");
            write(between.low(), SUM);
            out.append(" AND ");
            write(between.high(), SUM);
        } else if (node instanceof Expression.In in) {
            write(in.operand(), SUM);
            out.append(in.negated() ? " NOT IN (" : " IN (");
            list(values ? in.values() : in.values().subList(0, 1), ", ", OR);
            out.append(')');
        } else if (node instanceof Expression.Like like) {
            write(like.operand(), SUM);
            out.append(like.negated() ? " NOT LIKE " : " LIKE ");
            text(like.pattern());
            if (like.escape() != null) {
                out.append(" ESCAPE ");
                text(like.escape());
            }
        } else if (node instanceof Expression.Case choice) {
            out.append("CASE");
            for (int i = 0; i < choice.conditions().size() && out.length() < most; i++) {
                out.append(" WHEN ");
                write(choice.conditions().get(i), OR);
                out.append(" THEN ");
                write(choice.results().get(i), OR);
            }
            if (choice.otherwise() != null) {
                out.append(" ELSE ");
                write(choice.otherwise(), OR);
            }
            out.append(" END");
        } else if (node instanceof Expression.Cast cast) {
            out.append("CAST(");
            write(cast.operand(), OR);
            out.append(" AS ").append(cast.type().castName()).append(')');
        } else if (node instanceof Expression.Call call) {
            out.append(call.function()).append('(');
            list(call.arguments(), ", ", OR);
            out.append(')');
        }
    }

    private void list(List<? extends Expression> parts, String between, int least) {
        for (int i = 0; i < parts.size() && out.length() < most; i++) {
            out.append(i == 0 ? "" : between);
            write(parts.get(i), least);
        }
    }

    private void literal(Expression.Literal literal) {
        if (!values) {
            out.append('?');
        } else if (literal instanceof Expression.Whole whole) {
            out.append(whole.value());
        } else if (literal instanceof Expression.Decimal decimal && !Double.isFinite(decimal.value())) {
            out.append("CAST('").append(decimal.value()).append("' AS DOUBLE)");
        } else if (literal instanceof Expression.Decimal decimal) {
            out.append(decimal.written() == null ? Double.toString(decimal.value()) : decimal.written());
        } else if (literal instanceof Expression.Exact exact) {
            out.append("DECIMAL '").append(Decimals.text(exact.value())).append('\'');
        } else if (literal instanceof Expression.Text text) {
            text(text.value());
        } else if (literal instanceof Expression.Hex hex) {
            out.append("X'").append(hex.digits()).append('\'');
        } else if (literal instanceof Expression.Truth truth) {
            out.append(truth.value() ? "TRUE" : "FALSE");
        } else if (literal instanceof Expression.Moment moment) {
            out.append("TIMESTAMP '").append(moment.value()).append('\'');
        } else if (literal instanceof Expression.Address address) {
            out.append("IPV4 '").append(Ipv4.text(address.bits())).append('\'');
        } else if (literal instanceof Expression.Sixteen value) {
            out.append(value.type()).append(" '").append(value.text()).append('\'');
        } else {
            out.append("NULL");
        }
    }

    private void text(String text) {
        if (!values) {
            out.append('?');
            return;
        }
        out.append('\'').append(text.replace("'", "''")).append('\'');
    }
}
