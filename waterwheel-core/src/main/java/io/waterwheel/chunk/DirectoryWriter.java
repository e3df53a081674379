package io.waterwheel.chunk;

import static io.waterwheel.chunk.encoding.ChunkFormat.*;

import io.waterwheel.chunk.encoding.ChunkBuffer;
import io.waterwheel.chunk.encoding.IntegerEncoder;
import io.waterwheel.chunk.encoding.NumberedParts;
import io.waterwheel.key.DerivedKeys;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.Region;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** Gathers what the directory says of each leaf, and writes it. Keeps its buffers; one thread. */
final class DirectoryWriter {
    /** What the indexes of all fields may take of a file, in hundredths of the rest; of small files this much. */
    private static final int MOST_INDEX_PERCENT = 3;

    private static final int LEAST_INDEX_BYTES = 1024;

    /** What the text index of a field may take, in hundredths of the field; of small files as much as the others. */
    private static final int MOST_TEXT_PERCENT = 10;

    final LeafList lowKeys = new LeafList();
    final LeafList highKeys = new LeafList();
    final LeafList fromTimes = new LeafList();
    final LeafList toTimes = new LeafList();
    final SketchList sketches = new SketchList();
    /** Leaves whose rows are not sorted by key and time. */
    final BitSet unsorted = new BitSet();
    /** By field; unused for fields without a column. */
    FieldHints[] hints = new FieldHints[0];

    /** By part number, its length in each leaf. */
    private LeafList[] lengths = new LeafList[0];
    /** Leaf by leaf, of each part by part. */
    private final LeafList checksums = new LeafList();

    private int sections;
    private int partCount;
    /** What was cut: indexes may take as much as if it had not been. */
    private int cutBytes;
    /** By part, bytes that it is shorter by, as it has numbers. */
    private long[] numberedBytes = {};

    /**
     * Begins a file.
     *
     * @param indexed fields that are to be indexed
     * @param texts those that get a text index, too
     */
    void begin(RowLayout layout, BitSet indexed, BitSet texts) {
        lowKeys.clear();
        highKeys.clear();
        fromTimes.clear();
        toTimes.clear();
        sketches.clear();
        unsorted.clear();
        checksums.clear();
        int fields = layout.fields().size();
        int kept = hints.length;
        hints = Arrays.copyOf(hints, Math.max(kept, fields));
        for (int f = kept; f < fields; f++) {
            hints[f] = new FieldHints();
        }
        for (FieldHints hint : hints) {
            hint.clear();
        }
        for (int f = indexed.nextSetBit(0); f >= 0; f = indexed.nextSetBit(f + 1)) {
            TextIndexWriter text = texts.get(f) ? hints[f].text() : null;
            hints[f].index().begin(layout.variable(layout.columnOf(f)), indexed.cardinality(), text);
        }
        for (int f = texts.nextSetBit(0); f >= 0; f = texts.nextSetBit(f + 1)) {
            hints[f].text().begin(TextIndexWriter.MOST_PLACES / texts.cardinality());
        }
        partCount = parts(layout);
        cutBytes = 0;
        numberedBytes = new long[partCount];
        kept = lengths.length;
        lengths = Arrays.copyOf(lengths, Math.max(kept, parts(layout)));
        for (int p = kept; p < lengths.length; p++) {
            lengths[p] = new LeafList();
        }
        for (LeafList list : lengths) {
            list.clear();
        }
    }

    /** Notes the next part of a leaf, which ends where the buffer ends. */
    void addPart(int part, ChunkBuffer out, int start) {
        int length = out.size() - start;
        lengths[part].add(length);
        checksums.add(checksum(out.array(), start, length));
    }

