package io.waterwheel.sql.duckdb;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;

/** What DuckDB's errors mean to the one who asked. */
final class DuckDbErrors {
    private DuckDbErrors() {}

    /**
     * The failure.
     *
     * @param text what DuckDB said
     * @param select what it was to answer, for a defect of ours
     */
    static WaterwheelException of(String text, String select) {
        String first = text.lines().findFirst().orElse("");
        if (first.startsWith("Out of Memory Error")) {
            return new WaterwheelException(
                    ErrorCode.QUERY_MEMORY,
                    "statement: its joins, groups or orders need more than sql.memory and sql.spill: " + first);
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
