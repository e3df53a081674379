package io.waterwheel.topology.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.InMemoryCatalogStore;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.store.LocalChunkStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
final class MarkedChunkStoreTest {
    private static final String URI = "file:///chunks";
    private static final Duration LONG = Duration.ofMinutes(1);

    @TempDir
    Path folder;

    private final CatalogStore catalog = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());

    @Test
    void anotherCatalogsStoreIsRefusedAtTheStart() throws IOException {
        try (ChunkStore ours = new MarkedChunkStore(this::local, catalog, URI).start(LONG)) {
            ours.write("s-1/0-0/0-1-1-0.chunk", content());
            CatalogStore other = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
            assertThatThrownBy(() -> new MarkedChunkStore(this::local, other, URI).start(LONG))
                    .isInstanceOfSatisfying(
                            WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("FOREIGN_STORE"));
            assertThat(ours.list("s-1")).hasSize(1);
        }
    }

    @Test
    void aStoreThatIsAwayKeepsNobodyFromStartingAndIsOpenedWhenItIsThere() throws Exception {
        Semaphore there = new Semaphore(0);
        MarkedChunkStore.Opener opener = () -> {
            if (!there.tryAcquire()) {
                throw new IOException("the NameNode is in safe mode");
            }
            return local();
        };
        try (MarkedChunkStore store = new MarkedChunkStore(opener, catalog, URI).start(LONG)) {
            assertThat(store.trouble()).contains(URI, "safe mode", "flushes wait");
            assertThatThrownBy(() -> store.write("a", content()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContainingAll(URI, "safe mode");
            assertThatThrownBy(() -> store.list("")).isInstanceOf(IOException.class);
            there.release();
            Waiting.until("the store is there", () -> store.trouble().isEmpty());
            store.write("a", content());
            assertThat(store.list("")).extracting(ChunkStore.StoredFile::name).containsExactly("CATALOG", "a");
        }
    }

    @Test
    void aStoreThatIsFoundToBeSomebodyElsesLaterIsNeverWritten() throws Exception {
        CatalogStore other = new InMemoryCatalogStore(new InMemoryCatalogStore.Tree());
        StoreOwner.check(other, local(), URI);
        Semaphore there = new Semaphore(0);
        MarkedChunkStore.Opener opener = () -> {
            if (!there.tryAcquire()) {
                throw new IOException("away");
            }
            return local();
        };
        try (MarkedChunkStore store = new MarkedChunkStore(opener, catalog, URI).start(LONG)) {
            there.release();
            Waiting.until(
                    "the other owner is seen",
                    () -> store.trouble().contains("somebody")
                            || store.trouble().contains("of catalog"));
            assertThatThrownBy(() -> store.write("a", content()))
                    .isInstanceOfSatisfying(
                            WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("FOREIGN_STORE"));
            assertThat(local().list("")).extracting(ChunkStore.StoredFile::name).containsExactly("CATALOG");
        }
    }

    @Test
    void aStoreThatHangsIsNotWaitedForAndClosedThoughItOpensTooLate() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        MarkedChunkStore.Opener opener = () -> {
            asked.countDown();
            try {
                answer.await();
            } catch (InterruptedException e) {
                throw new IOException("interrupted", e);
            }
            return local();
        };
        MarkedChunkStore store = new MarkedChunkStore(opener, catalog, URI).start(Duration.ofMillis(1));
        asked.await();
        assertThat(store.trouble()).contains("has not answered");
        assertThatThrownBy(() -> store.open("a")).isInstanceOf(IOException.class);
        store.close();
        answer.countDown();
        assertThatThrownBy(() -> store.open("a")).isInstanceOf(IOException.class);
    }

    @Test
    void aUriOfNoStoreIsRefusedAtTheStart() {
        MarkedChunkStore.Opener opener = () -> {
            throw new IllegalArgumentException("chunk store 's3:': expected file:///folder");
        };
        assertThatThrownBy(() -> new MarkedChunkStore(opener, catalog, URI).start(LONG))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aCatalogThatWasRemovedIsNotTakenForTheOneThatWasThere() throws Exception {
        try (MarkedChunkStore store = new MarkedChunkStore(this::local, catalog, URI).start(LONG)) {
            assertThat(store.catalogIsThere()).isTrue();
            CatalogStore.Node mark = catalog.read("/store-mark").orElseThrow();
            catalog.commit(List.of(new CatalogStore.Op.Delete("/store-mark", mark.version())));
            assertThat(store.catalogIsThere()).isFalse();
            // Another one, made anew in its place.
            catalog.commit(List.of(new CatalogStore.Op.Create("/store-mark", new byte[] {'x'})));
            assertThat(store.catalogIsThere()).isFalse();
        }
    }

    private ChunkStore local() throws IOException {
        return new LocalChunkStore(folder);
    }

    private static List<ByteBuffer> content() {
        return List.of(ByteBuffer.wrap(new byte[3]));
    }
}
