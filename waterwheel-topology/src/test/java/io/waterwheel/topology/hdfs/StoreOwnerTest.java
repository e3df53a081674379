package io.waterwheel.topology.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.maintenance.FileCollector;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.store.LocalChunkStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StoreOwnerTest {
    private static final String URI = "file:///chunks";

    @TempDir
    Path folder;

    private final CatalogStore catalog = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());

    private FileCollector.Found look(FileCollector collector) throws IOException {
        collector.list();
        collector.readCatalog();
        return collector.collect(System.nanoTime());
    }

    @Test
    void theCollectorsOwnMarkIsNotForeign() throws IOException {
        ChunkStore store = new LocalChunkStore(folder);
        FileCollector collector = new FileCollector(catalog, store, 0);
        StoreOwner.check(catalog, store, URI);
        // As a marking that was cut off leaves it.
        Files.write(folder.resolve(FileCollector.STORE_MARK + ".7f.tmp"), new byte[3]);
        FileCollector.Found found = look(collector);
        assertThat(found.files()).isEqualTo(2);
        assertThat(found.foreign()).isZero();
        Files.write(folder.resolve("CATALOG.txt"), new byte[3]);
        Files.write(folder.resolve("notes.txt"), new byte[3]);
        assertThat(look(collector).foreign()).isEqualTo(2);
        StoreOwner.check(catalog, store, URI);
        assertThat(look(collector).removed()).isZero();
    }

    @Test
    void anotherCatalogsStoreIsRefused() throws IOException {
        ChunkStore store = new LocalChunkStore(folder);
        StoreOwner.check(catalog, store, URI);
        StoreOwner.check(catalog, store, URI);
        CatalogStore other = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
        assertRefused("FOREIGN_STORE", () -> StoreOwner.check(other, store, URI));
        assertRefused("FOREIGN_STORE", () -> StoreOwner.check(other, store, URI));
    }

    @Test
    void aStoreThatIsNotTheCatalogsIsRefusedThoughNobodyOwnsIt() throws IOException {
        Path mistyped = folder.resolve("mistyped");
        StoreOwner.check(catalog, new LocalChunkStore(folder.resolve("chunks")), URI);
        ChunkStore empty = new LocalChunkStore(mistyped);
        assertThatThrownBy(() -> StoreOwner.check(catalog, empty, "file:///mistyped"))
                .isInstanceOfSatisfying(WaterwheelException.class, e -> {
                    assertThat(e.code()).isEqualTo("ANOTHER_STORE");
                    assertThat(e).hasMessageContainingAll("file:///mistyped", URI, "chunk-store.uri mistyped");
                });
        assertThat(empty.list("")).isEmpty();
        // Moved by hand, without the mark: the message says what to write.
        String mark = Files.readString(folder.resolve("chunks").resolve(FileCollector.STORE_MARK));
        Files.writeString(mistyped.resolve(FileCollector.STORE_MARK), mark);
        StoreOwner.check(catalog, empty, "file:///mistyped");
    }

    @Test
    void aMarkingThatWasCutOffIsTakenUp() throws Exception {
        // The node is there, the file is not; and so a release left it that did not look for the file.
        StoreOwner.check(catalog, new LocalChunkStore(folder.resolve("first")), URI);
        CatalogStore.Node node = catalog.read("/store-mark").orElseThrow();
        byte[] drawn = java.util.Arrays.copyOf(node.data(), 36);
        catalog.commit(List.of(new CatalogStore.Op.Set("/store-mark", drawn, node.version())));
        ChunkStore store = new LocalChunkStore(folder.resolve("second"));
        StoreOwner.check(catalog, store, URI);
        assertThat(folder.resolve("second").resolve(FileCollector.STORE_MARK)).hasBinaryContent(drawn);
        store.delete(FileCollector.STORE_MARK);
        assertRefused("ANOTHER_STORE", () -> StoreOwner.check(catalog, store, URI));
    }

    private interface Call {
        void run() throws Exception;
    }

    private static void assertRefused(String code, Call call) {
        assertThatThrownBy(call::run).isInstanceOfSatisfying(WaterwheelException.class, e -> assertThat(e.code())
                .isEqualTo(code));
    }
}
