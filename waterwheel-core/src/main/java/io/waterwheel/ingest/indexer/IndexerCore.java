package io.waterwheel.ingest.indexer;

import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.index.FreshView;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.ingest.block.Beats;
import io.waterwheel.ingest.block.BlockBody;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.ingest.block.ChannelHeartbeats;
import io.waterwheel.protocol.ChannelEpoch;
import io.waterwheel.protocol.Control;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One logical indexer of one stream: takes blocks from its channels into the active tree, keeps the watermarks, seals
 * and hands trees to be flushed, grants credit (protocol rules 3 to 7 and 13). A state machine: events in,
 * {@link IndexerEffects} out; no threads, no clock. Owner: the indexer task's thread. One long file, because channels,
 * trees and flushes are one state that every event may move.
 */
public final class IndexerCore {
    /* A block is taken only if it begins at or before the watermark and carries the channel's present epoch; what
     * lies below the watermark is cut off; the watermark then moves to its end. So between the checkpoint and the
     * watermark every tuple is taken exactly once, whatever is lost, repeated or reordered on the way. */

    private static final long SUBSCRIBE_NANOS = 50_000_000;
    private static final long ACTIVE_NANOS = 500_000_000;
    /**
     * A channel that something came on more recently hears every heartbeat. Less than what the dispatcher goes by, so
     * that nothing is expected that is not sent.
     */
    private static final long QUICK_NANOS = 700_000_000;
    /** Heartbeats of an idle channel come more seldom, so its silence lasts longer before it is asked for again. */
    private static final long IDLE_SILENCE_NANOS = 900_000_000;

    /** Of reports that say nothing new, one in this number is sent, within {@link #IDLE_REPORT_NANOS}. */
    private static final int IDLE_REPORTS = 4;
    /** Coordinators take a report for fresh for a second. */
    private static final long IDLE_REPORT_NANOS = 800_000_000;

    private static final long REPORT_LIMIT_NANOS = 2_000_000;
    /** Reported regions reach this far beyond the newest tuple, so that a steady stream need not report each block. */
    private static final long REPORT_SLACK_MILLIS = 10_000;

    private static final class Channel {
        long attempt;
        long watermark;
        long consumed;
        long granted;
        boolean active;
        long lastTakeNanos;
        long lastHeardNanos;
        /** When the watermark last moved, or a subscription was new. */
        long lastNewsNanos;

        long lastSubscribeNanos;
        boolean subscribeDue;
    }

    /**
     * What is read in a recovery is committed after this time, when it is this much, over all partitions. An indexer
     * that gets few tuples of a long log would else begin at the same place after every crash, should the next one
     * always come before its full age.
     */
    private static final long RECOVERY_AGE_NANOS = 10_000_000_000L;

    private static final long RECOVERY_OFFSETS = 100_000;

    /** How long readers of a forgotten tree may go on while memory is needed. */
    private static final long REVOKE_NANOS = 200_000_000;

    private record Sealed(long sequence, TreeGroup trees) {}

    private record Forgotten(TreeGroup trees, long atNanos) {}

    private record Committed(Sealed sealed, long atNanos) {}

    private final StreamInfo stream;
    private final int indexer;
    private final int epoch;
    private final long[] targets;
    private final PagePool pool;
    private final CreditWindow window;
    private final IndexerSettings settings;
    private final IndexerEffects effects;

    private final Channel[] channels;
    private TreeGroup active;
    private Control.Templates templates = Control.Templates.NONE;
    /** When the active trees took their first tuple, or the checkpoint last moved. */
    private long activeSinceNanos;

    private final List<Sealed> sealed = new ArrayList<>();
    private final List<Committed> committed = new ArrayList<>();
    /** Trees that are forgotten and whose memory readers still hold. */
    private final List<Forgotten> lingering = new ArrayList<>();
    /** What views show: replaced when a tree comes or goes, not for every block. */
    private List<FreshView.SequencedTree> visible = List.of();

