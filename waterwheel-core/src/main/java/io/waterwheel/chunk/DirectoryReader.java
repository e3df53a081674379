package io.waterwheel.chunk;

import static io.waterwheel.chunk.encoding.ChunkFormat.*;

import io.waterwheel.chunk.encoding.ChunkFormat;
import io.waterwheel.chunk.encoding.CorruptChunkException;
import io.waterwheel.chunk.encoding.IntegerDecoder;
import io.waterwheel.chunk.encoding.PartCursor;
import io.waterwheel.index.TimeSketch;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.Region;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.function.IntConsumer;

/** Reads a directory whose checksum was right, and checks that its numbers fit together. For one directory. */
final class DirectoryReader {
    private final String file;
    private final RowLayout layout;
    private final int parts;
    /** The directory as it lies in the file, and slack. */
    private final byte[] bytes;

    private final int length;
    private final long offset;
    private final PartCursor in;
    private final IntegerDecoder integers = new IntegerDecoder();
    private final ChunkDirectory.Content content = new ChunkDirectory.Content();
    private int leaves;
    private boolean hasLeaves;
    private boolean hasParts;

    /** @param offset of the directory in the file */
    DirectoryReader(String file, RowLayout layout, byte[] bytes, int length, long offset) {
        this.file = file;
        this.layout = layout;
        this.parts = ChunkFormat.parts(layout);
        this.bytes = bytes;
        this.length = length;
        this.offset = offset;
        this.in = new PartCursor(file);
    }

    /** @throws CorruptChunkException when its numbers do not fit together, the file or the layout */
    ChunkDirectory read() {
        if (length < HEAD_BYTES) {
            throw damaged(0, "at least " + HEAD_BYTES + " bytes", length + " bytes");
        }
        head();
        int sections = LittleEndian.getInt(bytes, HEAD_SECTIONS);
        int position = HEAD_BYTES;
        int previous = 0;
        for (int s = 0; s < sections; s++) {
            require(length - position >= SECTION_CONTENT, position, "another section", "the directory's end");
            int tag = LittleEndian.getInt(bytes, position + SECTION_TAG);
            int size = LittleEndian.getInt(bytes, position + SECTION_LENGTH);
            int number = tag & ~TAG_NEEDED;
            require(number > previous, position, "a tag above " + previous, Integer.toString(number));
            int most = length - position - SECTION_CONTENT;
            require(
                    size >= 0 && size <= most,
                    position + SECTION_LENGTH,
                    "at most " + most + " bytes",
                    Integer.toUnsignedString(size));
            in.set(bytes, position + SECTION_CONTENT, size, offset, -1, tag);
            section(tag, position);
            previous = number;
            position += SECTION_CONTENT + size;
        }
        require(position == length, position, "the directory's end", (length - position) + " bytes more");
        require(hasLeaves && hasParts, 0, "sections 2 and 3", "at least one of them is missing");
        checkKeyParts();
        checkFollowingParts();
        return new ChunkDirectory(file, layout, content, length);
    }

    private void require(boolean holds, int at, String expected, String actual) {
        if (!holds) {
            throw damaged(at, expected, actual);
        }
    }

    private CorruptChunkException damaged(int at, String expected, String actual) {
        return new CorruptChunkException(file, "directory", offset + at, expected, actual);
    }

    private void head() {
        int fingerprint = LittleEndian.getInt(bytes, HEAD_FINGERPRINT);
        require(
                fingerprint == layout.fingerprint(),
                HEAD_FINGERPRINT,
                "the row layout's fingerprint " + layout.fingerprint(),
                Integer.toString(fingerprint));
        int columns = LittleEndian.getInt(bytes, HEAD_COLUMNS);
        require(columns == layout.columns(), HEAD_COLUMNS, layout.columns() + " columns", Integer.toString(columns));
        content.leafRows = LittleEndian.getInt(bytes, HEAD_LEAF_ROWS);
        require(
                content.leafRows >= 1 && content.leafRows <= LEAF_ROWS,
                HEAD_LEAF_ROWS,
                "1 to " + LEAF_ROWS + " rows a leaf",
                Integer.toString(content.leafRows));
        leaves = LittleEndian.getInt(bytes, HEAD_LEAVES);
        // Each part of each leaf has four bytes of checksum here: this bounds every array below.
        require(
                leaves >= 1 && (long) leaves * parts * 4 <= length,
                HEAD_LEAVES,
                "1 to " + length / 4 / parts + " leaves",
                Integer.toString(leaves));
        content.rows = LittleEndian.getLong(bytes, HEAD_ROWS);
        content.tupleBytes = LittleEndian.getLong(bytes, HEAD_TUPLE_BYTES);
        require(
                content.rows > (leaves - 1L) * content.leafRows && content.rows <= (long) leaves * content.leafRows,
                HEAD_ROWS,
                "rows for " + leaves + " leaves of " + content.leafRows,
                Long.toString(content.rows));
        long low = LittleEndian.getLong(bytes, HEAD_LOW_KEY);
        long high = LittleEndian.getLong(bytes, HEAD_HIGH_KEY);
        require(low <= high, HEAD_LOW_KEY, "a lowest key of at most " + high, Long.toString(low));
        long from = LittleEndian.getLong(bytes, HEAD_FROM_TIME);
        long to = LittleEndian.getLong(bytes, HEAD_TO_TIME);
        require(from <= to, HEAD_FROM_TIME, "an earliest time of at most " + to, Long.toString(from));
        content.region = Region.of(low, high, from, to);
    }

