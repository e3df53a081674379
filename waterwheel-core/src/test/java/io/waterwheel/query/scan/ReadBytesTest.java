package io.waterwheel.query.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.chunk.ChunkRows;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.ScanStatistics;
import io.waterwheel.query.expression.ExpressionParser;
import io.waterwheel.query.result.Gather;
import io.waterwheel.query.rows.RowSink;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.TimestampUnit;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a scan says that it has read of the chunk store is what the store has handed out. */
final class ReadBytesTest {
    private static final int ROWS = 40_000;
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("k", FieldType.LONG, false),
                    new Field("t", FieldType.TIMESTAMP, false),
                    new Field("x", FieldType.DOUBLE, false),
                    new Field("s", FieldType.STRING, false, TimestampUnit.NANOSECONDS, true),
                    new Field("y", FieldType.DOUBLE, false)),
            new KeySpec.Ordered("k"),
            "t");
    private static final RowLayout LAYOUT = RowLayout.of(SCHEMA);

    @TempDir
    Path folder;

    private long handedOut;
    private ScanStatistics said = ScanStatistics.NOTHING;

    @Test
    void allThatIsReadIsSaid() throws IOException {
        LocalChunkStore files = new LocalChunkStore(folder);
        write(files);
        ChunkStore counting = counting(ChunkStore.class, files);
        boolean readAlong = false;
        for (String condition : List.of("x > 0.999", "s = 'text 7'", "y < 0.001", "k < 3000 and y > 0.5", "x > 2")) {
            ChunkScan scan = new ChunkScan(counting, new ChunkCache(64 << 20));
            long cold = scan(scan, condition);
            assertThat(said.parts().allBytesRead()).as("cold: " + condition).isEqualTo(cold);
            assertThat(cold).as(condition).isPositive();
            readAlong |= said.parts().allBytesRead()
                    > said.parts().bytesRead() + said.parts().directoryBytesRead();
            long warm = scan(scan, condition);
            assertThat(said.parts().allBytesRead()).as("warm: " + condition).isEqualTo(warm);
            assertThat(warm).as("warm: " + condition).isZero();
        }
        assertThat(readAlong).as("something lay between what was read").isTrue();
    }

    private static void write(LocalChunkStore files) throws IOException {
        Random random = new Random(1);
        TupleBlock block = new TupleBlock(LAYOUT, ROWS);
        for (int row = 0; row < ROWS; row++) {
            block.keys()[row] = row;
            block.times()[row] = row + 1000L * random.nextInt(5);
            LittleEndian.putLong(column(block, 2), row * 8, Double.doubleToRawLongBits(random.nextDouble()));
            byte[] text = ("text " + random.nextInt(50)).getBytes(StandardCharsets.UTF_8);
            LittleEndian.putLong(column(block, 3), row * 8, block.addToArena(text, 0, text.length));
            LittleEndian.putLong(column(block, 4), row * 8, Double.doubleToRawLongBits(random.nextDouble()));
        }
        block.setSize(ROWS);
        ChunkRows.write(block, SCHEMA, files, "r.chunk").discard();
    }

    private static byte[] column(TupleBlock block, int field) {
        return block.column(LAYOUT.columnOf(field));
    }

    /** Bytes that the store has handed out for it. */
    private long scan(ChunkScan scan, String condition) throws IOException {
        handedOut = 0;
        said = ScanStatistics.NOTHING;
        ScanSpec spec = new ScanSpec(
                List.of(KeyInterval.ALL),
                TimeInterval.ALL,
                null,
                ExpressionParser.parse(condition),
                Gather.of(
                        new ResultSpec.Rows(NamedExpression.fields("k"), List.of(), Query.NO_LIMIT),
                        LAYOUT,
                        SCHEMA,
                        TimeInterval.ALL,
                        null));
        scan.scan("r.chunk", LAYOUT, spec, new RowSink() {
            @Override
            public boolean accept(TupleBlock rows) {
                return true;
            }

            @Override
            public void scanned(ScanStatistics what) {
                said = said.plus(what);
            }
        });
        return handedOut;
    }

    /** The same, but what is read is counted. */
    private <T> T counting(Class<T> type, T of) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    Object answer = call(method, of, arguments);
                    if (method.getName().equals("read")) {
                        handedOut += (int) arguments[3];
                    } else if (method.getName().equals("readVectored")) {
                        for (int length : (int[]) arguments[1]) {
                            handedOut += length;
                        }
                    }
                    return answer instanceof ChunkStore.Input input ? counting(ChunkStore.Input.class, input) : answer;
                }));
    }

    private static Object call(Method method, Object of, Object[] arguments) throws Throwable {
        try {
            return method.invoke(of, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
