package io.waterwheel.catalog.manifest;

import static io.waterwheel.catalog.manifest.ManifestFormat.*;

import io.waterwheel.catalog.state.CheckpointMarks;
import io.waterwheel.catalog.state.ChunkChanges;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.tuple.KeyBox;
import io.waterwheel.tuple.LittleEndian;
import io.waterwheel.tuple.LostRange;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.zip.CRC32C;

/** Lays out one manifest file; the same content gives the same bytes. Not thread-safe. */
public final class ManifestWriter {
    private final List<byte[]> sections = new ArrayList<>();
    private final int streamId;
    private final Kind kind;
    private final long from;
    private final long to;
    private int version = VERSION;

    /** Of the section that is being written; its head is filled in at its end. */
    private final Out out = new Out();

    /** Numbers in little-endian order. */
    private static final class Out extends ByteArrayOutputStream {
        private final byte[] number = new byte[Long.BYTES];

        void i32(int value) {
            LittleEndian.putInt(number, 0, value);
            write(number, 0, Integer.BYTES);
        }

        void i64(long value) {
            low(value, Long.BYTES);
        }

        /** The low bytes of a number. */
        void low(long value, int width) {
            LittleEndian.putLong(number, 0, value);
            write(number, 0, width);
        }

        void text(String value) {
            byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
            i32(bytes.length);
            write(bytes, 0, bytes.length);
        }
    }

    private ManifestWriter(int streamId, Kind kind, long from, long to) {
        this.streamId = streamId;
        this.kind = kind;
        this.from = from;
        this.to = to;
    }

    /** All of a snapshot but its chunks. */
    public static ByteBuffer state(StreamSnapshot snapshot) {
        ManifestWriter writer = new ManifestWriter(snapshot.stream().id(), Kind.STATE, 0, snapshot.edit());
        writer.tables(snapshot.tables());
        writer.routes(snapshot);
        writer.checkpoints(snapshot.checkpoints());
        writer.marks(snapshot.marks());
        writer.out.i64(snapshot.chunkCount());
        writer.end(CHUNK_COUNT, 1);
        writer.out.i64(snapshot.horizon());
        writer.end(HORIZON, 1);
        writer.numbers(ANNOUNCED, snapshot.unfinished().announced());
        writer.numbers(NARROW, snapshot.unfinished().narrow());
        writer.scales(snapshot.tables());
        return writer.file();
    }

    /** Changes of the chunks of a stream. */
    public static ByteBuffer chunks(StreamInfo stream, ChunkChanges changes) {
        ManifestWriter writer = new ManifestWriter(stream.id(), Kind.CHUNKS, changes.from(), changes.to());
        List<ChunkDescriptor> added = changes.added();
        writer.column(INDEXER, added, ChunkDescriptor::indexer);
        writer.column(EPOCH, added, ChunkDescriptor::epoch);
        writer.column(FLUSH, added, ChunkDescriptor::flush);
        writer.column(PART, added, ChunkDescriptor::part);
        writer.column(TUPLES, added, ChunkDescriptor::tuples);
        writer.column(BYTES, added, ChunkDescriptor::bytes);
        writer.column(LOW_KEY, added, chunk -> chunk.region().keys().low());
        writer.column(HIGH_KEY, added, chunk -> chunk.region().keys().high());
        writer.column(FROM_TIME, added, chunk -> chunk.region().times().from());
        writer.column(TO_TIME, added, chunk -> chunk.region().times().to());
        int names = 0;
        for (int row = 0; row < added.size(); row++) {
            ChunkDescriptor chunk = added.get(row);
            if (!chunk.file().equals(usualName(stream, chunk))) {
                writer.out.i32(row);
                writer.out.text(chunk.file());
                names++;
            }
        }
        writer.end(NAMES, names);
        List<String> removed = changes.removed();
        removed.forEach(writer.out::text);
        writer.end(REMOVED, removed.size());
        if (added.stream().anyMatch(chunk -> chunk.box() != null)) {
            writer.version = WITH_CELLS;
            writer.column(LEAST_CELLS, added, ManifestWriter::leastCells);
            writer.column(GREATEST_CELLS, added, ManifestWriter::greatestCells);
        }
        return writer.file();
    }

    private static long leastCells(ChunkDescriptor chunk) {
        KeyBox box = chunk.box();
        return box == null ? NO_CELLS : box.least();
    }

    private static long greatestCells(ChunkDescriptor chunk) {
        KeyBox box = chunk.box();
        return box == null ? NO_CELLS : box.greatest();
    }

    private static String usualName(StreamInfo stream, ChunkDescriptor chunk) {
        return ChunkDescriptor.fileName(
                stream.name(), stream.id(), chunk.indexer(), chunk.epoch(), chunk.flush(), chunk.part());
    }

    private void tables(Map<Integer, RoutingTable> tables) {
        new TreeMap<>(tables).forEach((version, table) -> {
            out.i32(version);
            out.i32(table.indexers().length);
            for (int indexer : table.indexers()) {
                out.i32(indexer);
            }
            for (long boundary : table.boundaries()) {
                out.i64(boundary);
            }
        });
        end(TABLES, tables.size());
    }

