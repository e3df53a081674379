package io.waterwheel.topology.kafka;

import io.waterwheel.decode.RecordFacts;
import java.nio.ByteBuffer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** What Kafka's client says of a record that it has read. */
record ConsumedFacts(ConsumerRecord<ByteBuffer, ByteBuffer> record) implements RecordFacts {
    @Override
    public int partition() {
        return record.partition();
    }

    @Override
    public long offset() {
        return record.offset();
    }

    @Override
    public long timestamp() {
        return record.timestamp();
    }

    @Override
    public @Nullable ByteBuffer key() {
        return record.key();
    }

    @Override
    public @Nullable ByteBuffer header(String name) {
        Header last = record.headers().lastHeader(name);
        byte[] value = last == null ? null : last.value();
        return value == null ? null : ByteBuffer.wrap(value);
    }
}
