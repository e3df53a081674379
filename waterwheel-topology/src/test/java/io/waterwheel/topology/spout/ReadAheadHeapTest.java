package io.waterwheel.topology.spout;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.ingest.QuietDispatcherEffects;
import io.waterwheel.ingest.block.BlockBody;
import io.waterwheel.ingest.block.BodyPool;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.ingest.dispatch.CatchUpBudget;
import io.waterwheel.ingest.dispatch.DispatcherSettings;
import io.waterwheel.ingest.dispatch.PartitionDispatcher;
import io.waterwheel.ingest.dispatch.Segmenter;
import io.waterwheel.ingest.source.LiveBatch;
import io.waterwheel.ingest.source.LogSource;
import io.waterwheel.ingest.source.RecordBatch;
import io.waterwheel.ingest.source.SpoutHeartbeats;
import io.waterwheel.protocol.ChannelEpoch;
import io.waterwheel.protocol.Control;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.text.KafkaFields;
import io.waterwheel.tuple.KeyInterval;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A log that can be read as fast as memory allows, decoding that is the slowest step, and between them a queue without
 * a bound, as Storm's as good as is: the heap itself stays small.
 */
@Timeout(300)
class ReadAheadHeapTest {
    private static final int PARTITIONS = 4;
    private static final int BATCH_BYTES = 256 << 10;
    /** What one poll brings of each partition. */
    private static final int POLL_BATCHES = 4;

