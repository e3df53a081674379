package io.waterwheel.benchmark.comparison;

import com.sun.management.ThreadMXBean;
import io.waterwheel.benchmark.Options;
import io.waterwheel.chunk.ChunkDirectory;
import io.waterwheel.chunk.ChunkReader;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.chunk.EncodedChunk;
import io.waterwheel.chunk.LeafPart;
import io.waterwheel.chunk.encoding.Compression;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.NarrowLongs;
import io.waterwheel.tuple.NullBits;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * What of decoding takes how long? One chunk of a set's first rows, its bytes in memory: the CPU time of reading each
 * column alone, of making the keys where they are made of columns, of reading all parts that are stored, and of reading
 * all with the keys, beside a copy of as many bytes as come out; and the bytes of new objects that each makes. Of each
 * column how its parts are written: {@code 130/1 x 228} are 228 leaves in the compressed (+ 128) form 2 of integers in
 * code 1 (docs/chunk-format.md). The columns take turns, so that what else the machine does falls on all alike.
 *
 * <pre>
 * java -Xmx3g -cp "benchmark/target/classes:$(cat benchmark/target/classpath.txt)" \
 *     io.waterwheel.benchmark.comparison.DecodeTimes sets=taxi
 * </pre>
 *
 * Options (name=value): sets, rows (of the chunk), rounds (of which the median's CPU time counts), warm (rounds
 * before), seed, data (folder of the real sets).
 */
public final class DecodeTimes {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int COMPRESSED = 0x80;
    private static final int DECIMALS = 2;
    /** Where a compressed part's frame begins: behind its form and the length of its content. */
    private static final int FRAME = 5;

    private DecodeTimes() {}

    /** Reads something of all leaves; gives back what came, so that nothing is left out. */
    private interface Work {
        Object run() throws IOException;
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Timed(String name, long bytes, Work work, long[] nanos, long[] allocated) {}

    /** A file whose bytes are in memory. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Bytes(String name, byte[] content) implements ChunkStore.Input {
        static Bytes of(EncodedChunk chunk) {
            byte[] all = new byte[Math.toIntExact(chunk.bytes())];
            int at = 0;
            for (ByteBuffer buffer : chunk.content()) {
                int length = buffer.remaining();
                buffer.duplicate().get(all, at, length);
                at += length;
            }
            return new Bytes("one.chunk", all);
        }

        @Override
        public long size() {
            return content.length;
        }

        @Override
        public void read(long position, byte[] target, int offset, int length) {
            System.arraycopy(content, (int) position, target, offset, length);
        }

        @Override
        public void readVectored(long[] positions, int[] lengths, byte[] target) {
            int to = 0;
            for (int i = 0; i < positions.length; i++) {
                read(positions[i], target, to, lengths[i]);
                to += lengths[i];
            }
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }

    public static void main(String[] arguments) throws IOException {
        Options options = new Options(
                arguments,
                "sets",
                "taxi",
                "rows",
                "466_000",
                "rounds",
                "31",
                "warm",
                "60",
                "seed",
                "1",
                "data",
                "../shared/data");
        options.printMachine();
        for (String set : options.text("sets").split(",", -1)) {
            List<TupleBlock> blocks = new ArrayList<>();
            Schema schema = SetRows.load(set, options, blocks);
            TemplateTree tree = new TemplateTree(RowLayout.of(schema), Template.single(), new PagePool(1L << 30));
            for (TupleBlock block : blocks) {
                tree.insert(block, 0, block.size());
            }
            EncodedChunk chunk = new ChunkWriter().encode(tree, schema);
            tree.discard();
            blocks.clear();
            measure(set, schema, Bytes.of(chunk), options);
        }
        System.out.printf(
                Locale.ROOT,
                "load at the end %.2f%n",
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    private static void measure(String set, Schema schema, Bytes bytes, Options options) throws IOException {
        int rounds = options.integer("rounds");
        RowLayout layout = RowLayout.of(schema);
        try (ChunkReader reader = ChunkReader.open(bytes, layout)) {
            ChunkDirectory directory = reader.directory();
            double rows = directory.rows();
            List<Timed> all = new ArrayList<>();
            for (int part = 0; part < directory.parts(); part++) {
                int[] leaves = leavesWith(directory, part);
                if (leaves.length > 0) {
                    all.add(new Timed(
                            name(layout, part) + forms(directory, bytes, leaves, part),
                            stored(directory, leaves, part),
                            column(reader, leaves, part),
                            new long[rounds],
                            new long[rounds]));
                }
            }
            LeafPart[][] decoded = new LeafPart[directory.leaves()][];
            long out = 0;
            for (int leaf = 0; leaf < decoded.length; leaf++) {
                decoded[leaf] = reader.readLeaf(leaf);
                for (LeafPart part : decoded[leaf]) {
                    out += part.weight();
                }
            }
            long content = bytes.size() - directory.bytes();
            if (directory.makesKeys(0)) {
                all.add(new Timed("keys, of columns", 0, keys(directory, decoded), new long[rounds], new long[rounds]));
                all.add(new Timed(
                        "all that is stored", content, readingStored(reader), new long[rounds], new long[rounds]));
            }
            all.add(new Timed("all", content, readingLeaves(reader), new long[rounds], new long[rounds]));
            all.add(new Timed("a copy of what comes out", out, copies(decoded), new long[rounds], new long[rounds]));
            time(all, options.integer("warm"), rounds);
            System.out.printf(Locale.ROOT, "%s, %.0f rows%n", set, rows);
            for (Timed timed : all) {
                System.out.printf(
                        Locale.ROOT,
                        "%8.2f ns a row %8.3f bytes a row %8.1f allocated  %s%n",
                        median(timed.nanos) / rows,
                        timed.bytes / rows,
                        median(timed.allocated) / rows,
                        timed.name);
            }
        }
    }

    private static void time(List<Timed> all, int warm, int rounds) throws IOException {
        int sum = 0;
        for (int round = -warm; round < rounds; round++) {
            for (Timed timed : all) {
                long allocated = THREADS.getCurrentThreadAllocatedBytes();
                long start = THREADS.getCurrentThreadCpuTime();
                sum += timed.work.run().hashCode();
                if (round >= 0) {
                    timed.nanos[round] = THREADS.getCurrentThreadCpuTime() - start;
                    timed.allocated[round] = THREADS.getCurrentThreadAllocatedBytes() - allocated;
                }
            }
        }
        if (sum == 0) {
            System.out.println();
        }
    }

    private static double median(long[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }

    private static String name(RowLayout layout, int part) {
        if (part == ChunkDirectory.KEYS) {
            return "keys";
        }
        if (part == ChunkDirectory.TIMES) {
            return "times";
        }
        for (int field = 0; field < layout.fields().size(); field++) {
            if (layout.columnOf(field) + ChunkDirectory.TIMES + 1 == part) {
                return layout.fields().get(field).name();
            }
        }
        return "nulls";
    }

    private static int[] leavesWith(ChunkDirectory directory, int part) {
        int[] leaves = new int[directory.leaves()];
        int count = 0;
        for (int leaf = 0; leaf < leaves.length; leaf++) {
            if (directory.length(leaf, part) > 0 && !directory.follows(leaf, part)) {
                leaves[count++] = leaf;
            }
        }
        return Arrays.copyOf(leaves, count);
    }

    private static long stored(ChunkDirectory directory, int[] leaves, int part) {
        return Arrays.stream(leaves)
                .mapToLong(leaf -> directory.length(leaf, part))
                .sum();
    }

    private static String forms(ChunkDirectory directory, Bytes bytes, int[] leaves, int part) {
        Map<String, Integer> forms = new TreeMap<>();
        for (int leaf : leaves) {
            int at = (int) directory.offset(leaf, part);
            int form = bytes.content[at] & 0xFF;
            byte[] content = content(bytes, at, directory.length(leaf, part));
            int code = content[(form & ~COMPRESSED) == DECIMALS ? 1 : 0];
            // Of text there is a count or a length first, which says nothing here.
            String said = form + ((form & ~COMPRESSED) > DECIMALS ? "" : "/" + code);
            forms.merge(said, 1, Integer::sum);
        }
        StringBuilder text = new StringBuilder();
        forms.forEach(
                (form, count) -> text.append(", ").append(form).append(" x ").append(count));
        return text.toString();
    }

    /** What follows the form of a part, decompressed where it is compressed. */
    private static byte[] content(Bytes bytes, int at, int length) {
        if ((bytes.content[at] & COMPRESSED) == 0) {
            return Arrays.copyOfRange(bytes.content, at + 1, at + length);
        }
        byte[] content = new byte[LittleEndian.getInt(bytes.content, at + 1)];
        if (!Compression.decompress(bytes.content, at + FRAME, length - FRAME, content, content.length)) {
            throw new AssertionError("no frame of " + content.length + " bytes at " + at);
        }
        return content;
    }

