package io.waterwheel.benchmark.figures;

import io.waterwheel.benchmark.Options;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.chunk.EncodedChunk;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * Figure 11(a) of [Wang 2018]: tuples a second by the size of chunks. One thread inserts taxi tuples until the tree has
 * the size, encodes it and writes it as a synced file.
 *
 * <pre>
 * java -Xms3g -Xmx3g -XX:+UseParallelGC -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.figures.ChunkSizes
 * </pre>
 *
 * Options (name=value): bytes (of tuples, for each size), rounds (of which the median counts), seed.
 */
public final class ChunkSizes {
    private static final int[] MEBIBYTES = {4, 8, 16, 32, 64, 128, 256};

    private ChunkSizes() {}

    public static void main(String[] arguments) throws IOException {
        Options options = new Options(arguments, "bytes", "536_870_912", "rounds", "3", "seed", "1");
        options.printMachine();
        long seed = options.number("seed");
        TupleBlock[] blocks = KeyedTaxis.blocks(KeyedTaxis.TREE_TUPLES, seed, KeyedTaxis.normal(seed, 0, 1L << 40));
        Path folder = Files.createTempDirectory("chunk-sizes");
        LocalChunkStore store = new LocalChunkStore(folder);
        measure(16 << 20, options.number("bytes"), blocks, store);
        System.out.println("| chunk, MiB | M tuples/s |");
        System.out.println("|---|---|");
        int rounds = options.integer("rounds");
        for (int size : MEBIBYTES) {
            double[] rates = new double[rounds];
            for (int i = 0; i < rounds; i++) {
                rates[i] = measure((long) size << 20, options.number("bytes"), blocks, store);
            }
            Arrays.sort(rates);
            System.out.printf(Locale.ROOT, "| %d | %.2f |%n", size, rates[rounds / 2]);
        }
        Files.delete(folder);
    }

    private static double measure(long chunkBytes, long bytes, TupleBlock[] blocks, LocalChunkStore store)
            throws IOException {
        PagePool pool = new PagePool(3 * chunkBytes + (64L << 20));
        ChunkWriter writer = new ChunkWriter();
        Template template = Template.single();
        long written = 0;
        long tuples = 0;
        int b = 0;
        long begin = System.nanoTime();
        while (written < bytes) {
            TemplateTree tree = new TemplateTree(KeyedTaxis.LAYOUT, template, pool);
            while (tree.bytes() < chunkBytes) {
                TupleBlock block = blocks[b++ % blocks.length];
                tree.insert(block, 0, block.size());
            }
            EncodedChunk chunk = writer.encode(tree, KeyedTaxis.SCHEMA);
            store.write("one.chunk", chunk.content());
            template = chunk.nextTemplate();
            written += tree.bytes();
            tuples += tree.tuples();
            tree.discard();
            store.delete("one.chunk");
        }
        return tuples * 1e3 / (System.nanoTime() - begin);
    }
}