    private @Nullable Template template;
    private long flushed;
    private long lastSealed;
    private long[] sealedWatermarks;
    private long floor;
    private int version;
    private long rejected;
    private boolean recovering;
    private boolean stopped;
    private boolean successorSeen;
    /** Why its flushes fail; empty while they do not. */
    private String flushTrouble = "";
    /** What its unflushed trees and what is under way to it may take of the pool. */
    private long memoryLimit = Long.MAX_VALUE;

    private long underWay;
    private @Nullable Region reportedRegion;
    private boolean reported;
    private long lastReportNanos;
    /** Whether what it holds, or its watermarks, changed since. */
    private boolean unreported;
    /** Whether something was heard since the last view. */
    private boolean unpublished;

    /**
     * @param start the checkpoint with the epoch already raised in it
     * @param targets per partition, min(limit, log end) at the start: until the watermarks are there the indexer is
     *     recovering
     */
    public IndexerCore(
            StreamInfo stream,
            int indexer,
            IndexerCheckpoint start,
            long[] targets,
            PagePool pool,
            CreditWindow window,
            IndexerSettings settings,
            IndexerEffects effects,
            long now) {
        this.stream = stream;
        this.indexer = indexer;
        this.epoch = start.epoch();
        this.targets = targets.clone();
        this.pool = pool;
        this.window = window;
        this.settings = settings;
        this.effects = effects;
        this.flushed = start.flushed();
        this.lastSealed = start.flushed();
        this.floor = start.flushed();
        this.rejected = start.rejected();
        this.sealedWatermarks = start.watermarks().clone();
        this.active = TreeGroup.first(RowLayout.of(stream.schema()), pool, settings);
        this.activeSinceNanos = now;
        treesChanged();
        this.channels = new Channel[stream.partitions()];
        for (int p = 0; p < channels.length; p++) {
            channels[p] = new Channel();
            channels[p].watermark = start.watermarks()[p];
            channels[p].lastHeardNanos = now;
        }
        publish();
        for (int p = 0; p < channels.length; p++) {
            subscribe(p, now);
        }
    }

    public StreamInfo stream() {
        return stream;
    }

    /** Its logical id. */
    public int indexer() {
        return indexer;
    }

    public int epoch() {
        return epoch;
    }

    /** Tuples of the active trees. */
    public long activeTuples() {
        return active.tuples();
    }

    /** Memory that the active trees use. */
    public long activeBytes() {
        return active.usedBytes();
    }

    /** When the active trees took their first tuple, or the checkpoint last moved. */
    long activeSinceNanos() {
        return activeSinceNanos;
    }

    /** Number of flushes sealed and not yet committed. */
    public int unflushedTrees() {
        return sealed.size();
    }

    /** Memory of its trees that are not in chunks yet. */
    public long unflushedBytes() {
        long sum = active.usedBytes();
        for (int i = 0; i < sealed.size(); i++) {
            sum += sealed.get(i).trees().usedBytes();
        }
        return sum;
    }

    /** Whether its flushes fail: others of its task do not wait for them. */
    boolean isSetAside() {
        return !flushTrouble.isEmpty();
    }

    /** How its flushes go from now on: empty when they go well. */
    void onFlushTrouble(String trouble, long now) {
        if (stopped || trouble.equals(flushTrouble)) {
            return;
        }
        flushTrouble = trouble;
        report(now);
    }

    /** Sets what its unflushed trees, and what is under way to it, may take of the pool. */
    void limitMemory(long bytes) {
        memoryLimit = bytes;
    }

    /** Tuples of its trees that are not in chunks yet. */
    public long unflushedTuples() {
        long sum = active.tuples();
        for (int i = 0; i < sealed.size(); i++) {
            sum += sealed.get(i).trees().tuples();
        }
        return sum;
    }

    /** Bytes that were granted to dispatchers and are not consumed. */
    public long underWay() {
        return underWay;
    }

    /** Memory of its trees that are not in chunks yet, and bytes that are under way to it. */
    long takenBytes() {
        return unflushedBytes() + underWay;
    }

