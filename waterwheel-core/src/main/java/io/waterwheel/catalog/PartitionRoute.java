package io.waterwheel.catalog;

import java.util.ArrayList;
import java.util.List;

/**
 * Which routing version holds where in one partition (protocol rule 1). No offset at or above the limit is ever routed,
 * so any copy of this, however old, is right for every offset below its own limit.
 *
 * @param limit first offset that must not be routed yet; only ever raised
 * @param versions ascending in version and since; append only; at least one
 */
public record PartitionRoute(long limit, List<VersionSince> versions) {
    /** A routing version and the first offset it holds for. */
    public record VersionSince(int version, long since) {}

    public PartitionRoute {
        versions = List.copyOf(versions);
        if (versions.isEmpty()) {
            throw new IllegalArgumentException("partition route without a version");
        }
    }

    public PartitionRoute withLimit(long newLimit) {
        if (newLimit < limit) {
            throw new IllegalArgumentException("a route's limit is never lowered: " + limit + " to " + newLimit);
        }
        return new PartitionRoute(newLimit, versions);
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
        return new PartitionRoute(limit, more);
    }

    /** The version that holds for an offset below the limit. */
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
