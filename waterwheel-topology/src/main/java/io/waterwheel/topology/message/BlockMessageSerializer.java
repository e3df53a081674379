package io.waterwheel.topology.message;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;

/** Kryo form of {@link BlockMessage}: a length, then its own encoding. */
public final class BlockMessageSerializer extends Serializer<BlockMessage> {
    private static final int MAX_BYTES = 64 << 20;

    @Override
    public void write(Kryo kryo, Output output, BlockMessage message) {
        byte[] bytes = message.encode();
        output.writeInt(bytes.length);
        output.writeBytes(bytes);
    }

    @Override
    public BlockMessage read(Kryo kryo, Input input, Class<? extends BlockMessage> type) {
        int length = input.readInt();
        if (length < 0 || length > MAX_BYTES) {
            throw new IllegalArgumentException("channel block: length " + length + ", expected at most " + MAX_BYTES);
        }
        return BlockMessage.ofEncoded(input.readBytes(length));
    }
}