    /** Whether it may be given nothing more, whatever the pool has. */
    boolean isAtLimit() {
        return memoryLimit != Long.MAX_VALUE && takenBytes() >= memoryLimit;
    }

    private long share(Channel channel) {
        long own = isSetAside() ? 0 : window.ownBytes() - takenBytes();
        long share = window.share(channel.active, own);
        return memoryLimit == Long.MAX_VALUE ? share : Math.max(0, Math.min(share, memoryLimit - takenBytes()));
    }

    private void underWayChanged(long bytes) {
        underWay += bytes;
        window.underWayChanged(bytes);
    }

    /**
     * Takes a block, or drops it; releases its body either way.
     *
     * @param clockMillis time of day, milliseconds since 1970 UTC: tells which tuples are ahead of it, nothing else
     */
    public void onBlock(ChannelBlock block, long now, long clockMillis) {
        try {
            if (!stopped) {
                take(block, now, clockMillis);
            }
        } finally {
            BlockBody body = block.body();
            if (body != null) {
                body.release();
            }
        }
    }

    private void take(ChannelBlock block, long now, long clockMillis) {
        Channel channel = channels[block.partition()];
        if (block.epoch().indexerEpoch() != epoch || block.epoch().attempt() != channel.attempt) {
            return;
        }
        heard(channel, now);
        if (block.from() > channel.watermark) {
            onGap(block.partition(), now);
            return;
        }
        if (block.to() <= channel.watermark) {
            channel.subscribeDue |= !channel.active && block.bytes() > 0;
            return;
        }
        BlockBody body = block.body();
        if (body != null) {
            int first = body.firstRowAt(channel.watermark);
            if (active.tuples() == 0 && first < body.tuples().size()) {
                activeSinceNanos = now;
            }
            if (active.insert(body.tuples(), first, clockMillis)) {
                treesChanged();
            }
            noteRebuilds();
            rejected += body.rejectedFrom(channel.watermark);
            consume(channel, body.bytes(), now);
        }
        version = Math.max(version, block.version());
        channel.watermark = block.to();
        channel.lastNewsNanos = now;
        unreported = true;
        if (recovering) {
            recovering = isRecovering();
        }
        if (active.bytes() >= settings.sealBytes()) {
            seal(SealedTree.Reason.SIZE, now);
        }
        publish();
        grant(block.partition(), now);
        reportIfNews(now);
    }

    private void heard(Channel channel, long now) {
        channel.lastHeardNanos = now;
        unpublished = true;
    }

    /** Something is lost: ask again, as another attempt, from where this channel stands. */
    private void onGap(int partition, long now) {
        Channel channel = channels[partition];
        channel.subscribeDue = true;
        if (now - channel.lastSubscribeNanos >= SUBSCRIBE_NANOS) {
            subscribe(partition, now);
        }
    }

    /** Hears where a channel stands on which nothing flows, as its dispatcher sees it. */
    void onHeartbeat(ChannelHeartbeats heartbeats, int entry, long now) {
        int partition = heartbeats.partition(entry);
        if (stopped || partition >= channels.length) {
            return;
        }
        Channel channel = channels[partition];
        if (heartbeats.indexerEpoch(entry) != epoch || heartbeats.attempt(entry) != channel.attempt) {
            return;
        }
        heard(channel, now);
        if (heartbeats.position(entry) > channel.watermark) {
            onGap(partition, now);
            return;
        }
        /* A dispatcher that was restarted, and heard an old subscription first, has sent more than ever arrives: what
         * both sides count as under way differs from then on, and a channel with little credit would wait for ever. */
        channel.subscribeDue |= !channel.active
                && (heartbeats.position(entry) < channel.watermark || heartbeats.sent(entry) != channel.consumed);
        if (heartbeats.granted(entry) < channel.granted) {
            // The last grant may be lost, and a grant is a maximum, so repeating changes nothing.
            credit(partition);
        }
    }

