package io.waterwheel.benchmark.comparison;

import io.waterwheel.benchmark.Options;
import io.waterwheel.chunk.ChunkDirectory;
import io.waterwheel.chunk.ChunkReader;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.chunk.EncodedChunk;
import io.waterwheel.chunk.LeafPart;
import io.waterwheel.chunk.TextIndex;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * What does the index of a field take in chunks, and of the time in which they are made? Each field of a set is indexed
 * alone, beside the same chunks without an index, in turns. With {@code index=text} each string has a text index,
 * beside the same chunks with an index of its values, and parts of its values are asked for.
 *
 * <pre>
 * java -Xmx4g -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.comparison.IndexSizes sets=paris,savan,ghcn,zeek,nasa,taxi
 * </pre>
 *
 * Options (name=value): index (values or text), sets, rows (most of each set), chunk (rows of a chunk), rounds (of
 * which the median's CPU time counts), seed, data (folder of the real sets).
 */
public final class IndexSizes {
    /** Bytes of a part that is asked for, and how many parts are. */
    private static final int PART = 8;

    private static final int PARTS = 300;

    private IndexSizes() {}

    public static void main(String[] arguments) throws IOException {
        Options options = new Options(
                arguments,
                "index",
                "values",
                "sets",
                "paris,savan,ghcn,zeek,nasa,taxi",
                "rows",
                "400_000",
                "chunk",
                "400_000",
                "rounds",
                "9",
                "seed",
                "1",
                "data",
                "../shared/data");
        System.out.printf(
                Locale.ROOT,
                "%-8s %-14s %10s %8s %8s %12s %14s%n",
                "set",
                "field",
                "bytes/row",
                "of it",
                "ns/row",
                "plus ns",
                "named, having");
        boolean texts = options.text("index").equals("text");
        for (String set : options.text("sets").split(",", -1)) {
            List<TupleBlock> blocks = new ArrayList<>();
            Schema schema = SetRows.load(set, options, blocks);
            TemplateTree tree = tree(schema, blocks, options.integer("chunk"));
            for (Field field : schema.fields()) {
                if (RowLayout.of(schema).columnOf(schema.indexOf(field.name())) >= 0
                        && (!texts || field.type() == FieldType.STRING)) {
                    measure(set, field.name(), schema, tree, options.integer("rounds"), texts);
                }
            }
            tree.discard();
        }
    }

    private static TemplateTree tree(Schema schema, List<TupleBlock> blocks, int most) {
        TemplateTree tree = new TemplateTree(RowLayout.of(schema), Template.single(), new PagePool(1L << 30));
        for (TupleBlock block : blocks) {
            if (tree.tuples() < most) {
                tree.insert(block, 0, block.size());
            }
        }
        return tree;
    }

    private static void measure(String set, String field, Schema schema, TemplateTree tree, int rounds, boolean texts)
            throws IOException {
        Schema without = indexed(schema, field, texts ? Field.Index.VALUES : Field.Index.NONE);
        Schema with = indexed(schema, field, texts ? Field.Index.TEXT : Field.Index.VALUES);
        ChunkWriter writer = new ChunkWriter();
        long[] plain = new long[rounds];
        long[] index = new long[rounds];
        long plainBytes = 0;
        long bytes = 0;
        for (int round = 0; round < rounds; round++) {
            long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            EncodedChunk chunk = writer.encode(tree, without);
            long middle = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            plainBytes = chunk.bytes();
            bytes = writer.encode(tree, with).bytes();
            plain[round] = middle - start;
            index[round] = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - middle;
        }
        Arrays.sort(plain);
        Arrays.sort(index);
        double rows = tree.tuples();
        System.out.printf(
                Locale.ROOT,
                "%-8s %-14s %10.4f %7.2f%% %8.1f %12.1f %14s%n",
                set,
                field,
                (bytes - plainBytes) / rows,
                100.0 * (bytes - plainBytes) / plainBytes,
                plain[rounds / 2] / rows,
                (index[rounds / 2] - plain[rounds / 2]) / rows,
                texts ? named(writer.encode(tree, with), schema, field) : "");
    }

    /** What a text index names, or why there is none. */
    private static String named(EncodedChunk chunk, Schema schema, String field) throws IOException {
        Path folder = Files.createTempDirectory("waterwheel-index-sizes");
        try (ChunkStore store = new LocalChunkStore(folder)) {
            store.write("it.chunk", chunk.content());
            try (ChunkReader reader = ChunkReader.open(store.open("it.chunk"), RowLayout.of(schema))) {
                TextIndex index = reader.directory().text(schema.indexOf(field));
                boolean searched = reader.directory().dictionary(schema.indexOf(field)) != null;
                return index == null
                        ? (searched ? "dictionary" : "no index")
                        : named(reader, index, schema.indexOf(field));
            } finally {
                store.delete("it.chunk");
            }
        } finally {
            Files.delete(folder);
        }
    }

    /** By parts of different values, the share that the index names and the share that has the part. */
    private static String named(ChunkReader reader, TextIndex index, int field) throws IOException {
        ChunkDirectory directory = reader.directory();
        List<Set<String>> leaves = new ArrayList<>();
        Set<String> all = new LinkedHashSet<>();
        for (int leaf = 0; leaf < directory.leaves(); leaf++) {
            LeafPart part =
                    reader.readLeaf(leaf)[directory.part(directory.layout().columnOf(field))];
            Set<String> values = new HashSet<>();
            for (int row = 0; row < directory.rows(leaf); row++) {
                long reference = LittleEndian.getLong(part.values(), 8 * row);
                int length = TupleBlock.referenceLength(reference);
                // A character for each byte.
                values.add(new String(
                        part.arena(), TupleBlock.referenceOffset(reference), length, StandardCharsets.ISO_8859_1));
            }
            leaves.add(values);
            all.addAll(values);
        }
        List<String> values =
                all.stream().filter(value -> value.length() >= PART).toList();
        SplittableRandom random = new SplittableRandom(1);
        long named = 0;
        long having = 0;
        for (int i = 0; i < PARTS && !values.isEmpty(); i++) {
            String value = values.get(random.nextInt(values.size()));
            int from = random.nextInt(value.length() - PART + 1);
            String part = value.substring(from, from + PART);
            BitSet found = index.leaves(part.getBytes(StandardCharsets.ISO_8859_1));
            named += found == null ? directory.leaves() : found.cardinality();
            for (Set<String> leaf : leaves) {
                having += leaf.stream().anyMatch(each -> each.contains(part)) ? 1 : 0;
            }
        }
        double looks = (double) PARTS * directory.leaves() / 100;
        return values.isEmpty()
                ? "too short"
                : String.format(Locale.ROOT, "%.1f%%, %.1f%%", named / looks, having / looks);
    }

    private static Schema indexed(Schema schema, String name, Field.Index index) {
        List<Field> fields = new ArrayList<>();
        for (Field field : schema.fields()) {
            fields.add(new Field(
                    field.name(),
                    field.type(),
                    field.nullable(),
                    field.unit(),
                    field.name().equals(name) ? index : Field.Index.NONE));
        }
        return new Schema(fields, schema.key(), schema.timeField());
    }
}
