package io.waterwheel.topology.indexer;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.index.FreshView;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.ingest.block.BlockBody;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.ingest.indexer.CreditWindow;
import io.waterwheel.ingest.indexer.IndexerCore;
import io.waterwheel.ingest.indexer.IndexerEffects;
import io.waterwheel.ingest.indexer.IndexerSettings;
import io.waterwheel.ingest.indexer.SealedTree;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.metrics.Scrape;
import io.waterwheel.protocol.ChannelEpoch;
import io.waterwheel.protocol.Control;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What of the blocks that an indexer takes is counted. */
final class IndexerMeterTest {
    private static final StreamInfo STREAM = new StreamInfo(
            "s",
            1,
            new Schema(
                    List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
                    new KeySpec.Ordered("k"),
                    "t"),
            RecordFormat.BLOCK,
            "s",
            1,
            1);

    private static final class Effects implements IndexerEffects {
        ChannelEpoch subscribed;

        @Override
        public void subscribe(Control.Subscribe subscribe) {
            subscribed = subscribe.epoch();
        }

        @Override
        public void flush(SealedTree tree) {}

        @Override
        public void credit(Control.Credit credit) {}

        @Override
        public void report(Control.Report report) {}

        @Override
        public void rebuilt(TemplateTree.Rebuilt rebuilt) {}

        @Override
        public void publish(FreshView view) {}
    }

    /** Also the block that ends the recovery was produced before the crash. */
    @Test
    void whatIsReadAgainIsNotVisibleLate() {
        Effects effects = new Effects();
        PagePool pool = new PagePool(1 << 20);
        Metrics metrics = new Metrics(10);
        IndexerCore core = new IndexerCore(
                STREAM,
                0,
                new IndexerCheckpoint(3, 0, new long[1], 0),
                new long[] {2},
                pool,
                new CreditWindow(pool, 1 << 16, 1 << 20),
                IndexerSettings.DEFAULT,
                effects,
                0);
        core.onTick(0);
        try (IndexerMeter meter = new IndexerMeter(metrics, "indexer-0", pool, 1 << 20, 1 << 16)) {
            IndexerMeter.OfStream of = meter.stream(STREAM.id(), STREAM.name());
            for (int offset = 0; offset < 3; offset++) {
                TupleBlock row = new TupleBlock(RowLayout.of(STREAM.schema()), 1);
                row.keys()[0] = 7;
                row.setSize(1);
                IndexerMeter.Before before = IndexerMeter.Before.of(core);
                BlockBody body = BlockBody.of(row, offset, new int[] {0}, new int[0]);
                core.onBlock(
                        new ChannelBlock(
                                STREAM.id(), 0, 0, effects.subscribed, offset, offset + 1, 1, body, 1_000 * offset),
                        offset,
                        60_000);
                assertThat(core.recovering()).isEqualTo(offset == 0);
                of.block(core, before, 1_000 * offset, 60_000);
            }
            String text = new String(Scrape.of(List.of(metrics), null).body(), StandardCharsets.UTF_8);
            assertThat(text)
                    .contains("waterwheel_inserted_tuples_total{stream=\"s\"} 3")
                    .contains("waterwheel_ingest_delay_seconds_count{stage=\"visible\",stream=\"s\"} 1")
                    .contains("waterwheel_ingest_delay_seconds_sum{stage=\"visible\",stream=\"s\"} 58.0");
        }
    }
}
