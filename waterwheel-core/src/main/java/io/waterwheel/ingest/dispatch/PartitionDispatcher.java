package io.waterwheel.ingest.dispatch;

import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.ingest.block.Beats;
import io.waterwheel.ingest.source.LiveBatch;
import io.waterwheel.ingest.source.ReadWindow;
import io.waterwheel.ingest.source.ReadingRate;
import io.waterwheel.ingest.source.RecordBatch;
import io.waterwheel.protocol.Control;
import io.waterwheel.schema.LogLoss;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamPolicy;
import io.waterwheel.tuple.LostRange;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Routes one partition of a stream's topic into channels, one per indexer (protocol rules 1, 6 and 14). A state
 * machine: events come in by the {@code on} methods with the time, what is to be done goes out as
 * {@link DispatcherEffects}; no threads, no clock. Owner: one dispatcher's thread.
 *
 * <pre>
 * live records -> pending -> [decode, route] -> ring of segments -> channels, each at its own cursor
 * log, read again ---------> [decode, route] -> catch-up         -^ (for channels behind the ring)
 * </pre>
 *
 * Nothing here needs to survive: a new instance serves every channel from the position its indexer asks for. Parts that
 * have their own state are classes of their own: {@link PendingRecords}, {@link SegmentRing}, {@link CatchUp},
 * {@link OutgoingChannels}, {@link DeadLetterQueue}, {@link PartitionBlockers}, {@link CatalogRequests},
 * {@link ReadingRate}.
 */
public final class PartitionDispatcher {
    /* Why no step can lose or repeat a tuple: a channel's cursor only moves over whole segments; a segment holds all
     * tuples of [from, to) under one version; the indexer takes a block only when it begins at or before its own
     * watermark. So whatever is dropped here (a live batch that does not fit, a catch-up read that came late) is read
     * again when a cursor gets there. */

    /** Offsets by which the limit is kept ahead on an idle partition. */
    private static final long MIN_MARGIN = 64;

    private static final long STEER_NANOS = 50_000_000;
    private static final long REPORT_NANOS = 1_000_000_000;

    private final int streamId;
    private final int partition;
    private final DispatcherSettings settings;
    private final DispatcherEffects effects;

    private PartitionRoute route;
    private final OutgoingChannels channels;
    private final CatalogRequests requests;
    private final SegmentRouter router;
    private final PendingRecords pending;
    /** Offset that live reading should go on from; -1 until the spout has told where it stands. */
    private long readTo = -1;
    /** What was routed last, for the channels that follow. */
    private final SegmentRing ring;

    /** What channels that lag have not passed yet. */
    private final CatchUp catchUp;

    private final ReadWindow window = new ReadWindow();
    private long lastSteerNanos;
    private final ReadingRate rate;
    private final KeySampler sampler;

    private final DeadLetterQueue letters;
    /** What may pass, and what is said of a partition that stands still. */
    private final PartitionBlockers blockers = new PartitionBlockers();

    private StreamPolicy policy = StreamPolicy.DEFAULT;
    /** Of the log, as positions, as last heard; -1 before that. */
    private long logStart = -1;

    private long logEnd = -1;
    /** Between the spout's last two looks at the topic. */
    private long lookMillis;

    private long reportedNanos;

    /**
     * Begins at the positions that its channels will ask for.
     *
     * @param catchUpBudget in which all partitions of the task read again
     */
    public PartitionDispatcher(
            int streamId,
            int partition,
            PartitionRoute route,
            RoutingTable table,
            Segmenter segmenter,
            DispatcherSettings settings,
            CatchUpBudget catchUpBudget,
            DispatcherEffects effects,
            long nowNanos) {
        this.streamId = streamId;
        this.partition = partition;
        this.route = route;
        this.settings = settings;
        this.pending = new PendingRecords(settings.pendingBytes());
        this.channels = new OutgoingChannels(streamId, partition, settings.heartbeatNanos(), this::find, effects);
        this.requests = new CatalogRequests(effects, settings.heartbeatNanos());
        this.ring = new SegmentRing(channels.all(), settings.ringBytes(), nowNanos);
        this.effects = effects;
        this.letters = new DeadLetterQueue(effects);
        this.catchUp = new CatchUp(catchUpBudget, letters, this::readForLagging, effects::takeBackRead);
        this.reportedNanos = nowNanos;
        this.router = new SegmentRouter(segmenter, blockers, letters, requests);
        this.router.add(table);
        this.lastSteerNanos = nowNanos - STEER_NANOS;
        this.rate = new ReadingRate(nowNanos);
        this.sampler = new KeySampler(new SplittableRandom(partition), nowNanos);
    }

    /** First offset not routed yet; -1 before the spout's first word. */
    public long position() {
        return readTo < 0 ? -1 : ring.to();
    }

