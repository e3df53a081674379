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
import io.waterwheel.protocol.Control;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * One logical indexer of one stream: takes blocks from its channels into the active tree, keeps the watermarks, seals
 * and hands trees to be flushed, grants credit (protocol rules 3, 4, 7 and 13). A state machine: events in,
 * {@link IndexerEffects} out; no threads, no clock. Owner: the indexer task's thread. The channels are in
 * {@link IncomingChannels}, the trees in {@link TreeStages}.
 */
public final class IndexerCore {
    /* A block is taken only if it begins at or before the watermark and carries the channel's present epoch; what
     * lies below the watermark is cut off; the watermark then moves to its end. So between the checkpoint and the
     * watermark every tuple is taken exactly once, whatever is lost, repeated or reordered on the way. */

    /** Of reports that say nothing new, one in this number is sent, within {@link #IDLE_REPORT_NANOS}. */
    private static final int IDLE_REPORTS = 4;
    /** Coordinators take a report for fresh for a second. */
    private static final long IDLE_REPORT_NANOS = 800_000_000;

    private static final long REPORT_LIMIT_NANOS = 2_000_000;
    /** Reported regions reach this far beyond the newest tuple, so that a steady stream need not report each block. */
    private static final long REPORT_SLACK_MILLIS = 10_000;

    /**
     * In a recovery an indexer commits after this time, if it has read {@link #RECOVERY_OFFSETS} offsets over all
     * partitions. Otherwise an indexer that gets few tuples of a long log would begin at the same place after every
     * crash, if the next crash always came before the full age.
     */
    private static final long RECOVERY_AGE_NANOS = 10_000_000_000L;

    private static final long RECOVERY_OFFSETS = 100_000;

    private final StreamInfo stream;
    private final int indexer;
    private final int epoch;
    private final long[] targets;
    private final PagePool pool;
    private final CreditWindow window;
    private final IndexerSettings settings;
    private final IndexerEffects effects;

    private final IncomingChannels channels;
    private final TreeStages trees;
    private Control.Templates templates = Control.Templates.NONE;
    /** When the active trees took their first tuple, or the checkpoint last moved. */
    private long activeSinceNanos;

    /** By partition, an offset above every tuple that is in a tree, or on its way into one; readers see it. */
    private final AtomicLongArray taking;

    private long[] sealedWatermarks;
    private int version;
    private long rejected;
    private long inserted;
    private boolean recovering;
    private boolean stopped;
    private boolean successorSeen;
    /** Why its flushes fail; empty while they do not. */
    private String flushTrouble = "";

