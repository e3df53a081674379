package io.waterwheel.ingest.indexer;

import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.ingest.block.ChannelHeartbeats;
import io.waterwheel.protocol.ChannelEpoch;
import io.waterwheel.protocol.Control;
import org.jspecify.annotations.Nullable;

/**
 * The channels of one indexer, one a partition: subscriptions, heartbeats, and credit (protocol rules 3, 5 and 6). What
 * comes on them goes to {@link IndexerCore}, which says what of it is taken. Owner: the indexer's thread.
 */
final class IncomingChannels {
    private static final long SUBSCRIBE_NANOS = 50_000_000;
    private static final long ACTIVE_NANOS = 500_000_000;
    /**
     * A channel that something came on more recently hears every heartbeat. Less than what the dispatcher goes by, so
     * that nothing is expected that is not sent.
     */
    private static final long QUICK_NANOS = 700_000_000;
    /** Heartbeats of an idle channel come more seldom, so its silence lasts longer before it is asked for again. */
    private static final long IDLE_SILENCE_NANOS = 900_000_000;

    private final int streamId;
    private final int indexer;
    private final int epoch;
    private final CreditWindow window;
    private final TreeStages trees;
    private final IndexerSettings settings;
    private final IndexerEffects effects;

    private final IncomingChannel[] channels;
    /** What its unflushed trees and what is under way to it may take of the pool. */
    private long memoryLimit = Long.MAX_VALUE;

    private long underWay;
    private boolean setAside;
    /** Whether something was heard since {@link #takeHeardNanos}. */
    private boolean heard;

    /**
     * Channels that are not subscribed to yet.
     *
     * @param watermarks where each begins
     * @param trees what they hold counts beside what is under way
     */
    IncomingChannels(
            int streamId,
            int indexer,
            int epoch,
            long[] watermarks,
            CreditWindow window,
            TreeStages trees,
            IndexerSettings settings,
            IndexerEffects effects,
            long now) {
        this.streamId = streamId;
        this.indexer = indexer;
        this.epoch = epoch;
        this.window = window;
        this.trees = trees;
        this.settings = settings;
        this.effects = effects;
        this.channels = new IncomingChannel[watermarks.length];
        for (int p = 0; p < channels.length; p++) {
            channels[p] = new IncomingChannel();
            channels[p].watermark = watermarks[p];
            channels[p].lastHeardNanos = now;
        }
    }

    /** Bytes that were granted to dispatchers and are not consumed. */
    long underWay() {
        return underWay;
    }

    /** Memory of trees that are not in chunks yet, and bytes that are under way. */
    long takenBytes() {
        return trees.unflushedBytes() + underWay;
    }

    /** Sets what trees that are not in chunks yet, and what is under way, may take of the pool. */
    void limitMemory(long bytes) {
        memoryLimit = bytes;
    }

    /** Whether nothing more may be granted, whatever the pool has. */
    boolean isAtLimit() {
        return memoryLimit != Long.MAX_VALUE && takenBytes() >= memoryLimit;
    }

    /** Whether flushes fail, so that nothing is granted of the indexer's own part of the pool. */
    void setAside(boolean aside) {
        setAside = aside;
    }

    /** The end of what is taken, by partition; the caller's own. */
    long[] watermarks() {
        long[] watermarks = new long[channels.length];
        for (int p = 0; p < watermarks.length; p++) {
            watermarks[p] = channels[p].watermark;
        }
        return watermarks;
    }

    /** Whether a watermark is below one of these. */
    boolean isBelow(long[] targets) {
        for (int p = 0; p < channels.length; p++) {
            if (channels[p].watermark < targets[p]) {
                return true;
            }
        }
        return false;
    }

    /** Whether a watermark is above one of these. */
    boolean isAbove(long[] watermarks) {
        for (int p = 0; p < channels.length; p++) {
            if (channels[p].watermark > watermarks[p]) {
                return true;
            }
        }
        return false;
    }

    /** Offsets from these watermarks to the present ones, over all partitions. */
    long offsetsSince(long[] watermarks) {
        long read = 0;
        for (int p = 0; p < channels.length; p++) {
            read += channels[p].watermark - watermarks[p];
        }
        return read;
    }

    /** Whether a channel was silent for longer than an answer may be old. */
    boolean isStale(long now) {
        for (IncomingChannel channel : channels) {
            if (now - channel.lastHeardNanos > settings.staleNanos()) {
                return true;
            }
        }
        return false;
    }

    /** Whether something was heard since {@link #takeHeardNanos}. */
    boolean heardSinceView() {
        return heard;
    }