    private void noteRebuilds() {
        TemplateTree.Rebuilt rebuilt = active.takeRebuilt();
        while (rebuilt != null) {
            templates = new Control.Templates(
                    templates.rebuilds() + 1,
                    rebuilt.before(),
                    rebuilt.after(),
                    Math.max(templates.longestNanos(), rebuilt.longestNanos()),
                    Math.max(templates.longestCpuNanos(), rebuilt.longestCpuNanos()));
            effects.rebuilt(rebuilt);
            rebuilt = active.takeRebuilt();
        }
    }

    private void consume(Channel channel, long bytes, long now) {
        channel.consumed += bytes;
        long before = channel.granted - (channel.consumed - bytes);
        long after = Math.max(0, channel.granted - channel.consumed);
        underWayChanged(after - Math.max(0, before));
        if (bytes > 0) {
            channel.lastTakeNanos = now;
            if (!channel.active) {
                channel.active = true;
                window.activeChanged(1);
            }
        }
    }

    /** Lets the dispatcher send more once half of what it may send is taken. */
    private void grant(int partition, long now) {
        Channel channel = channels[partition];
        if (raiseGrant(channel)) {
            credit(partition);
        }
        if (window.exhausted()) {
            forget(now, true);
        }
    }

    private void credit(int partition) {
        Channel channel = channels[partition];
        effects.credit(new Control.Credit(
                stream.id(), partition, indexer, new ChannelEpoch(epoch, channel.attempt), channel.granted));
    }

    private boolean raiseGrant(Channel channel) {
        long left = Math.max(0, channel.granted - channel.consumed);
        long share = share(channel);
        if (left > share / 2 || channel.consumed + share <= channel.granted) {
            return false;
        }
        underWayChanged(share - left);
        channel.granted = channel.consumed + share;
        return true;
    }

    /** Time passes. Call about every 50 ms. */
    public void onTick(long now) {
        if (stopped) {
            return;
        }
        for (int p = 0; p < channels.length; p++) {
            Channel channel = channels[p];
            if (channel.active && now - channel.lastTakeNanos > ACTIVE_NANOS) {
                channel.active = false;
                window.activeChanged(-1);
                channel.subscribeDue |= channel.granted - channel.consumed > 1;
            }
            if (channel.subscribeDue && now - channel.lastSubscribeNanos >= SUBSCRIBE_NANOS) {
                subscribe(p, now);
            } else if (isSilent(channel, now)) {
                repeatSubscribe(p, now);
            } else if (raiseGrant(channel)) {
                credit(p);
            }
        }
        if (now - activeSinceNanos > settings.sealAgeNanos() || isRecoveryToBeKept(now)) {
            if (active.tuples() > 0 || moved()) {
                seal(SealedTree.Reason.AGE, now);
                publish();
            } else {
                activeSinceNanos = now;
            }
        }
        forget(now, window.exhausted());
        if (isReportDue(now) && !isStale(now)) {
            // One that hears nothing lets its report age, so that it is asked and can say so.
            report(now);
        }
        if (unpublished) {
            publish();
        }
    }

    /**
     * Whether neither block nor heartbeat came for longer than a dispatcher that knows of the channel would let pass.
     */
    private boolean isSilent(Channel channel, long now) {
        long silence = now - channel.lastNewsNanos < QUICK_NANOS
                ? settings.silenceNanos()
                : Math.max(settings.silenceNanos(), IDLE_SILENCE_NANOS);
        return now - channel.lastHeardNanos > silence && now - channel.lastSubscribeNanos > settings.silenceNanos();
    }

    private boolean isReportDue(long now) {
        if (unreported) {
            return now - lastReportNanos >= settings.reportNanos();
        }
        long interval = Math.min(IDLE_REPORTS * settings.reportNanos(), IDLE_REPORT_NANOS);
        return Beats.passed(lastReportNanos, now, Math.max(interval, settings.reportNanos()));
    }

