package io.waterwheel.gateway;

import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.gateway.http.ConnectionThreads;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.Verdict;
import io.waterwheel.tuple.LostRange;
import io.waterwheel.tuple.TimeInterval;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Finds out when stored rows of one stream are visible. Requests that wait share one question: those that come while
 * one is under way share the next. Each waits for a time of its own, whatever becomes of the questions. Thread-safe.
 */
final class Visibility {
    /*
     * A question demands what all wait for, and is answered when queries see it. One partition that stands would hold up
     * all others so. A question that is not met in two seconds is therefore followed by one that demands nothing, which
     * tells how far queries see. Partitions that are behind then are slow: no question demands them until they have
     * caught up with all that is waited for, and what is told of them by the questions about others counts all the
     * same. While all that is waited for is slow, there is a look now and then.
     */

    /** How long a request waits (docs/http.md). */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Duration LONGEST_QUESTION = Duration.ofSeconds(2);
    /** An answer that may lack something comes soon after its time; where a connection hangs, never. */
    private static final long LONGEST_LOOK_NANOS = 2 * LONGEST_QUESTION.toNanos();

    /** Between two looks at partitions that are slow. */
    static final Duration PACE = Duration.ofMillis(200);

    /** Time as it goes by. */
    interface Time {
        long nanos();

        /** Runs something once that much time has gone by. */
        void later(long nanos, Runnable task);

