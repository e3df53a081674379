package io.waterwheel.sim;

import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.ingest.RecordBatch;
import io.waterwheel.model.Control;
import io.waterwheel.model.WaterwheelException;

/** Reads one partition live and hands batches to its dispatcher; all it knows is where it stands. */
final class SpoutRole {
    private static final long PAUSE_NANOS = 1_000_000_000;

    private final World world;
    private final int partition;
    private long position;
    private long pausedUntil;
    private long emittedAt;

    SpoutRole(World world, int partition) {
        this.world = world;
        this.partition = partition;
        this.position = start();
    }

    /** The furthest checkpoint, or anything: where it starts must not matter. */
    private long start() {
        if (world.faulty() && world.random.nextBoolean()) {
            return world.random.nextInt((int) world.topic.end(partition) + 1);
        }
        long furthest = 0;
        try {
            StreamCatalog catalog = new StreamCatalog(world.catalog.client(), world.stream);
            for (int indexer : world.indexerIds()) {
                furthest = Math.max(furthest, catalog.checkpoint(indexer).watermarks()[partition]);
            }
        } catch (WaterwheelException e) {
            world.note("spout " + partition, "starts without the catalog: %s", e.getMessage());
        }
        return Math.min(furthest, world.topic.end(partition));
    }

    void read() {
        if (world.now < pausedUntil) {
            return;
        }
        RecordBatch batch = world.topic.read(partition, position, 1 + world.random.nextInt(Topic.BATCH_RECORDS));
        if (batch.to() > batch.from()) {
            position = batch.to();
            emit(batch);
        }
    }

    void onTick() {
        if (world.now - emittedAt >= world.settings.dispatcher().heartbeatNanos()) {
            emit(RecordBatch.heartbeat(world.stream.id(), partition, position));
        }
    }

    private void emit(RecordBatch batch) {
        emittedAt = world.now;
        world.network.send("spout>p" + partition, () -> world.toDispatcher(partition, target -> target.onLive(batch)));
    }

    void steer(Control.Live live) {
        pausedUntil = live.paused() ? world.now + PAUSE_NANOS : 0;
        if (live.position() >= 0) {
            position = live.position();
        }
    }
}
