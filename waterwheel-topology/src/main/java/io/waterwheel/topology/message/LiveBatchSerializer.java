package io.waterwheel.topology.message;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import io.waterwheel.ingest.source.LiveBatch;
import io.waterwheel.ingest.source.RecordBatch;
import java.nio.ByteBuffer;

/** Kryo form of {@link LiveBatch}: numbers, then each record as offset, length, bytes, then the account. */
public final class LiveBatchSerializer extends Serializer<LiveBatch> {
    private static final int MAX_RECORDS = 1 << 24;
    private static final int MAX_RECORD_BYTES = 64 << 20;

    @Override
    public void write(Kryo kryo, Output output, LiveBatch live) {
        RecordBatch batch = live.records();
        output.writeInt(batch.streamId());
        output.writeInt(batch.partition());
        output.writeLong(batch.from());
        output.writeLong(batch.to());
        output.writeLong(batch.producedMillis());
        output.writeInt(batch.count());
        for (int i = 0; i < batch.count(); i++) {
            ByteBuffer value = batch.values()[i].duplicate();
            output.writeLong(batch.offsets()[i]);
            output.writeInt(value.remaining());
            if (value.hasArray()) {
                output.writeBytes(value.array(), value.arrayOffset() + value.position(), value.remaining());
            } else {
                byte[] copy = new byte[value.remaining()];
                value.get(copy);
                output.writeBytes(copy);
            }
        }
        writeAccount(output, live);
    }

    static void writeAccount(Output output, LiveBatch live) {
        output.writeLong(live.life());
        output.writeLong(live.sent());
        output.writeLong(live.received());
        output.writeLong(live.granted());
    }

    @Override
    public LiveBatch read(Kryo kryo, Input input, Class<? extends LiveBatch> type) {
        int streamId = input.readInt();
        int partition = input.readInt();
        long from = input.readLong();
        long to = input.readLong();
        long produced = input.readLong();
        int count = bounded(input.readInt(), MAX_RECORDS, "records");
        long[] offsets = new long[count];
        ByteBuffer[] values = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            offsets[i] = input.readLong();
            values[i] = ByteBuffer.wrap(input.readBytes(bounded(input.readInt(), MAX_RECORD_BYTES, "bytes")));
        }
        return withAccount(input, new RecordBatch(streamId, partition, from, to, count, offsets, values, produced));
    }

    static LiveBatch withAccount(Input input, RecordBatch records) {
        return new LiveBatch(records, input.readLong(), input.readLong(), input.readLong(), input.readLong());
    }

    static int bounded(int number, int most, String what) {
        if (number < 0 || number > most) {
            throw new IllegalArgumentException("record batch: " + number + " " + what + ", expected at most " + most);
        }
        return number;
    }
}