    private static final long ALL_BYTES = Long.getLong("bytes", 160L << 20);
    private static final long READ_AHEAD = 6 << 20;
    private static final long PENDING = 2 << 20;
    private static final long RING = 2 << 20;

    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("k", FieldType.LONG, false),
                    new Field("t", FieldType.TIMESTAMP, false),
                    new Field("note", FieldType.STRING, false)),
            new KeySpec.Ordered("k"),
            "t");

    /** Every poll brings a megabyte of each partition that is not paused. */
    private static final class FastLog implements LogSource {
        private final byte[] record =
                ("{\"k\": 4711, \"t\": 1700000000000, \"note\": \"" + "x".repeat(200) + "\"}").getBytes(UTF_8);
        final boolean[] paused = new boolean[PARTITIONS];
        final long[] positions = new long[PARTITIONS];
        long read;

        @Override
        public List<PollEvent> poll(Duration atMost) {
            List<PollEvent> news = new ArrayList<>();
            for (int p = 0; p < PARTITIONS && read < ALL_BYTES; p++) {
                for (int n = 0; n < POLL_BATCHES && !paused[p]; n++) {
                    news.add(new PollEvent.Read(batch(p), -1));
                }
            }
            return news;
        }

        private RecordBatch batch(int partition) {
            int count = BATCH_BYTES / record.length;
            byte[] all = new byte[BATCH_BYTES];
            long[] offsets = new long[count];
            ByteBuffer[] values = new ByteBuffer[count];
            for (int i = 0; i < count; i++) {
                System.arraycopy(record, 0, all, i * record.length, record.length);
                values[i] =
                        ByteBuffer.wrap(all, i * record.length, record.length).slice();
                offsets[i] = positions[partition] + i;
            }
            read += BATCH_BYTES;
            long from = positions[partition];
            positions[partition] += count;
            return new RecordBatch(1, partition, from, positions[partition], count, offsets, values);
        }

        @Override
        public void assign(int streamId, String topic, int partition, long from, long base, KafkaFields wanted) {}

        @Override
        public void remove(int streamId, int partition) {}

        @Override
        public void seek(int streamId, int partition, long offset) {
            positions[partition] = offset;
        }

        @Override
        public void pause(int streamId, int partition) {
            paused[partition] = true;
        }

        @Override
        public void resume(int streamId, int partition) {
            paused[partition] = false;
        }

        @Override
        public long position(int streamId, int partition) {
            return positions[partition];
        }

        @Override
        public void close() {}
    }

    /** An indexer that takes everything at once. */
    private static final class Sink extends QuietDispatcherEffects {
        final ConcurrentLinkedQueue<Control.ReadFrom> toSpout;
        final AtomicLong rows = new AtomicLong();

        Sink(ConcurrentLinkedQueue<Control.ReadFrom> toSpout) {
            this.toSpout = toSpout;
        }

        @Override
        public void send(ChannelBlock block) {
            BlockBody body = block.body();
            if (body != null) {
                rows.addAndGet(body.tuples().size());
                body.release();
            }
        }

        @Override
        public void steer(Control.ReadFrom live) {
            toSpout.add(live);
        }
    }

    private final LinkedBlockingQueue<Object> queue = new LinkedBlockingQueue<>();
    private final ConcurrentLinkedQueue<Control.ReadFrom> control = new ConcurrentLinkedQueue<>();
    private final Sink sink = new Sink(control);
    private volatile boolean done;

    @Test
    void theHeapStaysSmallWhileDecodingIsTheSlowestStep() throws Exception {
        long before = usedHeap();
        FastLog log = new FastLog();
        Handover handover = new Handover(log, READ_AHEAD, 1, 10_000_000, (dispatcher, message) -> queue.add(message));
        List<Handover.Lane> lanes = new ArrayList<>();
        for (int p = 0; p < PARTITIONS; p++) {
            lanes.add(handover.lane(1, p, 0, 0));
            lanes.get(p).begin(0);
        }
        Thread dispatcher = new Thread(this::dispatch, "dispatcher");
        dispatcher.start();
        long mostHeap = 0;
        long mostQueued = 0;
        long looks = 0;
        long records = 0;
        while (log.read < ALL_BYTES || handover.bytes() > 0) {
            Control.ReadFrom live;
            while ((live = control.poll()) != null) {
                lanes.get(live.partition()).steer(live);
            }
            for (LogSource.PollEvent news : log.poll(Duration.ZERO)) {
                RecordBatch batch = ((LogSource.PollEvent.Read) news).batch();
                records += batch.count();
                lanes.get(batch.partition()).read(batch);
            }
            handover.onTime(System.nanoTime());
            mostQueued = Math.max(mostQueued, queue.size());
            if (log.read > looks * (ALL_BYTES / 8)) {
                looks++;
                mostHeap = Math.max(mostHeap, leastUsed() - before);
            }
            Thread.onSpinWait();
        }
        done = true;
        dispatcher.join();
        System.out.printf(
                "decoded %d MB of JSON: heap at most %.1f MB more than before, %d messages in the queue at most%n",
                log.read >> 20, mostHeap / 1e6, mostQueued);
        assertThat(sink.rows.get()).isEqualTo(records);
        // What one poll brings beyond the bound, and some for bodies that are used again.
        long poll = (long) PARTITIONS * POLL_BATCHES * BATCH_BYTES;
        assertThat(mostHeap).isLessThan(2 * READ_AHEAD + poll + PARTITIONS * (PENDING + 2 * RING) + (8 << 20));
        assertThat(ALL_BYTES).isGreaterThan(3 * mostHeap);
    }

    private void dispatch() {
        Segmenter segmenter =
                new Segmenter(SCHEMA, RecordFormat.JSON, new BodyPool(RowLayout.of(SCHEMA), 16), 128 << 10);
        PartitionDispatcher[] partitions = new PartitionDispatcher[PARTITIONS];
        for (int p = 0; p < PARTITIONS; p++) {
            partitions[p] = new PartitionDispatcher(
                    1,
                    p,
                    new PartitionRoute(
                            1L << 40,
                            List.of(new PartitionRoute.VersionSince(1, 0)),
                            LogIdentity.first("a"),
                            List.of()),
                    RoutingTable.even(1, KeyInterval.ALL, 1),
                    segmenter,
                    new DispatcherSettings(RING, PENDING, 100_000_000),
                    CatchUpBudget.ofRing(RING),
                    sink,
                    System.nanoTime());
            partitions[p].onSubscribe(
                    new Control.Subscribe(1, p, 0, new ChannelEpoch(1, 1), 0, 0, Long.MAX_VALUE), System.nanoTime());
        }
        try {
            while (!done) {
                Object message = queue.poll(10, TimeUnit.MILLISECONDS);
                if (message instanceof LiveBatch batch) {
                    partitions[batch.records().partition()].onLive(batch, System.nanoTime());
                } else if (message instanceof SpoutHeartbeats heartbeats) {
                    for (LiveBatch heartbeat : heartbeats.partitions()) {
                        partitions[heartbeat.records().partition()].onLive(heartbeat, System.nanoTime());
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Of three looks: what the other thread makes between the collection and the look is no heap that is held. */
    private static long leastUsed() {
        return Math.min(usedHeap(), Math.min(usedHeap(), usedHeap()));
    }

    private static long usedHeap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