    /**
     * Leaves only the form of some parts of the leaves, which begin at an offset of the buffer and end where it ends;
     * and puts numbers in the place of others, which are longer.
     *
     * @param dependencies says which
     */
    void cut(DependencyWriter dependencies, int from, ChunkBuffer out) {
        byte[] bytes = out.array();
        int source = from;
        int target = from;
        for (int leaf = 0; leaf < lowKeys.size(); leaf++) {
            for (int part = 0; part < partCount; part++) {
                int length = (int) lengths[part].get(leaf);
                BitSet cut = dependencies.cut(part);
                NumberedParts replaced = dependencies.replaced(part);
                if (cut != null && cut.get(leaf)) {
                    bytes[target] = FORM_FOLLOWS;
                    lengths[part].set(leaf, FOLLOWING_BYTES);
                    checksums.set(leaf * partCount + part, checksum(bytes, target, FOLLOWING_BYTES));
                    target += FOLLOWING_BYTES;
                } else if (replaced != null && replaced.length(leaf) > 0) {
                    int shorter = replaced.length(leaf);
                    replaced.copy(leaf, bytes, target);
                    lengths[part].set(leaf, shorter);
                    checksums.set(leaf * partCount + part, checksum(bytes, target, shorter));
                    target += shorter;
                    numberedBytes[part] += length - shorter;
                } else {
                    if (source != target) {
                        System.arraycopy(bytes, source, bytes, target, length);
                    }
                    target += length;
                }
                source += length;
            }
        }
        cutBytes = source - target + dependencies.leftOutBytes();
        out.setSize(target);
    }

    /** Smallest region of all leaves. */
    Region region() {
        int last = lowKeys.size() - 1;
        long from = Long.MAX_VALUE;
        long to = Long.MIN_VALUE;
        for (int leaf = 0; leaf <= last; leaf++) {
            from = Math.min(from, fromTimes.get(leaf));
            to = Math.max(to, toTimes.get(leaf));
        }
        return Region.of(lowKeys.get(0), highKeys.get(last), from, to);
    }

    void write(
            RowLayout layout,
            long rows,
            long tupleBytes,
            BitSet indexed,
            BitSet texts,
            @Nullable DerivedKeys key,
            IntegerEncoder integers,
            DependencyWriter dependencies,
            ChunkBuffer out) {
        int head = out.size();
        out.putInt(layout.fingerprint());
        out.putInt(layout.columns());
        out.putInt(lowKeys.size());
        out.putInt(LEAF_ROWS);
        out.putLong(rows);
        out.putLong(tupleBytes);
        Region region = region();
        out.putLong(region.keys().low());
        out.putLong(region.keys().high());
        out.putLong(region.times().from());
        out.putLong(region.times().to());
        out.putInt(0);
        out.putInt(0);
        sections = 0;
        fields(layout, indexed, texts, out);
        int section = open(TAG_LEAVES, out);
        integers.write(lowKeys.values(), lowKeys.size(), out);
        integers.write(highKeys.values(), highKeys.size(), out);
        integers.write(fromTimes.values(), fromTimes.size(), out);
        integers.write(toTimes.values(), toTimes.size(), out);
        close(section, out);
        section = open(TAG_PARTS, out);
        for (int p = 0; p < parts(layout); p++) {
            integers.write(lengths[p].values(), lengths[p].size(), out);
        }
        for (int i = 0; i < checksums.size(); i++) {
            out.putInt((int) checksums.get(i));
        }
        close(section, out);
        if (key != null) {
            section = open(TAG_KEY, out);
            out.putByte(key.kind());
            byte[] parameters = key.parameters();
            out.putBytes(parameters, 0, parameters.length);
            close(section, out);
        }
        section = open(TAG_ZONES, out);
        for (int f = 0; f < layout.fields().size(); f++) {
            if (layout.columnOf(f) >= 0) {
                hints[f].writeZones(integers, out);
            }
        }
        close(section, out);
        section = open(TAG_SKETCHES, out);
        sketches.write(out);
        close(section, out);
        indexes(indexed, integers, out);
        texts(layout, texts, integers, out);
        if (dependencies.hasContent() && !dependencies.hasNumbers()) {
            section = open(TAG_DEPENDENCIES, out);
            dependencies.write(out);
            close(section, out);
        }
        if (!unsorted.isEmpty()) {
            section = open(TAG_UNSORTED, out);
            byte[] bits = Arrays.copyOf(unsorted.toByteArray(), (lowKeys.size() + 7) / 8);
            out.putBytes(bits, 0, bits.length);
            close(section, out);
        }
        if (dependencies.hasNumbers()) {
            section = open(TAG_NUMBERED, out);
            dependencies.write(out);
            close(section, out);
        }
        for (int f = indexed.nextSetBit(0); f >= 0; f = indexed.nextSetBit(f + 1)) {
            hints[f].index().end();
        }
        LittleEndian.putInt(out.array(), head + HEAD_SECTIONS, sections);
    }

