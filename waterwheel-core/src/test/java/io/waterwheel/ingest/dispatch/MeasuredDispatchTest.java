package io.waterwheel.ingest.dispatch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.ingest.block.BodyPool;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.ingest.source.LiveBatch;
import io.waterwheel.ingest.source.RecordBatch;
import io.waterwheel.protocol.ChannelEpoch;
import io.waterwheel.protocol.Control;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a dispatcher tells those who measure it. */
final class MeasuredDispatchTest {
    private static final Schema SCHEMA = new Schema(
            List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t");

    private final List<ChannelBlock> blocks = new ArrayList<>();

    private PartitionDispatcher dispatcher() {
        DispatcherEffects effects = (DispatcherEffects) Proxy.newProxyInstance(
                DispatcherEffects.class.getClassLoader(),
                new Class<?>[] {DispatcherEffects.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("send")) {
                        blocks.add((ChannelBlock) arguments[0]);
                    }
                    return null;
                });
        return new PartitionDispatcher(
                1,
                0,
                new PartitionRoute(
                        1_000, List.of(new PartitionRoute.VersionSince(1, 0)), LogIdentity.first("a"), List.of()),
                RoutingTable.even(1, KeyInterval.ALL, 2),
                new Segmenter(SCHEMA, RecordFormat.CSV, new BodyPool(RowLayout.of(SCHEMA), 4), 1 << 16),
                new DispatcherSettings(1 << 20, 1 << 20, 100_000_000),
                CatchUpBudget.ofRing(1 << 20),
                effects,
                0);
    }

    private static LiveBatch batch(long from, long producedMillis, String... lines) {
        ByteBuffer[] values = new ByteBuffer[lines.length];
        long[] offsets = new long[lines.length];
        for (int i = 0; i < lines.length; i++) {
            offsets[i] = from + i;
            values[i] = ByteBuffer.wrap(lines[i].getBytes(UTF_8));
        }
        RecordBatch records =
                new RecordBatch(1, 0, from, from + lines.length, lines.length, offsets, values, producedMillis);
        return new LiveBatch(records, 1, 0, 0, 0);
    }

    private static Control.Subscribe subscribe(int indexer, long granted) {
        return new Control.Subscribe(1, 0, indexer, new ChannelEpoch(1, 1), 0, 0, granted);
    }

    @Test
    void channelsWithoutCreditAreThoseWithSomethingToSend() {
        PartitionDispatcher dispatcher = dispatcher();
        dispatcher.onSubscribe(subscribe(0, 0), 1);
        dispatcher.onSubscribe(subscribe(1, 1 << 20), 1);
        assertThat(dispatcher.channelsWithoutCredit()).as("nothing to send").isZero();
        dispatcher.onLive(batch(0, 5_000, "-5,1", "5,1"), 2);
        assertThat(dispatcher.channelsWithoutCredit()).as("a row of the first").isEqualTo(1);
        dispatcher.onCredit(new Control.Credit(1, 0, 0, new ChannelEpoch(1, 1), 1 << 20), 3);
        assertThat(dispatcher.channelsWithoutCredit()).isZero();
        dispatcher.onLive(batch(2, 6_000, "5,1"), 4);
        assertThat(dispatcher.channelsWithoutCredit()).isZero();
    }

    @Test
    void blocksHaveTheTimeOfTheirRecords() {
        PartitionDispatcher dispatcher = dispatcher();
        dispatcher.onSubscribe(subscribe(0, 1 << 20), 1);
        dispatcher.onSubscribe(subscribe(1, 1 << 20), 1);
        dispatcher.onLive(batch(0, 5_000, "-5,1", "5,1"), 2);
        dispatcher.onLive(batch(2, RecordBatch.NO_TIME, "5,1"), 3);
        assertThat(blocks.stream().filter(block -> block.body() != null && block.to() == 2))
                .hasSize(2)
                .allMatch(block -> block.producedMillis() == 5_000);
        assertThat(blocks.stream().filter(block -> block.body() == null || block.to() == 3))
                .isNotEmpty()
                .allMatch(block -> block.producedMillis() == ChannelBlock.NO_TIME);
    }
}
