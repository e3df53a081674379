package io.waterwheel.catalog.maintenance;

import io.waterwheel.catalog.CatalogJson;
import io.waterwheel.catalog.CatalogTransaction;
import io.waterwheel.catalog.EditTail;
import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.StreamSnapshots;
import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.StreamGoneException;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.CatalogStore.Node;
import io.waterwheel.catalog.store.CatalogStore.Op;
import io.waterwheel.schema.Retention;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import java.util.List;
import java.util.Optional;

/**
 * Moves the horizons of streams on, as their policies' retention says (protocol rule 11). One transaction each,
 * whatever the number of chunks: queries that run go on on their snapshots, and the files stay until
 * {@link FileCollector} has seen for its grace time that nothing names them. Any number of these may work at once. No
 * threads, no clock. Not thread-safe.
 */
public final class Expiry {
    /** Where no whole chunk goes, a horizon moves in steps of this part of the retention: each is an edit. */
    private static final int STEPS = 64;

    /**
     * The tuples and chunks that a horizon takes.
     *
     * @param horizon tuples of times before it go
     * @param chunks that go whole
     * @param tuples of those
     * @param bytes of those
     * @param cut chunks that reach across the horizon: they stay, and what of them lies before it is in no answer
     */
    public record Due(long horizon, int chunks, long tuples, long bytes, int cut) {
        private static final Due NOTHING = new Due(Retention.NO_HORIZON, 0, 0, 0, 0);
    }

    private final StreamSnapshots snapshots;
    private final CatalogStore catalog;

    public Expiry(StreamSnapshots snapshots) {
        this.snapshots = snapshots;
        this.catalog = snapshots.catalog();
    }

    /**
     * The tuples and chunks that {@link #expire} would take now, by a retention: none while it is not worth an edit.
     * Time: linear in the chunks that lie before the horizon.
     *
     * @param clockMillis time of day
     */
    public static Due next(StreamSnapshot snapshot, Retention retention, long clockMillis) {
        Due due = due(snapshot, retention, clockMillis);
        return isWorth(due, snapshot, retention) ? due : Due.NOTHING;
    }

    private static Due due(StreamSnapshot snapshot, Retention retention, long clockMillis) {
        long horizon = snapshot.times()
                .map(times -> retention.horizon(clockMillis, times.to()))
                .orElse(Retention.NO_HORIZON);
        if (horizon <= snapshot.horizon()) {
            return Due.NOTHING;
        }
        long[] sums = new long[4];
        Region before = new Region(KeyInterval.ALL, new TimeInterval(Long.MIN_VALUE, horizon - 1));
        snapshot.chunks(before, chunk -> {
            if (StreamSnapshot.isBefore(horizon, chunk)) {
                sums[0]++;
                sums[1] += chunk.tuples();
                sums[2] += chunk.bytes();
            } else {
                sums[3]++;
            }
        });
        return new Due(horizon, (int) sums[0], sums[1], sums[2], (int) sums[3]);
    }

    /** Whether it is worth an edit. */
    private static boolean isWorth(Due due, StreamSnapshot snapshot, Retention retention) {
        if (due.chunks() > 0) {
            return true;
        }
        return due.cut() > 0
                && (snapshot.horizon() == Retention.NO_HORIZON
                        || due.horizon() - snapshot.horizon() >= retention.millis() / STEPS);
    }

    /**
     * Moves a stream's horizon on, when there is something to gain by it. The policy is the one in the catalog at the
     * moment of the commit, whatever it was before.
     *
     * @param clockMillis time of day
     * @return what has gone; empty when nothing has to, or somebody else was quicker
     * @throws StreamGoneException when it was dropped
     */
    public Optional<Due> expire(StreamInfo stream, long clockMillis) {
        String path = Namespace.path(stream.name());
        EditTail tail = new EditTail(catalog, stream);
        catalog.sync();
        return new CatalogTransaction(catalog, "stream " + stream.name() + ": its horizon could not be moved")
                .run(before -> {
                    Node entry = catalog.read(path).orElseThrow(() -> new StreamGoneException(stream.name(), path));
                    StreamInfo present = CatalogJson.readStream(path, entry.data());
                    if (present.id() != stream.id()) {
                        throw new StreamGoneException(stream.name(), path);
                    }
                    EditTail.Place place = tail.refresh();
                    StreamSnapshot current = snapshots.advance(stream);
                    Due due = next(current, present.policy().retention(), clockMillis);
                    if (due.equals(Due.NOTHING)) {
                        return Optional.empty();
                    }
                    // The number stands for the catalog at the edit before, and so for what was due; the entry's
                    // version for the policy: who has just switched it off, or made it longer, loses nothing.
                    tail.commit(
                            new EditTail.Place(current.edit(), place.pointerVersion(), place.rolledUp()),
                            new Edit.Expired(due.horizon()),
                            List.of(new Op.Check(path, entry.version())));
                    return Optional.of(due);
                });
    }
}
