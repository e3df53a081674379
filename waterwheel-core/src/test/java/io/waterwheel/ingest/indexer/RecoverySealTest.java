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

/** An indexer that gets next to nothing of a long log must not read all of it again after every crash. */
final class RecoverySealTest {
    private static final long SECOND = 1_000_000_000;
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

    /** Its flushes are taken, and never committed. */
    private static final class Effects implements IndexerEffects {
        final List<SealedTree> sealed = new ArrayList<>();
        ChannelEpoch subscribed;

        @Override
        public void flush(SealedTree tree) {
            sealed.add(tree);
        }

        @Override
        public void subscribe(Control.Subscribe subscribe) {
            subscribed = subscribe.epoch();
        }

        @Override
        public void credit(Control.Credit credit) {}

        @Override
        public void report(Control.Report report) {}

        @Override
        public void rebuilt(TemplateTree.Rebuilt rebuilt) {}

        @Override
        public void publish(FreshView view) {}
    }

    private final Effects effects = new Effects();
    private final PagePool pool = new PagePool(1 << 20);
    private final IndexerCore core = new IndexerCore(
            STREAM,
            0,
            new IndexerCheckpoint(3, 0, new long[1], 0),
            new long[] {250_000},
            pool,
            new CreditWindow(pool, 1 << 16, 1 << 20),
            IndexerSettings.DEFAULT,
            effects,
            0);

    /** A minute of blocks without a tuple. */
    private void minute(int offsetsASecond, boolean refused) {
        for (int second = 0; second < 60; second++) {
            long from = (long) second * offsetsASecond;
            TupleBlock none = new TupleBlock(RowLayout.of(STREAM.schema()), 0);
            BlockBody body = refused ? BlockBody.of(none, from, new int[0], new int[] {0}) : null;
            core.onBlock(
                    new ChannelBlock(1, 0, 0, effects.subscribed, from, from + offsetsASecond, 1, body),
                    second * SECOND,
                    0);
            core.onTick(second * SECOND + 1);
        }
    }

    @Test
    void aLongRecoveryMovesTheCheckpointAsItGoes() {
        minute(10_000, false);
        assertThat(effects.sealed)
                .as("it has recovered after 25 seconds")
                .extracting(tree -> tree.next().watermarks()[0])
                .containsExactly(110_000L, 220_000L);
        assertThat(effects.sealed).extracting(SealedTree::reason).containsOnly(SealedTree.Reason.AGE);
        core.onTick(IndexerSettings.DEFAULT.sealAgeNanos() + 22 * SECOND);
        assertThat(effects.sealed).as("and then of its full age").hasSize(3);
    }

    @Test
    void refusedRowsDoNotKeepTheCheckpointWhereItIs() {
        minute(10_000, true);
        assertThat(effects.sealed)
                .extracting(tree -> tree.next().watermarks()[0])
                .containsExactly(110_000L, 220_000L);
        assertThat(effects.sealed.get(1).next().rejected()).isEqualTo(22);
    }

    @Test
    void aRecoveryThatBringsLittleCommitsNothing() {
        minute(1_000, false);
        assertThat(effects.sealed).isEmpty();
    }
}
