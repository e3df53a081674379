package io.waterwheel.ingest.dispatch;

import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.decode.FactColumns;
import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.decode.RecordFacts;
import io.waterwheel.decode.RefusalKind;
import io.waterwheel.decode.RejectedRecordException;
import io.waterwheel.decode.typed.SchemaAwaitedException;
import io.waterwheel.decode.typed.WriterSchemas;
import io.waterwheel.ingest.block.BlockBody;
import io.waterwheel.ingest.block.BodyPool;
import io.waterwheel.ingest.source.RecordBatch;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.key.RowRejects;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns records into segments: decodes a run of them, makes the keys, divides the rows between the indexers. Block
 * sized and without allocation per tuple; buffers are reused. Owner: the dispatcher's thread.
 */
public final class Segmenter {
    /** Decides whether reading may go on past a record that was refused, whole or in part. */
    interface Gate {
        boolean passes(RefusedRow first);
    }

    /** Records behind one that awaits its schema, whose schemas are asked for with it. */
    private static final int MOST_PREFETCHED = 1024;

    private final RecordDecoder decoder;
    /** Whether fields are of what Kafka has of a record beside its value. */
    private final boolean needsFacts;

    /** By version of the scales, from 1 on; the first alone where the key has no dimensions. */
    private final List<KeyMaker> keyMakers = new ArrayList<>();
    /** Of the segment that is being built. */
    private KeyMaker keyMaker;

    private final RowLayout layout;
    private final BodyPool pool;
    private final long segmentBytes;
    private BlockBody.StagedRows staged;
    private int[] slots = new int[0];
    /** Kept, so that no record costs a lambda. */
    private final RowRejects rowRejects = this::refuseRow;

    private final List<RefusedRow> refused = new ArrayList<>();
    /** The record being decoded, for {@link #refuseRow}. */
    private long currentOffset;

    private @Nullable ByteBuffer currentValue;
    /** What the record that the last segment ends before has to wait for; null where it waits for nothing. */
    @Nullable
    String awaited() {
        return awaited;
    }

    /** Index in the batch of the first record that the last segment does not cover. */
    private int next;

    private int records;
    private boolean stopped;
    /** What the record that the last segment ends before waits for. */
    private @Nullable String awaited;

    /**
     * @param pool of the stream, shared by its partitions
     * @param segmentBytes tuple bytes after which a segment ends; a single record may be larger
     */
    public Segmenter(Schema schema, RecordFormat format, BodyPool pool, long segmentBytes) {
        this(schema, format, WriterSchemas.NONE, pool, segmentBytes);
    }

    /**
     * The same for records that may bring the number of their schema along.
     *
     * @param registry asked for the schemas of such numbers; waits for nothing
     */
    public Segmenter(Schema schema, RecordFormat format, WriterSchemas registry, BodyPool pool, long segmentBytes) {
        this.decoder = RecordDecoder.of(format, schema, registry);
        this.needsFacts = schema.text().kafka().any();
        this.layout = RowLayout.of(schema);
        this.keyMaker = KeyMaker.of(layout, schema);
        this.keyMakers.add(keyMaker);
        learn(schema);
        this.pool = pool;
        this.segmentBytes = segmentBytes;
        this.staged = new BlockBody.StagedRows(new TupleBlock(layout, 0), new int[0]);
    }

    /** Whether it makes keys by a version of the scales. */
    boolean knows(int scales) {
        return scales <= keyMakers.size();
    }

    /** Takes the versions of scales that the stream's schema has and that are not known yet. */
    void learn(Schema schema) {
        KeySpec.Dimensions key = schema.key().dimensional();
        if (key == null || knows(key.scales())) {
            return;
        }
        KeyScheme scheme = KeyScheme.of(schema);
        while (keyMakers.size() < scheme.scales()) {
            keyMakers.add(scheme.maker(layout, keyMakers.size() + 1));
        }
    }

    /** Gives back memory that was not needed since the call before. Call every few seconds. */
    public void shrink() {
        pool.shrink();
    }

    /** Number of records in the last segment. */
    int records() {
        return records;
    }

    /** Whether the last segment ends before a record that the gate refused. */
    boolean stopped() {
        return stopped;
    }

    /** Index in the batch of the first record that the last segment did not cover. */
    int next() {
        return next;
    }

    /**
     * Decodes records from {@code index} on.
     *
     * @param from first offset of the segment, at most that of the record at {@code index}
     * @param bound offset that the segment must not reach beyond: the limit, or where another version begins
     * @param table by a version of the scales that it {@link #knows}
     * @param gate asked for each refused record; when it says no the segment ends before that, and may be empty
     */
    Segment build(RecordBatch batch, int index, long from, long bound, RoutingTable table, Gate gate) {
        staged.tuples().clear();
        refused.clear();
        stopped = false;
        awaited = null;
        // A position decides the table, and the table the scales: who reads again makes the same keys.
        keyMaker = keyMakers.get(table.scales() - 1);
        int record = index;
        TupleBlock rows = staged.tuples();
        while (record < batch.count()
                && batch.offsets()[record] < bound
                && batch.offsets()[record] - from < Integer.MAX_VALUE
                && rows.bytes() < segmentBytes) {
            int before = rows.size();
            int arena = rows.arenaSize();
            int refusedBefore = refused.size();
            try {
                decode(batch, record, from);
            } catch (SchemaAwaitedException e) {
                awaited = e.getMessage();
                stopped = true;
                prefetch(batch, record + 1);
                break;
            }
            rows = staged.tuples();
            if (refused.size() > refusedBefore && !gate.passes(refused.get(refusedBefore))) {
                rows.setSize(before);
                rows.setArenaSize(arena);
                refused.subList(refusedBefore, refused.size()).clear();
                stopped = true;
                break;
            }
            record++;
        }
        next = record;
        records = record - index;
        long to = Math.min(bound, record < batch.count() ? batch.offsets()[record] : batch.to());
        return new Segment(from, to, table, divide(table, from), refused, batch.producedMillis());
    }

