package io.waterwheel.benchmark.comparison;

import io.waterwheel.benchmark.Options;
import io.waterwheel.benchmark.data.NetworkTuples;
import io.waterwheel.benchmark.data.RealSets;
import io.waterwheel.benchmark.data.TaxiTuples;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The rows of a set by its name, in the order of their arrival: what comparisons begin with. */
final class SetRows {
    private static final int BLOCK_ROWS = 1000;

    private SetRows() {}

    private interface Source {
        void nextInto(TupleBlock block);
    }

    /**
     * Adds a set's rows to the list, in blocks of about 1,000.
     *
     * @param set taxi, network, or a real set in lower case
     * @param data folder of the real sets
     * @param rows most of them, but for the rest of a block
     * @param seed of the generators
     * @return the stream that takes them
     */
    static StreamDefinition load(String set, Path data, int rows, long seed, List<TupleBlock> blocks)
            throws IOException {
        if (set.equals("taxi")) {
            StreamDefinition stream = TaxiTuples.stream(RecordFormat.BLOCK, 1);
            TaxiTuples tuples = new TaxiTuples(seed, 50_000);
            generate(stream.schema(), rows, blocks, tuples::nextInto);
            return stream;
        }
        if (set.equals("network")) {
            StreamDefinition stream = NetworkTuples.stream(RecordFormat.BLOCK, 1);
            NetworkTuples tuples = new NetworkTuples(seed, 50_000);
            generate(stream.schema(), rows, blocks, tuples::nextInto);
            return stream;
        }
        RealSets real = RealSets.valueOf(set.toUpperCase(Locale.ROOT));
        int[] taken = {0};
        real.read(data, block -> {
            TupleBlock copy = new TupleBlock(block.layout(), block.size());
            copy(block, copy);
            blocks.add(copy);
            taken[0] += block.size();
            return taken[0] < rows;
        });
        return real.stream();
    }

    /** The same as the options {@code data}, {@code rows} and {@code seed} say; returns the schema of the rows. */
    static Schema load(String set, Options options, List<TupleBlock> blocks) throws IOException {
        return load(set, Path.of(options.text("data")), options.integer("rows"), options.number("seed"), blocks)
                .schema();
    }

    private static void generate(Schema schema, int rows, List<TupleBlock> blocks, Source source) {
        RowLayout layout = RowLayout.of(schema);
        for (int made = 0; made < rows; made += BLOCK_ROWS) {
            TupleBlock block = new TupleBlock(layout, BLOCK_ROWS);
            for (int i = 0; i < Math.min(BLOCK_ROWS, rows - made); i++) {
                source.nextInto(block);
            }
            blocks.add(block);
        }
    }

    private static void copy(TupleBlock from, TupleBlock to) {
        RowLayout layout = from.layout();
        int rows = from.size();
        System.arraycopy(from.keys(), 0, to.keys(), 0, rows);
        System.arraycopy(from.times(), 0, to.times(), 0, rows);
        for (int c = 0; c < layout.columns(); c++) {
            System.arraycopy(from.column(c), 0, to.column(c), 0, rows * layout.width(c));
        }
        to.ensureArena(from.arenaSize());
        System.arraycopy(from.arena(), 0, to.arena(), 0, from.arenaSize());
        to.setArenaSize(from.arenaSize());
        to.setSize(rows);
    }

    /** Deletes a folder with all that is in it. */
    static void delete(Path folder) throws IOException {
        List<Path> paths;
        try (Stream<Path> walk = Files.walk(folder)) {
            paths = new ArrayList<>(walk.toList());
        }
        Collections.reverse(paths);
        for (Path path : paths) {
            Files.deleteIfExists(path);
        }
    }
}
