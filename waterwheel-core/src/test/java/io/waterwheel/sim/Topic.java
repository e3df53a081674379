package io.waterwheel.sim;

import io.waterwheel.decode.BlockCodec;
import io.waterwheel.ingest.source.RecordBatch;
import io.waterwheel.schema.Dimension;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The log, and what was produced into it: the truth that answers are compared with. */
final class Topic {
    static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("id", FieldType.LONG, false),
                    new Field("k", FieldType.LONG, false),
                    new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("k"),
            "t");
    static final RowLayout LAYOUT = RowLayout.of(SCHEMA);

    /** Of each of two dimensions. */
    static final int DIMENSION_BITS = 3;

    /** A key of dimensions, of which one moves on: its scales may be changed. Its rows are as wide. */
    static final Schema SCALED = new Schema(
            List.of(
                    new Field("id", FieldType.INT, false),
                    new Field("k", FieldType.INT, false),
                    new Field("t", FieldType.TIMESTAMP, false)),
            new KeySpec.Dimensions(
                    List.of(
                            new Dimension(
                                    "k",
                                    DIMENSION_BITS,
                                    List.of(String.valueOf(Integer.MIN_VALUE), String.valueOf(Integer.MAX_VALUE)),
                                    List.of()),
                            new Dimension("id", DIMENSION_BITS, List.of("0", "99"), List.of())),
                    List.of()),
            "t");

    private static final int MAX_ROWS = 5;

    /** What the refused rows of a record's block take beside its tuples, at most. */
    static final long REFUSED_BYTES = (long) MAX_ROWS * Integer.BYTES;

    /** Bytes of tuples that one record may hold. */
    static final long RECORD_BYTES = (long) MAX_ROWS * LAYOUT.rowWidth();

    /** Records that one read brings at most. */
    static final int BATCH_RECORDS = 8;

    /** Bytes of a batch that waits, at most: what its records are encoded in, and what holds them. */
    static final long BATCH_BYTES = BATCH_RECORDS * (RECORD_BYTES + 64 + 64);

    /** A tuple as produced. */
    record Produced(long id, long key, long time, int partition, long offset) {}

    private final Random random;
    private final int streamId;
    final Schema schema;
    final RowLayout layout;
    /** By partition and offset; null where the log has no record, as after a transaction's end. */
    private final List<List<@Nullable ByteBuffer>> log = new ArrayList<>();

    private final Map<Long, Produced> produced = new HashMap<>();
    private final List<Set<Long>> bad = new ArrayList<>();
    private final List<Letters> letters = new ArrayList<>();
    private long badCount;

    Topic(Random random, int streamId, int partitions) {
        this(random, streamId, partitions, SCHEMA);
    }

    Topic(Random random, int streamId, int partitions, Schema schema) {
        this.random = random;
        this.streamId = streamId;
        this.schema = schema;
        this.layout = RowLayout.of(schema);
        for (int p = 0; p < partitions; p++) {
            log.add(new ArrayList<>());
            bad.add(new HashSet<>());
            letters.add(new Letters());
        }
    }

    /** Whether the key has dimensions. */
    boolean scaled() {
        return schema.key().dimensional() != null;
    }

    int partitions() {
        return log.size();
    }

    long end(int partition) {
        return log.get(partition).size();
    }

    long[] ends() {
        long[] ends = new long[log.size()];
        for (int p = 0; p < ends.length; p++) {
            ends[p] = end(p);
        }
        return ends;
    }

    Map<Long, Produced> produced() {
        return produced;
    }

    /** Offsets of a partition that hold no decodable record. */
    Set<Long> bad(int partition) {
        return bad.get(partition);
    }

    /** The dead letters of a partition. */
    Letters letters(int partition) {
        return letters.get(partition);
    }

    long badCount() {
        return badCount;
    }

    /** Appends one to four offsets. */
    void produce(int partition, long nowMillis) {
        List<@Nullable ByteBuffer> records = log.get(partition);
        for (int n = random.nextInt(4); n >= 0; n--) {
            int kind = random.nextInt(40);
            if (kind < 2) {
                badCount++;
                bad.get(partition).add((long) records.size());
                records.add(ByteBuffer.wrap(new byte[] {1, 2, 3}));
            } else if (kind < 5) {
                records.add(null);
            } else {
                records.add(record(partition, records.size(), nowMillis));
            }
        }
    }

    private ByteBuffer record(int partition, long offset, long nowMillis) {
        TupleBlock block = new TupleBlock(layout, MAX_ROWS);
        int rows = random.nextInt(MAX_ROWS + 1);
        for (int row = 0; row < rows; row++) {
            long id = produced.size();
            long key = scaled() ? random.nextInt() : random.nextLong();
            // Most are of about now; some late, some from the future.
            block.times()[row] =
                    nowMillis + (random.nextInt(10) == 0 ? random.nextInt(40_000) - 20_000 : random.nextInt(1000));
            if (scaled()) {
                LittleEndian.putInt(block.column(0), row * 4, (int) id);
                LittleEndian.putInt(block.column(1), row * 4, (int) key);
            } else {
                block.keys()[row] = key;
                LittleEndian.putLong(block.column(0), row * 8, id);
            }
            produced.put(id, new Produced(id, key, block.times()[row], partition, offset));
        }
        block.setSize(rows);
        return ByteBuffer.wrap(BlockCodec.encode(block, !scaled()));
    }

    /** Reads at most so many offsets. */
    RecordBatch read(int partition, long from, int most) {
        List<@Nullable ByteBuffer> records = log.get(partition);
        int to = (int) Math.min(records.size(), from + most);
        long[] offsets = new long[most];
        ByteBuffer[] values = new ByteBuffer[most];
        int count = 0;
        for (int offset = (int) from; offset < to; offset++) {
            ByteBuffer value = records.get(offset);
            if (value != null) {
                offsets[count] = offset;
                values[count++] = value.duplicate();
            }
        }
        return new RecordBatch(streamId, partition, from, Math.max(from, to), count, offsets, values);
    }
}
