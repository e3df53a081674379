package io.waterwheel.query;

/** What a query says of itself in its verdict, beside what it always says. */
public enum Explain {
    /** Nothing more. */
    NONE,
    /** How it would be answered: it is planned, and nothing is read. Its answer has no rows. */
    PLAN,
    /** How it was answered, and what each step and each server took. */
    ANALYZE
}
