package io.waterwheel.catalog.manifest;

import static io.waterwheel.catalog.manifest.ManifestFormat.*;

import io.waterwheel.catalog.manifest.ManifestPointer.ManifestFile;
import io.waterwheel.tuple.LittleEndian;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Reads one manifest file from front to back; whatever does not fit is damage. One thread. */
final class ManifestCursor {
    private final String file;
    private final byte[] bytes;
    private final int checksum;
    private final int version;
    private int position;
    /** End of the section that is being read, or of what may be read. */
    private int limit;

    private String part = "header";
    private int sectionsLeft;

    /** Checks the header. */
    ManifestCursor(byte[] bytes, ManifestFile named, Kind kind, int streamId) {
        this.file = named.file();
        this.checksum = named.checksum();
        this.bytes = bytes;
        this.limit = bytes.length;
        if (bytes.length < HEADER_BYTES + END_MAGIC.length) {
            throw damaged(0, "at least " + (HEADER_BYTES + END_MAGIC.length) + " bytes", bytes.length + " bytes");
        }
        expect(Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length), 0, "the magic", "other bytes");
        version = LittleEndian.getInt(bytes, AT_VERSION);
        expect(
                version >= WITHOUT_HORIZON && version <= WITH_SCALES,
                AT_VERSION,
                "a version from " + WITHOUT_HORIZON + " to " + WITH_SCALES,
                "version " + version);
        int stored = LittleEndian.getInt(bytes, AT_CHECKSUM);
        int actual = ManifestWriter.checksum(bytes, 0, AT_CHECKSUM);
        expect(stored == actual, AT_CHECKSUM, "checksum " + hex(stored), hex(actual));
        int kindCode = LittleEndian.getInt(bytes, AT_KIND);
        expect(kindCode == kind.code(), AT_KIND, "kind " + kind.code(), "kind " + kindCode);
        int stream = LittleEndian.getInt(bytes, AT_STREAM);
        expect(stream == streamId, AT_STREAM, "stream " + streamId, "stream " + stream);
        long from = LittleEndian.getLong(bytes, AT_FROM);
        expect(from == named.from(), AT_FROM, "from edit " + named.from(), "edit " + from);
        long to = LittleEndian.getLong(bytes, AT_TO);
        expect(to == named.to(), AT_TO, "up to edit " + named.to(), "edit " + to);
        sectionsLeft = LittleEndian.getInt(bytes, AT_SECTIONS);
        position = HEADER_BYTES;
        limit = position;
    }

    /** Of the file's layout. */
    int version() {
        return version;
    }

    /** Ends the section before and enters the next, which must be this one; returns its number of entries. */
    int section(int tag) {
        endSection();
        int head = position;
        int end = bytes.length - END_MAGIC.length;
        part = ManifestFormat.name(tag);
        expect(sectionsLeft > 0, head, "a section", "the end of the sections");
        expect(end - head >= SECTION_BYTES, head, "a section", (end - head) + " bytes");
        int actual = LittleEndian.getInt(bytes, head);
        expect(actual == tag, head, "tag " + tag, "tag " + actual);
        int entries = LittleEndian.getInt(bytes, head + SECTION_ENTRIES);
        long length = LittleEndian.getLong(bytes, head + SECTION_LENGTH);
        int room = end - head - SECTION_BYTES;
        expect(length >= 0 && length <= room, head + SECTION_LENGTH, "at most " + room + " bytes", length + " bytes");
        int stored = LittleEndian.getInt(bytes, head + SECTION_CHECKSUM);
        int content = head + SECTION_BYTES;
        int sum = ManifestWriter.sectionChecksum(bytes, head, bytes, content, (int) length);
        expect(stored == sum, head + SECTION_CHECKSUM, "checksum " + hex(stored), hex(sum));
        expect(entries >= 0, head + SECTION_ENTRIES, "a count", String.valueOf(entries));
        sectionsLeft--;
        position = content;
        limit = content + (int) length;
        return entries;
    }

    private void endSection() {
        expect(position == limit, position, "the end of the section", (limit - position) + " bytes more");
    }

    /**
     * Checks that nothing follows but the end, and that it is the file that the catalog means, not another whole one.
     */
    void end() {
        endSection();
        part = "end";
        expect(sectionsLeft == 0, position, "no section more", sectionsLeft + " more");
        int at = bytes.length - END_MAGIC.length;
        expect(
                position == at && Arrays.equals(bytes, at, bytes.length, END_MAGIC, 0, END_MAGIC.length),
                position,
                "the end's magic",
                "other bytes");
        int sum = ManifestWriter.checksum(bytes, 0, bytes.length);
        part = "file";
        expect(checksum == sum, 0, "checksum " + hex(checksum), hex(sum));
    }

    /** A number of things that take at least {@code bytesEach} each: no more than there is room for. */
    int count(int bytesEach) {
        int count = i32();
        expect(
                count >= 0 && (long) count * bytesEach <= limit - position,
                position - Integer.BYTES,
                "at most " + (limit - position) / bytesEach,
                String.valueOf(count));
        return count;
    }

    int i32() {
        return LittleEndian.getInt(bytes, skip(Integer.BYTES));
    }

    long i64() {
        return LittleEndian.getLong(bytes, skip(Long.BYTES));
    }

    String text() {
        int length = count(1);
        return new String(bytes, skip(length), length, StandardCharsets.UTF_8);
    }

    /** The values of a column. */
    long[] column(int tag, int rows) {
        int entries = section(tag);
        expect(entries == rows, position, rows + " rows", String.valueOf(entries));
        int width = bytes[skip(1)];
        expect(width >= 0 && width <= Long.BYTES, position - 1, "a width of 0 to 8", String.valueOf(width));
        long base = i64();
        int room = limit - position;
        expect((long) rows * width == room, position, (long) rows * width + " bytes", room + " bytes");
        long[] values = new long[rows];
        for (int row = 0; row < rows; row++) {
            long above = 0;
            for (int b = width - 1; b >= 0; b--) {
                above = (above << Byte.SIZE) | (bytes[position + b] & 0xFF);
            }
            position += width;
            values[row] = base + above;
        }
        return values;
    }

    private int skip(int length) {
        expect(length <= limit - position, position, length + " bytes", (limit - position) + " bytes");
        int from = position;
        position += length;
        return from;
    }

    /** For what its values mean. */
    void require(boolean holds, String expected, String actual) {
        expect(holds, position, expected, actual);
    }

    private void expect(boolean holds, long offset, String expected, String actual) {
        if (!holds) {
            throw damaged(offset, expected, actual);
        }
    }

    /** A value that was read cannot be. */
    CorruptManifestException impossible(RuntimeException cause) {
        CorruptManifestException damaged = damaged(position, "values that can be", String.valueOf(cause.getMessage()));
        damaged.initCause(cause);
        return damaged;
    }

    private CorruptManifestException damaged(long offset, String expected, String actual) {
        return new CorruptManifestException(file, part, offset, expected, actual);
    }

    private static String hex(int checksum) {
        return String.format(java.util.Locale.ROOT, "%08x", checksum);
    }
}
