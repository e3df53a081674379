package io.waterwheel.catalog.manifest;

import static io.waterwheel.catalog.manifest.ManifestFormat.*;

import io.waterwheel.catalog.manifest.ManifestPointer.ManifestFile;
import io.waterwheel.catalog.state.CheckpointMarks;
import io.waterwheel.catalog.state.ChunkChanges;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.schema.Retention;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.tuple.KeyBox;
import io.waterwheel.tuple.KeyDimensions;
import io.waterwheel.tuple.LostRange;
import io.waterwheel.tuple.Region;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a pointer names. Time and memory are linear in the chunks. Damage is a {@link CorruptManifestException}
 * that names file, part and offset; a file that is not there a {@link java.nio.file.NoSuchFileException}. Stateless.
 */
public final class ManifestReader {
    private final ChunkStore store;
    private final StreamInfo stream;

    public ManifestReader(ChunkStore store, StreamInfo stream) {
        this.store = store;
        this.stream = stream;
    }

    /** The snapshot at the pointer's edit. */
    public StreamSnapshot snapshot(ManifestPointer pointer) throws IOException {
        List<ChunkDescriptor> chunks = chunks(pointer);
        ManifestFile state = pointer.state();
        ManifestCursor cursor = open(state, Kind.STATE);
        try {
            Map<Integer, RoutingTable> tables = tables(cursor);
            List<PartitionRoute> routes = routes(cursor);
            Map<Integer, IndexerCheckpoint> checkpoints = checkpoints(cursor, routes.size());
            Map<Integer, CheckpointMarks> marks = marks(cursor, routes.size());
            cursor.section(CHUNK_COUNT);
            long count = cursor.i64();
            long horizon = Retention.NO_HORIZON;
            if (cursor.version() > WITHOUT_HORIZON) {
                cursor.section(HORIZON);
                horizon = cursor.i64();
            }
            StreamSnapshot.Unfinished unfinished = StreamSnapshot.Unfinished.NOTHING;
            if (cursor.version() > WITHOUT_UNFINISHED) {
                unfinished = new StreamSnapshot.Unfinished(numbers(cursor, ANNOUNCED), numbers(cursor, NARROW));
            }
            if (cursor.version() >= WITH_SCALES) {
                scales(cursor, tables);
            }
            withoutExpired(chunks, horizon);
            cursor.require(count == chunks.size(), chunks.size() + " chunks, as its parts have", count + " chunks");
            cursor.end();
            return StreamSnapshot.restored(
                    stream, pointer.edit(), tables, routes, checkpoints, marks, unfinished, chunks, horizon);
        } catch (IllegalArgumentException e) {
            throw cursor.impossible(e);
        }
    }

    /** Parts are not written again when a horizon moves: they may still have what is gone. */
    private static void withoutExpired(List<ChunkDescriptor> chunks, long horizon) {
        chunks.removeIf(chunk -> StreamSnapshot.isBefore(horizon, chunk));
    }

    /** The parts from the newest to the oldest, so that what is gone is known before it is met. */
    private List<ChunkDescriptor> chunks(ManifestPointer pointer) throws IOException {
        List<ChunkDescriptor> chunks = new ArrayList<>();
        Set<String> gone = new HashSet<>();
        for (int i = pointer.parts().size() - 1; i >= 0; i--) {
            ManifestFile part = pointer.parts().get(i);
            Part read = part(part);
            for (ChunkDescriptor chunk : read.added) {
                if (gone.isEmpty() || !gone.remove(chunk.file())) {
                    chunks.add(chunk);
                }
            }
            for (String file : read.removed) {
                read.cursor.require(gone.add(file), "each chunk removed once", file + " twice");
            }
        }
        if (!gone.isEmpty()) {
            ManifestFile oldest = pointer.parts().get(0);
            throw new CorruptManifestException(
                    oldest.file(),
                    "added",
                    0,
                    "chunk " + gone.iterator().next() + ", which a later part removes",
                    "no such chunk");
        }
        return chunks;
    }

    private record Part(List<ChunkDescriptor> added, List<String> removed, ManifestCursor cursor) {}

