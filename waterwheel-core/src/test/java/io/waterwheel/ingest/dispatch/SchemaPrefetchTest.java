package io.waterwheel.ingest.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.decode.typed.RegisteredSchema;
import io.waterwheel.decode.typed.SchemaAwaitedException;
import io.waterwheel.decode.typed.WriterSchemas;
import io.waterwheel.ingest.block.BodyPool;
import io.waterwheel.ingest.source.RecordBatch;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.KeyInterval;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A record that waits for its schema has those of the records behind it asked for. */
final class SchemaPrefetchTest {
    private static final StreamDefinition STREAM = SchemaFile.read("s.yaml", """
            name: s
            format: avro
            fields: [{name: at, type: timestamp}]
            key: {field: at}
            time: at
            records: {registry: 'http://127.0.0.1:8081'}
            """);

    @Test
    void oneAnswersTimeIsWaitedForSchemasOfManyRecords() {
        List<String> calls = new ArrayList<>();
        WriterSchemas registry = new WriterSchemas() {
            @Override
            public RegisteredSchema get(int id) {
                calls.add("get " + id);
                throw new SchemaAwaitedException("schema " + id);
            }

            @Override
            public void prefetch(int id) {
                calls.add("prefetch " + id);
            }
        };
        Segmenter segmenter = new Segmenter(
                STREAM.schema(), STREAM.format(), registry, new BodyPool(RowLayout.of(STREAM.schema()), 4), 1 << 16);
        ByteBuffer[] values = {
            framed(3), framed(3), framed(8), ByteBuffer.wrap(new byte[] {1, 2}), framed(-1), framed(9)
        };
        RecordBatch batch = new RecordBatch(1, 0, 0, 6, 6, new long[] {0, 1, 2, 3, 4, 5}, values);
        segmenter.build(batch, 0, 0, 6, RoutingTable.even(1, KeyInterval.ALL, 1), refused -> true);
        assertThat(segmenter.awaited()).isEqualTo("schema 3");
        assertThat(segmenter.next()).isZero();
        assertThat(calls).containsExactly("get 3", "prefetch 3", "prefetch 8", "prefetch 9");
    }

    private static ByteBuffer framed(int id) {
        return ByteBuffer.allocate(6).put((byte) 0).putInt(id).put((byte) 2).flip();
    }
}