    /** Writes the indexes of fields, each in the form that fits what all may take. */
    private void indexes(BitSet indexed, IntegerEncoder integers, ChunkBuffer out) {
        long most = Math.max(LEAST_INDEX_BYTES, (out.size() + cutBytes) / 100L * MOST_INDEX_PERCENT);
        long sum = 0;
        for (int f = indexed.nextSetBit(0); f >= 0; f = indexed.nextSetBit(f + 1)) {
            hints[f].index().choose(integers, most);
            sum += hints[f].index().bytes();
        }
        while (sum > most) {
            FieldIndex largest = hints[indexed.nextSetBit(0)].index();
            for (int f = indexed.nextSetBit(0); f >= 0; f = indexed.nextSetBit(f + 1)) {
                largest = hints[f].index().bytes() > largest.bytes() ? hints[f].index() : largest;
            }
            sum -= largest.bytes();
            largest.shrink();
            sum += largest.bytes();
        }
        BitSet filters = new BitSet();
        BitSet dictionaries = new BitSet();
        for (int f = indexed.nextSetBit(0); f >= 0; f = indexed.nextSetBit(f + 1)) {
            filters.set(f, hints[f].index().isFilters());
            dictionaries.set(f, hints[f].index().isDictionary());
        }
        if (!filters.isEmpty()) {
            int section = open(TAG_BLOOMS, out);
            out.putShort(filters.cardinality());
            for (int f = filters.nextSetBit(0); f >= 0; f = filters.nextSetBit(f + 1)) {
                out.putShort(f);
                hints[f].index().writeFilters(integers, out);
            }
            close(section, out);
        }
        if (!dictionaries.isEmpty()) {
            int section = open(TAG_DICTIONARIES, out);
            out.putShort(dictionaries.cardinality());
            for (int f = dictionaries.nextSetBit(0); f >= 0; f = dictionaries.nextSetBit(f + 1)) {
                out.putShort(f);
                hints[f].index().writeDictionary(out);
            }
            close(section, out);
        }
    }

    private void texts(RowLayout layout, BitSet texts, IntegerEncoder integers, ChunkBuffer out) {
        BitSet made = new BitSet();
        for (int f = texts.nextSetBit(0); f >= 0; f = texts.nextSetBit(f + 1)) {
            if (hints[f].index().isDictionary()) {
                // It can be searched for parts of values, and names no leaf in vain.
                continue;
            }
            LeafList lengthsOf = lengths[FIRST_COLUMN + layout.columnOf(f)];
            long bytes = numberedBytes[FIRST_COLUMN + layout.columnOf(f)];
            for (int leaf = 0; leaf < lengthsOf.size(); leaf++) {
                bytes += lengthsOf.get(leaf);
            }
            long most = Math.max(LEAST_INDEX_BYTES, bytes / 100 * MOST_TEXT_PERCENT);
            hints[f].index().cut();
            made.set(f, hints[f].text().make(integers, most));
        }
        if (!made.isEmpty()) {
            int section = open(TAG_TEXTS, out);
            out.putShort(made.cardinality());
            for (int f = made.nextSetBit(0); f >= 0; f = made.nextSetBit(f + 1)) {
                ChunkBuffer content = hints[f].text().content();
                out.putShort(f);
                out.putBytes(content.array(), 0, content.size());
            }
            close(section, out);
        }
        for (int f = texts.nextSetBit(0); f >= 0; f = texts.nextSetBit(f + 1)) {
            hints[f].text().end();
        }
    }

    private void fields(RowLayout layout, BitSet indexed, BitSet texts, ChunkBuffer out) {
        int section = open(TAG_FIELDS, out);
        FieldsSection.write(layout, indexed, texts, out);
        close(section, out);
    }

    private int open(int tag, ChunkBuffer out) {
        sections++;
        int start = out.size();
        out.putInt(tag);
        out.putInt(0);
        return start;
    }

    private static void close(int start, ChunkBuffer out) {
        LittleEndian.putInt(out.array(), start + SECTION_LENGTH, out.size() - start - SECTION_CONTENT);
    }
}
