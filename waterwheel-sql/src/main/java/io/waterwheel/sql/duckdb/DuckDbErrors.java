package io.waterwheel.sql.duckdb;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.sql.ResidualPlan;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What DuckDB's errors mean to the one who asked. */
final class DuckDbErrors {
    private DuckDbErrors() {}

    private static boolean isOfFile(String text) {
        return text.startsWith("IO Error")
                || text.startsWith("Binder Error")
                || text.contains("CSV Error")
                || text.contains("Parquet");
    }

    /**
     * What {@link AnswerReader}, {@link TableRows} and functions of {@link SpatialFunctions} and
     * {@link EngineFunctionsInDuckDb} throw, with the name of its class before it.
     */
    private static final Pattern THROWN = Pattern.compile("^Invalid Input Error: [\\w.$]*?(\\w+): (.*)$");

    private static WaterwheelException refused(String message) {
        int end = message.indexOf(' ');
        return new WaterwheelException(
                ErrorCode.valueOf(message.substring(0, end)), "statement: " + message.substring(end + 1));
    }

    /**
     * The failure.
     *
     * @param text what DuckDB said
     * @param plan what was to be answered; its text is told of a defect of ours
     */
    static WaterwheelException of(String text, ResidualPlan plan) {
        String first = text.lines().findFirst().orElse("");
        String select = plan.text();
        Matcher thrown = THROWN.matcher(first);
        if (thrown.matches() && thrown.group(1).endsWith("TooLarge")) {
            return new WaterwheelException(ErrorCode.QUERY_MEMORY, "statement: " + thrown.group(2));
        } else if (thrown.matches() && thrown.group(1).equals("Refused")) {
            return refused(thrown.group(2));
        } else if (thrown.matches() && thrown.group(1).equals("TooManyDigits")) {
            return new WaterwheelException(ErrorCode.INTEGER_OVERFLOW, "statement: " + thrown.group(2));
        } else if (thrown.matches()
                && thrown.group(1).matches("IllegalArgumentException|\\w*NoShape|TooLong|TimeBeyond")) {
            return new WaterwheelException(ErrorCode.SQL_VALUE, "statement: " + thrown.group(2));
        } else if (thrown.matches() && thrown.group(1).matches("\\w+(Exception|Error)")) {
            return new WaterwheelException(ErrorCode.BUG, "statement: " + text + "; " + select);
        } else if (first.startsWith("Out of Memory Error")) {
            return new WaterwheelException(
                    ErrorCode.QUERY_MEMORY,
                    "statement: its joins, groups or orders need more than sql.memory and sql.spill: " + first);
        } else if (!plan.files().isEmpty() && isOfFile(first)) {
            return new WaterwheelException(
                    ErrorCode.SQL_VALUE,
                    "statement: the file of a table is not what it was when the table was made, or cannot be read: "
                            + first.replaceAll("['\"]/[^'\"]*/", "'")
                            + "; CREATE OR REPLACE TABLE reads its columns anew");
        } else if (first.contains("Division by zero")) {
            return new WaterwheelException(ErrorCode.SQL_VALUE, "statement: a division by zero");
        } else if (first.startsWith("Out of Range Error") || first.startsWith("Conversion Error")) {
            return new WaterwheelException(ErrorCode.INTEGER_OVERFLOW, "statement: " + first);
        } else if (first.startsWith("Invalid Input Error") || first.contains("Like pattern must not end")) {
            return new WaterwheelException(ErrorCode.SQL_VALUE, "statement: " + first);
        } else if (first.startsWith("INTERRUPT Error")) {
            return new WaterwheelException(ErrorCode.CANCELLED, "the statement was cancelled");
        }
        return new WaterwheelException(
                ErrorCode.BUG, "statement: DuckDB refuses what was made of it: " + text + "; " + select);
    }
}
