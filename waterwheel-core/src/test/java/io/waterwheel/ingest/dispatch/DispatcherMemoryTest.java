package io.waterwheel.ingest.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.ingest.block.BlockBody;
import io.waterwheel.ingest.block.BodyPool;
import io.waterwheel.ingest.source.RecordBatch;
import io.waterwheel.protocol.ChannelEpoch;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a dispatcher holds stays bounded, also where little of it is tuples. */
final class DispatcherMemoryTest {
    private static final Schema SCHEMA = new Schema(
            List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t");
    private static final RoutingTable TABLE = RoutingTable.even(1, KeyInterval.ALL, 1);

    @Test
    void segmentsWithoutTuplesDoNotPileUp() {
        OutgoingChannel channel = new OutgoingChannel(0);
        channel.epoch = new ChannelEpoch(1, 1);
        SegmentRing ring = new SegmentRing(List.of(channel), 1 << 20, 0);
        ring.restart(0);
        for (long i = 0; i < 10_000; i++) {
            assertThat(ring.hasRoom()).isTrue();
            ring.add(new Segment(i, i + 1L, TABLE, new BlockBody[1], List.of(), RecordBatch.NO_TIME));
            channel.cursor = i + 1;
            ring.trim();
            assertThat(segments(ring)).isLessThanOrEqualTo(256);
        }
        // A channel that lags does not make it grow either: the others wait for it, or it reads the log.
        channel.cursor = ring.from();
        int added = 0;
        while (ring.hasRoom()) {
            ring.add(new Segment(ring.to(), ring.to() + 1, TABLE, new BlockBody[1], List.of(), RecordBatch.NO_TIME));
            added++;
        }
        assertThat(added).isLessThanOrEqualTo(257);
    }

    private static int segments(SegmentRing ring) {
        int[] count = {0};
        ring.forEach(segment -> count[0]++);
        return count[0];
    }

    @Test
    void refusedRowsCountInTheRing() {
        BlockBody body = BlockBody.of(new TupleBlock(RowLayout.of(SCHEMA), 0), 0, new int[0], new int[5_000]);
        assertThat(new Segment(0, 5_000, TABLE, new BlockBody[] {body}, List.of(), RecordBatch.NO_TIME).bytes)
                .isEqualTo(20_000);
    }

    @Test
    void aBatchThatWaitsLetsGoOfWhatWasReadWithIt() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        byte[] answer = new byte[1 << 20];
        random.nextBytes(answer);
        int count = 50;
        long[] offsets = new long[count];
        ByteBuffer[] values = new ByteBuffer[count];
        ByteBuffer[] copies = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            offsets[i] = 3L * i;
            values[i] = ByteBuffer.wrap(answer, random.nextInt(1 << 19), random.nextInt(200))
                    .slice();
            copies[i] = values[i].duplicate();
        }
        RecordBatch batch = new RecordBatch(1, 0, 0, 3L * count, count, offsets, values).own();
        assertThat(batch.offsets()).isSameAs(offsets);
        assertThat(batch.values()).as("seed %s", seed).isEqualTo(copies);
        assertThat(batch.values()[0].array().length).isLessThan(count * 200 + 1);
        assertThat(batch.own()).isSameAs(batch);
        assertThat(batch.bytes()).isGreaterThanOrEqualTo((long) count * RecordBatch.RECORD_BYTES);
    }

    @Test
    void bodiesThatNobodyTookAreGivenBack() {
        BodyPool pool = new BodyPool(RowLayout.of(SCHEMA), 1_000);
        List<BlockBody> taken = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            taken.add(pool.take(0));
        }
        taken.forEach(BlockBody::release);
        pool.shrink();
        assertThat(pool.size()).as("all were taken since").isEqualTo(500);
        for (int round = 0; round < 3; round++) {
            List<BlockBody> some = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                some.add(pool.take(0));
            }
            some.forEach(BlockBody::release);
            pool.shrink();
            assertThat(pool.size()).isEqualTo(40);
        }
        pool.shrink();
        pool.shrink();
        assertThat(pool.size()).isZero();
    }
}
