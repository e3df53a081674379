package io.waterwheel.catalog;

import io.waterwheel.catalog.manifest.CorruptManifestException;
import io.waterwheel.catalog.manifest.ManifestPointer;
import io.waterwheel.catalog.manifest.ManifestReader;
import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.CatalogStore.Node;
import io.waterwheel.catalog.store.CorruptCatalogException;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.store.ChunkStore;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Optional;

/**
 * Reads a stream's snapshots: the manifest, where there is one and it is ahead, and the edits behind it. Whatever a
 * caller knows already, it needs the edits after that only, or, when those are rolled up and gone, the manifest.
 * Stateless: any number of threads. Calls block.
 */
public final class SnapshotReader {
    private final CatalogStore store;
    private final ChunkStore files;
    private final StreamInfo stream;
    private final EditTail tail;

    /** @param files where manifests are */
    public SnapshotReader(CatalogStore store, ChunkStore files, StreamInfo stream) {
        this.store = store;
        this.files = files;
        this.stream = stream;
        this.tail = new EditTail(store, stream);
    }

    public StreamInfo stream() {
        return stream;
    }

    /** Path of the node under which the edits are; watch it to learn of new ones. */
    public String editsPath() {
        return Namespace.dataPath(stream.id()) + "/edits";
    }

    /** The snapshot that holds every edit that is visible; sync before to see what others have just committed. */
    public StreamSnapshot latest() {
        return advance(StreamSnapshot.before(stream));
    }

    /**
     * Applies every edit that is visible and not yet in the snapshot.
     *
     * @throws WaterwheelException TEMPORARY when the catalog, or a manifest that is needed, cannot be reached;
     *     {@link CorruptManifestException}
     */
    public StreamSnapshot advance(StreamSnapshot snapshot) {
        // A new reader takes the manifest at once, though many of its edits may still be there.
        StreamSnapshot current = snapshot.edit() == 0 ? fromManifest(snapshot) : snapshot;
        // Who follows finds one edit, mostly; where there is one there may be many.
        int count = 1;
        while (true) {
            List<Edit> edits = tail.edits(current.edit() + 1, count);
            for (Edit edit : edits) {
                try {
                    current = current.apply(current.edit() + 1, edit);
                } catch (IllegalArgumentException e) {
                    throw new CorruptCatalogException(
                            "edit " + (current.edit() + 1) + " of stream " + stream.name(), e);
                }
            }
            if (!edits.isEmpty()) {
                count = Math.min(EditTail.BULK, count == 1 ? 2 : 4 * count);
                continue;
            }
            // Not there: not committed yet, or rolled up. In the second case the pointer, read later, is at or above
            // it.
            StreamSnapshot rolledUp = fromManifest(current);
            if (rolledUp == current) {
                return scaled(current);
            }
            current = rolledUp;
        }
    }

    /** With every version of the scales by which keys that it knows of can be made (protocol rule 8). */
    private StreamSnapshot scaled(StreamSnapshot snapshot) {
        int scales = snapshot.scales();
        if (scales <= snapshot.stream().scales()) {
            return snapshot;
        }
        return snapshot.withSchema(
                new StreamCatalog(store, snapshot.stream()).scaled(scales).schema());
    }

    /** The manifest's snapshot if it is ahead, else the one given. */
    private StreamSnapshot fromManifest(StreamSnapshot current) {
        while (true) {
            Optional<Node> node = store.read(tail.pointerPath());
            if (node.isEmpty()) {
                return current;
            }
            ManifestPointer pointer =
                    CatalogJson.readManifest(tail.pointerPath(), node.get().data());
            if (pointer.edit() <= current.edit()) {
                return current;
            }
            try {
                return new ManifestReader(files, current.stream()).snapshot(pointer);
            } catch (NoSuchFileException e) {
                requireMoved(pointer, e);
            } catch (IOException e) {
                throw unreachable(stream, e);
            }
        }
    }

    /** A file is gone: fine when another manifest has taken its place since. */
    private void requireMoved(ManifestPointer pointer, NoSuchFileException e) {
        store.sync();
        Optional<Node> node = store.read(tail.pointerPath());
        if (node.isPresent()
                && CatalogJson.readManifest(tail.pointerPath(), node.get().data())
                        .equals(pointer)) {
            CorruptManifestException missing = new CorruptManifestException(
                    String.valueOf(e.getFile()),
                    "file",
                    0,
                    "the file, which the catalog names at edit " + pointer.edit(),
                    "none");
            missing.initCause(e);
            throw missing;
        }
    }

    static WaterwheelException unreachable(StreamInfo stream, IOException e) {
        return new WaterwheelException(
                ErrorCode.MANIFEST_UNAVAILABLE,
                "stream " + stream.name() + ": its manifest cannot be read from the chunk store: " + e
                        + "; is the chunk store reachable?",
                e);
    }
}