    private void section(int tag, int position) {
        switch (tag) {
            case TAG_LEAVES -> leaves();
            case TAG_PARTS -> parts();
            case TAG_KEY -> key();
            case TAG_ZONES -> zones();
            case TAG_SKETCHES -> sketches();
            case TAG_BLOOMS -> blooms();
            case TAG_DICTIONARIES -> dictionaries();
            case TAG_TEXTS -> texts();
            case TAG_UNSORTED -> unsorted();
            case TAG_DEPENDENCIES, TAG_NUMBERED -> {
                if (content.dependencies != Dependencies.NONE) {
                    throw damaged(position, "section 10 or 12", "both");
                }
                content.isNumbered = tag == TAG_NUMBERED;
                try (LeafDecoder decoder = new LeafDecoder(file)) {
                    content.dependencies = Dependencies.read(in, decoder, layout, offset);
                }
            }
            default -> {
                // The fields are for tools; others are of writers to come.
                require(
                        (tag & TAG_NEEDED) == 0,
                        position,
                        "a section that this version knows",
                        "tag " + Integer.toHexString(tag));
                return;
            }
        }
        in.requireEnd();
    }

    private long[] numbers() {
        long[] numbers = new long[leaves];
        integers.read(in, leaves, numbers);
        return numbers;
    }

    private void leaves() {
        hasLeaves = true;
        content.lowKeys = numbers();
        content.highKeys = numbers();
        content.fromTimes = numbers();
        content.toTimes = numbers();
        long bound = content.region.keys().low();
        long from = Long.MAX_VALUE;
        long to = Long.MIN_VALUE;
        for (int leaf = 0; leaf < leaves; leaf++) {
            long low = content.lowKeys[leaf];
            if (low < bound || low > content.highKeys[leaf]) {
                throw in.damaged(
                        "a lowest key of leaf " + leaf + " from " + bound + " to " + content.highKeys[leaf],
                        Long.toString(low));
            }
            if (content.fromTimes[leaf] > content.toTimes[leaf]) {
                throw in.damaged(
                        "an earliest time of leaf " + leaf + " of at most " + content.toTimes[leaf],
                        Long.toString(content.fromTimes[leaf]));
            }
            bound = content.highKeys[leaf];
            from = Math.min(from, content.fromTimes[leaf]);
            to = Math.max(to, content.toTimes[leaf]);
        }
        Region found = Region.of(content.lowKeys[0], bound, from, to);
        if (!found.equals(content.region)) {
            throw in.damaged("leaves that span " + content.region, found.toString());
        }
    }

    private void parts() {
        hasParts = true;
        long[] offsets = new long[leaves * parts + 1];
        for (int p = 0; p < parts; p++) {
            long[] lengths = numbers();
            for (int leaf = 0; leaf < leaves; leaf++) {
                // Only keys may lack: see checkKeyParts.
                int least = p == KEYS ? 0 : 1;
                if (lengths[leaf] < least || lengths[leaf] > Integer.MAX_VALUE - SLACK) {
                    throw in.damaged("a length of " + name(leaf, p), Long.toString(lengths[leaf]));
                }
                offsets[leaf * parts + p + 1] = lengths[leaf];
            }
        }
        offsets[0] = HEADER_BYTES;
        for (int i = 1; i < offsets.length; i++) {
            offsets[i] += offsets[i - 1];
        }
        if (offsets[offsets.length - 1] != offset) {
            throw in.damaged("parts that end at " + offset, Long.toString(offsets[offsets.length - 1]));
        }
        content.partOffsets = offsets;
        content.checksums = new int[leaves * parts];
        int from = in.skip(content.checksums.length * 4L);
        for (int i = 0; i < content.checksums.length; i++) {
            content.checksums[i] = LittleEndian.getInt(bytes, from + i * 4);
        }
    }

    private void checkKeyParts() {
        for (int leaf = 0; leaf < leaves && content.key == null; leaf++) {
            int number = leaf * parts + KEYS;
            if (content.partOffsets[number + 1] == content.partOffsets[number]) {
                throw damaged(0, "section 4, to make the keys of leaf " + leaf, "none");
            }
        }
    }

    private void checkFollowingParts() {
        for (int leaf = 0; leaf < leaves; leaf++) {
            for (int p = FIRST_COLUMN; p < parts; p++) {
                int number = leaf * parts + p;
                if (content.partOffsets[number + 1] - content.partOffsets[number] == FOLLOWING_BYTES
                        && content.dependencies.source(p - FIRST_COLUMN) < 0) {
                    throw damaged(0, "section 10 or 12, to make " + name(leaf, p), "none of this column");
                }
            }
        }
    }