    private boolean isRecoveryToBeKept(long now) {
        if (!recovering || now - activeSinceNanos <= RECOVERY_AGE_NANOS) {
            return false;
        }
        long read = 0;
        for (int p = 0; p < channels.length; p++) {
            read += channels[p].watermark - sealedWatermarks[p];
        }
        return read >= RECOVERY_OFFSETS;
    }

    private boolean moved() {
        for (int p = 0; p < channels.length; p++) {
            if (channels[p].watermark > sealedWatermarks[p]) {
                return true;
            }
        }
        return false;
    }

    /** Seals the active tree, if anything is new since the last one. */
    public void onSealRequest(SealedTree.Reason reason, long now) {
        if (!stopped && (active.tuples() > 0 || moved())) {
            seal(reason, now);
            publish();
            report(now);
        }
    }

    /**
     * Somebody has seen a higher epoch in the catalog. Whether a successor lives or has died, nothing of this instance
     * can be committed, and coordinators ask for another: so it tries a commit, though nothing is new, and is told.
     * Without this an indexer to which nothing comes would never find out.
     */
    public void onSuccessor(long now) {
        if (!stopped && !successorSeen) {
            successorSeen = true;
            seal(SealedTree.Reason.REQUEST, now);
            publish();
        }
    }

    private void seal(SealedTree.Reason reason, long now) {
        TreeGroup trees = active;
        trees.giveUpRebuilds();
        lastSealed++;
        sealedWatermarks = watermarks();
        sealed.add(new Sealed(lastSealed, trees));
        if (trees.main().tuples() > 0) {
            template = trees.main().template();
        }
        active = trees.next(template);
        activeSinceNanos = now;
        unreported = true;
        treesChanged();
        effects.flush(new SealedTree(
                stream.id(),
                indexer,
                lastSealed,
                trees.parts(),
                new IndexerCheckpoint(epoch, lastSealed, sealedWatermarks.clone(), rejected),
                reason));
    }

    /**
     * A flush is committed.
     *
     * @param next template for the trees to come, or null to go on with the present one
     */
    public void onFlushed(long sequence, @Nullable Template next, long now) {
        if (stopped) {
            return;
        }
        if (sealed.isEmpty() || sealed.get(0).sequence() != sequence) {
            throw new IllegalStateException("stream " + stream.name() + ", indexer " + indexer + ": flush " + sequence
                    + " was committed out of order");
        }
        committed.add(new Committed(sealed.remove(0), now));
        flushed = sequence;
        if (next != null) {
            template = next;
            if (active.tuples() == 0) {
                active.restart(next);
            }
        }
        treesChanged();
        forget(now, window.exhausted());
        publish();
        report(now);
    }

    /** A successor has taken over: take nothing more, give all memory back. */
    public void stop() {
        if (stopped) {
            return;
        }
        stopped = true;
        for (Channel channel : channels) {
            underWayChanged(-Math.max(0, channel.granted - channel.consumed));
            if (channel.active) {
                window.activeChanged(-1);
            }
        }
        active.giveUpRebuilds();
        active.discard();
        sealed.forEach(flush -> flush.trees().discard());
        sealed.clear();
        // The flusher reads sealed trees; these only slow readers still read, and the pool is others' too.
        committed.forEach(flush -> flush.sealed().trees().revoke());
        committed.clear();
        lingering.forEach(forgotten -> forgotten.trees().revoke());
        lingering.clear();
    }

    public boolean stopped() {
        return stopped;
    }

    /** Lets go of committed trees: after a while, or at once when memory is needed. */
    private void forget(long now, boolean needed) {
        lingering.removeIf(forgotten -> {
            if (needed && now - forgotten.atNanos() >= REVOKE_NANOS) {
                forgotten.trees().revoke();
                return true;
            }
            return forgotten.trees().isReclaimed();
        });
        if (committed.isEmpty() || !(needed || mayForget(now))) {
            return;
        }
        List<TreeGroup> gone = new ArrayList<>();
        while (!committed.isEmpty() && (needed || mayForget(now))) {
            Sealed oldest = committed.remove(0).sealed();
            floor = oldest.sequence();
            gone.add(oldest.trees());
        }
        treesChanged();
        // First out of the view, then away: no new reader finds it.
        publish();
        for (TreeGroup trees : gone) {
            trees.discard();
            if (!trees.isReclaimed()) {
                lingering.add(new Forgotten(trees, now));
            }
        }
    }

