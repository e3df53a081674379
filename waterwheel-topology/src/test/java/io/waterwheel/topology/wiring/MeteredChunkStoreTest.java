package io.waterwheel.topology.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.chunk.ChunkStoreContract;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.metrics.Scrape;
import io.waterwheel.store.ChunkStore;
import io.waterwheel.store.LocalChunkStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** It is the store that it measures. */
final class MeteredChunkStoreTest extends ChunkStoreContract {
    @TempDir
    Path folder;

    @Override
    protected ChunkStore store() throws IOException {
        return new MeteredChunkStore(new LocalChunkStore(folder), Metrics.unread());
    }

    @Test
    void callsAndBytesAreCounted() throws IOException {
        Metrics metrics = Metrics.unread();
        try (ChunkStore store = new MeteredChunkStore(new LocalChunkStore(folder), metrics)) {
            store.write("a", List.of(ByteBuffer.allocate(60), ByteBuffer.allocate(40)));
            try (ChunkStore.Input input = store.open("a")) {
                input.read(0, new byte[10], 0, 10);
                input.readVectored(new long[] {0, 50}, new int[] {5, 7}, new byte[12]);
                assertThatThrownBy(() -> input.read(95, new byte[10], 0, 10)).isInstanceOf(IOException.class);
            }
            assertThatThrownBy(() -> store.open("b")).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> store.write("a", List.of())).isInstanceOf(IOException.class);
        }
        assertThat(new String(Scrape.of(List.of(metrics), null).body(), StandardCharsets.UTF_8))
                .contains("waterwheel_store_bytes_total{operation=\"write\"} 100.0")
                .contains("waterwheel_store_bytes_total{operation=\"read\"} 22.0")
                .contains("waterwheel_store_seconds_count{operation=\"read\"} 2")
                .contains("waterwheel_store_failures_total{operation=\"read\"} 1.0")
                .contains("waterwheel_store_failures_total{operation=\"open\"} 1.0")
                .contains("waterwheel_store_failures_total{operation=\"write\"} 1.0");
    }
}