    /** The log whose positions it routes. */
    public LogIdentity log() {
        return route.log();
    }

    /** Routing tables that it holds: those that its route names, at most. */
    int tables() {
        return router.tables();
    }

    /** Bytes of records that are read and wait to be routed, with what holds them. */
    public long pendingBytes() {
        return pending.bytes();
    }

    /** Bytes of tuples, and of what tells refused rows, that the ring holds. */
    public long ringBytes() {
        return ring.bytes();
    }

    /** Bytes that it has read again and holds for channels that lag. */
    public long catchUpBytes() {
        return catchUp.bytes();
    }

    /** Channels that have something to send and no credit. */
    public int channelsWithoutCredit() {
        return channels.waitingForCredit();
    }

    /** Whether it reads again, or holds what it read. */
    public boolean isCatchingUp() {
        return catchUp.hasTurn();
    }

    /** Whether it waits for others before it may read again, though its log answers in time. */
    public boolean waitsToCatchUp() {
        return catchUp.waitsAmongQuick();
    }

    /**
     * Sets its bounds from now on, in bytes, below those of its settings.
     *
     * @param ringBytes of its ring; it shrinks at once as far as its channels allow
     * @param mostPendingBytes of records that are read and not routed; the spout has credit for no more
     */
    public void limitMemory(long ringBytes, long mostPendingBytes) {
        ring.limit(Math.min(ringBytes, settings.ringBytes()));
        pending.limit(Math.min(mostPendingBytes, settings.pendingBytes()));
    }

    /** Records from the spout, or its heartbeat. */
    public void onLive(LiveBatch live, long now) {
        RecordBatch batch = live.records();
        boolean tell = window.heard(live);
        if (readTo < 0) {
            readTo = batch.from();
            ring.restart(batch.from());
        }
        boolean heartbeat = batch.from() == batch.to();
        if (heartbeat && tell) {
            // It says so because it has nothing to send, or may not: what it was told may be lost.
            grant();
        }
        if (blockers.anotherLog()) {
            // What comes may be of another log than the offsets say.
            raiseGrant();
            return;
        }
        if (heartbeat ? batch.from() != readTo : batch.from() > readTo || batch.to() <= readTo) {
            // The spout stands elsewhere: it was restarted, or batches were dropped.
            steer(readTo, now);
        } else if (!heartbeat && pending.hasRoom()) {
            pending.add(batch, readTo);
            readTo = batch.to();
        }
        advance(now);
    }

    /** An indexer asks for its channel from a watermark on. */
    public void onSubscribe(Control.Subscribe subscribe, long now) {
        if (channels.subscribe(subscribe, now)) {
            if (router.hasAdvanced(route, subscribe.indexer(), subscribe.watermark())) {
                blockers.passed(subscribe.watermark());
            }
            advance(now);
        }
    }

    /** An indexer lets more be sent. */
    public void onCredit(Control.Credit credit, long now) {
        if (channels.credit(credit)) {
            advance(now);
        }
    }

    /** The partition's route as the catalog has it now. */
    public void onRoute(PartitionRoute newer, long now) {
        requests.onRoute();
        if (newer.isBefore(route)) {
            return;
        }
        boolean anotherLog = !newer.log().equals(route.log());
        if (!newer.lost().equals(route.lost())) {
            blockers.clear();
        }
        if (newer.firstSince() > route.firstSince()) {
            router.forgetBelow(newer.firstVersion());
        }
        route = newer;
        if (anotherLog) {
            beginLog(now);
        }
        advance(now);
    }

    /** A call of {@link DispatcherEffects} that changes or reads the catalog failed: it is made again soon. */
    public void onCallFailed(long now) {
        requests.onCallFailed(now);
    }

    /** The stream's policy, at the start and when it changes. */
    public void onPolicy(StreamPolicy changed, long now) {
        if (!changed.equals(policy)) {
            policy = changed;
            blockers.clear();
            catchUp.retry();
            advance(now);
        }
    }

    /** How the log is, from the spout. */
    public void onLogState(Control.LogState state, long now) {
        if (state.since() < route.log().since()) {
            return;
        }
        blockers.seen();
        lookMillis = state.lookMillis();
        if (state.since() > route.log().since()) {
            blockers.logChanged();
        } else if (state.problem() == Control.LogProblem.UNKNOWN) {
            // Neither better nor worse than before.
            blockers.unseen();
            return;
        } else if (state.problem() == Control.LogProblem.COMPACTED) {
            blockers.compacted();
        } else if (state.problem() == Control.LogProblem.NONE || state.problem() == Control.LogProblem.UNREADABLE) {
            if (state.problem() == Control.LogProblem.UNREADABLE) {
                blockers.unreadable();
            }
            logStart = Math.max(logStart, Math.max(state.start(), route.log().since()));
            logEnd = Math.max(logEnd, state.end());
            blockers.sameLog();
        } else {
            blockers.notTheLog(state);
        }
        if (blockers.stands() || blockers.anotherLog()) {
            // Somebody may have decided meanwhile: the route says so.
            requests.raiseLimit(route.limit(), route.log(), now);
        }
        advance(now);
    }

