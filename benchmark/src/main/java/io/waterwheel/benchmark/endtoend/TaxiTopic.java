package io.waterwheel.benchmark.endtoend;

import io.waterwheel.benchmark.data.TaxiTuples;
import io.waterwheel.decode.BlockCodec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Fills the stream's topic with taxi tuples before anything reads it. A vehicle's tuples are in one partition. */
final class TaxiTopic {
    private TaxiTopic() {}

    /**
     * Makes and fills the topic; not compressed.
     *
     * @param perRecord tuples in a block record; of no use for CSV, a line a record
     * @return records by partition
     */
    static long[] fill(
            String bootstrap, StreamDefinition stream, long tuples, int perRecord, long seed, int ratePerSecond)
            throws InterruptedException, ExecutionException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            var unused = admin.createTopics(List.of(new NewTopic(stream.topic(), stream.partitions(), (short) 1)))
                    .all()
                    .get();
        }
        long[] records = new long[stream.partitions()];
        AtomicReference<Exception> failure = new AtomicReference<>();
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "linger.ms",
                        20,
                        "batch.size",
                        512 << 10,
                        "buffer.memory",
                        64L << 20,
                        "compression.type",
                        "none"),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            TaxiTuples taxis = new TaxiTuples(seed, ratePerSecond);
            TupleBlock[] blocks = new TupleBlock[stream.partitions()];
            for (int p = 0; p < blocks.length; p++) {
                blocks[p] = new TupleBlock(RowLayout.of(stream.schema()), perRecord);
            }
            for (long i = 0; i < tuples; i++) {
                taxis.next();
                int partition = taxis.id() % blocks.length;
                if (stream.format() == RecordFormat.CSV) {
                    String line = taxis.id() + "," + (float) taxis.longitude() + "," + (float) taxis.latitude() + ","
                            + taxis.time();
                    send(producer, stream, partition, line.getBytes(StandardCharsets.US_ASCII), records, failure);
                    continue;
                }
                TupleBlock block = blocks[partition];
                int row = block.size();
                LittleEndian.putInt(block.column(0), row * 4, taxis.id());
                LittleEndian.putLong(block.column(1), row * 8, Double.doubleToRawLongBits(taxis.longitude()));
                LittleEndian.putLong(block.column(2), row * 8, Double.doubleToRawLongBits(taxis.latitude()));
                block.times()[row] = taxis.time();
                block.setSize(row + 1);
                if (row + 1 == perRecord) {
                    send(producer, stream, partition, BlockCodec.encode(block, false), records, failure);
                    block.clear();
                }
            }
            for (int p = 0; p < blocks.length; p++) {
                if (blocks[p].size() > 0) {
                    send(producer, stream, p, BlockCodec.encode(blocks[p], false), records, failure);
                }
            }
            producer.flush();
        }
        if (failure.get() != null) {
            throw new ExecutionException("the topic could not be filled", failure.get());
        }
        return records;
    }

    private static void send(
            KafkaProducer<byte[], byte[]> producer,
            StreamDefinition stream,
            int partition,
            byte[] value,
            long[] records,
            AtomicReference<Exception> failure) {
        records[partition]++;
        var unused =
                producer.send(new ProducerRecord<>(stream.topic(), partition, null, value), (metadata, problem) -> {
                    if (problem != null) {
                        failure.set(problem);
                    }
                });
    }
}
