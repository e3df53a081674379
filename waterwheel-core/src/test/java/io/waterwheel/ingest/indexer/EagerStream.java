package io.waterwheel.ingest.indexer;

import io.waterwheel.index.FreshView;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.ingest.block.BlockBody;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.protocol.ChannelEpoch;
import io.waterwheel.protocol.Control;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stream of one partition and one indexer, as the indexer sees it: its dispatcher has always something to send, and
 * sends what it is granted, in blocks of one size. A test says who takes the blocks, and what becomes of sealed trees.
 */
public abstract class EagerStream implements IndexerEffects {
    public static final Schema SCHEMA = new Schema(
            List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t");
    public static final RowLayout LAYOUT = RowLayout.of(SCHEMA);

    private final int rows;
    private @Nullable ChannelEpoch epoch;
    private long sent;
    private long granted;
    private long offset;

    /** @param rows of a block */
    protected EagerStream(int rows) {
        this.rows = rows;
    }

    /** The stream's id. */
    protected abstract int streamId();

    /** Takes a block, and releases it. */
    protected abstract void onBlock(ChannelBlock block);

    /** The time of the tuple at an offset. */
    protected abstract long time(long at);

    /** Whether something may be sent. */
    public final boolean isGranted() {
        return granted > sent;
    }

    /** Sends until nothing more is granted. */
    public final void sendGranted() {
        while (isGranted()) {
            send();
        }
    }

    private void send() {
        ChannelEpoch to = epoch;
        if (to == null) {
            throw new IllegalStateException("granted before the subscription");
        }
        TupleBlock block = new TupleBlock(LAYOUT, rows);
        int[] offsets = new int[rows];
        for (int row = 0; row < rows; row++) {
            block.keys()[row] = (offset + row) * 0x9E3779B97F4A7C15L;
            block.times()[row] = time(offset + row);
            offsets[row] = row;
        }
        block.setSize(rows);
        BlockBody body = BlockBody.of(block, offset, offsets, new int[0]);
        sent += body.bytes();
        long from = offset;
        offset += rows;
        onBlock(new ChannelBlock(streamId(), 0, 0, to, from, offset, 1, body));
    }

    @Override
    public final void subscribe(Control.Subscribe subscribe) {
        if (!subscribe.epoch().equals(epoch)) {
            epoch = subscribe.epoch();
            sent = subscribe.consumed();
            granted = 0;
        }
        granted = Math.max(granted, subscribe.granted());
    }

    @Override
    public final void credit(Control.Credit credit) {
        granted = Math.max(granted, credit.granted());
    }

    @Override
    public void report(Control.Report report) {}

    @Override
    public void rebuilt(TemplateTree.Rebuilt rebuilt) {}

    @Override
    public void publish(FreshView view) {}
}
