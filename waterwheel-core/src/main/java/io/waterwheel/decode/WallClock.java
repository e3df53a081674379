package io.waterwheel.decode;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import org.jspecify.annotations.Nullable;

/**
 * Finds the instants of a zone's local times. The offset between two changes of the clocks is kept: times that come one
 * after the other cost a comparison. One thread.
 */
final class WallClock {
    private static final int DAY_SECONDS = 86_400;

    private final ZoneRules rules;
    /** Local seconds from here to before {@link #to} have the offset that is kept; none, to begin with. */
    private long from;

    private long to;
    private long keptOffset;

    /** Whether the last local time was skipped when the clocks were put forward. */
    boolean skipped;

    WallClock(ZoneId zone) {
        rules = zone.getRules();
    }

    /**
     * The seconds since 1970 UTC of a local time. Where the clocks were put back it is there twice: the first is meant.
     *
     * @param local seconds since 1970 that the clocks show
     * @return meaningless where {@link #skipped}
     */
    long utcSeconds(long local) {
        if (local >= from && local < to) {
            skipped = false;
            return local - keptOffset;
        }
        LocalDateTime time = LocalDateTime.ofEpochSecond(local, 0, ZoneOffset.UTC);
        @Nullable ZoneOffsetTransition change = rules.getTransition(time);
        skipped = change != null && change.isGap();
        // Of a time that is there twice, the offset before the change.
        long offset = rules.getOffset(time).getTotalSeconds();
        if (change == null) {
            keep(local - offset, offset);
        }
        return local - offset;
    }

    /**
     * The first instant of a day, whose midnight the clocks may not show; {@link #skipped} where the day never came.
     */
    long dayBegins(long localMidnight) {
        long begins = utcSeconds(localMidnight);
        if (!skipped) {
            return begins;
        }
        ZoneOffsetTransition change =
                rules.getTransition(LocalDateTime.ofEpochSecond(localMidnight, 0, ZoneOffset.UTC));
        // Where a zone went over the date line, whole days never came.
        skipped = local(change, true) >= localMidnight + DAY_SECONDS;
        return change.toEpochSecond();
    }

    private void keep(long utc, long offset) {
        Instant instant = Instant.ofEpochSecond(utc);
        @Nullable ZoneOffsetTransition before = rules.previousTransition(instant.plusSeconds(1));
        @Nullable ZoneOffsetTransition after = rules.nextTransition(instant);
        from = before == null ? Long.MIN_VALUE : local(before, true);
        to = after == null ? Long.MAX_VALUE : local(after, false);
        keptOffset = offset;
    }

    /** What the clocks show at a change: the later of both, or the earlier. */
    private static long local(ZoneOffsetTransition change, boolean later) {
        long before = change.toEpochSecond() + change.getOffsetBefore().getTotalSeconds();
        long after = change.toEpochSecond() + change.getOffsetAfter().getTotalSeconds();
        return later ? Math.max(before, after) : Math.min(before, after);
    }
}