    /** One part of the chunks. */
    public ChunkChanges changes(ManifestFile file) throws IOException {
        Part part = part(file);
        ChunkChanges changes = new ChunkChanges(file.from());
        try {
            changes.restore(file.to(), part.added, part.removed);
        } catch (IllegalStateException e) {
            throw part.cursor.impossible(e);
        }
        return changes;
    }

    private Part part(ManifestFile file) throws IOException {
        ManifestCursor cursor = open(file, Kind.CHUNKS);
        long[][] columns = new long[COLUMNS][];
        for (int column = 0; column < COLUMNS; column++) {
            columns[column] = cursor.column(FIRST_COLUMN + column, file.added());
        }
        Map<Integer, String> names = new HashMap<>();
        for (int left = cursor.section(NAMES); left > 0; left--) {
            names.put(cursor.i32(), cursor.text());
        }
        int removals = cursor.section(REMOVED);
        cursor.require(removals == file.removed(), file.removed() + " removed", String.valueOf(removals));
        List<String> removed = new ArrayList<>();
        for (int i = 0; i < removals; i++) {
            removed.add(cursor.text());
        }
        boolean withCells = cursor.version() >= WITH_CELLS;
        long[] least = withCells ? cursor.column(LEAST_CELLS, file.added()) : null;
        long[] greatest = withCells ? cursor.column(GREATEST_CELLS, file.added()) : null;
        cursor.end();
        List<ChunkDescriptor> added = new ArrayList<>(file.added());
        try {
            KeyDimensions dimensions = KeyDimensions.of(stream.schema());
            for (int row = 0; row < file.added(); row++) {
                KeyBox box = least == null || greatest == null || least[row] == NO_CELLS
                        ? null
                        : new KeyBox(least[row], greatest[row]);
                ChunkDescriptor chunk = chunk(columns, row, names, cursor.version(), box);
                if (box != null) {
                    dimensions.requireBoxOf(chunk.region().keys(), box);
                }
                added.add(chunk);
            }
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw cursor.impossible(e);
        }
        return new Part(added, removed, cursor);
    }

    private ChunkDescriptor chunk(
            long[][] columns, int row, Map<Integer, String> names, int version, @Nullable KeyBox box) {
        int indexer = Math.toIntExact(columns[INDEXER - FIRST_COLUMN][row]);
        int epoch = Math.toIntExact(columns[EPOCH - FIRST_COLUMN][row]);
        long flush = columns[FLUSH - FIRST_COLUMN][row];
        int part = Math.toIntExact(columns[PART - FIRST_COLUMN][row]);
        String name = names.isEmpty() ? null : names.get(row);
        if (name == null) {
            name = version <= FLAT_NAMES
                    ? ChunkDescriptor.flatFileName(stream.name(), stream.id(), indexer, epoch, flush, part)
                    : ChunkDescriptor.fileName(stream.name(), stream.id(), indexer, epoch, flush, part);
        }
        return new ChunkDescriptor(
                name,
                indexer,
                epoch,
                flush,
                part,
                columns[TUPLES - FIRST_COLUMN][row],
                columns[BYTES - FIRST_COLUMN][row],
                Region.of(
                        columns[LOW_KEY - FIRST_COLUMN][row],
                        columns[HIGH_KEY - FIRST_COLUMN][row],
                        columns[FROM_TIME - FIRST_COLUMN][row],
                        columns[TO_TIME - FIRST_COLUMN][row]),
                box);
    }

    private static Map<Integer, RoutingTable> tables(ManifestCursor cursor) {
        Map<Integer, RoutingTable> tables = new HashMap<>();
        for (int left = cursor.section(TABLES); left > 0; left--) {
            int version = cursor.i32();
            int[] indexers = new int[cursor.count(Integer.BYTES)];
            for (int i = 0; i < indexers.length; i++) {
                indexers[i] = cursor.i32();
            }
            long[] boundaries = new long[Math.max(0, indexers.length - 1)];
            for (int i = 0; i < boundaries.length; i++) {
                boundaries[i] = cursor.i64();
            }
            tables.put(version, new RoutingTable(version, boundaries, indexers));
        }
        return tables;
    }

