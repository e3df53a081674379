package io.waterwheel.topology.message;

import io.waterwheel.decode.BlockCodec;
import io.waterwheel.ingest.block.BlockBody;
import io.waterwheel.ingest.block.ChannelBlock;
import io.waterwheel.protocol.ChannelEpoch;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import org.jspecify.annotations.Nullable;

/**
 * A channel block as a message. Inside a worker it goes by reference; between workers it is encoded, and decoded by the
 * receiving task, which knows the stream's layout.
 */
public final class BlockMessage {
    private static final int HEADER_BYTES = 4 + 4 + 4 + 4 + 8 + 8 + 8 + 4 + 8 + 1;
    private static final int MAX_ROWS = 1 << 24;

    private final @Nullable ChannelBlock block;
    private final byte @Nullable [] encoded;

    private BlockMessage(@Nullable ChannelBlock block, byte @Nullable [] encoded) {
        this.block = block;
        this.encoded = encoded;
    }

    public static BlockMessage of(ChannelBlock block) {
        return new BlockMessage(block, null);
    }

    static BlockMessage ofEncoded(byte[] encoded) {
        return new BlockMessage(null, encoded);
    }

    /** The stream it belongs to. */
    public int streamId() {
        if (block != null) {
            return block.streamId();
        }
        byte[] bytes = bytes();
        if (bytes.length < HEADER_BYTES) {
            throw new IllegalArgumentException(
                    "channel block: expected " + HEADER_BYTES + " bytes, got " + bytes.length);
        }
        return LittleEndian.getInt(bytes, 0);
    }

    private byte[] bytes() {
        byte[] bytes = encoded;
        if (bytes == null) {
            throw new IllegalStateException("the block was not encoded");
        }
        return bytes;
    }

    /** The block, decoded if it came from another worker. */
    public ChannelBlock block(RowLayout layout) {
        ChannelBlock local = block;
        return local != null ? local : decode(bytes(), layout);
    }

    byte[] encode() {
        ChannelBlock local = block;
        if (local == null) {
            return bytes();
        }
        BlockBody body = local.body();
        int rows = body == null ? 0 : body.tuples().size();
        int rejected = body == null ? 0 : body.rejectedCount();
        int tupleBytes = body == null ? 0 : BlockCodec.encodedBytes(body.tuples(), true);
        int length = HEADER_BYTES + (body == null ? 0 : 8 + 4 + 4 + 4 * (rows + rejected) + tupleBytes);
        byte[] bytes = new byte[length];
        LittleEndian.putInt(bytes, 0, local.streamId());
        LittleEndian.putInt(bytes, 4, local.partition());
        LittleEndian.putInt(bytes, 8, local.indexer());
        LittleEndian.putInt(bytes, 12, local.epoch().indexerEpoch());
        LittleEndian.putLong(bytes, 16, local.epoch().attempt());
        LittleEndian.putLong(bytes, 24, local.from());
        LittleEndian.putLong(bytes, 32, local.to());
        LittleEndian.putInt(bytes, 40, local.version());
        LittleEndian.putLong(bytes, 44, local.producedMillis());
        bytes[52] = (byte) (body == null ? 0 : 1);
        if (body != null) {
            int at = HEADER_BYTES;
            LittleEndian.putLong(bytes, at, body.base());
            LittleEndian.putInt(bytes, at + 8, rows);
            LittleEndian.putInt(bytes, at + 12, rejected);
            at += 16;
            for (int i = 0; i < rows; i++, at += 4) {
                LittleEndian.putInt(bytes, at, body.relativeOffsets()[i]);
            }
            for (int i = 0; i < rejected; i++, at += 4) {
                LittleEndian.putInt(bytes, at, body.relativeRejected()[i]);
            }
            BlockCodec.encode(body.tuples(), true, bytes, at);
        }
        return bytes;
    }

    private static ChannelBlock decode(byte[] bytes, RowLayout layout) {
        BlockBody body = null;
        if (bytes[52] != 0) {
            int at = HEADER_BYTES;
            if (bytes.length < at + 16) {
                throw new IllegalArgumentException("channel block: cut off in its body's header");
            }
            long base = LittleEndian.getLong(bytes, at);
            int rows = LittleEndian.getInt(bytes, at + 8);
            int rejected = LittleEndian.getInt(bytes, at + 12);
            at += 16;
            if (rows < 0 || rejected < 0 || rows > MAX_ROWS || (long) at + 4L * rows + 4L * rejected > bytes.length) {
                throw new IllegalArgumentException("channel block: " + rows + " rows and " + rejected
                        + " refused rows do not fit into " + bytes.length + " bytes");
            }
            int[] offsets = new int[rows];
            for (int i = 0; i < rows; i++, at += 4) {
                offsets[i] = LittleEndian.getInt(bytes, at);
            }
            int[] refused = new int[rejected];
            for (int i = 0; i < rejected; i++, at += 4) {
                refused[i] = LittleEndian.getInt(bytes, at);
            }
            TupleBlock tuples = new TupleBlock(layout, rows);
            BlockCodec.decode(bytes, at, bytes.length - at, tuples);
            if (tuples.size() != rows) {
                throw new IllegalArgumentException(
                        "channel block: " + rows + " offsets for " + tuples.size() + " tuples");
            }
            body = BlockBody.of(tuples, base, offsets, refused);
        }
        return new ChannelBlock(
                LittleEndian.getInt(bytes, 0),
                LittleEndian.getInt(bytes, 4),
                LittleEndian.getInt(bytes, 8),
                new ChannelEpoch(LittleEndian.getInt(bytes, 12), LittleEndian.getLong(bytes, 16)),
                LittleEndian.getLong(bytes, 24),
                LittleEndian.getLong(bytes, 32),
                LittleEndian.getInt(bytes, 40),
                body,
                LittleEndian.getLong(bytes, 44));
    }
}
