package io.waterwheel.benchmark.comparison;

import io.waterwheel.benchmark.Options;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.chunk.EncodedChunk;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * What does the index of a field take in chunks, and of the time in which they are made? Each field of a set is indexed
 * alone, beside the same chunks without an index, in turns.
 *
 * <pre>
 * java -Xmx4g -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.comparison.IndexSizes sets=paris,savan,ghcn,zeek,nasa,taxi
 * </pre>
 *
 * Options (name=value): sets, rows (most of each set), chunk (rows of a chunk), rounds (of which the median's CPU time
 * counts), seed, data (folder of the real sets).
 */
public final class IndexSizes {
    private IndexSizes() {}

    public static void main(String[] arguments) throws IOException {
        Options options = new Options(
                arguments,
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
                "%-8s %-14s %10s %8s %8s %12s%n",
                "set",
                "field",
                "bytes/row",
                "of it",
                "ns/row",
                "plus ns");
        for (String set : options.text("sets").split(",", -1)) {
            List<TupleBlock> blocks = new ArrayList<>();
            Schema schema = SetRows.load(
                            set, Path.of(options.text("data")), options.integer("rows"), options.number("seed"), blocks)
                    .schema();
            TemplateTree tree = tree(schema, blocks, options.integer("chunk"));
            for (Field field : schema.fields()) {
                if (RowLayout.of(schema).columnOf(schema.indexOf(field.name())) >= 0) {
                    measure(set, field.name(), schema, tree, options.integer("rounds"));
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

    private static void measure(String set, String field, Schema schema, TemplateTree tree, int rounds) {
        Schema without = indexed(schema, "");
        Schema with = indexed(schema, field);
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
                "%-8s %-14s %10.4f %7.2f%% %8.1f %12.1f%n",
                set,
                field,
                (bytes - plainBytes) / rows,
                100.0 * (bytes - plainBytes) / plainBytes,
                plain[rounds / 2] / rows,
                (index[rounds / 2] - plain[rounds / 2]) / rows);
    }

    private static Schema indexed(Schema schema, String name) {
        List<Field> fields = new ArrayList<>();
        for (Field field : schema.fields()) {
            fields.add(new Field(
                    field.name(),
                    field.type(),
                    field.nullable(),
                    field.unit(),
                    field.name().equals(name)));
        }
        return new Schema(fields, schema.key(), schema.timeField());
    }
}