    private static void scales(ManifestCursor cursor, Map<Integer, RoutingTable> tables) {
        int before = 0;
        for (int left = cursor.section(SCALES); left > 0; left--) {
            int version = cursor.i32();
            int scales = cursor.i32();
            RoutingTable table = tables.get(version);
            if (table == null) {
                throw new IllegalArgumentException("scales of routing table " + version + ", which is not there");
            }
            cursor.require(version > before, "scales of tables in ascending order", version + " after " + before);
            cursor.require(scales > 1, "scales from 2 on of routing table " + version, Integer.toString(scales));
            before = version;
            tables.put(version, table.withScales(scales));
        }
    }

    private static List<PartitionRoute> routes(ManifestCursor cursor) {
        List<PartitionRoute> routes = new ArrayList<>();
        int partitions = cursor.section(ROUTES);
        for (int p = 0; p < partitions; p++) {
            long limit = cursor.i64();
            List<PartitionRoute.VersionSince> versions = new ArrayList<>();
            for (int left = cursor.count(Integer.BYTES + Long.BYTES); left > 0; left--) {
                versions.add(new PartitionRoute.VersionSince(cursor.i32(), cursor.i64()));
            }
            List<LostRange> lost = new ArrayList<>();
            for (int left = cursor.count(2 * Long.BYTES + Integer.BYTES); left > 0; left--) {
                lost.add(new LostRange(p, cursor.i64(), cursor.i64(), cursor.text()));
            }
            routes.add(new PartitionRoute(limit, versions, LogIdentity.ANY, lost));
        }
        return routes;
    }

    private static Map<Integer, IndexerCheckpoint> checkpoints(ManifestCursor cursor, int partitions) {
        Map<Integer, IndexerCheckpoint> checkpoints = new HashMap<>();
        for (int left = cursor.section(CHECKPOINTS); left > 0; left--) {
            checkpoints.put(cursor.i32(), checkpoint(cursor, partitions));
        }
        return checkpoints;
    }

    private static Set<Integer> numbers(ManifestCursor cursor, int section) {
        Set<Integer> numbers = new HashSet<>();
        for (int left = cursor.section(section); left > 0; left--) {
            numbers.add(cursor.i32());
        }
        return numbers;
    }

    private static Map<Integer, CheckpointMarks> marks(ManifestCursor cursor, int partitions) {
        Map<Integer, CheckpointMarks> marks = new HashMap<>();
        for (int left = cursor.section(MARKS); left > 0; left--) {
            int indexer = cursor.i32();
            long stride = cursor.i64();
            cursor.require(stride >= 1, "a stride of at least 1", String.valueOf(stride));
            List<IndexerCheckpoint> checkpoints = new ArrayList<>();
            for (int of = cursor.count(Integer.BYTES); of > 0; of--) {
                checkpoints.add(checkpoint(cursor, partitions));
            }
            marks.put(indexer, new CheckpointMarks(stride, checkpoints));
        }
        return marks;
    }

    private static IndexerCheckpoint checkpoint(ManifestCursor cursor, int partitions) {
        int epoch = cursor.i32();
        long flushed = cursor.i64();
        long rejected = cursor.i64();
        long[] watermarks = new long[cursor.count(Long.BYTES)];
        cursor.require(watermarks.length == partitions, partitions + " watermarks", String.valueOf(watermarks.length));
        for (int p = 0; p < watermarks.length; p++) {
            watermarks[p] = cursor.i64();
        }
        return new IndexerCheckpoint(epoch, flushed, watermarks, rejected);
    }

    private ManifestCursor open(ManifestFile file, Kind kind) throws IOException {
        byte[] bytes;
        try (ChunkStore.Input input = store.open(file.file())) {
            if (input.size() != file.bytes() || file.bytes() > MAX_FILE_BYTES) {
                throw new CorruptManifestException(
                        file.file(), "length", 0, file.bytes() + " bytes", input.size() + " bytes");
            }
            bytes = new byte[(int) file.bytes()];
            input.read(0, bytes, 0, bytes.length);
        }
        return new ManifestCursor(bytes, file, kind, stream.id());
    }
}
