package io.waterwheel.topology.kafka;

import io.waterwheel.ingest.source.RecordBatch;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Cuts what one poll brought of a partition into batches that cover it without a gap. */
final class Batches {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

    private Batches() {}

    /**
     * Batches that together cover the positions [from, to): each ends where the next one's first record is, the last at
     * {@code to}, so that transaction markers and aborted records are covered too.
     *
     * @param base added to an offset to make a position
     * @param maxBytes of values in a batch; one record may be larger
     */
    static List<RecordBatch> cut(
            int streamId,
            int partition,
            long from,
            long to,
            long base,
            List<ConsumerRecord<ByteBuffer, ByteBuffer>> records,
            int maxBytes) {
        List<RecordBatch> batches = new ArrayList<>(1);
        long begin = from;
        int first = 0;
        while (true) {
            int end = end(records, first, maxBytes);
            long limit = end == records.size() ? to : records.get(end).offset() + base;
            batches.add(batch(streamId, partition, begin, limit, base, records, first, end));
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
            int maxBytes) {
        int end = end(records, 0, maxBytes);
        long limit = end == records.size() ? to : records.get(end).offset() + base;
        return batch(streamId, partition, from, limit, base, records, 0, end);
    }

    private static int end(List<ConsumerRecord<ByteBuffer, ByteBuffer>> records, int first, int maxBytes) {
        int end = first;
        long bytes = 0;
        while (end < records.size()) {
            ByteBuffer value = records.get(end).value();
            bytes += value == null ? 0 : value.remaining();
            if (bytes > maxBytes && end > first) {
                break;
            }
            end++;
        }
        return end;
    }

    private static RecordBatch batch(
            int streamId,
            int partition,
            long from,
            long to,
            long base,
            List<ConsumerRecord<ByteBuffer, ByteBuffer>> records,
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
        return new RecordBatch(streamId, partition, from, to, count, offsets, values, produced);
    }
}