    /** Has the schemas of the next records asked for, as long as one is awaited. */
    private void prefetch(RecordBatch batch, int from) {
        int to = Math.min(batch.count(), from + MOST_PREFETCHED);
        for (int record = from; record < to; record++) {
            decoder.prefetch(batch.values()[record]);
        }
    }

    private void decode(RecordBatch batch, int record, long from) {
        long offset = batch.offsets()[record];
        ByteBuffer value = batch.values()[record];
        FactColumns facts = batch.facts();
        if (facts == null && needsFacts) {
            throw new IllegalStateException("a batch without what Kafka has of its records, which fields are of");
        }
        TupleBlock rows = staged.tuples();
        int before = rows.size();
        currentOffset = offset;
        currentValue = value;
        try {
            decoder.decode(value, facts == null ? RecordFacts.UNWRITTEN : facts.at(record), rows);
            keyMaker.fill(rows, before, rowRejects);
        } catch (RejectedRecordException e) {
            refuse(-1, e.kind(), e.getMessage());
        }
        int after = rows.size();
        if (after > staged.offsets().length) {
            staged = new BlockBody.StagedRows(
                    rows, Arrays.copyOf(staged.offsets(), Math.max(after, staged.offsets().length * 3 / 2)));
        }
        Arrays.fill(staged.offsets(), before, after, (int) (offset - from));
    }

    private void refuseRow(int index, String reason) {
        refuse(index, RefusalKind.KEY, reason);
    }

    private void refuse(int index, RefusalKind kind, @Nullable String reason) {
        if (currentValue == null) {
            throw new IllegalStateException("a row was refused outside a record");
        }
        refused.add(new RefusedRow(
                currentOffset, index, kind, reason == null ? "cannot be decoded" : reason, currentValue));
    }

    private @Nullable BlockBody[] divide(RoutingTable table, long from) {
        TupleBlock rows = staged.tuples();
        int size = rows.size();
        int slotCount = table.indexers().length;
        @Nullable BlockBody[] bodies = new BlockBody[slotCount];
        int[] counts = new int[slotCount];
        if (slots.length < size) {
            slots = new int[Math.max(size, slots.length * 3 / 2)];
        }
        long[] keys = rows.keys();
        for (int row = 0; row < size; row++) {
            int slot = table.slotOf(keys[row]);
            slots[row] = slot;
            counts[slot]++;
        }
        for (int slot = 0; slot < slotCount; slot++) {
            if (counts[slot] == 0) {
                continue;
            }
            BlockBody body = pool.take(from);
            bodies[slot] = body;
            if (counts[slot] == size) {
                // All rows are of one indexer: no copy, the buffers change places.
                staged = body.swap(staged);
            } else {
                copy(body, slot, counts[slot]);
            }
        }
        if (!refused.isEmpty()) {
            // Refused rows have no key; the first indexer of the table counts them.
            BlockBody first = bodies[0];
            if (first == null) {
                first = pool.take(from);
                bodies[0] = first;
            }
            for (RefusedRow row : refused) {
                first.addRejected((int) (row.offset() - from));
            }
        }
        return bodies;
    }

    private void copy(BlockBody body, int slot, int count) {
        TupleBlock source = staged.tuples();
        TupleBlock target = body.tuples();
        target.ensureRows(count);
        int[] sourceOffsets = staged.offsets();
        int[] targetOffsets = body.ensureOffsets(count);
        int size = source.size();
        int out = 0;
        for (int row = 0; row < size; row++) {
            if (slots[row] == slot) {
                target.keys()[out] = source.keys()[row];
                target.times()[out] = source.times()[row];
                targetOffsets[out++] = sourceOffsets[row];
            }
        }
        for (int column = 0; column < layout.columns(); column++) {
            copyColumn(source, target, column, slot, size);
        }
        target.setSize(count);
    }

    private void copyColumn(TupleBlock source, TupleBlock target, int column, int slot, int size) {
        byte[] from = source.column(column);
        byte[] to = target.column(column);
        int out = 0;
        if (layout.variable(column)) {
            for (int row = 0; row < size; row++) {
                if (slots[row] == slot) {
                    long reference = LittleEndian.getLong(from, row * 8);
                    long moved = target.addToArena(
                            source.arena(),
                            TupleBlock.referenceOffset(reference),
                            TupleBlock.referenceLength(reference));
                    LittleEndian.putLong(to, out++ * 8, moved);
                }
            }
            return;
        }
        switch (layout.width(column)) {
            case 8 -> {
                for (int row = 0; row < size; row++) {
                    if (slots[row] == slot) {
                        LittleEndian.putLong(to, out++ * 8, LittleEndian.getLong(from, row * 8));
                    }
                }
            }
            case 4 -> {
                for (int row = 0; row < size; row++) {
                    if (slots[row] == slot) {
                        LittleEndian.putInt(to, out++ * 4, LittleEndian.getInt(from, row * 4));
                    }
                }
            }
            default -> {
                int width = layout.width(column);
                for (int row = 0; row < size; row++) {
                    if (slots[row] == slot) {
                        System.arraycopy(from, row * width, to, out++ * width, width);
                    }
                }
            }
        }
    }
}
