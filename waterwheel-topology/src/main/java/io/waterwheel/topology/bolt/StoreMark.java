package io.waterwheel.topology.bolt;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.waterwheel.catalog.CatalogStore;
import io.waterwheel.catalog.FileCollector;
import io.waterwheel.chunk.ChunkStore;
import io.waterwheel.model.WaterwheelException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.util.List;
import java.util.UUID;

/**
 * Says whose the files of a chunk store are: a name drawn once, kept in the catalog and in a file of the store. Two
 * catalogs on one folder would each take the other's chunks for nobody's.
 */
final class StoreMark {
    private static final String NODE = "/store-mark";
    private static final String FILE = FileCollector.STORE_MARK;
    private static final int LENGTH = 36;

    private StoreMark() {}

    /**
     * Marks the store when nobody has.
     *
     * @throws WaterwheelException USER when it is another catalog's
     */
    static void check(CatalogStore catalog, ChunkStore store) throws IOException {
        byte[] mark = mark(catalog);
        try {
            store.write(FILE, List.of(ByteBuffer.wrap(mark)));
        } catch (FileAlreadyExistsException e) {
            String there = read(store);
            String ours = new String(mark, US_ASCII);
            if (!there.equals(ours)) {
                throw new WaterwheelException(
                        WaterwheelException.Kind.USER,
                        "FOREIGN_STORE",
                        "the chunk store's file " + FILE + " says that it is of catalog " + there + ", this is " + ours
                                + ": no file is collected. Give each namespace a folder of its own; where the other"
                                + " catalog is gone for good, delete the file",
                        e);
            }
        }
    }

    private static byte[] mark(CatalogStore catalog) {
        catalog.sync();
        var present = catalog.read(NODE);
        if (present.isPresent()) {
            return present.get().data();
        }
        byte[] drawn = UUID.randomUUID().toString().getBytes(US_ASCII);
        try {
            catalog.commit(List.of(new CatalogStore.Op.Create(NODE, drawn)));
        } catch (CatalogStore.ConflictException | CatalogStore.UnknownOutcomeException e) {
            // Somebody was quicker, or it is done: what is there counts.
            catalog.sync();
        }
        return catalog.read(NODE)
                .orElseThrow(() -> new WaterwheelException(
                        WaterwheelException.Kind.TEMPORARY, "CATALOG_UNAVAILABLE", "the store's mark was not written"))
                .data();
    }

    private static String read(ChunkStore store) throws IOException {
        try (ChunkStore.Input input = store.open(FILE)) {
            byte[] content = new byte[(int) Math.min(LENGTH, input.size())];
            input.read(0, content, 0, content.length);
            return new String(content, US_ASCII);
        }
    }
}
