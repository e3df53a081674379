package io.waterwheel.benchmark.comparison;

import io.waterwheel.benchmark.Options;
import io.waterwheel.chunk.ChunkDirectory;
import io.waterwheel.chunk.ChunkReader;
import io.waterwheel.chunk.LeafPart;
import io.waterwheel.local.LocalSettings;
import io.waterwheel.local.LocalStream;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.LocalOutputFile;

/**
 * How many bytes does a tuple take in our chunks, and in Parquet as parquet-java writes it? The same rows in the same
 * order (that of the chunks), zstd 3 by the same library, 131,072 rows a group, without the key where it is made from
 * fields. Parquet is written in three ways: as it is by default (version 1, dictionaries), in version 2 (deltas), and
 * version 2 with the bytes of numbers split into streams where there is no dictionary. Each file is read again and must
 * hold the chunks' rows in their order.
 *
 * <pre>
 * java -Xmx4g -Dlog4j2.configurationFile=waterwheel-benchmark-log4j2.properties \
 *     -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.comparison.ParquetSizes sets=taxi,paris,savan,ghcn,zeek,nasa
 * </pre>
 *
 * Options (name=value): sets, rows (most of each set), chunk (bytes of tuples at which a chunk is written), seed, data
 * (folder of the real sets).
 */
public final class ParquetSizes {
    private static final int GROUP_ROWS = 128 * 1024;
    /** Never reached: the groups end by their rows. */
    private static final long GROUP_BYTES = 1L << 30;

    private static final int ZSTD_LEVEL = 3;

    /** How Parquet is written. */
    private enum Variant {
        DEFAULT,
        VERSION_2,
        SPLIT;

        ParquetRows.Builder set(ParquetRows.Builder builder) {
            return switch (this) {
                case DEFAULT -> builder;
                case VERSION_2 -> builder.withWriterVersion(WriterVersion.PARQUET_2_0);
                case SPLIT ->
                    builder.withWriterVersion(WriterVersion.PARQUET_2_0).withByteStreamSplitEncoding(true);
            };
        }
    }

    private ParquetSizes() {}

    public static void main(String[] arguments) throws IOException {
        Options options = new Options(
                arguments,
                "sets",
                "taxi,paris,savan,ghcn,zeek,nasa",
                "rows",
                "2_000_000",
                "chunk",
                "16_777_216",
                "seed",
                "1",
                "data",
                "../shared/data");
        System.out.printf(
                Locale.ROOT,
                "%-8s %10s %8s %16s %10s %14s  bytes a tuple%n",
                "set",
                "rows",
                "chunk",
                "Parquet default",
                "version 2",
                "2, bytes split");
        for (String set : options.text("sets").split(",", -1)) {
            Path folder = Files.createTempDirectory("waterwheel-parquet");
            try {
                System.out.println(compare(
                        set,
                        Path.of(options.text("data")),
                        options.integer("rows"),
                        options.number("chunk"),
                        options.number("seed"),
                        folder));
            } finally {
                SetRows.delete(folder);
            }
        }
    }

    /**
     * Compares one set.
     *
     * @return a line of the table
     * @throws AssertionError when a Parquet file does not hold the chunks' rows
     */
    static String compare(String set, Path data, int rows, long chunkBytes, long seed, Path folder) throws IOException {
        List<TupleBlock> blocks = new ArrayList<>();
        StreamDefinition stream = SetRows.load(set, data, rows, seed, blocks);
        Path home = folder.resolve("stream");
        try (LocalStream local =
                LocalStream.open(home, stream.name(), stream.schema(), new LocalSettings(chunkBytes, 0))) {
            for (TupleBlock block : blocks) {
                local.insert(block);
            }
        }
        blocks.clear();
        RowLayout layout = RowLayout.of(stream.schema());
        try (LocalChunkStore store = new LocalChunkStore(home.resolve("chunks"))) {
            List<ChunkStore.StoredFile> chunks = store.list("").stream()
                    .sorted(Comparator.comparing(ChunkStore.StoredFile::name))
                    .toList();
            long ours = chunks.stream().mapToLong(ChunkStore.StoredFile::bytes).sum();
            List<Double> theirs = new ArrayList<>();
            long all = 0;
            for (Variant variant : Variant.values()) {
                Path file = folder.resolve(variant + ".parquet");
                Digest written = write(store, chunks, layout, file, variant);
                Digest read = read(file, layout);
                if (read.rows != written.rows || read.hash != written.hash) {
                    throw new AssertionError(set + ", " + file + ": wrote " + written.rows + " rows, read " + read.rows
                            + (read.rows == written.rows ? ", others" : ""));
                }
                all = written.rows;
                theirs.add((double) Files.size(file) / all);
                Files.delete(file);
            }
            return String.format(
                    Locale.ROOT,
                    "%-8s %10d %8.2f %16.2f %10.2f %14.2f",
                    set,
                    all,
                    (double) ours / all,
                    theirs.get(0),
                    theirs.get(1),
                    theirs.get(2));
        }
    }

