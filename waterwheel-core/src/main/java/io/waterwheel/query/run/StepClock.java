package io.waterwheel.query.run;

import io.waterwheel.query.Explanation;
import io.waterwheel.query.scan.QueryClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** How long the thread that answers a query is at each step. One thread. */
final class StepClock {
    /** What the thread is at; a query may come back to a step. */
    enum Step {
        /** It reads the catalog's snapshot, and finds what to ask and to read. */
        PLANNING,
        /** Others of its lane are before it. */
        WAITING,
        /** It waits for indexers to take the snapshot, and to reach what is demanded; or to be there. */
        ASKING,
        /** It takes what the indexers hold. Query servers begin to read chunks at the same time. */
        FRESH,
        /** It merges what query servers read, and waits for them. */
        CHUNKS,
        /** It puts in order, and hands out, what only the whole answer tells. */
        FINISHING
    }

    private final QueryClock clock;
    private final Map<Step, Duration> times = new EnumMap<>(Step.class);
    private Step step = Step.PLANNING;
    private long since;

    /** Begins with {@link Step#PLANNING}. */
    StepClock(QueryClock clock) {
        this.clock = clock;
        this.since = clock.nanos();
    }

    /** Ends a step, and begins the next. */
    void enter(Step next) {
        long now = clock.nanos();
        times.merge(step, Duration.ofNanos(now - since), Duration::plus);
        since = now;
        step = next;
    }

    /** The steps up to now, in their order, those of no time too. */
    List<Explanation.Step> steps() {
        enter(step);
        List<Explanation.Step> steps = new ArrayList<>();
        for (Step each : Step.values()) {
            steps.add(new Explanation.Step(
                    each.name().toLowerCase(Locale.ROOT), times.getOrDefault(each, Duration.ZERO)));
        }
        return steps;
    }
}
