package io.waterwheel.topology.bolt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.CatalogStore;
import io.waterwheel.catalog.FileCollector;
import io.waterwheel.catalog.InMemoryCatalogStore;
import io.waterwheel.chunk.ChunkStore;
import io.waterwheel.chunk.LocalChunkStore;
import io.waterwheel.model.WaterwheelException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StoreMarkTest {
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
        StoreMark.check(catalog, store);
        // As a marking that was cut off leaves it.
        Files.write(folder.resolve(FileCollector.STORE_MARK + ".7f.tmp"), new byte[3]);
        FileCollector.Found found = look(collector);
        assertThat(found.files()).isEqualTo(2);
        assertThat(found.foreign()).isZero();
        Files.write(folder.resolve("CATALOG.txt"), new byte[3]);
        Files.write(folder.resolve("notes.txt"), new byte[3]);
        assertThat(look(collector).foreign()).isEqualTo(2);
        StoreMark.check(catalog, store);
        assertThat(look(collector).removed()).isZero();
    }

    @Test
    void anotherCatalogsStoreIsRefused() throws IOException {
        ChunkStore store = new LocalChunkStore(folder);
        StoreMark.check(catalog, store);
        StoreMark.check(catalog, store);
        CatalogStore other = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
        assertThatThrownBy(() -> StoreMark.check(other, store))
                .isInstanceOfSatisfying(
                        WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("FOREIGN_STORE"));
    }
}