    /** Positions of another log begin where nothing was ever routed; nothing more of the old one is read. */
    private void beginLog(long now) {
        pending.clear();
        ring.forEach(letters::remove);
        catchUp.drop();
        blockers.clear();
        blockers.sameLog();
        rate.jump();
        long since = route.log().since();
        logStart = since;
        logEnd = since;
        ring.restart(since);
        if (readTo >= 0) {
            readTo = since;
            steer(readTo, now);
        }
    }

    /**
     * A routing table that was asked for.
     *
     * @param schema of the stream, with the version of the scales that the table names
     */
    public void onTable(RoutingTable table, Schema schema, long now) {
        router.add(table, schema);
        requests.onTable();
        advance(now);
    }

    /** The answer to {@link DispatcherEffects#readLog}: what was read, or null when it failed. */
    public void onCatchUp(@Nullable RecordBatch batch, long now) {
        if (batch == null
                || batch.to() == batch.from()
                || blockers.anotherLog()
                || batch.from() < route.log().since()) {
            catchUp.failed(now + settings.heartbeatNanos());
            return;
        }
        catchUp.came(now);
        PendingBatch read = new PendingBatch(batch, batch.from());
        Segment segment = null;
        while (read.from < batch.to()
                && catchUp.hasRoom()
                && (segment = router.next(read, route, policy.badRecords(), now)) != null) {
            catchUp.add(segment, now);
        }
        catchUp.taken(read.from >= batch.to() || segment == null);
        if (catchUp.isEmpty()) {
            catchUp.failed(now + settings.heartbeatNanos());
        }
        advance(now);
    }

    /** The answer to {@link DispatcherEffects#storeDeadLetters}. */
    public void onDeadLetters(Object token, boolean stored, long now) {
        letters.onStored(token, stored, now);
        advance(now);
    }

    /** Time passes: repeats, retries. Call about every 50 ms. */
    public void onTick(long now) {
        rate.measure(position(), now);
        letters.onTick(now);
        requests.onTick(now);
        catchUp.onTick(now);
        if (blockers.mayLookForSchema(now)) {
            blockers.clear();
            catchUp.retry();
        }
        advance(now);
        if (Beats.passed(reportedNanos, now, REPORT_NANOS)) {
            report(now);
        }
        Control.KeySample sample = sampler.next(streamId, partition, now);
        if (sample != null) {
            effects.sample(sample);
        }
    }

    /**
     * Says where channels stand on which nothing flows.
     *
     * @param idleToo those too on which nothing was sent for a while
     */
    void addHeartbeats(HeartbeatRound round, boolean idleToo, long now) {
        channels.addHeartbeats(round, idleToo, now);
    }

    /** Gives back every body it holds; nothing may be called afterwards. */
    public void close() {
        ring.restart(ring.to());
        catchUp.close();
    }

    private void report(long now) {
        reportedNanos = now;
        effects.report(new Control.PartitionReport(
                streamId,
                partition,
                new Control.Positions(position(), readTo, logStart, Math.max(logEnd, readTo), route.limit()),
                letters.count(),
                blockers.trouble().isNone() ? letters.trouble() : blockers.trouble(),
                lookMillis,
                ""));
    }

    /** Moves everything on as far as limits, credit and stored dead letters allow. */
    private void advance(long now) {
        ring.onTime(now);
        skipLost(now);
        skipCheckpointed(now);
        channels.sendReady(route, now);
        boolean moved = !blockers.anotherLog();
        while (moved && !pending.isEmpty()) {
            moved = false;
            PendingBatch first = pending.first();
            if (ring.isWanted() && ring.hasRoom() && first.from < route.limit()) {
                Segment segment = router.next(first, route, policy.badRecords(), now);
                if (segment != null) {
                    moved = true;
                    sampler.add(segment);
                    append(segment, now);
                    pending.dropRead();
                    skipLost(now);
                    channels.sendReady(route, now);
                }
            }
        }
        ring.trim();
        keepLimitAhead(now);
        raiseGrant();
        catchUp.letOthers(now);
        if (!blockers.anotherLog()) {
            skipTruncated(now);
            lookForGap(now);
            dropPassedCatchUp();
            readForLagging();
        }
        catchUp.rest();
    }

    /** Live reading goes on behind what is given up. */
    private void skipLost(long now) {
        LostRange gone = readTo < 0 ? null : route.lostAt(ring.to());
        if (gone == null) {
            return;
        }
        ring.skipTo(gone.to());
        rate.jump();
        pending.skipTo(gone.to());
        if (readTo < gone.to()) {
            readTo = gone.to();
            steer(readTo, now);
        }
    }

