package io.waterwheel.ingest.dispatch;

import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.ingest.block.BlockBody;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.protocol.ChannelEpoch;
import io.waterwheel.protocol.Control;
import io.waterwheel.tuple.LostRange;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The channels of one partition, one for each indexer, and what is sent on them (protocol rules 4, 5, 6 and 14). A
 * cursor moves over whole segments only, and over what is lost. Owner: the dispatcher's thread.
 */
final class OutgoingChannels {
    /** Of a channel on which something was sent more recently, every heartbeat goes. */
    private static final long QUICK_NANOS = 1_000_000_000;

    /** Where segments are. */
    interface Segments {
        /** The segment that covers an offset, or null when it is not in memory. */
        @Nullable
        Segment find(long offset);
    }

    private final int streamId;
    private final int partition;
    private final long heartbeatNanos;
    private final Segments segments;
    private final DispatcherEffects effects;
    private final Map<Integer, OutgoingChannel> channels = new TreeMap<>();

    /** @param heartbeatNanos between heartbeats */
    OutgoingChannels(int streamId, int partition, long heartbeatNanos, Segments segments, DispatcherEffects effects) {
        this.streamId = streamId;
        this.partition = partition;
        this.heartbeatNanos = heartbeatNanos;
        this.segments = segments;
        this.effects = effects;
    }

    /** A view of all, those without a subscription included. */
    Collection<OutgoingChannel> all() {
        return channels.values();
    }

    /**
     * An indexer asks for its channel from a watermark on.
     *
     * @return whether it is a new subscription, and no repeated or older one
     */
    boolean subscribe(Control.Subscribe subscribe, long now) {
        OutgoingChannel channel = channels.computeIfAbsent(subscribe.indexer(), OutgoingChannel::new);
        if (channel.epoch != null && subscribe.epoch().compareTo(channel.epoch) <= 0) {
            if (subscribe.epoch().equals(channel.epoch)) {
                // It has heard nothing: let it hear.
                channel.granted = Math.max(channel.granted, subscribe.granted());
                heartbeat(channel, now);
            }
            return false;
        }
        channel.epoch = subscribe.epoch();
        channel.cursor = subscribe.watermark();
        channel.sentTo = subscribe.watermark();
        channel.sentVersion = 0;
        // What is lost under way will never be consumed: it no longer counts.
        channel.sent = subscribe.consumed();
        channel.granted = subscribe.granted();
        heartbeat(channel, now);
        return true;
    }

    /**
     * An indexer lets more be sent.
     *
     * @return whether that is new
     */
    boolean credit(Control.Credit credit) {
        OutgoingChannel channel = channels.get(credit.indexer());
        if (channel != null && credit.epoch().equals(channel.epoch) && credit.granted() > channel.granted) {
            channel.granted = credit.granted();
            return true;
        }
        return false;
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
            if (epoch != null && silent >= heartbeatNanos / 2 && (idleToo || silent < QUICK_NANOS)) {
                round.add(streamId, partition, channel.indexer, epoch, channel.sentTo, channel.sent, channel.granted);
            }
        }
    }

    /** The least cursor; {@link Long#MAX_VALUE} where no channel has a subscription. */
    long least() {
        long least = Long.MAX_VALUE;
        for (OutgoingChannel channel : channels.values()) {
            if (channel.epoch != null) {
                least = Math.min(least, channel.cursor);
            }
        }
        return least;
    }

    /** Moves cursors up to an offset that every checkpoint covers. */
    void skipCheckpointed(long first) {
        for (OutgoingChannel channel : channels.values()) {
            if (channel.epoch != null && channel.cursor < first) {
                // An indexer that lives has passed it; another finds a gap, and asks again.
                channel.cursor = first;
                channel.sentTo = first;
                channel.sentVersion = 0;
            }
        }
    }

    /** Channels whose next segment is in memory and stored, and waits for credit alone. */
    int waitingForCredit() {
        int waiting = 0;
        for (OutgoingChannel channel : channels.values()) {
            if (channel.epoch == null || channel.hasCredit()) {
                continue;
            }
            Segment segment = segments.find(channel.cursor);
            if (segment != null && segment.unstored().isEmpty()) {
                BlockBody body = segment.bodyOf(channel.indexer);
                waiting += body != null && body.bytes() > 0 ? 1 : 0;
            }
        }
        return waiting;
    }

    /** Sends what is in memory, stored, and within credit. */
    void sendReady(PartitionRoute route, long now) {
        for (OutgoingChannel channel : channels.values()) {
            if (channel.epoch != null) {
                sendReady(channel, route, now);
            }
        }
    }

    private void sendReady(OutgoingChannel channel, PartitionRoute route, long now) {
        while (true) {
            if (skipLost(channel, route, now)) {
                continue;
            }
            Segment segment = segments.find(channel.cursor);
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
                send(channel, channel.sentTo, segment.to, body, segment.producedMillis, now);
            }
            channel.cursor = segment.to;
        }
        if (channel.cursor > channel.sentTo) {
            sendEmpty(channel, now);
        }
    }

    /** What is given up is empty for everyone. */
    private boolean skipLost(OutgoingChannel channel, PartitionRoute route, long now) {
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
        send(channel, channel.sentTo, channel.cursor, null, ChannelBlock.NO_TIME, now);
    }

    /** Answers a subscription. */
    private void heartbeat(OutgoingChannel channel, long now) {
        send(channel, channel.sentTo, channel.sentTo, null, ChannelBlock.NO_TIME, now);
    }

    private void send(
            OutgoingChannel channel, long from, long to, @Nullable BlockBody body, long producedMillis, long now) {
        ChannelEpoch epoch = channel.epoch;
        if (epoch == null) {
            throw new IllegalStateException("channel " + channel.indexer + " has no subscription");
        }
        channel.sentTo = to;
        channel.lastSendNanos = now;
        effects.send(new ChannelBlock(
                streamId, partition, channel.indexer, epoch, from, to, channel.sentVersion, body, producedMillis));
    }
}
