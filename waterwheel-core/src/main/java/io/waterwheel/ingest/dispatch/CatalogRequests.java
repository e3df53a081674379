package io.waterwheel.ingest.dispatch;

import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.tuple.LostRange;

/**
 * What one partition has asked of the catalog: a higher limit (protocol rule 1), a routing table, a range to be given
 * up (rule 14). Of each kind one request is open; after a second without an answer it may be made again. Owner: the
 * dispatcher's thread.
 */
final class CatalogRequests {
    private static final long RETRY_NANOS = 1_000_000_000;

    private final DispatcherEffects effects;
    /** After which a call that failed is made again. */
    private final long pauseNanos;

    private boolean limitAsked;
    private long limitAskedNanos;
    /** Version of the table that was asked for; 0 when none was. */
    private int tableAsked;

    private long tableAskedNanos;
    private boolean giveUpAsked;
    private long giveUpAskedNanos;

    CatalogRequests(DispatcherEffects effects, long pauseNanos) {
        this.effects = effects;
        this.pauseNanos = pauseNanos;
    }

    /** Whether a request for a limit is open. */
    boolean isLimitAsked() {
        return limitAsked;
    }

    /** Asks for a limit of at least this. A limit that the route has already only brings the route. */
    void raiseLimit(long limit, LogIdentity log, long now) {
        if (!limitAsked) {
            limitAsked = true;
            limitAskedNanos = now;
            effects.raiseLimit(limit, log);
        }
    }

    /** Asks for a routing table. */
    void fetchTable(int version, long now) {
        if (tableAsked != version) {
            tableAsked = version;
            tableAskedNanos = now;
            effects.fetchTable(version);
        }
    }

    /** Asks that a range be given up. */
    void giveUp(LostRange range, long now) {
        if (!giveUpAsked) {
            giveUpAsked = true;
            giveUpAskedNanos = now;
            effects.giveUp(range);
        }
    }

    /** The route came, which answers what was asked about it. */
    void onRoute() {
        limitAsked = false;
        giveUpAsked = false;
    }

    /** A routing table came. */
    void onTable() {
        tableAsked = 0;
    }

    /** A call failed: what is open is asked again after a pause. */
    void onCallFailed(long now) {
        limitAskedNanos = Math.min(limitAskedNanos, now - RETRY_NANOS + pauseNanos);
        tableAskedNanos = limitAskedNanos;
        giveUpAskedNanos = limitAskedNanos;
    }

    /** Time passes: what was open for long may be asked again. */
    void onTick(long now) {
        limitAsked &= now - limitAskedNanos <= RETRY_NANOS;
        giveUpAsked &= now - giveUpAskedNanos <= RETRY_NANOS;
        if (now - tableAskedNanos > RETRY_NANOS) {
            tableAsked = 0;
        }
    }
}
