package io.waterwheel.topology.message;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import io.waterwheel.ingest.source.LiveBatch;
import io.waterwheel.ingest.source.RecordBatch;
import io.waterwheel.ingest.source.SpoutHeartbeats;
import java.util.ArrayList;
import java.util.List;

/** Kryo form of {@link SpoutHeartbeats}: their number, then the numbers of each. */
public final class SpoutHeartbeatsSerializer extends Serializer<SpoutHeartbeats> {
    private static final int MAX_PARTITIONS = 1 << 20;

    @Override
    public void write(Kryo kryo, Output output, SpoutHeartbeats heartbeats) {
        output.writeInt(heartbeats.partitions().size());
        for (LiveBatch heartbeat : heartbeats.partitions()) {
            RecordBatch place = heartbeat.records();
            output.writeInt(place.streamId());
            output.writeInt(place.partition());
            output.writeLong(place.to());
            LiveBatchSerializer.writeAccount(output, heartbeat);
        }
    }

    @Override
    public SpoutHeartbeats read(Kryo kryo, Input input, Class<? extends SpoutHeartbeats> type) {
        int count = LiveBatchSerializer.bounded(input.readInt(), MAX_PARTITIONS, "heartbeats");
        List<LiveBatch> partitions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            partitions.add(LiveBatchSerializer.withAccount(
                    input, RecordBatch.heartbeat(input.readInt(), input.readInt(), input.readLong())));
        }
        return new SpoutHeartbeats(partitions);
    }
}
