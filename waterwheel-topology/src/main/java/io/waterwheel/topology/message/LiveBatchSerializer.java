package io.waterwheel.topology.message;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import io.waterwheel.decode.FactColumns;
import io.waterwheel.ingest.source.LiveBatch;
import io.waterwheel.ingest.source.RecordBatch;
import io.waterwheel.schema.text.KafkaFields;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Kryo form of {@link LiveBatch}: numbers, then each record as offset, length, bytes, then what Kafka has of the
 * records beside that, then the account.
 */
public final class LiveBatchSerializer extends Serializer<LiveBatch> {
    private static final int MAX_RECORDS = 1 << 24;
    private static final int MAX_RECORD_BYTES = 64 << 20;
    /** As many as a stream has fields. */
    private static final int MAX_HEADERS = 256;

    private static final byte NO_FACTS = 0;
    private static final byte FACTS = 1;
    private static final byte FACTS_WITH_KEY = 2;

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
        writeFacts(output, batch);
        writeAccount(output, live);
    }

    private static void writeFacts(Output output, RecordBatch batch) {
        FactColumns facts = batch.facts();
        if (facts == null) {
            output.writeByte(NO_FACTS);
            return;
        }
        KafkaFields wanted = facts.wanted();
        output.writeByte(wanted.key() ? FACTS_WITH_KEY : FACTS);
        output.writeInt(wanted.headers().size());
        wanted.headers().forEach(output::writeString);
        output.writeLong(facts.base());
        for (int i = 0; i < batch.count(); i++) {
            output.writeLong(facts.timestamp(i));
            for (int t = 0; t < FactColumns.texts(wanted); t++) {
                ByteBuffer text = facts.text(t, i);
                output.writeInt(text == null ? -1 : text.remaining());
                if (text != null) {
                    output.writeBytes(text.array(), text.arrayOffset() + text.position(), text.remaining());
                }
            }
        }
    }

    private static @Nullable FactColumns readFacts(Input input, int partition, long[] offsets) {
        byte kind = input.readByte();
        if (kind == NO_FACTS) {
            return null;
        }
        int count = bounded(input.readInt(), MAX_HEADERS, "headers");
        List<String> headers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            headers.add(input.readString());
        }
        KafkaFields wanted = new KafkaFields(true, kind == FACTS_WITH_KEY, headers);
        FactColumns facts = new FactColumns(wanted, partition, input.readLong(), offsets);
        for (int i = 0; i < offsets.length; i++) {
            facts.setTimestamp(i, input.readLong());
            for (int t = 0; t < FactColumns.texts(wanted); t++) {
                int length = input.readInt();
                if (length != -1) {
                    facts.setText(
                            t,
                            i,
                            ByteBuffer.wrap(input.readBytes(bounded(length, MAX_RECORD_BYTES, "bytes of a text"))));
                }
            }
        }
        return facts;
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
        FactColumns facts = readFacts(input, partition, offsets);
        return withAccount(
                input, new RecordBatch(streamId, partition, from, to, count, offsets, values, produced, facts));
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
