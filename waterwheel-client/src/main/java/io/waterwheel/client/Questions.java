package io.waterwheel.client;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.Statement;
import io.waterwheel.query.Verdict;
import io.waterwheel.wire.TraceParent;
import io.waterwheel.wire.WireQueries;
import io.waterwheel.wire.WireStatements;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.CallOptions;
import org.apache.arrow.flight.FlightCallHeaders;
import org.apache.arrow.flight.HeaderCallOption;
import org.apache.arrow.flight.Ticket;
import org.jspecify.annotations.Nullable;

/** Asks queries and statements of any coordinator, and keeps account of the answers that are open. Thread-safe. */
final class Questions {
    private final Coordinators coordinators;
    private final OpenAnswers answers;
    private final Session session;

    Questions(Coordinators coordinators, OpenAnswers answers, Session session) {
        this.coordinators = coordinators;
        this.answers = answers;
        this.session = session;
    }

    /**
     * Asks a query, which demands what was seen of its stream.
     *
     * @param trace of the caller; null: none
     * @param cancellation by which it can be cancelled before it has begun, too
     */
    Cursor query(Query query, @Nullable TraceParent trace, Cancellation cancellation) {
        Query demanding = session.demanding(query);
        return ask(
                trace,
                query.hasTimeout() ? query.timeout() : null,
                query.allowPartial(),
                timeout -> WireQueries.ticket(timeout == null ? demanding : demanding.withTimeout(timeout)),
                "",
                demanding.aggregates(),
                verdict -> session.saw(demanding.stream(), demanding.seen(), verdict),
                cancellation);
    }

    /**
     * Asks a statement; one that changes something is sent once. It is not in the session: the client does not know
     * which streams it reads.
     *
     * @param trace of the caller; null: none
     * @param cancellation by which it can be cancelled before it has begun, too
     */
    Cursor sql(Statement statement, @Nullable TraceParent trace, Cancellation cancellation) {
        return ask(
                trace,
                statement.timeout(),
                statement.allowPartial(),
                timeout -> WireStatements.ticket(timeout == null ? statement : statement.withTimeout(timeout)),
                statement.changes() ? "run the statement" : "",
                false,
                verdict -> {},
                cancellation);
    }

    /**
     * Asks any coordinator.
     *
     * @param trace that the question is a part of; null: none
     * @param timeout of the question, or null for the server's
     * @param ticket for what is left of the timeout, where it is not the first to be asked; null for all
     * @param once what must not be done twice, for messages; empty for a question that may be repeated
     * @param aggregates whether the verdict counts something else than rows
     */
    private Cursor ask(
            @Nullable TraceParent trace,
            @Nullable Duration timeout,
            boolean allowPartial,
            Function<@Nullable Duration, byte[]> ticket,
            String once,
            boolean aggregates,
            Consumer<Verdict> onVerdict,
            Cancellation cancellation) {
        Duration patience = timeout == null ? Query.DEFAULT_TIMEOUT : timeout;
        long deadline = System.nanoTime() + patience.toNanos();
        boolean[] again = {false};
        answers.begin(cancellation);
        try {
            Coordinators.Call<Cursor> call = connection -> {
                String cancelled = cancellation.reason();
                if (cancelled != null) {
                    throw new WaterwheelException(
                            ErrorCode.CANCELLED, "the answer was cancelled before it began: " + cancelled);
                }
                // A coordinator that was asked in vain has used some of the time.
                Duration left = Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()) + 1);
                if (left.isNegative() || left.isZero()) {
                    throw new WaterwheelException(
                            ErrorCode.TIMEOUT,
                            "no coordinator began to answer within " + patience + "; ask again, or allow more time");
                }
                byte[] asked = ticket.apply(again[0] && timeout != null ? left : null);
                // Not known here: how long the server gives a query that names no timeout, and how long after its
                // deadline it sends what an answer that may be partial has.
                Duration longest = timeout != null && !allowPartial ? left : WireQueries.LONGEST_TIMEOUT;
                again[0] = true;
                List<CallOption> options = new ArrayList<>(2);
                options.add(CallOptions.timeout(longest.plus(Connection.GRACE).toMillis(), TimeUnit.MILLISECONDS));
                if (trace != null) {
                    FlightCallHeaders headers = new FlightCallHeaders();
                    headers.insert(TraceParent.HEADER, trace.toString());
                    options.add(new HeaderCallOption(headers));
                }
                return Cursor.open(
                        connection,
                        new Ticket(asked),
                        options,
                        aggregates,
                        onVerdict,
                        cancellation,
                        () -> answers.end(cancellation));
            };
            return once.isEmpty() ? coordinators.repeatable(patience, call) : coordinators.once(once, patience, call);
        } catch (RuntimeException e) {
            answers.end(cancellation);
            throw e;
        }
    }

    /** Asks, and reads the answer, on a thread of the executor; to complete the future is to cancel the answer. */
    static <T> CompletableFuture<T> read(
            Function<Cancellation, Cursor> asking, Executor executor, Function<Cursor, T> reader) {
        Cancellation cancellation = new Cancellation();
        CompletableFuture<T> future = new CompletableFuture<>();
        var unused = future.whenComplete((result, failure) -> cancellation.cancel("its future was completed"));
        executor.execute(() -> {
            try {
                T result;
                try (Cursor cursor = asking.apply(cancellation)) {
                    result = reader.apply(cursor);
                }
                future.complete(result);
            } catch (RuntimeException | Error e) {
                future.completeExceptionally(e);
            }
        });
        return future;
    }

    /**
     * Reads an answer of which the caller sees nothing before its end: asked again, within its timeout, when its
     * coordinator is lost in the middle.
     */
    <T> T whole(Query query, Function<Cursor, T> reader) {
        Duration longest = query.hasTimeout() ? query.timeout() : WireQueries.LONGEST_TIMEOUT;
        long deadline = System.nanoTime() + longest.toNanos();
        Query asked = query;
        for (int attempt = 0; ; attempt++) {
            try (Cursor cursor = query(asked, null, new Cancellation())) {
                return reader.apply(cursor);
            } catch (WaterwheelException e) {
                long left = deadline - System.nanoTime();
                boolean lost = e.is(ErrorCode.ANSWER_CUT_OFF) || e.is(ErrorCode.SERVER_CLOSING);
                if (!lost || left <= 0 || !coordinators.again(attempt)) {
                    throw e;
                }
                asked = query.hasTimeout() ? query.withTimeout(Duration.ofNanos(left)) : query;
            }
        }
    }
}
