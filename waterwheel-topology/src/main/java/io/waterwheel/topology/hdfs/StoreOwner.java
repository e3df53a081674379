package io.waterwheel.topology.hdfs;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.catalog.maintenance.FileCollector;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.store.ChunkStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.UUID;

/**
 * Says whose the files of a chunk store are, and where a catalog's files are: a name drawn once, kept in the catalog
 * and in a file of the store. Two catalogs on one folder would each take the other's chunks for files without an owner;
 * a catalog on a folder that is not its own misses all of its chunks, and strews new ones.
 *
 * <p>The node has the name, and, once the file is known to be written, a second line: the store's URI, as it was called
 * then. From that moment on a store without the file is not the one.
 */
final class StoreOwner {
    private static final String NODE = "/store-mark";
    private static final String FILE = FileCollector.STORE_MARK;
    /** Of a name, in bytes. */
    private static final int LENGTH = 36;

    private StoreOwner() {}

    /**
     * Makes sure that the store is this catalog's; marks a store without an owner for a catalog that has none.
     *
     * @param uri of the store, for messages and for the node
     * @return the catalog's name
     * @throws WaterwheelException USER when it is another catalog's ({@code FOREIGN_STORE}), or is not the one that the
     *     catalog has files in ({@code ANOTHER_STORE}); TEMPORARY when the catalog is away
     * @throws IOException when the store is away
     */
    static String check(CatalogStore catalog, ChunkStore store, String uri) throws IOException {
        CatalogStore.Node node = node(catalog);
        String[] lines = new String(node.data(), UTF_8).split("\n", 2);
        String ours = lines[0];
        if (lines.length > 1) {
            requireOurs(store, uri, ours, lines[1]);
            return ours;
        }
        try {
            store.write(FILE, List.of(ByteBuffer.wrap(ours.getBytes(US_ASCII))));
        } catch (FileAlreadyExistsException e) {
            requireOurs(store, uri, ours, uri);
        }
        try {
            catalog.commit(List.of(new CatalogStore.Op.Set(NODE, (ours + "\n" + uri).getBytes(UTF_8), node.version())));
        } catch (CatalogStore.ConflictException | CatalogStore.UnknownOutcomeException e) {
            // Another worker was quicker, perhaps one that is configured otherwise: what is there counts.
            catalog.sync();
            return check(catalog, store, uri);
        }
        return ours;
    }

    /** Whether a catalog is the one of this name, as far as it can be reached. */
    static boolean isOf(CatalogStore catalog, String name) {
        return catalog.read(NODE)
                .map(node -> new String(node.data(), UTF_8).split("\n", 2)[0])
                .filter(name::equals)
                .isPresent();
    }

    /** @param known where the catalog's files were last */
    private static void requireOurs(ChunkStore store, String uri, String ours, String known) throws IOException {
        String there;
        try {
            there = read(store);
        } catch (NoSuchFileException e) {
            throw new WaterwheelException(
                    ErrorCode.ANOTHER_STORE,
                    "chunk store " + uri + " has no file " + FILE
                            + ", and the chunks of this catalog are in a store that"
                            + " has one (it was called " + known
                            + "): is chunk-store.uri mistyped, or a file system not"
                            + " mounted? If the chunks were moved here without that file, write " + ours + " into it",
                    e);
        }
        if (!there.equals(ours)) {
            throw new WaterwheelException(
                    ErrorCode.FOREIGN_STORE,
                    "chunk store " + uri + ": its file " + FILE + " says that it is of catalog " + there + ", this is "
                            + ours + ": nothing is written to it. Give each namespace a folder of its own"
                            + " (chunk-store.uri). Where it is this catalog's own, whose nodes in ZooKeeper were removed,"
                            + " restore those from a copy; where the other catalog is gone for good, delete the file");
        }
    }

    private static CatalogStore.Node node(CatalogStore catalog) {
        catalog.sync();
        var present = catalog.read(NODE);
        if (present.isPresent()) {
            return present.get();
        }
        byte[] drawn = UUID.randomUUID().toString().getBytes(US_ASCII);
        try {
            catalog.commit(List.of(new CatalogStore.Op.Create(NODE, drawn)));
        } catch (CatalogStore.ConflictException | CatalogStore.UnknownOutcomeException e) {
            // Somebody was quicker, or it is done: what is there counts.
            catalog.sync();
        }
        return catalog.read(NODE)
                .orElseThrow(() ->
                        new WaterwheelException(ErrorCode.CATALOG_UNAVAILABLE, "the store's mark was not written"));
    }

    private static String read(ChunkStore store) throws IOException {
        try (ChunkStore.Input input = store.open(FILE)) {
            byte[] content = new byte[(int) Math.min(LENGTH, input.size())];
            input.read(0, content, 0, content.length);
            return new String(content, US_ASCII);
        }
    }
}
