package io.waterwheel.benchmark.comparison;

import io.waterwheel.benchmark.Options;
import io.waterwheel.chunk.ChunkReader;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.chunk.EncodedChunk;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.key.KeyCodec;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * What do columns that follow from others save, and what do they cost? One chunk of a set's first rows, with them left
 * out and with them written: bytes, CPU time of encoding, and of reading all parts.
 *
 * <pre>
 * java -Xmx4g -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.comparison.DependencySizes sets=ghcn key=element
 * </pre>
 *
 * Options (name=value): sets, key (a field of text whose values are the keys; empty for the set's own key), rows (of
 * the chunk), rounds (of which the median's CPU time counts), seed, data (folder of the real sets).
 */
public final class DependencySizes {
    private DependencySizes() {}

    public static void main(String[] arguments) throws IOException {
        Options options = new Options(
                arguments,
                "sets",
                "paris,savan,ghcn,zeek,nasa,taxi",
                "key",
                "",
                "rows",
                "300_000",
                "rounds",
                "9",
                "seed",
                "1",
                "data",
                "../shared/data");
        System.out.printf(
                Locale.ROOT,
                "%-8s %10s %10s %12s %10s %12s %10s%n",
                "set",
                "bytes/row",
                "left out",
                "write ns/row",
                "left out",
                "read ns/row",
                "left out");
        for (String set : options.text("sets").split(",", -1)) {
            List<TupleBlock> blocks = new ArrayList<>();
            Schema schema = SetRows.load(set, options, blocks);
            TemplateTree tree = new TemplateTree(RowLayout.of(schema), Template.single(), new PagePool(1L << 30));
            for (TupleBlock block : blocks) {
                if (!options.text("key").isEmpty()) {
                    setKeys(block, RowLayout.of(schema).columnOf(schema.indexOf(options.text("key"))));
                }
                tree.insert(block, 0, block.size());
            }
            measure(set, schema, !options.text("key").isEmpty(), tree, options.integer("rounds"));
            tree.discard();
        }
    }

    private static void setKeys(TupleBlock block, int column) {
        for (int row = 0; row < block.size(); row++) {
            long reference = LittleEndian.getLong(block.column(column), row * 8);
            int length = TupleBlock.referenceLength(reference);
            block.keys()[row] = KeyCodec.ofBytes(block.arena(), TupleBlock.referenceOffset(reference), length);
        }
    }

    private static void measure(String set, Schema schema, boolean otherKeys, TemplateTree tree, int rounds)
            throws IOException {
        ChunkWriter[] writers = {new ChunkWriter(9), new ChunkWriter()};
        long[][] writing = new long[2][rounds];
        long[][] reading = new long[2][rounds];
        double[] bytes = new double[2];
        Path folder = Files.createTempDirectory("waterwheel-dependency-sizes");
        try (ChunkStore store = new LocalChunkStore(folder)) {
            for (int round = 0; round < rounds; round++) {
                for (int w = 0; w < 2; w++) {
                    long start = now();
                    EncodedChunk chunk = otherKeys ? writers[w].encode(tree) : writers[w].encode(tree, schema);
                    writing[w][round] = now() - start;
                    bytes[w] = chunk.bytes();
                    String file = w + "-" + round + ".chunk";
                    store.write(file, chunk.content());
                    start = now();
                    try (ChunkReader reader = ChunkReader.open(store.open(file), RowLayout.of(schema))) {
                        for (int leaf = 0; leaf < reader.directory().leaves(); leaf++) {
                            reader.readLeaf(leaf);
                        }
                    }
                    reading[w][round] = now() - start;
                }
            }
        } finally {
            SetRows.delete(folder);
        }
        double rows = tree.tuples();
        System.out.printf(
                Locale.ROOT,
                "%-8s %10.3f %10.3f %12.1f %10.1f %12.1f %10.1f%n",
                set,
                bytes[0] / rows,
                bytes[1] / rows,
                median(writing[0]) / rows,
                median(writing[1]) / rows,
                median(reading[0]) / rows,
                median(reading[1]) / rows);
    }

    private static long now() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static double median(long[] nanos) {
        Arrays.sort(nanos);
        return nanos[nanos.length / 2];
    }
}