    /** Rows in an order. */
    private static final class Digest {
        private final RowHashes hashes;
        private long rows;
        private long hash;

        Digest(RowLayout layout) {
            this.hashes = new RowHashes(layout);
        }

        void add(TupleBlock block, int row) {
            rows++;
            hash = RowHashes.mix(hash ^ hashes.of(block, row)) + rows;
        }
    }

    private static Digest write(
            ChunkStore store, List<ChunkStore.StoredFile> chunks, RowLayout layout, Path file, Variant variant)
            throws IOException {
        ParquetRows.Builder builder = variant.set(new ParquetRows.Builder(new LocalOutputFile(file), layout)
                .withCompressionCodec(CompressionCodecName.ZSTD)
                .config("parquet.compression.codec.zstd.level", Integer.toString(ZSTD_LEVEL))
                .withRowGroupSize(GROUP_BYTES)
                .withRowGroupRowCountLimit(GROUP_ROWS));
        Digest digest = new Digest(layout);
        try (ParquetWriter<ParquetRows.Row> writer = builder.build()) {
            for (ChunkStore.StoredFile chunk : chunks) {
                try (ChunkReader reader = ChunkReader.open(store.open(chunk.name()), layout)) {
                    for (int leaf = 0; leaf < reader.directory().leaves(); leaf++) {
                        TupleBlock block = block(reader, leaf);
                        for (int row = 0; row < block.size(); row++) {
                            writer.write(new ParquetRows.Row(block, row));
                            digest.add(block, row);
                        }
                    }
                }
            }
        }
        return digest;
    }

    /** A leaf as a block. */
    private static TupleBlock block(ChunkReader reader, int leaf) throws IOException {
        ChunkDirectory directory = reader.directory();
        RowLayout layout = directory.layout();
        int rows = directory.rows(leaf);
        LeafPart[] parts = reader.readLeaf(leaf);
        TupleBlock block = new TupleBlock(layout, rows);
        System.arraycopy(parts[ChunkDirectory.KEYS].longs(), 0, block.keys(), 0, rows);
        System.arraycopy(parts[ChunkDirectory.TIMES].longs(), 0, block.times(), 0, rows);
        for (int c = 0; c < layout.columns(); c++) {
            LeafPart part = parts[directory.part(c)];
            if (layout.variable(c)) {
                // Each column has an arena of its own.
                for (int row = 0; row < rows; row++) {
                    long reference = LittleEndian.getLong(part.values(), row * 8);
                    LittleEndian.putLong(
                            block.column(c),
                            row * 8,
                            block.addToArena(
                                    part.arena(),
                                    TupleBlock.referenceOffset(reference),
                                    TupleBlock.referenceLength(reference)));
                }
            } else {
                System.arraycopy(part.asInBlock(), 0, block.column(c), 0, rows * layout.width(c));
            }
        }
        block.setSize(rows);
        return block;
    }

    private static Digest read(Path file, RowLayout layout) throws IOException {
        Digest digest = new Digest(layout);
        TupleBlock block = new TupleBlock(layout, 1);
        try (ParquetReader<Group> reader = ParquetReader.builder(
                        new GroupReadSupport(), new org.apache.hadoop.fs.Path(file.toUri()))
                .build()) {
            for (Group group = reader.read(); group != null; group = reader.read()) {
                ParquetRows.toBlock(group, block);
                digest.add(block, 0);
            }
        }
        return digest;
    }
}
