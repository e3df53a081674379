package io.waterwheel.ingest.balance;

import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.protocol.Control;
import org.jspecify.annotations.Nullable;

/**
 * Says when the keys of one stream should be divided anew between its indexers, and how ([Wang 2018], section III-D).
 * It judges the routing table that is in force by the keys that came in the last seconds; the load of a table that is
 * about to come into force can be told from them just as well, so nothing needs to settle between two judgements. A
 * state machine: no threads, no clock. Owner: one thread, but for {@link #onSample} and {@link #rates}, which any may
 * call.
 *
 * <p>It proposes only; {@code StreamCatalog.changeRouting} makes a proposal the next routing version, and when two
 * balancers propose at once, both become versions: that costs a version, no tuple (protocol rule 1).
 */
public final class Balancer {
    /**
     * Samples of this time divide the keys. The default patience is as long, so that after a change all of them are
     * new.
     */
    private static final long WINDOW_NANOS = 5_000_000_000L;
    /** Samples of this time judge the table. It is short, so that a burst that has ended no longer counts. */
    private static final long JUDGED_NANOS = 2_000_000_000L;
    /** Fewer tuples in that time say nothing, and are no burden. */
    static final long LEAST_TUPLES = 2_000;
    /** A change must take at least this part of the mean off the fullest indexer. */
    private static final double LEAST_GAIN = 0.05;

    private final BalancerSettings settings;
    private final SampleWindow samples = new SampleWindow(WINDOW_NANOS);
    /** Since when the load has been uneven, without a break. */
    private boolean uneven;

    private long unevenNanos;
    private boolean changed;
    /** The version that was judged last. */
    private int judged;

    private long changedNanos;

    public Balancer(BalancerSettings settings) {
        this.settings = settings;
    }

    /** The keys that came in a partition's last second. */
    public void onSample(Control.KeySample sample, long now) {
        samples.add(sample, now);
    }

    /** The table was changed, by whomever: the next change has to wait. */
    public void onChanged(long now) {
        uneven = false;
        changed = true;
        changedNanos = now;
    }

    /** Tuples a second that each slot of a table got, or would have got, in the last seconds. */
    public double[] rates(RoutingTable table, long now) {
        double[] rates = recent(WINDOW_NANOS, table, now).shares(table.boundaries());
        for (int slot = 0; slot < rates.length; slot++) {
            rates[slot] /= WINDOW_NANOS / 1e9;
        }
        return rates;
    }

    /** Whether fewer tuples came in the last seconds than say anything: then nothing is proposed. */
    public boolean isIdle(long now) {
        return samples.recent(JUDGED_NANOS, now).stream()
                        .mapToLong(Control.KeySample::tuples)
                        .sum()
                < LEAST_TUPLES;
    }

    /**
     * Boundaries for the same indexers that should replace those of the table, or null while it may stay. Call about
     * every second.
     *
     * @param table newest
     */
    public long @Nullable [] propose(RoutingTable table, long now) {
        if (judged != 0 && judged != table.version()) {
            onChanged(now);
        }
        judged = table.version();
        KeyLoad load = recent(JUDGED_NANOS, table, now);
        int slots = table.indexers().length;
        if (slots < 2 || load.total() < LEAST_TUPLES || load.deviation(table.boundaries()) <= settings.deviation()) {
            uneven = false;
            return null;
        }
        if (!uneven) {
            uneven = true;
            unevenNanos = now;
        }
        if (now - unevenNanos < settings.patience().toNanos()
                || (changed && now - changedNanos < settings.pause().toNanos())) {
            return null;
        }
        long[] boundaries = recent(WINDOW_NANOS, table, now).divide(slots);
        // One key cannot be divided: where that is all there is, nothing is gained, again and again.
        return load.fullest(table.boundaries()) - load.fullest(boundaries) < LEAST_GAIN ? null : boundaries;
    }

    private KeyLoad recent(long nanos, RoutingTable table, long now) {
        return KeyLoad.of(samples.recent(nanos, now), table::isOfItsScales);
    }
}
