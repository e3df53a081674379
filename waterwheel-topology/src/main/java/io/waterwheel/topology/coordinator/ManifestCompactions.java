package io.waterwheel.topology.coordinator;

import io.waterwheel.catalog.StreamSnapshots;
import io.waterwheel.catalog.maintenance.ManifestCompaction;
import io.waterwheel.catalog.maintenance.ManifestCompactionPolicy;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Rolls the edits of all streams up into manifests, as its policy says. One thread, but for {@link #totals}. */
final class ManifestCompactions {
    private static final Logger LOG = LoggerFactory.getLogger(ManifestCompactions.class);

    /** A stream that is not followed (it has no tuples, or cannot be read) is looked at as often. */
    private static final long UNFOLLOWED_NANOS = TimeUnit.MINUTES.toNanos(10);

    /** A failure that lasts is told of as often. */
    private static final long WARN_NANOS = TimeUnit.MINUTES.toNanos(1);

    /**
     * What has become of the edits.
     *
     * @param manifests named so far
     * @param failure why edits stay in ZooKeeper though there are more than there should be; empty when they do not
     */
    record Totals(long manifests, String failure) {}

    /** What is known of one stream's edits. */
    private static final class Rolling {
        final ManifestCompaction roll;
        /** Whether the manifest lacks edits, and when that was found. */
        boolean behind;

        long behindSinceNanos;
        /** When the catalog was asked last. */
        long lookedNanos;

        Rolling(ManifestCompaction roll) {
            this.roll = roll;
        }
    }

    private final StreamSnapshots snapshots;
    private final ManifestCompactionPolicy policy;
    /** A stream as it is known here without asking; nothing when it is not followed. */
    private final Function<StreamInfo, Optional<StreamSnapshot>> known;
    /** By stream. */
    private final Map<Integer, Rolling> rolls = new HashMap<>();

    private long manifests;
    private long warnedNanos = System.nanoTime() - WARN_NANOS;

    /** Writer: its thread. Readers: any. */
    private volatile Totals totals = new Totals(0, "");

    /** @param known a stream as it is known here without asking; nothing when it is not followed */
    ManifestCompactions(
            StreamSnapshots snapshots,
            ManifestCompactionPolicy policy,
            Function<StreamInfo, Optional<StreamSnapshot>> known) {
        this.snapshots = snapshots;
        this.policy = policy;
        this.known = known;
    }

    /** What was done so far. */
    Totals totals() {
        return totals;
    }

    /**
     * Looks at every stream, and rolls up what is due.
     *
     * @param streams by id
     */
    void round(Map<Integer, StreamInfo> streams) {
        String failure = "";
        try {
            rolls.keySet().retainAll(streams.keySet());
            List<ManifestCompactionPolicy.Backlog> backlogs = new ArrayList<>();
            for (StreamInfo stream : streams.values()) {
                try {
                    backlogs.add(backlog(stream));
                } catch (IOException | RuntimeException e) {
                    failure = cannotRollUp(stream, e);
                }
            }
            for (ManifestCompactionPolicy.Due due : policy.due(backlogs)) {
                StreamInfo stream = streams.get(due.streamId());
                Rolling rolling = rolls.get(due.streamId());
                if (stream != null && rolling != null) {
                    try {
                        rollUp(stream, rolling, due);
                    } catch (IOException | RuntimeException e) {
                        failure = cannotRollUp(stream, e);
                    }
                }
            }
        } catch (RuntimeException | Error e) {
            // A scheduled task that throws is never run again, and nothing would report it.
            LOG.error("[collector] rolling up failed; trying again later", e);
            failure = String.valueOf(e);
        }
        totals = new Totals(manifests, failure);
    }

    private String cannotRollUp(StreamInfo stream, Exception e) {
        if (System.nanoTime() - warnedNanos >= WARN_NANOS) {
            warnedNanos = System.nanoTime();
            LOG.warn(
                    "[collector] edits of stream {} cannot be rolled up and stay in ZooKeeper; trying again every few"
                            + " seconds. Is the chunk store reachable and has it room?",
                    stream.name(),
                    e);
        }
        return stream.name() + ": " + e.getMessage();
    }

    /** Asks the catalog only about a stream that is new here, or that is not followed: idle streams cost nothing. */
    private ManifestCompactionPolicy.Backlog backlog(StreamInfo stream) throws IOException {
        long now = System.nanoTime();
        Rolling rolling = rolls.get(stream.id());
        long last = known.apply(stream).map(StreamSnapshot::edit).orElse(-1L);
        if (rolling == null) {
            rolling = new Rolling(new ManifestCompaction(snapshots, stream, policy.settings(), () -> UUID.randomUUID()
                    .toString()
                    .replace("-", "")));
            rolls.put(stream.id(), rolling);
            look(rolling, now);
        } else if (last < 0 && now - rolling.lookedNanos >= UNFOLLOWED_NANOS) {
            look(rolling, now);
        }
        long behind = Math.max(0, Math.max(last, rolling.roll.seen()) - rolling.roll.rolledUp());
        if (behind > 0 && !rolling.behind) {
            rolling.behindSinceNanos = now;
        }
        rolling.behind = behind > 0;
        return new ManifestCompactionPolicy.Backlog(
                stream.id(), behind, rolling.roll.kept(), behind == 0 ? 0 : now - rolling.behindSinceNanos);
    }

    private void look(Rolling rolling, long now) throws IOException {
        rolling.lookedNanos = now;
        if (rolling.roll.write() && rolling.roll.commit()) {
            manifests++;
        }
        trim(rolling, policy.settings().tail());
    }

    private void rollUp(StreamInfo stream, Rolling rolling, ManifestCompactionPolicy.Due due) throws IOException {
        if (rolling.roll.write(due.least()) && rolling.roll.commit()) {
            manifests++;
        }
        rolling.behind = false;
        trim(rolling, due.tail());
        LOG.debug("[collector] {} edits of stream {} stay", rolling.roll.kept(), stream.name());
    }

    private static void trim(Rolling rolling, int tail) {
        while (rolling.roll.trim(tail) > 0) {
            LOG.debug("[collector] deleted edits that are rolled up");
        }
    }
}
