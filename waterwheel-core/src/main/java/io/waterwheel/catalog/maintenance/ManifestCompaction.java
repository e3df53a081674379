package io.waterwheel.catalog.maintenance;

import io.waterwheel.catalog.CatalogJson;
import io.waterwheel.catalog.CatalogTransaction;
import io.waterwheel.catalog.EditTail;
import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.StreamSnapshots;
import io.waterwheel.catalog.manifest.ManifestFormat.Kind;
import io.waterwheel.catalog.manifest.ManifestPointer;
import io.waterwheel.catalog.manifest.ManifestPointer.ManifestFile;
import io.waterwheel.catalog.manifest.ManifestReader;
import io.waterwheel.catalog.manifest.ManifestWriter;
import io.waterwheel.catalog.state.ChunkChanges;
import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.StreamGoneException;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.CatalogStore.ConflictException;
import io.waterwheel.catalog.store.CatalogStore.Node;
import io.waterwheel.catalog.store.CatalogStore.Op;
import io.waterwheel.catalog.store.CatalogStore.UnknownOutcomeException;
import io.waterwheel.schema.Retention;
import io.waterwheel.store.ChunkStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rolls one stream's edits up into manifest files. Three steps, each of which may be the last before a crash, and any
 * of which others may take at the same time: files that nothing names yet are written; one compare-and-set names them;
 * edits that they hold are deleted. No threads, no clock. Not thread-safe.
 *
 * <p>A manifest is the state, written whole, and parts of the chunks, oldest first, each at least twice as large as the
 * next: so a chunk is written again log2(chunks / edits) times, and as many parts are read at an open. When they list
 * more than twice the chunks there are, they are written anew as one: so a chunk that expired is listed a while longer,
 * and passed over, and expiry itself writes nothing.
 */
public final class ManifestCompaction {
    private static final Logger LOG = LoggerFactory.getLogger(ManifestCompaction.class);
    /** Edits deleted in one transaction; far below what a transaction may hold. */
    private static final int DELETES = 500;

    /**
     * When, and what stays.
     *
     * @param edits number behind the manifest at which edits are rolled up
     * @param tail number of edits in the manifest that are kept for followers that lag
     */
    public record Settings(int edits, int tail) {
        public Settings {
            if (edits < 1 || tail < 0) {
                throw new IllegalArgumentException("roll-up of " + edits + " edits with a tail of " + tail);
            }
        }

        /** With a tail of half as many. */
        public static Settings of(int edits) {
            return new Settings(edits, edits / 2);
        }
    }

    private record Prepared(ManifestPointer basis, int version, ManifestPointer next) {}

    private final StreamSnapshots snapshots;
    private final CatalogStore catalog;
    private final ChunkStore files;
    private final StreamInfo stream;
    private final Settings settings;
    private final Supplier<String> attempts;
    private final EditTail tail;
    private @Nullable Prepared prepared;
    /** The last edit that was seen here. */
    private long seen;
    /** Edit of the manifest, as far as it was seen here. */
    private long rolledUp;
    /** Edits up to this one were deleted, as far as it was seen here. */
    private long trimmed;

    /** @param attempts a new name at each call, of letters and digits, that no other process ever uses */
    public ManifestCompaction(
            StreamSnapshots snapshots, StreamInfo stream, Settings settings, Supplier<String> attempts) {
        this.snapshots = snapshots;
        this.catalog = snapshots.catalog();
        this.files = snapshots.files();
        this.stream = stream;
        this.settings = settings;
        this.attempts = attempts;
        this.tail = new EditTail(catalog, stream);
    }

    /** The last edit, as it was seen last. */
    public long seen() {
        return seen;
    }

    /** Edit of the manifest, as it was seen last: it may have moved on since, never back. */
    public long rolledUp() {
        return rolledUp;
    }

    /** Edits that the manifest held and that had not been deleted yet, as it was seen last. */
    public long kept() {
        return rolledUp - trimmed;
    }

