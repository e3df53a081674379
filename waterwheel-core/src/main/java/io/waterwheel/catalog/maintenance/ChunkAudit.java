package io.waterwheel.catalog.maintenance;

import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.chunk.ChunkCheck;
import io.waterwheel.chunk.encoding.CorruptChunkException;
import io.waterwheel.schema.Schema;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.Region;
import io.waterwheel.tuple.TimeInterval;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Compares chunk files with what the catalog says of them, one by one. */
public final class ChunkAudit {
    /** By indexer, epoch, flush and part: an order that chunks keep. */
    private static final Comparator<ChunkDescriptor> ORDER = Comparator.comparingInt(ChunkDescriptor::indexer)
            .thenComparingInt(ChunkDescriptor::epoch)
            .thenComparingLong(ChunkDescriptor::flush)
            .thenComparingInt(ChunkDescriptor::part);

    private static final Region EVERYTHING = new Region(KeyInterval.ALL, TimeInterval.ALL);

    private ChunkAudit() {}

    /** The chunks of a stream by indexer, epoch, flush and part. */
    public static List<ChunkDescriptor> inOrder(StreamSnapshot snapshot) {
        List<ChunkDescriptor> chunks = new ArrayList<>();
        snapshot.chunks(EVERYTHING, chunks::add);
        chunks.sort(ORDER);
        return chunks;
    }

    /** Whether a snapshot names a chunk: damage of others, which have expired, is nothing to tell of. */
    public static boolean isNamed(StreamSnapshot snapshot, ChunkDescriptor chunk) {
        boolean[] named = {false};
        snapshot.chunks(chunk.region(), hit -> named[0] |= hit.equals(chunk));
        return named[0];
    }

    /**
     * Reads a chunk whole, see {@link ChunkCheck}.
     *
     * @param schema the stream's
     * @throws CorruptChunkException naming the part, also where there is no such file
     * @throws IOException when the store cannot be read: that says nothing about the chunk
     */
    public static void check(ChunkStore store, ChunkDescriptor chunk, Schema schema, ChunkCheck.Pace pace)
            throws IOException, InterruptedException {
        try (ChunkStore.Input input = file(store, chunk.file())) {
            ChunkCheck.check(
                    input,
                    schema,
                    new ChunkCheck.Facts(chunk.bytes(), chunk.tuples(), chunk.region(), chunk.box()),
                    pace);
        }
    }

    /** @throws CorruptChunkException when there is none: the catalog names it */
    private static ChunkStore.Input file(ChunkStore store, String name) throws IOException {
        try {
            return store.open(name);
        } catch (NoSuchFileException e) {
            throw CorruptChunkException.missing(name, e);
        }
    }
}