    private void key() {
        int kind = in.u8();
        int size = in.remaining();
        ByteBuffer parameters = ByteBuffer.wrap(in.bytes(), in.skip(size), size);
        try {
            content.key = KeyScheme.derived(kind, layout, parameters);
        } catch (IllegalArgumentException e) {
            throw in.damaged(
                    "a kind of key, with parameters, that this version can read", String.valueOf(e.getMessage()));
        }
    }

    private void unsorted() {
        int length = (leaves + 7) / 8;
        int from = in.skip(length);
        content.unsorted = BitSet.valueOf(ByteBuffer.wrap(in.bytes(), from, length));
    }

    private void zones() {
        int fields = layout.fields().size();
        content.zones = new long[fields][][];
        for (int f = 0; f < fields; f++) {
            if (layout.columnOf(f) >= 0) {
                content.zones[f] = new long[][] {numbers(), numbers(), numbers(), numbers()};
                requireZones(content.zones[f]);
            }
        }
    }

    /** Counts, minima and maxima are answered from zones: what cannot be is damage. */
    private void requireZones(long[][] zones) {
        for (int leaf = 0; leaf < leaves; leaf++) {
            long rows = Math.min(content.leafRows, content.rows - (long) leaf * content.leafRows);
            long nulls = zones[2][leaf];
            long nans = zones[3][leaf];
            boolean counts = nulls >= 0 && nans >= 0 && nulls <= rows && nans <= rows - nulls;
            boolean none = nulls + nans == rows;
            if (!counts || none != zones[0][leaf] > zones[1][leaf]) {
                throw in.damaged(
                        "a zone of " + rows + " rows",
                        "least " + zones[0][leaf] + ", greatest " + zones[1][leaf] + ", " + nulls + " nulls, " + nans
                                + " NaN");
            }
        }
    }

    private void sketches() {
        int[] shifts = new int[leaves];
        int[] starts = new int[leaves];
        int words = 0;
        for (int leaf = 0; leaf < leaves; leaf++) {
            shifts[leaf] = in.u8();
            starts[leaf] = words;
            if (shifts[leaf] != NO_SKETCH) {
                if (shifts[leaf] > TimeSketch.MAX_SHIFT) {
                    throw in.damaged("a shift of at most " + TimeSketch.MAX_SHIFT, Integer.toString(shifts[leaf]));
                }
                words += TimeSketch.WORDS;
            }
        }
        content.sketchWords = words(words);
        content.sketchShifts = shifts;
        content.sketchStarts = starts;
    }

    private long[] words(long count) {
        int from = in.skip(count * 8);
        long[] words = new long[(int) count];
        for (int w = 0; w < words.length; w++) {
            words[w] = LittleEndian.getLong(bytes, from + w * 8);
        }
        return words;
    }

    private void blooms() {
        int fields = layout.fields().size();
        content.bloomStarts = new int[fields][];
        content.bloomWords = new long[fields][];
        int count = in.count(0, fields);
        for (int i = 0; i < count; i++) {
            int field = field();
            long[] lengths = numbers();
            int[] starts = new int[leaves + 1];
            long sum = 0;
            for (int leaf = 0; leaf < leaves; leaf++) {
                if (lengths[leaf] < 0 || lengths[leaf] > in.remaining() / 8 - sum) {
                    throw in.damaged("at most " + (in.remaining() / 8 - sum) + " words", Long.toString(lengths[leaf]));
                }
                sum += lengths[leaf];
                starts[leaf + 1] = (int) sum;
            }
            content.bloomStarts[field] = starts;
            content.bloomWords[field] = words(sum);
        }
    }

    private int field() {
        int field = in.u16();
        if (field >= layout.fields().size() || layout.columnOf(field) < 0) {
            throw in.damaged("a field with a column", "field " + field);
        }
        return field;
    }

    private void dictionaries() {
        content.dictionaries = new LeafDictionary[layout.fields().size()];
        forFields(field -> content.dictionaries[field] =
                LeafDictionary.read(in, integers, leaves, layout.variable(layout.columnOf(field))));
    }

    private void texts() {
        content.texts = new TextIndex[layout.fields().size()];
        forFields(field -> {
            if (!layout.variable(layout.columnOf(field))) {
                throw in.damaged("a field of text", "field " + field);
            }
            content.texts[field] = TextIndex.read(in, integers, leaves);
        });
    }

    /** Reads a number of fields, and of each its number and what follows it. */
    private void forFields(IntConsumer content) {
        int count = in.count(0, layout.fields().size());
        int before = -1;
        for (int i = 0; i < count; i++) {
            int field = field();
            if (field <= before) {
                throw in.damaged("fields that ascend", "field " + field + " behind field " + before);
            }
            before = field;
            content.accept(field);
        }
    }
}
