package io.waterwheel.topology.message;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import io.waterwheel.ingest.block.ChannelHeartbeats;
import io.waterwheel.protocol.ChannelEpoch;

/** Kryo form of {@link ChannelHeartbeats}: their number, then the numbers of each. */
public final class ChannelHeartbeatsSerializer extends Serializer<ChannelHeartbeats> {
    @Override
    public void write(Kryo kryo, Output output, ChannelHeartbeats heartbeats) {
        output.writeInt(heartbeats.size());
        for (int i = 0; i < heartbeats.size(); i++) {
            output.writeInt(heartbeats.streamId(i));
            output.writeInt(heartbeats.partition(i));
            output.writeInt(heartbeats.indexer(i));
            output.writeInt(heartbeats.indexerEpoch(i));
            output.writeLong(heartbeats.attempt(i));
            output.writeLong(heartbeats.position(i));
            output.writeLong(heartbeats.sent(i));
            output.writeLong(heartbeats.granted(i));
        }
    }

    @Override
    public ChannelHeartbeats read(Kryo kryo, Input input, Class<? extends ChannelHeartbeats> type) {
        int count = input.readInt();
        if (count < 0 || count > ChannelHeartbeats.MAX_SIZE) {
            throw new IllegalArgumentException(
                    "heartbeats of " + count + " channels, expected at most " + ChannelHeartbeats.MAX_SIZE);
        }
        ChannelHeartbeats heartbeats = new ChannelHeartbeats(count);
        for (int i = 0; i < count; i++) {
            heartbeats.add(
                    input.readInt(),
                    input.readInt(),
                    input.readInt(),
                    new ChannelEpoch(input.readInt(), input.readLong()),
                    input.readLong(),
                    input.readLong(),
                    input.readLong());
        }
        return heartbeats;
    }
}
