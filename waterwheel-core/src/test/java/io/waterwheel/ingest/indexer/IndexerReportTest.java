package io.waterwheel.ingest.indexer;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.index.FreshView;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.ingest.block.BlockBody;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.protocol.ChannelEpoch;
import io.waterwheel.protocol.Control;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Coordinators leave out an indexer whose report says that it holds nothing: the first row must be told soon. */
final class IndexerReportTest {
    private static final long MILLI = 1_000_000;
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
        final List<Control.Report> reports = new ArrayList<>();
        ChannelEpoch subscribed;

        @Override
        public void flush(SealedTree tree) {}

        @Override
        public void subscribe(Control.Subscribe subscribe) {
            subscribed = subscribe.epoch();
        }

        @Override
        public void credit(Control.Credit credit) {}

        @Override
        public void report(Control.Report report) {
            reports.add(report);
        }

        @Override
        public void rebuilt(TemplateTree.Rebuilt rebuilt) {}

        @Override
        public void publish(FreshView view) {}
    }

    @Test
    void theFirstRowIsReportedAtTheNextTickWhenItComesRightAfterAReport() {
        Effects effects = new Effects();
        PagePool pool = new PagePool(1 << 20);
        IndexerCore core = new IndexerCore(
                STREAM,
                0,
                new IndexerCheckpoint(3, 0, new long[1], 0),
                new long[] {0},
                pool,
                new CreditWindow(pool, 1 << 16, 1 << 20),
                IndexerSettings.DEFAULT,
                effects,
                0);
        long now = 0;
        while (effects.reports.isEmpty()) {
            now += 25 * MILLI;
            core.onBlock(new ChannelBlock(1, 0, 0, effects.subscribed, 0, 0, 1, null), now, 0);
            core.onTick(now);
        }
        assertThat(effects.reports.get(0).unflushed().region()).isNull();
        int before = effects.reports.size();
        TupleBlock row = new TupleBlock(RowLayout.of(STREAM.schema()), 1);
        row.keys()[0] = 7;
        row.setSize(1);
        core.onBlock(
                new ChannelBlock(1, 0, 0, effects.subscribed, 0, 1, 1, BlockBody.of(row, 0, new int[] {0}, new int[0])),
                now + MILLI,
                0);
        assertThat(effects.reports).as("too soon after the last").hasSize(before);
        core.onTick(now + 25 * MILLI);
        assertThat(effects.reports).hasSize(before + 1);
        assertThat(effects.reports.get(before).unflushed().region()).isNotNull();
        assertThat(effects.reports.get(before).unflushed().tuples()).isEqualTo(1);
    }
}