    private @Nullable Region reportedRegion;
    private boolean reported;
    private long lastReportNanos;
    /** Whether what it holds, or its watermarks, changed since. */
    private boolean unreported;

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
        this.rejected = start.rejected();
        this.sealedWatermarks = start.watermarks().clone();
        this.taking = new AtomicLongArray(start.watermarks());
        this.trees =
                new TreeStages(TreeGroup.first(stream.schema(), pool, settings), start.flushed(), settings.keepNanos());
        this.activeSinceNanos = now;
        this.channels = new IncomingChannels(
                stream.id(), indexer, epoch, start.watermarks(), window, trees, settings, effects, now);
        publish();
        channels.subscribe(now);
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
        return trees.active().tuples();
    }

    /** Bytes of the tuples of the active trees, by which they are sealed. */
    public long activeTupleBytes() {
        return trees.active().bytes();
    }

    /** Memory that the active trees use. */
    public long activeBytes() {
        return trees.active().usedBytes();
    }

    /** When the active trees took their first tuple, or the checkpoint last moved. */
    long activeSinceNanos() {
        return activeSinceNanos;
    }

    /** Tuples that it has taken since it began. */
    public long insertedTuples() {
        return inserted;
    }

    /** Whether it has yet to take what its targets cover. */
    public boolean recovering() {
        return recovering;
    }

    /** Number of flushes sealed and not yet committed. */
    public int unflushedTrees() {
        return trees.sealedFlushes();
    }

    /** Memory of its trees that are not in chunks yet. */
    public long unflushedBytes() {
        return trees.unflushedBytes();
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
        channels.setAside(isSetAside());
        report(now);
    }

    /** Sets what its unflushed trees, and what is under way to it, may take of the pool. */
    void limitMemory(long bytes) {
        channels.limitMemory(bytes);
    }

    /** Tuples of its trees that are not in chunks yet. */
    public long unflushedTuples() {
        return trees.unflushedTuples();
    }

    /** Bytes that were granted to dispatchers and are not consumed. */
    public long underWay() {
        return channels.underWay();
    }

    /** Memory of its trees that are not in chunks yet, and bytes that are under way to it. */
    long takenBytes() {
        return channels.takenBytes();
    }

    /** Whether it may be given nothing more, whatever the pool has. */
    boolean isAtLimit() {
        return channels.isAtLimit();
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
        IncomingChannel channel = channels.onBlock(block, now);
        if (channel == null) {
            return;
        }
        if (block.from() > channel.watermark) {
            channels.onGap(block.partition(), now);
            return;
        }
        if (block.to() <= channel.watermark) {
            channels.onRepeated(channel, block.bytes());
            return;
        }
        BlockBody body = block.body();
        if (body != null) {
            int first = body.firstRowAt(channel.watermark);
            TreeGroup active = trees.active();
            if (active.tuples() == 0 && first < body.tuples().size()) {
                activeSinceNanos = now;
            }
            // Before any reader can see its tuples.
            taking.lazySet(block.partition(), block.to());
            if (active.insert(body.tuples(), first, clockMillis)) {
                trees.showAgain();
            }
            inserted += body.tuples().size() - first;
            noteRebuilds();
            rejected += body.rejectedFrom(channel.watermark);
            channels.consume(channel, body.bytes(), now);
        }
        version = Math.max(version, block.version());
        channels.advance(channel, block.to(), now);
        unreported = true;
        if (recovering) {
            recovering = channels.isBelow(targets);
        }
        if (trees.active().bytes() >= settings.sealBytes()) {
            seal(SealedTree.Reason.SIZE, now);
        }
        publish();
        channels.grant(block.partition());
        if (window.exhausted()) {
            forget(now, true);
        }
        reportIfNews(now);
    }

    /** Hears where a channel stands on which nothing flows, as its dispatcher sees it. */
    void onHeartbeat(ChannelHeartbeats heartbeats, int entry, long now) {
        if (!stopped) {
            channels.onHeartbeat(heartbeats, entry, now);
        }
    }

    private void noteRebuilds() {
        TreeGroup active = trees.active();
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

    /** Time passes. Call about every 50 ms. */
    public void onTick(long now) {
        if (stopped) {
            return;
        }
        channels.onTick(now);
        if (now - activeSinceNanos > settings.sealAgeNanos() || isRecoveryToBeKept(now)) {
            if (trees.active().tuples() > 0 || channels.isAbove(sealedWatermarks)) {
                seal(SealedTree.Reason.AGE, now);
                publish();
            } else {
                activeSinceNanos = now;
            }
        }
        forget(now, window.exhausted());
        // One that hears nothing lets its report age, so that it is asked and can say so.
        if (!channels.isStale(now)) {
            if (isReportDue(now)) {
                report(now);
            } else if (unreported) {
                // What came too soon after the last report.
                reportIfNews(now);
            }
        }
        if (channels.heardSinceView()) {
            publish();
        }
    }

    private boolean isReportDue(long now) {
        if (unreported) {
            return now - lastReportNanos >= settings.reportNanos();
        }
        long interval = Math.min(IDLE_REPORTS * settings.reportNanos(), IDLE_REPORT_NANOS);
        return Beats.passed(lastReportNanos, now, Math.max(interval, settings.reportNanos()));
    }

    private boolean isRecoveryToBeKept(long now) {
        return recovering
                && now - activeSinceNanos > RECOVERY_AGE_NANOS
                && channels.offsetsSince(sealedWatermarks) >= RECOVERY_OFFSETS;
    }

    /** Seals the active tree, if anything is new since the last one. */
    public void onSealRequest(SealedTree.Reason reason, long now) {
        if (!stopped && (trees.active().tuples() > 0 || channels.isAbove(sealedWatermarks))) {
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
        TreeGroup sealed = trees.seal();
        sealedWatermarks = channels.watermarks();
        activeSinceNanos = now;
        unreported = true;
        long sequence = trees.lastSealed();
        effects.flush(new SealedTree(
                stream.id(),
                indexer,
                sequence,
                sealed.parts(),
                new IndexerCheckpoint(epoch, sequence, sealedWatermarks.clone(), rejected),
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
        if (!trees.isOldestSealed(sequence)) {
            throw new IllegalStateException("stream " + stream.name() + ", indexer " + indexer + ": flush " + sequence
                    + " was committed out of order");
        }
        trees.commit(sequence, next, now);
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
        channels.stop();
        trees.stop();
    }

    public boolean stopped() {
        return stopped;
    }

    /** Lets go of committed trees: after a while, or at once when memory is needed. */
    private void forget(long now, boolean needed) {
        List<TreeGroup> gone = trees.forget(now, needed);
        if (!gone.isEmpty()) {
            // First out of the view, then away: no new reader finds it.
            publish();
            trees.discard(gone, now);
        }
    }

    private void publish() {
        recovering = channels.isBelow(targets);
        effects.publish(new FreshView(
                epoch,
                trees.flushed(),
                trees.floor(),
                trees.visible(),
                channels.watermarks(),
                targets,
                version,
                recovering,
                channels.takeHeardNanos(),
                taking));
    }

    private void reportIfNews(long now) {
        if (now - lastReportNanos < REPORT_LIMIT_NANOS) {
            return;
        }
        if (!reported || !trees.isUnflushedWithin(reportedRegion)) {
            report(now);
        }
    }

    private void report(long now) {
        Region region = trees.unflushedRegion();
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
                new Control.Progress(epoch, trees.flushed(), channels.watermarks(), version, recovering),
                new Control.Unflushed(region, unflushedTuples()),
                rejected,
                new Control.Memory(pool.usedBytes(), window.poolBytes(), trees.sealedFlushes(), flushTrouble),
                templates));
    }
}