    /** When each channel was last heard. From now on nothing counts as heard since. */
    long[] takeHeardNanos() {
        heard = false;
        long[] nanos = new long[channels.length];
        for (int p = 0; p < nanos.length; p++) {
            nanos[p] = channels[p].lastHeardNanos;
        }
        return nanos;
    }

    /**
     * Notes that something came on the channel of a block.
     *
     * @return the channel; null when the block is of another epoch or subscription, so that nothing is noted
     */
    @Nullable
    IncomingChannel onBlock(ChannelBlock block, long now) {
        IncomingChannel channel = channels[block.partition()];
        if (block.epoch().indexerEpoch() != epoch || block.epoch().attempt() != channel.attempt) {
            return null;
        }
        heard(channel, now);
        return channel;
    }

    private void heard(IncomingChannel channel, long now) {
        channel.lastHeardNanos = now;
        heard = true;
    }

    /** Hears where a channel stands on which nothing flows, as its dispatcher sees it. */
    void onHeartbeat(ChannelHeartbeats heartbeats, int entry, long now) {
        int partition = heartbeats.partition(entry);
        if (partition >= channels.length) {
            return;
        }
        IncomingChannel channel = channels[partition];
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

    /** Something is lost: ask again, as another attempt, from where this channel stands. */
    void onGap(int partition, long now) {
        IncomingChannel channel = channels[partition];
        channel.subscribeDue = true;
        if (now - channel.lastSubscribeNanos >= SUBSCRIBE_NANOS) {
            subscribe(partition, now);
        }
    }

    /** All below an offset is taken. */
    void advance(IncomingChannel channel, long to, long now) {
        channel.watermark = to;
        channel.lastNewsNanos = now;
    }

    /** A block of these bytes came that was taken before. */
    void onRepeated(IncomingChannel channel, long bytes) {
        channel.subscribeDue |= !channel.active && bytes > 0;
    }

    /** A block of these bytes is taken. */
    void consume(IncomingChannel channel, long bytes, long now) {
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
    void grant(int partition) {
        if (raiseGrant(channels[partition])) {
            credit(partition);
        }
    }

    /** Time passes. */
    void onTick(long now) {
        for (int p = 0; p < channels.length; p++) {
            IncomingChannel channel = channels[p];
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
    }

    /** Subscribes to all of them. */
    void subscribe(long now) {
        for (int p = 0; p < channels.length; p++) {
            subscribe(p, now);
        }
    }

    /** Gives back what was granted; nothing may be called afterwards. */
    void stop() {
        for (IncomingChannel channel : channels) {
            underWayChanged(-Math.max(0, channel.granted - channel.consumed));
            if (channel.active) {
                window.activeChanged(-1);
            }
        }
    }

    /**
     * Whether neither block nor heartbeat came for longer than a dispatcher that knows of the channel would let pass.
     */
    private boolean isSilent(IncomingChannel channel, long now) {
        long silence = now - channel.lastNewsNanos < QUICK_NANOS
                ? settings.silenceNanos()
                : Math.max(settings.silenceNanos(), IDLE_SILENCE_NANOS);
        return now - channel.lastHeardNanos > silence && now - channel.lastSubscribeNanos > settings.silenceNanos();
    }

    private void subscribe(int partition, long now) {
        IncomingChannel channel = channels[partition];
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
        IncomingChannel channel = channels[partition];
        channel.lastSubscribeNanos = now;
        effects.subscribe(new Control.Subscribe(
                streamId,
                partition,
                indexer,
                new ChannelEpoch(epoch, channel.attempt),
                channel.watermark,
                channel.consumed,
                channel.granted));
    }

    private long share(IncomingChannel channel) {
        long own = setAside ? 0 : window.ownBytes() - takenBytes();
        long share = window.share(channel.active, own);
        return memoryLimit == Long.MAX_VALUE ? share : Math.max(0, Math.min(share, memoryLimit - takenBytes()));
    }

    private void underWayChanged(long bytes) {
        underWay += bytes;
        window.underWayChanged(bytes);
    }

    private boolean raiseGrant(IncomingChannel channel) {
        long left = Math.max(0, channel.granted - channel.consumed);
        long share = share(channel);
        if (left > share / 2 || channel.consumed + share <= channel.granted) {
            return false;
        }
        underWayChanged(share - left);
        channel.granted = channel.consumed + share;
        return true;
    }

    private void credit(int partition) {
        IncomingChannel channel = channels[partition];
        effects.credit(new Control.Credit(
                streamId, partition, indexer, new ChannelEpoch(epoch, channel.attempt), channel.granted));
    }
}
