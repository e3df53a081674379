package io.waterwheel.catalog.state;

import io.waterwheel.tuple.LostRange;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which routing version holds where in one partition (protocol rule 1), which log that is, and what of it is given up
 * (rule 14). No offset at or above the limit is ever routed, so any copy of this, however old, is right for every
 * offset below its own limit.
 *
 * @param limit first offset that must not be routed yet; only ever raised
 * @param versions ascending in version and since; appended to, and those dropped that no running task can need; at
 *     least one
 * @param log whose offsets these are
 * @param lost ascending, apart from each other, all below the limit
 */
public record PartitionRoute(long limit, List<VersionSince> versions, LogIdentity log, List<LostRange> lost) {
    /** Ranges; beyond it the two nearest become one. */
    public static final int MAX_LOST = 1_000;

    /** A routing version and the first offset it holds for. */
    public record VersionSince(int version, long since) {}

    public PartitionRoute {
        versions = List.copyOf(versions);
        lost = List.copyOf(lost);
        if (versions.isEmpty()) {
            throw new IllegalArgumentException("partition route without a version");
        }
    }

    /** Of a log that is whole. */
    public PartitionRoute(long limit, List<VersionSince> versions) {
        this(limit, versions, LogIdentity.ANY, List.of());
    }

    public PartitionRoute withLimit(long newLimit) {
        if (newLimit < limit) {
            throw new IllegalArgumentException("a route's limit is never lowered: " + limit + " to " + newLimit);
        }
        return new PartitionRoute(newLimit, versions, log, lost);
    }

    /** A new version enters at the limit of this moment. */
    public PartitionRoute withVersion(int version) {
        List<VersionSince> more = new ArrayList<>(versions);
        VersionSince last = versions.get(versions.size() - 1);
        if (version <= last.version()) {
            throw new IllegalArgumentException(
                    "a partition never goes back: version " + last.version() + " to " + version);
        }
        more.add(new VersionSince(version, limit));
        return new PartitionRoute(limit, more, log, lost);
    }

    /** With those of a later copy's versions that are newer than its own. */
    PartitionRoute withVersions(List<VersionSince> later) {
        List<VersionSince> more = new ArrayList<>(versions);
        long highest = limit;
        for (VersionSince entry : later) {
            if (entry.version() > newestVersion()) {
                more.add(entry);
                highest = Math.max(highest, entry.since());
            }
        }
        return new PartitionRoute(highest, more, log, lost);
    }

    /** Of another log from the limit on: nothing at or above it was ever routed. */
    public PartitionRoute withLog(LogIdentity next) {
        if (next.since() < limit) {
            throw new IllegalArgumentException("another log begins at the limit " + limit + ", not at " + next.since());
        }
        return new PartitionRoute(next.since(), versions, next, lost);
    }

    /** Adds a lost range and raises the limit to its end, so that readers may skip it. */
    public PartitionRoute withLost(LostRange more) {
        List<LostRange> merged = new ArrayList<>();
        LostRange grown = more;
        for (LostRange range : lost) {
            if (range.to() < grown.from() || range.from() > grown.to()) {
                merged.add(range);
            } else {
                String reason = range.reason().contains(grown.reason())
                        ? range.reason()
                        : range.reason() + ", " + grown.reason();
                grown = new LostRange(
                        more.partition(),
                        Math.min(range.from(), grown.from()),
                        Math.max(range.to(), grown.to()),
                        reason);
            }
        }
        merged.add(grown);
        merged.sort((a, b) -> Long.compare(a.from(), b.from()));
        if (merged.size() > MAX_LOST) {
            mergeNearest(merged);
        }
        return new PartitionRoute(Math.max(limit, grown.to()), versions, log, merged);
    }

    /**
     * Says too much rather than stopping: what lies between is named as lost too, and passed by indexers that lack it.
     */
    private static void mergeNearest(List<LostRange> ranges) {
        int nearest = 1;
        for (int i = 2; i < ranges.size(); i++) {
            if (between(ranges, i) < between(ranges, nearest)) {
                nearest = i;
            }
        }
        LostRange low = ranges.get(nearest - 1);
        LostRange high = ranges.remove(nearest);
        String reason = low.reason().contains(high.reason()) ? low.reason() : low.reason() + ", " + high.reason();
        ranges.set(nearest - 1, new LostRange(low.partition(), low.from(), high.to(), reason));
    }

    private static long between(List<LostRange> ranges, int i) {
        return ranges.get(i).from() - ranges.get(i - 1).to();
    }

    /** Whether this was read before the other: everything in it only grows. */
    public boolean isBefore(PartitionRoute other) {
        return limit < other.limit
                || newestVersion() < other.newestVersion()
                || firstSince() < other.firstSince()
                || log.since() < other.log.since()
                || lostOffsets() < other.lostOffsets();
    }

    private long lostOffsets() {
        long sum = 0;
        for (LostRange range : lost) {
            sum += range.to() - range.from();
        }
        return sum;
    }

    /**
     * Without the versions that held only below an offset. It must be at or below every indexer's checkpoint: then no
     * running task asks for anything below {@link #firstSince} again. The first version that is left keeps its offset.
     */
    public PartitionRoute withoutVersionsBelow(long covered) {
        int first = 0;
        while (first + 1 < versions.size() && versions.get(first + 1).since() <= covered) {
            first++;
        }
        return first == 0 ? this : new PartitionRoute(limit, versions.subList(first, versions.size()), log, lost);
    }

    /** The first offset of which the version is known: nothing below it is still to be routed. */
    public long firstSince() {
        return versions.get(0).since();
    }

    /** The version that holds there: older ones are of no further use. */
    public int firstVersion() {
        return versions.get(0).version();
    }

    /** The last version that entered. */
    public int newestVersion() {
        return versions.get(versions.size() - 1).version();
    }

    /** The lost range that holds an offset, or null. */
    public @Nullable LostRange lostAt(long offset) {
        // By index: asked for every segment and channel.
        for (int i = 0; i < lost.size(); i++) {
            if (lost.get(i).contains(offset)) {
                return lost.get(i);
            }
        }
        return null;
    }

    /** Where the first lost range above this offset begins, or {@link Long#MAX_VALUE}. */
    public long nextLost(long offset) {
        for (int i = 0; i < lost.size(); i++) {
            if (lost.get(i).from() > offset) {
                return lost.get(i).from();
            }
        }
        return Long.MAX_VALUE;
    }

    /** The version that holds for an offset below the limit, and not below {@link #firstSince}. */
    public int versionAt(long offset) {
        for (int i = versions.size() - 1; i > 0; i--) {
            if (offset >= versions.get(i).since()) {
                return versions.get(i).version();
            }
        }
        return versions.get(0).version();
    }

    /** The first offset above this one at which another version holds, or the limit. */
    public long nextChange(long offset) {
        // By index: called for every segment, an iterator would be its garbage.
        for (int i = 0; i < versions.size(); i++) {
            long since = versions.get(i).since();
            if (since > offset) {
                return Math.min(limit, since);
            }
        }
        return limit;
    }
}
