package io.waterwheel.topology.indexer;

import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.ingest.block.ChannelHeartbeats;
import io.waterwheel.ingest.indexer.SealedTree;
import io.waterwheel.protocol.Control;
import io.waterwheel.topology.message.BlockMessage;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All that the event loop of an indexer task takes: data from dispatchers, control messages, the outcomes of starts
 * that were tried elsewhere, and the flusher's. Each kind says what is done with it, so that none can be left out. Made
 * on any thread, applied on the loop's.
 */
sealed interface IndexerEvent {
    /** Has it taken by the host; on the host's loop. */
    void applyTo(IndexerHost host, long nowNanos);

    /**
     * What a dispatcher sends.
     *
     * @throws IllegalArgumentException when no dispatcher sends that
     */
    static IndexerEvent ofData(Object message) {
        if (message instanceof BlockMessage block) {
            return new Block(block);
        } else if (message instanceof ChannelHeartbeats heartbeats) {
            return new Heartbeats(heartbeats);
        }
        throw new IllegalArgumentException(
                "an indexer got a " + message.getClass().getName() + " from a dispatcher");
    }

    /** What coordinators tell an indexer; null when the message is not for one. */
    static @Nullable IndexerEvent ofControl(Control message) {
        return message instanceof Control.Seal seal ? new Seal(seal.streamId()) : null;
    }

    /** Rows of a partition, or a range of it without rows for this indexer. */
    record Block(BlockMessage message) implements IndexerEvent {
        @Override
        public void applyTo(IndexerHost host, long nowNanos) {
            host.onBlock(message, nowNanos);
        }
    }

    /** Where channels stand on which nothing flows. */
    record Heartbeats(ChannelHeartbeats heartbeats) implements IndexerEvent {
        @Override
        public void applyTo(IndexerHost host, long nowNanos) {
            host.onHeartbeats(heartbeats, nowNanos);
        }
    }

    /** A stream is to be flushed. */
    record Seal(int streamId) implements IndexerEvent {
        @Override
        public void applyTo(IndexerHost host, long nowNanos) {
            host.onSeal(streamId, nowNanos);
        }
    }

    /** The task's indexers of a stream may begin. */
    record Started(StreamInfo stream, List<IndexerHost.Start> starts) implements IndexerEvent {
        @Override
        public void applyTo(IndexerHost host, long nowNanos) {
            host.onStarted(stream, starts);
        }
    }

    /** One indexer may begin again. */
    record StartedAgain(StreamInfo stream, IndexerHost.Start start, IndexerHost.Attempt attempt)
            implements IndexerEvent {
        @Override
        public void applyTo(IndexerHost host, long nowNanos) {
            host.onStartedAgain(stream, start, attempt);
        }
    }

    /** An attempt to start has failed. */
    record NotStarted(IndexerHost.Attempt attempt) implements IndexerEvent {
        @Override
        public void applyTo(IndexerHost host, long nowNanos) {
            attempt.failed();
        }
    }

    /** A flush is over. */
    record Flushed(IndexerHost.Effects indexer, SealedTree sealed, Flusher.Outcome outcome) implements IndexerEvent {
        @Override
        public void applyTo(IndexerHost host, long nowNanos) {
            indexer.flushed(sealed, outcome);
        }
    }

    /**
     * How the flushes of an indexer go has changed.
     *
     * @param what says how, when it is asked
     */
    record FlushTrouble(IndexerHost.Effects indexer, Supplier<String> what) implements IndexerEvent {
        @Override
        public void applyTo(IndexerHost host, long nowNanos) {
            indexer.troubled(what.get(), nowNanos);
        }
    }
}
