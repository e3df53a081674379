package io.waterwheel.query.run;

import io.waterwheel.query.Explanation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/** How long the thread that answers a query is at each step, where that is asked for. One thread. */
@SuppressWarnings("EnumOrdinal") // an array by step; a map would take an object for each change of it
final class StepClock {
    /** What the thread is at; a query may come back to a step. */
    enum Step {
        /** It reads the catalog's snapshot, and finds what to ask and to read. */
        PLANNING,
        /** Others of its lane are before it. */
        WAITING,
        /** It waits for indexers to take the snapshot, and to reach what is demanded; or to be there. */
        ASKING,
        /** It takes what the indexers hold. Query servers read chunks at the same time. */
        FRESH,
        /** It reads what a small question has in the cache, merges what query servers read, and waits for them. */
        CHUNKS,
        /** It puts in order, and hands out, what only the whole answer tells. */
        FINISHING
    }

    private static final Step[] ALL = Step.values();

    private final LongSupplier clock;
    /** By step, nanoseconds of the times it was at it before. */
    private final long[] nanos = new long[ALL.length];

    private Step step = Step.PLANNING;
    private long since;

    /**
     * Begins with {@link Step#PLANNING}.
     *
     * @param clock in nanoseconds
     */
    StepClock(LongSupplier clock) {
        this.clock = clock;
        this.since = clock.getAsLong();
    }

    /** Ends a step, and begins the next. */
    void enter(Step next) {
        long now = clock.getAsLong();
        nanos[step.ordinal()] += now - since;
        since = now;
        step = next;
    }

    /** The steps up to now, in their order, those of no time too. */
    List<Explanation.Step> steps() {
        enter(step);
        List<Explanation.Step> steps = new ArrayList<>();
        for (Step each : ALL) {
            steps.add(new Explanation.Step(
                    each.name().toLowerCase(Locale.ROOT), Duration.ofNanos(nanos[each.ordinal()])));
        }
        return steps;
    }
}
