package io.waterwheel.query.admission;

import java.time.Instant;

/**
 * A query whose answer has ended, for people.
 *
 * @param state at the end; its age is how long it took
 * @param outcome {@code complete}, {@code incomplete}, or the code of the error
 * @param at when it ended
 */
public record EndedQuery(QueryState state, String outcome, Instant at) {}
