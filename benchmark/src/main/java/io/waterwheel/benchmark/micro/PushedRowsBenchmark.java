package io.waterwheel.benchmark.micro;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.decode.BlockCodec;
import io.waterwheel.gateway.arrow.ArrowDecoder;
import io.waterwheel.gateway.http.PushBudget;
import io.waterwheel.gateway.rows.PushedRows;
import io.waterwheel.gateway.rows.RowDecoder;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * In which form do rows cost a gateway least? The same 5,000 rows of two numbers, a time and a text, decoded from each
 * body that it takes; before it is timed, each has the same number of tuples of the same bytes.
 *
 * <pre>
 * java --add-opens=java.base/java.nio=ALL-UNNAMED -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     org.openjdk.jmh.Main PushedRowsBenchmark
 * </pre>
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {"--add-opens=java.base/java.nio=ALL-UNNAMED"})
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class PushedRowsBenchmark {
    private static final int ROWS = 5_000;
    private static final StreamDefinition STREAM = new StreamDefinition(
            "s",
            "s",
            RecordFormat.BLOCK,
            1,
            new Schema(
                    List.of(
                            new Field("id", FieldType.LONG, false),
                            new Field("at", FieldType.TIMESTAMP, false),
                            new Field("value", FieldType.DOUBLE, true),
                            new Field("note", FieldType.STRING, true)),
                    new KeySpec.Ordered("id"),
                    "at"));

    private byte[] csv = {};
    private byte[] json = {};
    private byte[] arrow = {};
    private byte[] block = {};

    @Setup
    public void make() throws IOException {
        Random random = new Random(1);
        StringBuilder lines = new StringBuilder();
        StringBuilder objects = new StringBuilder();
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        try (RootAllocator allocator = new RootAllocator();
                BigIntVector ids = new BigIntVector("id", allocator);
                BigIntVector times = new BigIntVector("at", allocator);
                Float8Vector values = new Float8Vector("value", allocator);
                VarCharVector notes = new VarCharVector("note", allocator)) {
            for (int row = 0; row < ROWS; row++) {
                long id = random.nextInt(1_000_000);
                long at = 1_633_608_000_000L + row;
                double value = random.nextInt(100_000) / 100.0;
                String note = "note " + random.nextInt(1_000);
                lines.append(id + "," + at + "," + value + "," + note + "\n");
                objects.append(
                        "{\"id\":" + id + ",\"at\":" + at + ",\"value\":" + value + ",\"note\":\"" + note + "\"}\n");
                ids.setSafe(row, id);
                times.setSafe(row, at);
                values.setSafe(row, value);
                notes.setSafe(row, note.getBytes(UTF_8));
            }
            List<FieldVector> columns = List.of(ids, times, values, notes);
            columns.forEach(column -> column.setValueCount(ROWS));
            VectorSchemaRoot root = new VectorSchemaRoot(columns);
            try (ArrowStreamWriter writer = new ArrowStreamWriter(root, null, stream)) {
                writer.start();
                writer.writeBatch();
                writer.end();
            }
        }
        csv = lines.toString().getBytes(UTF_8);
        json = objects.toString().getBytes(UTF_8);
        arrow = stream.toByteArray();
        PushedRows rows = csv();
        block = BlockCodec.encode(rows.tuples(), true);
        for (PushedRows other : List.of(json(), arrow(), block())) {
            if (other.rows() != ROWS || !java.util.Arrays.equals(BlockCodec.encode(other.tuples(), true), block)) {
                throw new IllegalStateException("expected the same " + ROWS + " tuples, got " + other.counts());
            }
        }
    }

    private static PushBudget.Lease lease() {
        return new PushBudget(1L << 30, "rows").lease();
    }

    private static PushedRows decode(RecordFormat format, byte[] body) {
        return new RowDecoder(STREAM, format, false, lease()).decode(body, RowDecoder.Header.ABSENT);
    }

    @Benchmark
    @OperationsPerInvocation(ROWS)
    public PushedRows csv() {
        return decode(RecordFormat.CSV, csv);
    }

    @Benchmark
    @OperationsPerInvocation(ROWS)
    public PushedRows json() {
        return decode(RecordFormat.JSON, json);
    }

    @Benchmark
    @OperationsPerInvocation(ROWS)
    public PushedRows arrow() {
        return new ArrowDecoder(STREAM, false, lease()).decode(arrow);
    }

    @Benchmark
    @OperationsPerInvocation(ROWS)
    public PushedRows block() {
        return decode(RecordFormat.BLOCK, block);
    }
}
