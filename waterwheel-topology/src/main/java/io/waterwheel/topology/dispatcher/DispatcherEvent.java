package io.waterwheel.topology.dispatcher;

import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.ingest.source.LiveBatch;
import io.waterwheel.ingest.source.RecordBatch;
import io.waterwheel.ingest.source.SpoutHeartbeats;
import io.waterwheel.protocol.Control;
import io.waterwheel.schema.Schema;
import org.jspecify.annotations.Nullable;

/**
 * All that the event loop of a dispatcher task takes: data from spouts, control messages, and the answers of calls that
 * ran elsewhere. Each kind says what is done with it, so that none can be left out. Made on any thread, applied on the
 * loop's.
 */
sealed interface DispatcherEvent {
    /** Has it taken by the task; on the task's loop. */
    void applyTo(DispatcherTask task, long nowNanos);

    /**
     * What a spout sends.
     *
     * @throws IllegalArgumentException when no spout sends that
     */
    static DispatcherEvent ofData(Object message) {
        if (message instanceof LiveBatch batch) {
            return new Records(batch);
        } else if (message instanceof SpoutHeartbeats heartbeats) {
            return new Heartbeats(heartbeats);
        }
        throw new IllegalArgumentException(
                "a dispatcher got a " + message.getClass().getName() + " from a spout");
    }

    /** What indexers and spouts tell a dispatcher; null when the message is not for one. */
    static @Nullable DispatcherEvent ofControl(Control message) {
        if (message instanceof Control.Subscribe subscribe) {
            return new Subscribed(subscribe);
        } else if (message instanceof Control.Credit credit) {
            return new Credited(credit);
        } else if (message instanceof Control.LogState state) {
            return new LogSeen(state);
        }
        return null;
    }

    /** Records of a partition came from its spout. */
    record Records(LiveBatch batch) implements DispatcherEvent {
        @Override
        public void applyTo(DispatcherTask task, long nowNanos) {
            task.onLive(batch, nowNanos);
        }
    }

    /** How far partitions are read on which nothing flows. */
    record Heartbeats(SpoutHeartbeats heartbeats) implements DispatcherEvent {
        @Override
        public void applyTo(DispatcherTask task, long nowNanos) {
            heartbeats.partitions().forEach(heartbeat -> task.onLive(heartbeat, nowNanos));
        }
    }

    /** An indexer asks for a channel. */
    record Subscribed(Control.Subscribe subscribe) implements DispatcherEvent {
        @Override
        public void applyTo(DispatcherTask task, long nowNanos) {
            task.onSubscribe(subscribe, nowNanos);
        }
    }

    /** An indexer lets more be sent on a channel. */
    record Credited(Control.Credit credit) implements DispatcherEvent {
        @Override
        public void applyTo(DispatcherTask task, long nowNanos) {
            task.onCredit(credit, nowNanos);
        }
    }

    /** A spout has looked at the log of a partition. */
    record LogSeen(Control.LogState state) implements DispatcherEvent {
        @Override
        public void applyTo(DispatcherTask task, long nowNanos) {
            task.onLogState(state, nowNanos);
        }
    }

    /** With these a partition may begin. */
    record Ready(PartitionId id, StreamInfo stream, StreamCatalog catalog, PartitionRoute route, RoutingTable table)
            implements DispatcherEvent {
        @Override
        public void applyTo(DispatcherTask task, long nowNanos) {
            task.begin(this, nowNanos);
        }
    }

    /** A partition cannot begin yet. */
    record NotReady(PartitionId id) implements DispatcherEvent {
        @Override
        public void applyTo(DispatcherTask task, long nowNanos) {
            task.onNotReady(id, nowNanos);
        }
    }

    /** The partition's route, as the catalog has it. */
    record RouteRead(PartitionId id, PartitionRoute route) implements DispatcherEvent {
        @Override
        public void applyTo(DispatcherTask task, long nowNanos) {
            task.withPartition(id, partition -> partition.onRoute(route, nowNanos));
        }
    }

    /** The routing table that a partition asked for, and a schema that has the scales that it names. */
    record TableRead(PartitionId id, RoutingTable table, Schema schema) implements DispatcherEvent {
        @Override
        public void applyTo(DispatcherTask task, long nowNanos) {
            task.withPartition(id, partition -> partition.onTable(table, schema, nowNanos));
        }
    }

    /** A call to the catalog has failed. */
    record CallFailed(PartitionId id) implements DispatcherEvent {
        @Override
        public void applyTo(DispatcherTask task, long nowNanos) {
            task.withPartition(id, partition -> partition.onCallFailed(nowNanos));
        }
    }

    /**
     * The log was read again.
     *
     * @param batch null when that failed
     */
    record LogRead(PartitionId id, @Nullable RecordBatch batch) implements DispatcherEvent {
        @Override
        public void applyTo(DispatcherTask task, long nowNanos) {
            task.withPartition(id, partition -> partition.onCatchUp(batch, nowNanos));
        }
    }

    /**
     * Dead letters are stored, or could not be.
     *
     * @param token that they were handed over with
     */
    record LettersStored(PartitionId id, Object token, boolean stored) implements DispatcherEvent {
        @Override
        public void applyTo(DispatcherTask task, long nowNanos) {
            task.withPartition(id, partition -> partition.onDeadLetters(token, stored, nowNanos));
        }
    }
}