    /**
     * Live reading stands below what every checkpoint covers, as after a long pause in which another dispatcher went
     * on: how that was routed is no longer known, and no living indexer needs it.
     */
    private void skipCheckpointed(long now) {
        long first = route.firstSince();
        channels.skipCheckpointed(first);
        if (readTo < 0 || ring.to() >= first) {
            return;
        }
        ring.forEach(letters::remove);
        ring.restart(first);
        rate.jump();
        pending.skipTo(first);
        if (readTo < first) {
            readTo = first;
            steer(readTo, now);
        }
    }

    /**
     * Live reading stands below the log's beginning, and no indexer lacks what was there: it goes on at the beginning.
     * An indexer that subscribes from below later has a gap.
     */
    private void skipTruncated(long now) {
        if (readTo < 0 || readTo >= logStart || !pending.isEmpty()) {
            return;
        }
        long least = channels.least();
        if (least != Long.MAX_VALUE && least >= logStart) {
            ring.forEach(letters::remove);
            ring.restart(logStart);
            readTo = logStart;
            rate.jump();
            steer(readTo, now);
        }
    }

    /** Whether an indexer needs records that the log no longer holds (rule 14). */
    private void lookForGap(long now) {
        long from = Long.MAX_VALUE;
        for (OutgoingChannel channel : channels.all()) {
            if (channel.epoch != null && channel.cursor < logStart && !inMemory(channel.cursor)) {
                from = Math.min(from, channel.cursor);
            }
        }
        if (from == Long.MAX_VALUE) {
            blockers.noGap();
        } else if (policy.logLoss() == LogLoss.FAIL) {
            blockers.gap(from, logStart);
        } else {
            requests.giveUp(new LostRange(partition, from, logStart, "gone from the log"), now);
        }
    }

    private boolean inMemory(long cursor) {
        if (route.lostAt(cursor) != null || find(cursor) != null) {
            return true;
        }
        // At the end of the ring: what is pending comes next.
        return cursor >= ring.to() && (readTo >= logStart || !pending.isEmpty());
    }

    private void append(Segment segment, long now) {
        ring.add(segment);
        letters.add(segment, now);
        ring.trim();
    }

    /** The segment that covers an offset, or null when it is not in memory. */
    private @Nullable Segment find(long offset) {
        if (readTo >= 0 && offset >= ring.from()) {
            return ring.find(offset);
        }
        return catchUp.find(offset);
    }

    /** One reader of the log serves all channels behind the ring, from the smallest cursor that has credit. */
    private void readForLagging() {
        if (readTo < 0 || blockers.anotherLog() || !catchUp.mayRead()) {
            return;
        }
        long from = Long.MAX_VALUE;
        for (OutgoingChannel channel : channels.all()) {
            if (channel.hasCredit()
                    && channel.cursor < ring.from()
                    && channel.cursor >= logStart
                    && channel.cursor >= route.firstSince()
                    && !blockers.isAt(channel.cursor)
                    && find(channel.cursor) == null) {
                from = Math.min(from, channel.cursor);
            }
        }
        if (from == Long.MAX_VALUE) {
            return;
        }
        int bytes = catchUp.begin();
        if (bytes > 0) {
            effects.readLog(from, bytes);
        }
    }

    /**
     * Drops records that were read again once all lagging channels have passed them, not when something else is read.
     */
    private void dropPassedCatchUp() {
        if (catchUp.isEmpty()) {
            return;
        }
        long least = Long.MAX_VALUE;
        for (OutgoingChannel channel : channels.all()) {
            if (channel.epoch != null && channel.cursor < ring.from()) {
                least = Math.min(least, channel.cursor);
            }
        }
        catchUp.pass(least);
    }

    private void keepLimitAhead(long now) {
        if (readTo < 0 || requests.isLimitAsked() || blockers.anotherLog()) {
            return;
        }
        long margin = Math.max(MIN_MARGIN, rate.aSecond());
        long needed = pending.isEmpty() ? ring.to() : pending.first().batch.to();
        if (route.limit() - needed < margin / 2) {
            requests.raiseLimit(needed + margin, route.log(), now);
        }
    }

    private void steer(long position, long now) {
        if (now - lastSteerNanos >= STEER_NANOS) {
            lastSteerNanos = now;
            effects.steer(new Control.ReadFrom(
                    streamId, partition, position, window.life(), window.received(), window.granted()));
        }
    }

    private void raiseGrant() {
        if (window.raise(pending.limit(), pending.bytes())) {
            grant();
        }
    }

    private void grant() {
        effects.steer(
                new Control.ReadFrom(streamId, partition, -1, window.life(), window.received(), window.granted()));
    }
}