    /** Of tables by later scales only, so that files without any stay as older releases read them. */
    private void scales(Map<Integer, RoutingTable> tables) {
        int later = 0;
        for (RoutingTable table : new TreeMap<>(tables).values()) {
            if (table.scales() > 1) {
                out.i32(table.version());
                out.i32(table.scales());
                later++;
            }
        }
        if (later > 0) {
            version = WITH_SCALES;
            end(SCALES, later);
        }
    }

    private void routes(StreamSnapshot snapshot) {
        for (int p = 0; p < snapshot.partitions(); p++) {
            PartitionRoute route = snapshot.route(p);
            out.i64(route.limit());
            out.i32(route.versions().size());
            for (PartitionRoute.VersionSince entry : route.versions()) {
                out.i32(entry.version());
                out.i64(entry.since());
            }
            out.i32(route.lost().size());
            for (LostRange range : route.lost()) {
                out.i64(range.from());
                out.i64(range.to());
                out.text(range.reason());
            }
        }
        end(ROUTES, snapshot.partitions());
    }

    private void checkpoints(Map<Integer, IndexerCheckpoint> checkpoints) {
        new TreeMap<>(checkpoints).forEach((indexer, checkpoint) -> {
            out.i32(indexer);
            checkpoint(checkpoint);
        });
        end(CHECKPOINTS, checkpoints.size());
    }

    private void numbers(int tag, Set<Integer> numbers) {
        numbers.forEach(out::i32);
        end(tag, numbers.size());
    }

    private void marks(Map<Integer, CheckpointMarks> marks) {
        new TreeMap<>(marks).forEach((indexer, of) -> {
            out.i32(indexer);
            out.i64(of.stride());
            out.i32(of.checkpoints().size());
            of.checkpoints().forEach(this::checkpoint);
        });
        end(MARKS, marks.size());
    }

    private void checkpoint(IndexerCheckpoint checkpoint) {
        out.i32(checkpoint.epoch());
        out.i64(checkpoint.flushed());
        out.i64(checkpoint.rejected());
        out.i32(checkpoint.watermarks().length);
        for (long watermark : checkpoint.watermarks()) {
            out.i64(watermark);
        }
    }

    /** A frame of reference: the least value, and what each is above it in as few bytes as the greatest needs. */
    private void column(int tag, List<ChunkDescriptor> chunks, ToLongFunction<ChunkDescriptor> field) {
        long base = Long.MAX_VALUE;
        long greatest = Long.MIN_VALUE;
        for (ChunkDescriptor chunk : chunks) {
            long value = field.applyAsLong(chunk);
            base = Math.min(base, value);
            greatest = Math.max(greatest, value);
        }
        if (chunks.isEmpty()) {
            base = 0;
            greatest = 0;
        }
        // As an unsigned number the difference never overflows.
        int width = (Long.SIZE - Long.numberOfLeadingZeros(greatest - base) + Byte.SIZE - 1) / Byte.SIZE;
        out.write(width);
        out.i64(base);
        for (ChunkDescriptor chunk : chunks) {
            out.low(field.applyAsLong(chunk) - base, width);
        }
        end(tag, chunks.size());
    }

    private void end(int tag, int entries) {
        byte[] content = out.toByteArray();
        out.reset();
        byte[] head = new byte[SECTION_BYTES];
        LittleEndian.putInt(head, 0, tag);
        LittleEndian.putInt(head, SECTION_ENTRIES, entries);
        LittleEndian.putLong(head, SECTION_LENGTH, content.length);
        LittleEndian.putInt(head, SECTION_CHECKSUM, sectionChecksum(head, 0, content, 0, content.length));
        sections.add(head);
        sections.add(content);
    }

    /** Over a section's head, but for the checksum itself, and its content. */
    static int sectionChecksum(byte[] head, int at, byte[] content, int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(head, at, SECTION_CHECKSUM);
        crc.update(content, from, length);
        return (int) crc.getValue();
    }

    public static int checksum(byte[] bytes, int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, length);
        return (int) crc.getValue();
    }

    private ByteBuffer file() {
        long length = (long) HEADER_BYTES + END_MAGIC.length;
        for (byte[] section : sections) {
            length += section.length;
        }
        if (length > MAX_FILE_BYTES) {
            throw new IllegalStateException("a manifest file of stream " + streamId + " would have " + length
                    + " bytes; at most " + MAX_FILE_BYTES + " are possible");
        }
        byte[] header = new byte[HEADER_BYTES];
        System.arraycopy(MAGIC, 0, header, 0, MAGIC.length);
        LittleEndian.putInt(header, AT_VERSION, version);
        LittleEndian.putInt(header, AT_KIND, kind.code());
        LittleEndian.putInt(header, AT_STREAM, streamId);
        LittleEndian.putInt(header, AT_SECTIONS, sections.size() / 2);
        LittleEndian.putLong(header, AT_FROM, from);
        LittleEndian.putLong(header, AT_TO, to);
        LittleEndian.putInt(header, AT_CHECKSUM, checksum(header, 0, AT_CHECKSUM));
        ByteBuffer file = ByteBuffer.allocate((int) length);
        file.put(header);
        sections.forEach(file::put);
        return file.put(END_MAGIC).flip();
    }
}