    /** First step for a stream's own edits: when there are enough by the settings. */
    public boolean write() throws IOException {
        return write(settings.edits());
    }

    /**
     * First step: when there are enough edits, writes what holds them.
     *
     * @param least number of edits behind the manifest that is enough
     * @return whether there is something to commit
     * @throws IOException when the chunk store is away; nothing is lost, the edits stay
     */
    public boolean write(int least) throws IOException {
        prepared = null;
        catalog.sync();
        Node node = tail.pointer();
        ManifestPointer basis = CatalogJson.readManifest(tail.pointerPath(), node.data());
        StreamSnapshot snapshot = snapshots.advance(stream);
        rolledUp = Math.max(rolledUp, basis.edit());
        seen = snapshot.edit();
        if (snapshot.edit() - basis.edit() < least) {
            return false;
        }
        ChunkChanges changes = changesSince(basis, snapshot);
        if (changes == null) {
            return false;
        }
        List<ManifestFile> parts = new ArrayList<>(basis.parts());
        if (snapshot.horizon() != Retention.NO_HORIZON
                && changes.entries() + entries(parts) > 2L * snapshot.chunkCount() + settings.edits()) {
            // Most of what is listed has expired since, which no part says: what is left is shorter.
            changes = ChunkChanges.of(snapshot);
            parts.clear();
        }
        ManifestReader reader = new ManifestReader(files, stream);
        while (!parts.isEmpty() && parts.get(parts.size() - 1).entries() < 2L * changes.entries()) {
            changes = reader.changes(parts.remove(parts.size() - 1)).then(changes);
        }
        if (parts.isEmpty() && changes.removedCount() > 0) {
            throw new IllegalStateException("stream " + stream.name() + ", edit " + snapshot.edit() + ": chunks "
                    + changes.removed() + " were removed and never added");
        }
        changes.expire(snapshot.horizon());
        String attempt = attempts.get();
        if (changes.entries() > 0) {
            parts.add(store(
                    ManifestWriter.chunks(stream, changes),
                    Kind.CHUNKS,
                    node.version(),
                    attempt,
                    changes.from(),
                    changes.to(),
                    changes.added().size(),
                    changes.removedCount()));
        }
        parts.add(
                0,
                store(ManifestWriter.state(snapshot), Kind.STATE, node.version(), attempt, 0, snapshot.edit(), 0, 0));
        prepared = new Prepared(basis, node.version(), new ManifestPointer(snapshot.edit(), parts));
        return true;
    }

    private static long entries(List<ManifestFile> parts) {
        return parts.stream().mapToLong(ManifestFile::entries).sum();
    }

    /** What changed among the chunks; null when somebody else has rolled up what is needed to know. */
    private @Nullable ChunkChanges changesSince(ManifestPointer basis, StreamSnapshot snapshot) {
        if (basis.edit() == 0) {
            return ChunkChanges.of(snapshot);
        }
        ChunkChanges changes = new ChunkChanges(basis.edit());
        long number = basis.edit() + 1;
        while (number <= snapshot.edit()) {
            List<Edit> edits = tail.edits(number, (int) Math.min(EditTail.BULK, snapshot.edit() - number + 1));
            if (edits.isEmpty()) {
                return null;
            }
            for (Edit edit : edits) {
                changes.apply(number++, edit);
            }
        }
        return changes;
    }

    private ManifestFile store(
            ByteBuffer content, Kind kind, int basis, String attempt, long from, long to, int added, int removed)
            throws IOException {
        String name = ManifestPointer.fileName(stream.name(), stream.id(), basis, from, to, attempt, kind);
        ManifestFile file = new ManifestFile(
                name,
                content.remaining(),
                ManifestWriter.checksum(content.array(), content.arrayOffset(), content.remaining()),
                from,
                to,
                added,
                removed);
        files.write(name, List.of(content));
        return file;
    }

