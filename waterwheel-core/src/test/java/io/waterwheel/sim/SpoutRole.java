package io.waterwheel.sim;

import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.ingest.source.LiveBatch;
import io.waterwheel.ingest.source.ReadAhead;
import io.waterwheel.ingest.source.ReadLane;
import io.waterwheel.ingest.source.RecordBatch;
import io.waterwheel.protocol.Control;
import java.util.concurrent.atomic.AtomicBoolean;

/** Reads one partition live and hands batches to its dispatcher; all it knows is where it stands. */
final class SpoutRole {
    private final World world;
    private final int partition;
    private final ReadAhead ahead;
    private final ReadLane lane;
    /** Where reading goes on; what is read and waits for credit lies below. */
    private long readTo;

    private long emittedAt;
    /** Bytes sent and not delivered yet, nor lost. */
    private long underWay;

    SpoutRole(World world, int partition) {
        this.world = world;
        this.partition = partition;
        this.readTo = start();
        this.ahead = new ReadAhead(world.settings.readAhead());
        this.lane = new ReadLane(ahead, world.stream.id(), partition, world.nextLife(), readTo);
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
        if (!lane.wantsMore()) {
            return;
        }
        // One read may bring several batches.
        for (int n = world.random.nextInt(2); n >= 0; n--) {
            RecordBatch batch = world.topic.read(partition, readTo, 1 + world.random.nextInt(Topic.BATCH_RECORDS));
            if (batch.to() > batch.from()) {
                readTo = batch.to();
                lane.read(batch);
            }
        }
        Oracle.check(
                ahead.bytes() <= world.settings.readAhead() + 2 * Topic.BATCH_BYTES,
                "spout %d: memory: %d bytes read ahead",
                partition,
                ahead.bytes());
        handOn();
    }

    private void handOn() {
        LiveBatch batch;
        while ((batch = lane.next()) != null) {
            emit(batch);
        }
    }

    void onTick() {
        if (world.now - emittedAt >= world.settings.dispatcher().heartbeatNanos()) {
            emit(lane.heartbeat());
        }
    }

    private void emit(LiveBatch batch) {
        emittedAt = world.now;
        long bytes = batch.records().bytes();
        AtomicBoolean counted = new AtomicBoolean();
        boolean sent = world.network.send("spout>p" + partition, () -> {
            boolean taken = world.toDispatcher(partition, target -> target.onLive(batch));
            if (taken && counted.getAndSet(false)) {
                underWay -= bytes;
            }
            return taken;
        });
        if (sent) {
            counted.set(true);
            underWay += bytes;
        }
        // What overtakes tells of more than has come.
        Oracle.check(
                world.settings.reorder() > 0
                        || underWay <= world.settings.dispatcher().pendingBytes() + Topic.BATCH_BYTES,
                "spout %d: memory: %d bytes under way",
                partition,
                underWay);
    }

    void steer(Control.ReadFrom live) {
        lane.onLive(live);
        if (live.position() >= 0) {
            readTo = live.position();
            lane.moveTo(readTo);
        }
        handOn();
    }
}
