package io.waterwheel.ingest.dispatch;

import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.ingest.block.Beats;
import io.waterwheel.ingest.block.BlockBody;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.ingest.source.LiveBatch;
import io.waterwheel.ingest.source.ReadWindow;
import io.waterwheel.ingest.source.ReadingRate;
import io.waterwheel.ingest.source.RecordBatch;
import io.waterwheel.protocol.ChannelEpoch;
import io.waterwheel.protocol.Control;
import io.waterwheel.schema.LogLoss;
import io.waterwheel.schema.StreamPolicy;
import io.waterwheel.tuple.LostRange;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Routes one partition of a stream's topic into channels, one per indexer (protocol rules 1, 4, 5, 6). A state machine:
 * events come in by the {@code on} methods with the time, what is to be done goes out as {@link DispatcherEffects}; no
 * threads, no clock. Owner: one dispatcher's thread.
 *
 * <pre>
 * live records -> pending -> [decode, route] -> ring of segments -> channels, each at its own cursor
 * log, read again ---------> [decode, route] -> catch-up         -^ (for channels behind the ring)
 * </pre>
 *
 * Nothing here needs to survive: a new instance serves every channel from the position its indexer asks for. One long
 * file, because catching up, limit, channels and what stands in the way are one state that every event may move; what
 * has a state of its own is apart: {@link SegmentRing}, {@link DeadLetterQueue}, {@link PartitionBlockers},
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
    private static final long RETRY_NANOS = 1_000_000_000;
    private static final long REPORT_NANOS = 1_000_000_000;
    /** Of a channel on which something was sent more recently, every heartbeat goes. */
    private static final long QUICK_NANOS = 1_000_000_000;

    private final int streamId;
    private final int partition;
    private final Segmenter segmenter;
    private final DispatcherSettings settings;
    private final DispatcherEffects effects;

    private PartitionRoute route;
    private final Map<Integer, RoutingTable> tables = new HashMap<>();
    private final Map<Integer, OutgoingChannel> channels = new TreeMap<>();

    private final ArrayDeque<PendingBatch> pending = new ArrayDeque<>();
    private long pendingBytes;
    private long pendingLimit;
    /** Offset that live reading should go on from; -1 until the spout has told where it stands. */
    private long readTo = -1;
    /** What was routed last, for the channels that follow. */
    private final SegmentRing ring;

    /** What channels that lag have not passed yet. */
    private final CatchUp catchUp;

    private final ReadWindow window = new ReadWindow();
    private long lastSteerNanos;
    private long limitAskedNanos;
    private long limitAsked;
    private final ReadingRate rate;
    private final KeySampler sampler;
    private int tableAsked;
    private long tableAskedNanos;

    private final DeadLetterQueue letters;
    /** What may pass, and what is said of a partition that stands still. */
    private final PartitionBlockers blockers = new PartitionBlockers();

    private StreamPolicy policy = StreamPolicy.DEFAULT;
    /** Of the log, as positions, as last heard; -1 before that. */
    private long logStart = -1;

    private long logEnd = -1;
    /** Between the spout's last two looks at the topic. */
    private long lookMillis;

    private long giveUpAskedNanos;
    private boolean giveUpAsked;
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
        this.segmenter = segmenter;
        this.settings = settings;
        this.pendingLimit = settings.pendingBytes();
        this.ring = new SegmentRing(channels.values(), settings.ringBytes(), nowNanos);
        this.effects = effects;
        this.letters = new DeadLetterQueue(effects);
        this.catchUp = new CatchUp(catchUpBudget, letters, this::readForLagging, effects::takeBackRead);
        this.reportedNanos = nowNanos;
        this.tables.put(table.version(), table);
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
        return tables.size();
    }

    /** Bytes of records that are read and wait to be routed, with what holds them. */
    public long pendingBytes() {
        return pendingBytes;
    }

    /** Bytes of tuples, and of what tells refused rows, that the ring holds. */
    public long ringBytes() {
        return ring.bytes();
    }

    /** Bytes that it has read again and holds for channels that lag. */
    public long catchUpBytes() {
        return catchUp.bytes();
    }

    /** Whether it reads again, or holds what it read. */
    public boolean isCatchingUp() {
        return catchUp.hasTurn();
    }

    /** Whether it waits for others before it may read again. */
    public boolean waitsToCatchUp() {
        return catchUp.isWaiting();
    }

    /**
     * Sets its bounds from now on, in bytes, below those of its settings.
     *
     * @param ringBytes of its ring; it shrinks at once as far as its channels allow
     * @param mostPendingBytes of records that are read and not routed; the spout has credit for no more
     */
    public void limitMemory(long ringBytes, long mostPendingBytes) {
        ring.limit(Math.min(ringBytes, settings.ringBytes()));
        pendingLimit = Math.min(mostPendingBytes, settings.pendingBytes());
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
        } else if (!heartbeat && pendingBytes <= pendingLimit) {
            PendingBatch read = new PendingBatch(batch, readTo);
            pending.add(read);
            pendingBytes += read.bytes;
            readTo = batch.to();
        }
        advance(now);
    }

    /**
     * Whether an indexer has got to its watermark by what it was sent. One that joins begins at a limit, which is ahead
     * of what was read: nothing below it was decided.
     */
    private boolean hasAdvanced(int indexer, long watermark) {
        for (PartitionRoute.VersionSince version : route.versions()) {
            RoutingTable table = tables.get(version.version());
            if (table != null && table.slotOfIndexer(indexer) >= 0) {
                return watermark > version.since();
            }
        }
        return false;
    }

    /** An indexer asks for its channel from a watermark on. */
    public void onSubscribe(Control.Subscribe subscribe, long now) {
        OutgoingChannel channel = channels.computeIfAbsent(subscribe.indexer(), OutgoingChannel::new);
        if (channel.epoch != null && subscribe.epoch().compareTo(channel.epoch) <= 0) {
            if (subscribe.epoch().equals(channel.epoch)) {
                // It has heard nothing: let it hear.
                channel.granted = Math.max(channel.granted, subscribe.granted());
                heartbeat(channel, now);
            }
            return;
        }
        if (hasAdvanced(subscribe.indexer(), subscribe.watermark())) {
            blockers.passed(subscribe.watermark());
        }
        channel.epoch = subscribe.epoch();
        channel.cursor = subscribe.watermark();
        channel.sentTo = subscribe.watermark();
        channel.sentVersion = 0;
        // What is lost under way will never be consumed: it no longer counts.
        channel.sent = subscribe.consumed();
        channel.granted = subscribe.granted();
        heartbeat(channel, now);
        advance(now);
    }

    /** An indexer lets more be sent. */
    public void onCredit(Control.Credit credit, long now) {
        OutgoingChannel channel = channels.get(credit.indexer());
        if (channel != null && credit.epoch().equals(channel.epoch) && credit.granted() > channel.granted) {
            channel.granted = credit.granted();
            advance(now);
        }
    }

    /** The partition's route as the catalog has it now. */
    public void onRoute(PartitionRoute newer, long now) {
        limitAsked = 0;
        giveUpAsked = false;
        if (newer.isBefore(route)) {
            return;
        }
        boolean anotherLog = !newer.log().equals(route.log());
        if (!newer.lost().equals(route.lost())) {
            blockers.clear();
        }
        if (newer.firstSince() > route.firstSince()) {
            tables.keySet().removeIf(version -> version < newer.firstVersion());
        }
        route = newer;
        if (anotherLog) {
            beginLog(now);
        }
        advance(now);
    }

    /** A call of {@link DispatcherEffects} that changes or reads the catalog failed: it is made again soon. */
    public void onCallFailed(long now) {
        limitAskedNanos = Math.min(limitAskedNanos, now - RETRY_NANOS + settings.heartbeatNanos());
        tableAskedNanos = limitAskedNanos;
        giveUpAskedNanos = limitAskedNanos;
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
            askRoute(route.limit(), now);
        }
        advance(now);
    }

    /** Positions of another log begin where nothing was ever routed; nothing more of the old one is read. */
    private void beginLog(long now) {
        pending.clear();
        pendingBytes = 0;
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

    /** A routing table that was asked for. */
    public void onTable(RoutingTable table, long now) {
        tables.put(table.version(), table);
        tableAsked = 0;
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
        while (read.from < batch.to() && catchUp.hasRoom() && (segment = next(read, now)) != null) {
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
        if (limitAsked != 0 && now - limitAskedNanos > RETRY_NANOS) {
            limitAsked = 0;
        }
        catchUp.onTick(now);
        if (giveUpAsked && now - giveUpAskedNanos > RETRY_NANOS) {
            giveUpAsked = false;
        }
        if (now - tableAskedNanos > RETRY_NANOS) {
            tableAsked = 0;
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
        for (OutgoingChannel channel : channels.values()) {
            ChannelEpoch epoch = channel.epoch;
            long silent = now - channel.lastSendNanos;
            if (epoch != null && silent >= settings.heartbeatNanos() / 2 && (idleToo || silent < QUICK_NANOS)) {
                round.add(streamId, partition, channel.indexer, epoch, channel.sentTo, channel.sent, channel.granted);
            }
        }
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
        sendReady(now);
        boolean moved = !blockers.anotherLog();
        while (moved && !pending.isEmpty()) {
            moved = false;
            PendingBatch first = pending.getFirst();
            if (ring.isWanted() && ring.hasRoom() && first.from < route.limit()) {
                Segment segment = next(first, now);
                if (segment != null) {
                    moved = true;
                    sampler.add(segment);
                    append(segment, now);
                    dropRead();
                    skipLost(now);
                    sendReady(now);
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

    private void dropRead() {
        while (!pending.isEmpty()
                && pending.getFirst().from >= pending.getFirst().batch.to()) {
            pendingBytes -= pending.removeFirst().bytes;
        }
    }

    /** Live reading goes on behind what is given up. */
    private void skipLost(long now) {
        LostRange gone = readTo < 0 ? null : route.lostAt(ring.to());
        if (gone == null) {
            return;
        }
        ring.skipTo(gone.to());
        rate.jump();
        for (PendingBatch records : pending) {
            records.skipTo(Math.min(gone.to(), records.batch.to()));
        }
        dropRead();
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
        for (OutgoingChannel channel : channels.values()) {
            if (channel.epoch != null && channel.cursor < first) {
                // An indexer that lives has passed it; another finds a gap, and asks again.
                channel.cursor = first;
                channel.sentTo = first;
                channel.sentVersion = 0;
            }
        }
        if (readTo < 0 || ring.to() >= first) {
            return;
        }
        ring.forEach(letters::remove);
        ring.restart(first);
        rate.jump();
        for (PendingBatch records : pending) {
            records.skipTo(Math.min(first, records.batch.to()));
        }
        dropRead();
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
        boolean any = false;
        for (OutgoingChannel channel : channels.values()) {
            if (channel.epoch != null) {
                any = true;
                if (channel.cursor < logStart) {
                    return;
                }
            }
        }
        if (any) {
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
        for (OutgoingChannel channel : channels.values()) {
            if (channel.epoch != null && channel.cursor < logStart && !inMemory(channel.cursor)) {
                from = Math.min(from, channel.cursor);
            }
        }
        if (from == Long.MAX_VALUE) {
            blockers.noGap();
        } else if (policy.logLoss() == LogLoss.FAIL) {
            blockers.gap(from, logStart);
        } else if (!giveUpAsked) {
            giveUpAsked = true;
            giveUpAskedNanos = now;
            effects.giveUp(new LostRange(partition, from, logStart, "gone from the log"));
        }
    }

    private boolean inMemory(long cursor) {
        if (route.lostAt(cursor) != null || find(cursor) != null) {
            return true;
        }
        // At the end of the ring: what is pending comes next.
        return cursor >= ring.to() && (readTo >= logStart || !pending.isEmpty());
    }

    /** The next segment of these records, or null when the limit or a table is not there yet. */
    private @Nullable Segment next(PendingBatch records, long now) {
        for (LostRange gone = route.lostAt(records.from); gone != null; gone = route.lostAt(records.from)) {
            records.skipTo(Math.min(gone.to(), records.batch.to()));
            if (records.from >= records.batch.to()) {
                return null;
            }
        }
        if (records.from < route.firstSince() || records.from >= route.limit() || blockers.isAt(records.from)) {
            return null;
        }
        int version = route.versionAt(records.from);
        RoutingTable table = tables.get(version);
        if (table == null) {
            if (tableAsked != version) {
                tableAsked = version;
                tableAskedNanos = now;
                effects.fetchTable(version);
            }
            return null;
        }
        long bound = Math.min(route.nextChange(records.from), route.nextLost(records.from));
        Segment segment = segmenter.build(
                records.batch,
                records.index,
                records.from,
                bound,
                table,
                first -> blockers.passes(first, policy.badRecords(), letters));
        blockers.decoded(segmenter.records());
        if (segment.from == segment.to) {
            segment.release();
            return null;
        }
        records.index = segmenter.next();
        records.from = segment.to;
        return segment;
    }

    private void append(Segment segment, long now) {
        ring.add(segment);
        letters.add(segment, now);
        ring.trim();
    }

    private void sendReady(long now) {
        for (OutgoingChannel channel : channels.values()) {
            if (channel.epoch != null) {
                sendReady(channel, now);
            }
        }
    }

    private void sendReady(OutgoingChannel channel, long now) {
        while (true) {
            if (skipLost(channel, now)) {
                continue;
            }
            Segment segment = find(channel.cursor);
            if (segment == null || !segment.unstored().isEmpty()) {
                break;
            }
            BlockBody body = segment.bodyOf(channel.indexer);
            if (body != null && body.bytes() > 0 && !channel.hasCredit()) {
                break;
            }
            if (channel.cursor > channel.sentTo && channel.sentVersion != segment.table.version()) {
                // What is skipped so far was under another version: a block holds one version only.
                sendEmpty(channel, now);
            }
            channel.sentVersion = segment.table.version();
            if (body != null) {
                body.retain();
                channel.sent += body.bytes();
                send(channel, channel.sentTo, segment.to, body, now);
            }
            channel.cursor = segment.to;
        }
        if (channel.cursor > channel.sentTo) {
            sendEmpty(channel, now);
        }
    }

    /** What is given up is empty for everyone. */
    private boolean skipLost(OutgoingChannel channel, long now) {
        LostRange gone = route.lostAt(channel.cursor);
        if (gone == null) {
            return false;
        }
        // Under the newest version: an indexer that passes it has seen the one that came with it.
        if (channel.cursor > channel.sentTo) {
            sendEmpty(channel, now);
        }
        channel.sentVersion = route.newestVersion();
        channel.cursor = gone.to();
        sendEmpty(channel, now);
        return true;
    }

    private void sendEmpty(OutgoingChannel channel, long now) {
        send(channel, channel.sentTo, channel.cursor, null, now);
    }

    /** Answers a subscription. */
    private void heartbeat(OutgoingChannel channel, long now) {
        send(channel, channel.sentTo, channel.sentTo, null, now);
    }

    private void send(OutgoingChannel channel, long from, long to, @Nullable BlockBody body, long now) {
        ChannelEpoch epoch = channel.epoch;
        if (epoch == null) {
            throw new IllegalStateException("channel " + channel.indexer + " has no subscription");
        }
        channel.sentTo = to;
        channel.lastSendNanos = now;
        effects.send(
                new ChannelBlock(streamId, partition, channel.indexer, epoch, from, to, channel.sentVersion, body));
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
        for (OutgoingChannel channel : channels.values()) {
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

    /** What was read again goes when everyone who lags is past it, not when something else is read. */
    private void dropPassedCatchUp() {
        if (catchUp.isEmpty()) {
            return;
        }
        long least = Long.MAX_VALUE;
        for (OutgoingChannel channel : channels.values()) {
            if (channel.epoch != null && channel.cursor < ring.from()) {
                least = Math.min(least, channel.cursor);
            }
        }
        catchUp.pass(least);
    }

    private void keepLimitAhead(long now) {
        if (readTo < 0 || limitAsked != 0 || blockers.anotherLog()) {
            return;
        }
        long margin = Math.max(MIN_MARGIN, rate.aSecond());
        long needed = pending.isEmpty() ? ring.to() : pending.getFirst().batch.to();
        if (route.limit() - needed < margin / 2) {
            askRoute(needed + margin, now);
        }
    }

    private void askRoute(long limit, long now) {
        if (limitAsked == 0) {
            limitAsked = limit;
            limitAskedNanos = now;
            effects.raiseLimit(limit, route.log());
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
        if (window.raise(pendingLimit, pendingBytes)) {
            grant();
        }
    }

    private void grant() {
        effects.steer(
                new Control.ReadFrom(streamId, partition, -1, window.life(), window.received(), window.granted()));
    }
}