    private static Work column(ChunkReader reader, int[] leaves, int part) {
        return () -> {
            LeafPart[] decoded = new LeafPart[1];
            for (int leaf : leaves) {
                reader.read(new int[] {leaf}, new int[] {part}, 1, decoded, weight -> {});
            }
            return Objects.requireNonNull(decoded[0]);
        };
    }

    private static Work readingLeaves(ChunkReader reader) {
        return () -> {
            LeafPart[] last = {};
            for (int leaf = 0; leaf < reader.directory().leaves(); leaf++) {
                last = reader.readLeaf(leaf);
            }
            return last;
        };
    }

    /** What a scan reads whose condition implies the keys: all parts but those that are made of others. */
    private static Work readingStored(ChunkReader reader) {
        ChunkDirectory directory = reader.directory();
        return () -> {
            LeafPart[] stored = new LeafPart[directory.parts()];
            int[] leaves = new int[stored.length];
            int[] parts = new int[stored.length];
            for (int leaf = 0; leaf < directory.leaves(); leaf++) {
                Arrays.fill(leaves, leaf);
                int count = 0;
                for (int part = 0; part < stored.length; part++) {
                    if (directory.length(leaf, part) > 0) {
                        parts[count++] = part;
                    }
                }
                reader.read(leaves, parts, count, stored, weight -> {});
            }
            return Objects.requireNonNull(stored[0]);
        };
    }

    /** The floor: what making the arrays that are kept costs. */
    private static Work copies(LeafPart[][] decoded) {
        return () -> {
            Object last = "";
            for (LeafPart[] leaf : decoded) {
                Object[] copies = new Object[2 * leaf.length];
                for (int part = 0; part < leaf.length; part++) {
                    copies[2 * part] = leaf[part].longs().clone();
                    copies[2 * part + 1] = bytes(leaf[part]).clone();
                }
                last = copies;
            }
            return last;
        };
    }

    /** What the part keeps of a column, in whichever form. */
    private static byte[] bytes(LeafPart part) {
        NarrowLongs narrow = part.narrow();
        NullBits nulls = part.nulls();
        return narrow != null ? narrow.bytes() : nulls != null ? nulls.bits() : part.values();
    }

    private static Work keys(ChunkDirectory directory, LeafPart[][] decoded) {
        return () -> {
            Object last = "";
            for (int leaf = 0; leaf < decoded.length; leaf++) {
                LeafPart[] parts = decoded[leaf];
                last = directory.keys(leaf, part -> parts[part]);
            }
            return last;
        };
    }
}