        /** That of this machine. */
        static Time real(Executor executor) {
            return new Time() {
                @Override
                public long nanos() {
                    return System.nanoTime();
                }

                @Override
                public void later(long nanos, Runnable task) {
                    CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS, executor)
                            .execute(task);
                }
            };
        }
    }

    private final String stream;
    private final QueryEndpoint.Server server;
    private final Executor executor;
    private final Executor answers;
    private final Time time;
    /** In the order of their deadlines. Guarded by this. */
    private final List<Waiting> waiting = new ArrayList<>();

    /** Partitions that no question demands. Guarded by this. */
    private final Set<Integer> slow = new HashSet<>();
    /** Whether a question is under way, or one comes after a pause. Guarded by this. */
    private boolean asking;
    /** Of the pause that there is; 0: there is none. Guarded by this. */
    private long pause;
    /** Guarded by this. */
    private long pauses;
    /** Whether somebody looks at the deadlines once the first is over. Guarded by this. */
    private boolean watched;
    /** Why the last question was not met. Guarded by this. */
    private @Nullable Throwable unmet;

    /** One request. Guarded by the Visibility that it waits at. */
    private static final class Waiting {
        final long deadline;
        final CompletableFuture<@Nullable Void> visible = new CompletableFuture<>();
        /** By partition, the offsets that are not known to be visible. */
        Map<Integer, Long> left;

        Waiting(Map<Integer, Long> positions, long deadline) {
            this.left = positions;
            this.deadline = deadline;
        }

        /** Whether all of it is visible now. */
        boolean sees(Map<Integer, Long> reached) {
            boolean some = false;
            boolean all = true;
            for (Map.Entry<Integer, Long> one : left.entrySet()) {
                boolean there = reached.getOrDefault(one.getKey(), Long.MIN_VALUE) >= one.getValue();
                some |= there;
                all &= there;
            }
            if (some && !all) {
                Map<Integer, Long> rest = new HashMap<>(left);
                rest.entrySet().removeIf(one -> reached.getOrDefault(one.getKey(), Long.MIN_VALUE) >= one.getValue());
                left = rest;
            }
            return all;
        }

        /** The range that the stream has given up below what is waited for, and is visible now; null: none. */
        @Nullable
        LostRange lost(List<LostRange> ranges, Map<Integer, Long> reached) {
            for (LostRange range : ranges) {
                Long offset = left.get(range.partition());
                if (offset != null
                        && range.from() < offset
                        && reached.getOrDefault(range.partition(), Long.MIN_VALUE) >= offset) {
                    return range;
                }
            }
            return null;
        }
    }

    /**
     * Makes one for which no request waits yet.
     *
     * @param executor where answers of the server are read
     * @param answers tells those who wait, in rounds
     */
    Visibility(String stream, QueryEndpoint.Server server, Executor executor, Executor answers, Time time) {
        this.stream = stream;
        this.server = server;
        this.executor = executor;
        this.answers = answers;
        this.time = time;
    }

    /**
     * Done when all below the positions is visible to queries. Fails when that is not known after {@link #PATIENCE}, or
     * cannot be known: the message says why.
     */
    CompletableFuture<@Nullable Void> await(Map<Integer, Long> positions) {
        if (positions.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        Waiting added;
        boolean first;
        boolean unwatched;
        synchronized (this) {
            added = new Waiting(positions, time.nanos() + PATIENCE.toNanos());
            waiting.add(added);
            // A pause is for those who wait for slow partitions.
            first = !asking || (pause != 0 && !slow.containsAll(positions.keySet()));
            if (first) {
                asking = true;
                pause = 0;
            }
            unwatched = !watched;
            watched = true;
        }
        if (unwatched) {
            time.later(PATIENCE.toNanos(), this::endLate);
        }
        if (first) {
            next();
        }
        return added.visible;
    }

    /** Tells those whose time is over. */
    private void endLate() {
        List<Waiting> late = new ArrayList<>();
        long left = 0;
        Throwable why;
        synchronized (this) {
            long now = time.nanos();
            waiting.removeIf(one -> one.deadline - now <= 0 && late.add(one));
            watched = !waiting.isEmpty();
            if (watched) {
                left = waiting.get(0).deadline - now;
            }
            why = unmet;
        }
        if (left > 0) {
            time.later(left, this::endLate);
        }
        tell(
                late,
                new WaterwheelException(
                        ErrorCode.TIMEOUT,
                        "after " + PATIENCE.toSeconds() + " s it is not known that queries see the rows: "
                                + (why == null ? "there was no answer" : String.valueOf(why.getMessage()))));
    }

    private void next() {
        Map<Integer, Long> demanded = new HashMap<>();
        synchronized (this) {
            if (waiting.isEmpty()) {
                asking = false;
                slow.clear();
                unmet = null;
                return;
            }
            for (Waiting one : waiting) {
                one.left.forEach((partition, offset) -> demanded.merge(partition, offset, Math::max));
            }
            slow.retainAll(demanded.keySet());
            demanded.keySet().removeAll(slow);
        }
        if (demanded.isEmpty()) {
            look(demanded);
            return;
        }
        var unused = ask(nothing().withAtLeast(demanded)).whenComplete((verdict, failure) -> {
            if (failure == null) {
                seen(verdict, demanded);
                next();
            } else if (!isOver(failure)) {
                look(demanded);
            } else {
                next();
            }
        });
    }

    /** Finds out how far queries see, after a question that demanded this was not met. */
    private void look(Map<Integer, Long> demanded) {
        CompletableFuture<Verdict> looked =
                ask(nothing().toBuilder().allowPartial(true).build());
        time.later(
                LONGEST_LOOK_NANOS,
                () -> looked.completeExceptionally(
                        new WaterwheelException(ErrorCode.TIMEOUT, "no coordinator answers in time")));
        var unused = looked.whenComplete((verdict, failure) -> {
            if (failure != null && isOver(failure)) {
                next();
                return;
            }
            if (failure == null) {
                seen(verdict, Map.of());
                synchronized (this) {
                    // What came meanwhile is not known to be slow.
                    demanded.forEach((partition, offset) -> {
                        if (verdict.positions().getOrDefault(partition, Long.MIN_VALUE) < offset) {
                            slow.add(partition);
                        }
                    });
                }
            }
            goOn(failure == null);
        });
    }

    /** Goes on at once where somebody waits for what is not slow and that may be, else after a pause. */
    private void goOn(boolean maybeAtOnce) {
        long number;
        boolean atOnce;
        synchronized (this) {
            // Who comes from here on finds that there is a pause.
            atOnce = maybeAtOnce && waiting.stream().anyMatch(one -> !slow.containsAll(one.left.keySet()));
            number = atOnce ? 0 : ++pauses;
            pause = number;
        }
        if (atOnce) {
            next();
            return;
        }
        time.later(PACE.toNanos(), () -> {
            synchronized (this) {
                if (pause != number) {
                    return;
                }
                pause = 0;
            }
            next();
        });
    }

    /** Of times that no tuple has: nothing is read, and the answer waits for what is demanded all the same. */
    private Query nothing() {
        return Query.of(stream)
                .withTimes(new TimeInterval(Long.MIN_VALUE, Long.MIN_VALUE))
                .withResult(ResultSpec.Aggregates.COUNT)
                .withTimeout(LONGEST_QUESTION);
    }

    private CompletableFuture<Verdict> ask(Query query) {
        try {
            WaterwheelClient client = server.client();
            return client.read(query, executor, cursor -> {
                boolean more = true;
                while (more) {
                    more = cursor.nextBatch();
                }
                return cursor.verdict();
            });
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Queries see this much; and all that was demanded, when the question was met. */
    private void seen(Verdict verdict, Map<Integer, Long> met) {
        Map<Integer, Long> reached = new HashMap<>(verdict.positions());
        met.forEach((partition, offset) -> reached.merge(partition, offset, Math::max));
        List<Waiting> visible = new ArrayList<>();
        Map<Waiting, LostRange> lost = new HashMap<>();
        synchronized (this) {
            waiting.removeIf(one -> {
                LostRange range = one.lost(verdict.lost(), reached);
                if (range != null) {
                    lost.put(one, range);
                    return true;
                }
                return one.sees(reached) && visible.add(one);
            });
            // Here, before they are told: the next request of one of them is for what has caught up.
            slow.removeIf(partition -> waiting.stream().noneMatch(one -> one.left.containsKey(partition)));
        }
        tell(visible, null);
        lost.forEach((one, range) -> tell(
                List.of(one),
                new WaterwheelException(
                        ErrorCode.INCOMPLETE, "the stream has lost some of what came before: " + range)));
    }

    /** Whether another question would fail too; then all who wait are told. */
    private boolean isOver(Throwable failure) {
        if (failure instanceof WaterwheelException e
                && (e.kind() == WaterwheelException.Kind.TEMPORARY
                        || e.kind() == WaterwheelException.Kind.UNKNOWN_OUTCOME)) {
            synchronized (this) {
                unmet = failure;
            }
            return false;
        }
        List<Waiting> all;
        synchronized (this) {
            all = List.copyOf(waiting);
            waiting.clear();
        }
        tell(all, failure);
        return true;
    }

    private void tell(List<Waiting> some, @Nullable Throwable failure) {
        List<Runnable> told = new ArrayList<>(some.size());
        for (Waiting one : some) {
            told.add(() -> {
                if (failure == null) {
                    one.visible.complete(null);
                } else {
                    one.visible.completeExceptionally(failure);
                }
            });
        }
        ConnectionThreads.answerAll(answers, told);
    }
}
