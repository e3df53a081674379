package io.waterwheel.sql.residual;

import io.waterwheel.sql.leaf.EngineFunctions;
import io.waterwheel.sql.leaf.NotPushed;
import java.util.List;
import java.util.Locale;
import org.apache.calcite.rex.RexLiteral;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.sql.type.SqlTypeName;
import org.jspecify.annotations.Nullable;

/** Functions of texts that DuckDB alone has: its patterns are those of RE2, which take time linear in the text. */
final class ResidualTexts {
    /** Characters that LPAD and RPAD make, at most: each row takes that memory. */
    private static final long MOST_PADDED = 1000;
    /** Of a pattern, by number. */
    private static final long MOST_GROUP = 9;

    private ResidualTexts() {}

    /** The text of a call; null where it is another function. */
    static @Nullable String of(String name, List<RexNode> operands, ResidualExpressions expressions) throws NotPushed {
        return switch (name) {
            case EngineFunctions.MATCHES, EngineFunctions.REPLACES, "SPLIT_PART", "RIGHT", "REVERSE" -> {
                int texts = name.equals("SPLIT_PART") ? 2 : name.equals("RIGHT") ? 1 : operands.size();
                requireTexts(name, operands.subList(0, texts));
                if (name.startsWith("REGEXP") && operands.size() > (name.equals(EngineFunctions.MATCHES) ? 2 : 3)) {
                    requireWritten(name, operands.get(operands.size() - 1));
                }
                yield call(name.equals(EngineFunctions.MATCHES) ? "regexp_matches" : name, expressions.list(operands));
            }
            case EngineFunctions.EXTRACTS -> {
                requireTexts(name, operands.subList(0, 2));
                String group = operands.size() > 2 ? ", " + written(name, operands.get(2), MOST_GROUP) : "";
                yield call(name, expressions.list(operands.subList(0, 2)) + group);
            }
            case "LPAD", "RPAD" -> {
                requireTexts(name, List.of(operands.get(0)));
                requireTexts(name, operands.subList(2, operands.size()));
                String with = operands.size() > 2 ? expressions.of(operands.get(2)) : "' '";
                yield call(
                        name,
                        expressions.of(operands.get(0)) + ", " + written(name, operands.get(1), MOST_PADDED) + ", "
                                + with);
            }
            case "CONCAT_WS", "TRANSLATE" -> {
                requireTexts(name, operands);
                yield call(name, expressions.list(operands));
            }
            case "LTRIM", "RTRIM", EngineFunctions.TRIM_BOTH -> {
                requireTexts(name, operands);
                String what = operands.size() > 1 ? expressions.of(operands.get(1)) : "' '";
                yield call(
                        name.equals(EngineFunctions.TRIM_BOTH) ? "trim" : name,
                        expressions.of(operands.get(0)) + ", " + what);
            }
            case EngineFunctions.TRY_WHOLE -> {
                requireTexts("TRY_CAST", operands);
                // A fraction is none of a whole number, where DuckDB would round it.
                yield "TRY_CAST(" + part(operands, "[+-]?[0-9]+", expressions) + " AS BIGINT)";
            }
            case EngineFunctions.TRY_TIME -> {
                requireTexts("TRY_CAST", operands);
                // Words such as infinity, and years before Christ, are none. A blank before an offset is read as a
                // TIMESTAMP alone, which passes over offsets; and milliseconds would be rounded to.
                String text = "regexp_replace(" + part(operands, "[0-9][^(]*", expressions)
                        + ", ' +([+-][0-9:]+|Z)$', '\\1')";
                yield "CAST(date_trunc('milliseconds', TRY_CAST(" + text
                        + " AS TIMESTAMPTZ) AT TIME ZONE 'UTC') AS TIMESTAMP_MS)";
            }
            default -> null;
        };
    }

    /**
     * A text without blanks around it where it is as a pattern says, else the empty text: written once, however deep.
     */
    private static String part(List<RexNode> operands, String pattern, ResidualExpressions expressions)
            throws NotPushed {
        return "regexp_extract(trim(" + expressions.of(operands.get(0)) + "), '^" + pattern + "$')";
    }

    private static String call(String name, String arguments) {
        return name.toLowerCase(Locale.ROOT) + "(" + arguments + ")";
    }

    private static void requireTexts(String name, List<RexNode> operands) throws NotPushed {
        for (RexNode operand : operands) {
            SqlTypeName type = operand.getType().getSqlTypeName();
            if (type != SqlTypeName.VARCHAR && type != SqlTypeName.CHAR && type != SqlTypeName.NULL) {
                throw new NotPushed(name + " of " + operand.getType() + "; it is of texts: CAST(x AS VARCHAR)");
            }
        }
    }

    private static void requireWritten(String name, RexNode option) throws NotPushed {
        if (!(option instanceof RexLiteral)) {
            throw new NotPushed("an option of " + name + " that is not written, such as 'g' or 'i'");
        }
    }

    private static String written(String name, RexNode number, long most) throws NotPushed {
        Long value = number instanceof RexLiteral literal && number.getType().getSqlTypeName() == SqlTypeName.BIGINT
                ? literal.getValueAs(Long.class)
                : null;
        if (value == null || value < 0 || value > most) {
            throw new NotPushed(name + " with other than a written whole number from 0 to " + most);
        }
        return String.valueOf(value);
    }
}
