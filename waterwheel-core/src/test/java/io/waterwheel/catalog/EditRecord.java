package io.waterwheel.catalog;

import io.waterwheel.catalog.manifest.ManifestPointer;
import io.waterwheel.catalog.manifest.ManifestWriter;
import io.waterwheel.catalog.state.ChunkChanges;
import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.PartitionRoute;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.schema.Retention;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Every edit of one stream that was ever committed, for tests: what a catalog that keeps all of them would be. Readers
 * that use manifests are compared with it.
 */
public final class EditRecord {
    private final StreamInfo stream;
    private final String prefix;
    private final List<StreamSnapshot> snapshots = new ArrayList<>();
    /** By edit the highest horizon up to it, by the edits alone. */
    private final List<Long> horizons = new ArrayList<>(List.of(Retention.NO_HORIZON));

    public EditRecord(StreamInfo stream) {
        this.stream = stream;
        this.prefix = Namespace.dataPath(stream.id()) + "/edits/";
        snapshots.add(StreamSnapshot.before(stream));
    }

    /** A node was created. */
    public void created(String path, byte[] data) {
        if (path.startsWith(prefix)) {
            long number = Long.parseLong(path.substring(prefix.length()));
            if (number != snapshots.size()) {
                throw new AssertionError("edit " + number + " was committed after edit " + (snapshots.size() - 1));
            }
            Edit edit = CatalogJson.readEdit(path, data);
            long before = horizons.get(horizons.size() - 1);
            horizons.add(edit instanceof Edit.Expired expired ? Math.max(before, expired.horizon()) : before);
            snapshots.add(last().apply(number, edit));
        }
    }

    /** The horizon that a node sets that is about to be created; empty when it is none of an expiry. */
    public OptionalLong horizonOf(String path, byte[] data) {
        return path.startsWith(prefix) && CatalogJson.readEdit(path, data) instanceof Edit.Expired expired
                ? OptionalLong.of(expired.horizon())
                : OptionalLong.empty();
    }

    /** Tuples before it are gone at an edit. */
    public long horizonAt(long edit) {
        return horizons.get(Math.toIntExact(edit));
    }

    public StreamSnapshot last() {
        return snapshots.get(snapshots.size() - 1);
    }

    public StreamSnapshot at(long edit) {
        return snapshots.get(Math.toIntExact(edit));
    }

    /** Nothing, or what of a snapshot is not as the edits make it. */
    public String difference(StreamSnapshot snapshot) {
        if (snapshot.edit() >= snapshots.size()) {
            return "edit " + snapshot.edit() + " was never committed";
        }
        StreamSnapshot truth = at(snapshot.edit());
        // Which scales it knows may be ahead of its edit, and never behind.
        boolean state = truth.stream()
                        .equals(snapshot.stream().withSchema(truth.stream().schema()))
                && snapshot.stream().scales() >= truth.scales()
                && truth.tables().equals(snapshot.tables())
                && routes(truth).equals(routes(snapshot))
                && truth.checkpoints().equals(snapshot.checkpoints())
                && truth.marks().equals(snapshot.marks())
                && truth.unfinished().equals(snapshot.unfinished())
                && horizonAt(snapshot.edit()) == snapshot.horizon();
        if (!state) {
            return "the state at edit " + snapshot.edit() + " is not what the edits make";
        }
        return truth.chunkCount() == snapshot.chunkCount()
                        && new HashSet<>(truth.allChunks()).equals(new HashSet<>(snapshot.allChunks()))
                ? ""
                : "the chunks at edit " + snapshot.edit() + " are not what the edits make: expected "
                        + truth.allChunks() + ", got " + snapshot.allChunks();
    }

    private static List<PartitionRoute> routes(StreamSnapshot snapshot) {
        List<PartitionRoute> routes = new ArrayList<>();
        for (int p = 0; p < snapshot.partitions(); p++) {
            routes.add(snapshot.route(p));
        }
        return routes;
    }

    /** As {@link #difference}, byte by byte of what would be written of both. */
    public String differenceInBytes(StreamSnapshot snapshot) {
        StreamSnapshot truth = at(snapshot.edit());
        boolean same = ManifestWriter.state(truth).equals(ManifestWriter.state(snapshot))
                && chunks(truth).equals(chunks(snapshot));
        return same ? difference(snapshot) : "the bytes at edit " + snapshot.edit() + " differ";
    }

    private ByteBuffer chunks(StreamSnapshot snapshot) {
        return ManifestWriter.chunks(stream, ChunkChanges.of(snapshot));
    }

    /** The files that a stream's manifest is made of now. */
    public static List<String> manifestFiles(CatalogStore store, StreamInfo stream) {
        EditTail tail = new EditTail(store, stream);
        return store.read(tail.pointerPath())
                .map(node -> CatalogJson.readManifest(tail.pointerPath(), node.data()).files().stream()
                        .map(ManifestPointer.ManifestFile::file)
                        .toList())
                .orElse(List.of());
    }

    /** Files of a stream by name, and what becomes of them as manifests are written. */
    public static Map<String, Long> manifestEntries(CatalogStore store, StreamInfo stream) {
        EditTail tail = new EditTail(store, stream);
        Map<String, Long> entries = new java.util.TreeMap<>();
        store.read(tail.pointerPath()).ifPresent(node -> CatalogJson.readManifest(tail.pointerPath(), node.data())
                .parts()
                .forEach(part -> entries.put(part.file(), part.entries())));
        return entries;
    }
}
