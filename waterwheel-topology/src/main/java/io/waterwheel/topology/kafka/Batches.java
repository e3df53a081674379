package io.waterwheel.topology.kafka;

import io.waterwheel.decode.FactColumns;
import io.waterwheel.decode.RecordFacts;
import io.waterwheel.ingest.source.RecordBatch;
import io.waterwheel.schema.text.KafkaFields;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Cuts what one poll brought of a partition into batches that cover it without a gap. */
final class Batches {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

    private Batches() {}

    /**
     * Batches that together cover the positions [from, to): each ends where the next one's first record is, the last at
     * {@code to}, so that transaction markers and aborted records are covered too.
     *
     * @param base added to an offset to make a position
     * @param wanted what the batches hold beside the values
     * @param maxBytes of values, and of what else is wanted, in a batch; one record may be larger
     */
    static List<RecordBatch> cut(
            int streamId,
            int partition,
            long from,
            long to,
            long base,
            List<ConsumerRecord<ByteBuffer, ByteBuffer>> records,
            KafkaFields wanted,
            int maxBytes) {
        List<RecordBatch> batches = new ArrayList<>(1);
        long begin = from;
        int first = 0;
        while (true) {
            int end = end(records, first, wanted, maxBytes);
            long limit = end == records.size() ? to : records.get(end).offset() + base;
            batches.add(batch(streamId, partition, begin, limit, base, records, wanted, first, end));
            if (end == records.size()) {
                return batches;
            }
            begin = limit;
            first = end;
        }
    }

    /** Only the first of the batches: one after the last record that fits. */
    static RecordBatch first(
            int streamId,
            int partition,
            long from,
            long to,
            long base,
            List<ConsumerRecord<ByteBuffer, ByteBuffer>> records,
            KafkaFields wanted,
            int maxBytes) {
        int end = end(records, 0, wanted, maxBytes);
        long limit = end == records.size() ? to : records.get(end).offset() + base;
        return batch(streamId, partition, from, limit, base, records, wanted, 0, end);
    }

    private static int end(
            List<ConsumerRecord<ByteBuffer, ByteBuffer>> records, int first, KafkaFields wanted, int maxBytes) {
        int end = first;
        long bytes = 0;
        while (end < records.size()) {
            bytes += bytes(records.get(end).value());
            if (wanted.any()) {
                bytes += factBytes(records.get(end), wanted);
            }
            if (bytes > maxBytes && end > first) {
                break;
            }
            end++;
        }
        return end;
    }

    private static int bytes(@Nullable ByteBuffer buffer) {
        return buffer == null ? 0 : buffer.remaining();
    }

    private static long factBytes(ConsumerRecord<ByteBuffer, ByteBuffer> record, KafkaFields wanted) {
        RecordFacts facts = new ConsumedFacts(record);
        long bytes = wanted.key() ? bytes(facts.key()) : 0;
        for (String header : wanted.headers()) {
            bytes += bytes(facts.header(header));
        }
        return bytes;
    }

    private static FactColumns facts(
            int partition,
            long base,
            long[] positions,
            List<ConsumerRecord<ByteBuffer, ByteBuffer>> records,
            KafkaFields wanted,
            int first) {
        FactColumns facts = new FactColumns(wanted, partition, base, positions);
        for (int i = 0; i < positions.length; i++) {
            RecordFacts of = new ConsumedFacts(records.get(first + i));
            facts.setTimestamp(i, of.timestamp());
            int text = 0;
            for (String header : wanted.headers()) {
                facts.setText(text++, i, copy(of.header(header)));
            }
            if (wanted.key()) {
                facts.setText(text, i, copy(of.key()));
            }
        }
        return facts;
    }

    private static @Nullable ByteBuffer copy(@Nullable ByteBuffer text) {
        if (text == null) {
            return null;
        }
        byte[] bytes = new byte[text.remaining()];
        text.get(text.position(), bytes);
        return ByteBuffer.wrap(bytes);
    }

    private static RecordBatch batch(
            int streamId,
            int partition,
            long from,
            long to,
            long base,
            List<ConsumerRecord<ByteBuffer, ByteBuffer>> records,
            KafkaFields wanted,
            int first,
            int end) {
        int count = end - first;
        long[] offsets = new long[count];
        ByteBuffer[] values = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            ConsumerRecord<ByteBuffer, ByteBuffer> record = records.get(first + i);
            offsets[i] = record.offset() + base;
            ByteBuffer value = record.value();
            values[i] = value == null ? NOTHING : value;
        }
        // Kafka's own word for no time is -1 too.
        long produced = count == 0 ? RecordBatch.NO_TIME : records.get(first).timestamp();
        FactColumns facts = wanted.any() ? facts(partition, base, offsets, records, wanted, first) : null;
        return new RecordBatch(streamId, partition, from, to, count, offsets, values, produced, facts);
    }
}