    private boolean mayForget(long now) {
        return now - committed.get(0).atNanos() > settings.keepNanos();
    }

    private void subscribe(int partition, long now) {
        Channel channel = channels[partition];
        channel.attempt++;
        channel.subscribeDue = false;
        channel.lastNewsNanos = now;
        // What was under way in the old attempt is lost, so it counts no longer.
        underWayChanged(-Math.max(0, channel.granted - channel.consumed));
        long share = share(channel);
        channel.granted = channel.consumed + share;
        underWayChanged(share);
        repeatSubscribe(partition, now);
    }

    private void repeatSubscribe(int partition, long now) {
        Channel channel = channels[partition];
        channel.lastSubscribeNanos = now;
        effects.subscribe(new Control.Subscribe(
                stream.id(),
                partition,
                indexer,
                new ChannelEpoch(epoch, channel.attempt),
                channel.watermark,
                channel.consumed,
                channel.granted));
    }

    private long[] watermarks() {
        long[] watermarks = new long[channels.length];
        for (int p = 0; p < watermarks.length; p++) {
            watermarks[p] = channels[p].watermark;
        }
        return watermarks;
    }

    private boolean isStale(long now) {
        for (Channel channel : channels) {
            if (now - channel.lastHeardNanos > settings.staleNanos()) {
                return true;
            }
        }
        return false;
    }

    private boolean isRecovering() {
        for (int p = 0; p < channels.length; p++) {
            if (channels[p].watermark < targets[p]) {
                return true;
            }
        }
        return false;
    }

    private void treesChanged() {
        List<FreshView.SequencedTree> trees = new ArrayList<>();
        committed.forEach(flush -> flush.sealed().trees().show(flush.sealed().sequence(), trees));
        sealed.forEach(flush -> flush.trees().show(flush.sequence(), trees));
        active.show(lastSealed + 1, trees);
        visible = List.copyOf(trees);
    }

    private void publish() {
        unpublished = false;
        long[] heard = new long[channels.length];
        for (int p = 0; p < heard.length; p++) {
            heard[p] = channels[p].lastHeardNanos;
        }
        recovering = isRecovering();
        effects.publish(
                new FreshView(epoch, flushed, floor, visible, watermarks(), targets, version, recovering, heard));
    }

    private void reportIfNews(long now) {
        if (now - lastReportNanos < REPORT_LIMIT_NANOS) {
            return;
        }
        if (!reported || !active.isWithin(reportedRegion)) {
            report(now);
            return;
        }
        for (int i = 0; i < sealed.size(); i++) {
            if (!sealed.get(i).trees().isWithin(reportedRegion)) {
                report(now);
                return;
            }
        }
    }

    private void report(long now) {
        Region region = unflushedRegion();
        if (region != null) {
            long to = region.times().to();
            long slack = to > Long.MAX_VALUE - REPORT_SLACK_MILLIS ? Long.MAX_VALUE : to + REPORT_SLACK_MILLIS;
            region = new Region(region.keys(), new TimeInterval(region.times().from(), slack));
        }
        reported = true;
        unreported = false;
        reportedRegion = region;
        lastReportNanos = now;
        effects.report(new Control.Report(
                stream.id(),
                indexer,
                new Control.Progress(epoch, flushed, watermarks(), version, recovering),
                new Control.Unflushed(region, unflushedTuples()),
                rejected,
                new Control.Memory(pool.usedBytes(), window.poolBytes(), sealed.size(), flushTrouble),
                templates));
    }

    private @Nullable Region unflushedRegion() {
        Region region = active.region();
        for (Sealed flush : sealed) {
            Region other = flush.trees().region();
            if (other != null) {
                region = region == null ? other : region.span(other);
            }
        }
        return region;
    }
}