    /**
     * Second step: names what the first has written, unless the pointer has moved since.
     *
     * @return whether it is named; if not, the files are left to the collector
     */
    public boolean commit() {
        Prepared next = prepared;
        if (next == null) {
            return false;
        }
        String failure = "stream " + stream.name() + ": the manifest at edit "
                + next.next().edit() + " could not be named";
        boolean named = new CatalogTransaction(catalog, failure).run(before -> {
            if (before != null) {
                Optional<Node> node = catalog.read(tail.pointerPath());
                if (node.isEmpty()) {
                    prepared = null;
                    throw new StreamGoneException(stream.name(), tail.pointerPath());
                }
                if (node.get().version() != next.version()) {
                    return CatalogJson.readManifest(
                                    tail.pointerPath(), node.get().data())
                            .equals(next.next());
                }
            }
            catalog.commit(steps(next));
            return true;
        });
        prepared = null;
        if (named) {
            done(next);
        }
        return named;
    }

    private List<Op> steps(Prepared next) {
        List<Op> ops = new ArrayList<>();
        ops.add(new Op.Set(tail.pointerPath(), CatalogJson.write(next.next()), next.version()));
        if (next.basis().edit() == 0) {
            // A release that knows of no manifests must not take what is left of the edits for all of them.
            String path = Namespace.path(stream.name());
            Node entry = catalog.read(path).orElseThrow(() -> new StreamGoneException(stream.name(), path));
            StreamInfo present = CatalogJson.readStream(path, entry.data());
            if (present.id() != stream.id()) {
                throw new StreamGoneException(stream.name(), path);
            }
            if (CatalogJson.layoutOf(path, entry.data()) < CatalogJson.LAYOUT) {
                ops.add(new Op.Set(path, CatalogJson.write(present), entry.version()));
            }
        }
        return ops;
    }

    private void done(Prepared next) {
        rolledUp = Math.max(rolledUp, next.next().edit());
        LOG.info(
                "[{}] rolled up edits {} to {} into {} files, the newest {}",
                stream.name(),
                next.basis().edit() + 1,
                next.next().edit(),
                next.next().files().size(),
                next.next().state().file());
    }

    /** Third step with the tail of the settings. */
    public int trim() {
        return trim(settings.tail());
    }

    /**
     * Third step: deletes edits that the manifest holds, the oldest first, some at a time.
     *
     * @param kept number of them that stay
     * @return how many; 0 when none are left to delete
     */
    public int trim(int kept) {
        Optional<Node> node = catalog.read(tail.pointerPath());
        if (node.isEmpty()) {
            return 0;
        }
        rolledUp =
                CatalogJson.readManifest(tail.pointerPath(), node.get().data()).edit();
        long last = rolledUp - kept;
        long first = firstLeft(last);
        trimmed = Math.max(0, first - 1);
        List<Op> ops = new ArrayList<>();
        for (long number = first; number <= last && ops.size() < DELETES; number++) {
            ops.add(new Op.Delete(tail.editPath(number), 0));
        }
        if (ops.isEmpty()) {
            return 0;
        }
        try {
            catalog.commit(ops);
            trimmed += ops.size();
            return ops.size();
        } catch (ConflictException | UnknownOutcomeException e) {
            // Somebody else has deleted some of them; the next look knows.
            LOG.debug("stream {}: edits from {} on are not deleted yet: {}", stream.name(), first, e.toString());
            return 0;
        }
    }

    /** The first edit up to a number that is still there, or the one after it: they are deleted in order. */
    private long firstLeft(long last) {
        long gone = 0;
        long left = last + 1;
        while (left - gone > 1) {
            long middle = gone + (left - gone) / 2;
            if (catalog.read(tail.editPath(middle)).isPresent()) {
                left = middle;
            } else {
                gone = middle;
            }
        }
        return left;
    }
}
