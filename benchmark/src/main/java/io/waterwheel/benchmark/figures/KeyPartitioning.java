package io.waterwheel.benchmark.figures;

import io.waterwheel.benchmark.Options;
import io.waterwheel.benchmark.data.TaxiTuples;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.chunk.EncodedChunk;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.ingest.balance.Balancer;
import io.waterwheel.ingest.balance.BalancerSettings;
import io.waterwheel.protocol.Control;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongUnaryOperator;

/**
 * Figure 12 of [Wang 2018], the part about key partitioning: tuples a second that two indexers take in, a thread each,
 * when keys are normal about 30,000 of 100,000. Off: the domain is divided evenly. On: by what the balancer proposes
 * after six seconds of such keys. An indexer inserts, encodes chunks of 16 MiB and writes them as synced files; blocks
 * are divided beforehand, which costs the dispatcher the same in both.
 *
 * <pre>
 * java -Xms2g -Xmx2g -XX:+UseParallelGC -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.figures.KeyPartitioning
 * </pre>
 *
 * Options (name=value): tuples (of a round), rounds (of which the median counts), seed.
 */
public final class KeyPartitioning {
    private static final int DOMAIN = 100_000;
    private static final double MEAN = 30_000;
    private static final int INDEXERS = 2;
    private static final int[] SIGMAS = {10, 50, 100, 500, 1_000, 5_000, 20_000};
    private static final long CHUNK_BYTES = 16 << 20;
    private static final long SECOND = 1_000_000_000;

    private final Options options;
    private final ExecutorService threads;
    private final LocalChunkStore store;

    private KeyPartitioning(Options options, ExecutorService threads, LocalChunkStore store) {
        this.options = options;
        this.threads = threads;
        this.store = store;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException, ExecutionException {
        Options options = new Options(arguments, "tuples", "8_000_000", "rounds", "5", "seed", "1");
        options.printMachine();
        Path folder = Files.createTempDirectory("key-partitioning");
        ExecutorService threads = Executors.newFixedThreadPool(INDEXERS);
        try {
            KeyPartitioning measured = new KeyPartitioning(options, threads, new LocalChunkStore(folder));
            RoutingTable even = RoutingTable.even(1, new KeyInterval(0, DOMAIN), INDEXERS);
            measured.rate(even, SIGMAS[0]);
            System.out.println("| sigma | off: M tuples/s | on: M tuples/s | on / off |");
            System.out.println("|---|---|---|---|");
            for (int sigma : SIGMAS) {
                double off = measured.rate(even, sigma);
                double on = measured.rate(measured.balanced(even, sigma), sigma);
                System.out.printf(Locale.ROOT, "| %d | %.2f | %.2f | %.2f |%n", sigma, off, on, on / off);
            }
        } finally {
            threads.shutdown();
            Files.delete(folder);
        }
    }

    private LongUnaryOperator keys(int sigma) {
        return KeyedTaxis.normal(options.number("seed"), MEAN, sigma);
    }

    /** The table that replaces the even one when such keys come; the same where the balancer lets it be. */
    private RoutingTable balanced(RoutingTable even, int sigma) {
        LongUnaryOperator keys = keys(sigma);
        Balancer balancer = new Balancer(BalancerSettings.DEFAULT);
        long[] proposed = null;
        for (int second = 1; second <= 10 && proposed == null; second++) {
            long[] sample = new long[Control.KeySample.MAX_KEYS];
            Arrays.setAll(sample, keys::applyAsLong);
            Arrays.sort(sample);
            balancer.onSample(new Control.KeySample(1, 0, sample, 1_000_000), second * SECOND);
            proposed = balancer.propose(even, second * SECOND);
        }
        return proposed == null ? even : new RoutingTable(2, proposed, even.indexers());
    }

    /** Million tuples a second, the median of the rounds. */
    private double rate(RoutingTable table, int sigma) throws InterruptedException, ExecutionException {
        List<List<TupleBlock>> parts = divided(table, sigma);
        double[] rates = new double[options.integer("rounds")];
        for (int round = 0; round < rates.length; round++) {
            List<Future<Long>> indexers = new ArrayList<>();
            long begin = System.nanoTime();
            for (int slot = 0; slot < INDEXERS; slot++) {
                String name = slot + ".chunk";
                List<TupleBlock> blocks = parts.get(slot);
                indexers.add(threads.submit(() -> index(blocks, name)));
            }
            long tuples = 0;
            for (Future<Long> indexer : indexers) {
                tuples += indexer.get();
            }
            rates[round] = tuples * 1e3 / (System.nanoTime() - begin);
        }
        Arrays.sort(rates);
        return rates[rates.length / 2];
    }

    /** A tree's worth of tuples in blocks, by indexer. */
    private List<List<TupleBlock>> divided(RoutingTable table, int sigma) {
        LongUnaryOperator keys = keys(sigma);
        TaxiTuples taxis = new TaxiTuples(options.number("seed"), KeyedTaxis.RATE);
        List<List<TupleBlock>> parts = new ArrayList<>();
        for (int slot = 0; slot < INDEXERS; slot++) {
            parts.add(new ArrayList<>());
        }
        for (int i = 0; i < KeyedTaxis.TREE_TUPLES; i++) {
            long key = keys.applyAsLong(i);
            List<TupleBlock> blocks = parts.get(table.slotOf(key));
            if (blocks.isEmpty() || blocks.get(blocks.size() - 1).size() == KeyedTaxis.BLOCK_ROWS) {
                blocks.add(new TupleBlock(KeyedTaxis.LAYOUT, KeyedTaxis.BLOCK_ROWS));
            }
            TupleBlock block = blocks.get(blocks.size() - 1);
            taxis.nextInto(block);
            block.keys()[block.size() - 1] = key;
        }
        return parts;
    }

    /** Takes the blocks in, over and over until the indexer's share of a round is reached; the number of tuples. */
    private long index(List<TupleBlock> blocks, String name) throws IOException {
        long share = 0;
        for (TupleBlock block : blocks) {
            share += block.size();
        }
        share *= Math.max(1, options.number("tuples") / KeyedTaxis.TREE_TUPLES);
        PagePool pool = new PagePool(3 * CHUNK_BYTES + (64L << 20));
        ChunkWriter writer = new ChunkWriter();
        Template template = Template.single();
        long tuples = 0;
        int next = 0;
        while (tuples < share) {
            TemplateTree tree = new TemplateTree(KeyedTaxis.LAYOUT, template, pool);
            while (tree.bytes() < CHUNK_BYTES && tuples < share) {
                TupleBlock block = blocks.get(next++ % blocks.size());
                tree.insert(block, 0, block.size());
                tuples += block.size();
            }
            EncodedChunk chunk = writer.encode(tree, KeyedTaxis.SCHEMA);
            store.write(name, chunk.content());
            template = chunk.nextTemplate();
            tree.discard();
            store.delete(name);
        }
        return tuples;
    }
}
