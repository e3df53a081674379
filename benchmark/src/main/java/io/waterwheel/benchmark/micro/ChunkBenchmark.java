package io.waterwheel.benchmark.micro;

import io.waterwheel.benchmark.data.TaxiTuples;
import io.waterwheel.chunk.ChunkReader;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.chunk.EncodedChunk;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * A full tree of taxi tuples to a chunk and back, in nanoseconds a tuple, one thread: sort and encode; the same with
 * insertion before and the synced file behind; decoding of every column. The floor copies the tuples' bytes.
 *
 * <pre>
 * java -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" org.openjdk.jmh.Main ChunkBenchmark
 * </pre>
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 15, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {"-Xms2g", "-Xmx2g", "-XX:+UseParallelGC"})
public class ChunkBenchmark {
    private static final int TUPLES = TaxiBlocks.TUPLES;

    private final Schema schema = TaxiTuples.stream(RecordFormat.BLOCK, 1).schema();
    private final TaxiBlocks taxis = new TaxiBlocks(1, TemplateTree.LEAVES);
    private final PagePool pool = new PagePool(256L << 20);
    private final ChunkWriter writer = new ChunkWriter();
    private final byte[] copied = new byte[TUPLES * TaxiBlocks.LAYOUT.rowWidth()];
    private final TemplateTree tree = tree();
    private Path folder = Path.of("");
    private LocalChunkStore store = newStore();
    private int files;

    private LocalChunkStore newStore() {
        try {
            folder = Files.createTempDirectory("chunk-benchmark");
            return new LocalChunkStore(folder);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private TemplateTree tree() {
        TemplateTree filled = new TemplateTree(TaxiBlocks.LAYOUT, taxis.template, pool);
        for (TupleBlock block : taxis.blocks) {
            filled.insert(block, 0, block.size());
        }
        return filled;
    }

    @Setup(Level.Trial)
    public void writeOne() throws IOException {
        EncodedChunk chunk = writer.encode(tree, schema);
        System.out.printf("%.2f bytes a tuple%n", (double) chunk.bytes() / chunk.tuples());
        store.write("one.chunk", chunk.content());
    }

    @TearDown(Level.Trial)
    public void delete() throws IOException {
        store.delete("one.chunk");
        Files.delete(folder);
    }

    /** The floor: what moving the tuples costs. */
    @Benchmark
    @OperationsPerInvocation(TUPLES)
    public byte[] copy() {
        int at = 0;
        for (TupleBlock block : taxis.blocks) {
            ByteBuffer.wrap(copied, at, block.size() * 8).asLongBuffer().put(block.keys(), 0, block.size());
            at += block.size() * 8;
            ByteBuffer.wrap(copied, at, block.size() * 8).asLongBuffer().put(block.times(), 0, block.size());
            at += block.size() * 8;
            for (int c = 0; c < TaxiBlocks.LAYOUT.columns(); c++) {
                int bytes = block.size() * TaxiBlocks.LAYOUT.width(c);
                System.arraycopy(block.column(c), 0, copied, at, bytes);
                at += bytes;
            }
        }
        return copied;
    }

    @Benchmark
    @OperationsPerInvocation(TUPLES)
    public long encode() {
        return writer.encode(tree, schema).bytes();
    }

    @Benchmark
    @OperationsPerInvocation(TUPLES)
    public long blocksToSyncedChunk() throws IOException {
        TemplateTree filled = tree();
        EncodedChunk chunk = writer.encode(filled, schema);
        String name = files++ + ".chunk";
        store.write(name, chunk.content());
        filled.discard();
        store.delete(name);
        return chunk.bytes();
    }

    @Benchmark
    @OperationsPerInvocation(TUPLES)
    public void decode(Blackhole hole) throws IOException {
        try (ChunkStore.Input input = store.open("one.chunk");
                ChunkReader reader = ChunkReader.open(input, TaxiBlocks.LAYOUT)) {
            for (int leaf = 0; leaf < reader.directory().leaves(); leaf++) {
                hole.consume(reader.readLeaf(leaf));
            }
        }
    }
}
