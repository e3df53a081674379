package io.waterwheel.catalog.maintenance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.chunk.ChunkCheck;
import io.waterwheel.chunk.EncodedChunk;
import io.waterwheel.chunk.encoding.CorruptChunkException;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.KeyBox;
import io.waterwheel.tuple.WideKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the catalog says of a chunk's dimensions beside the keys of its rows. */
final class ChunkAuditTest {
    @TempDir
    Path folder;

    private LocalChunkStore store;

    private EncodedChunk write() throws Exception {
        EncodedChunk chunk = WideChunks.write(WideChunks.rows(5000, new Random(1)));
        store = new LocalChunkStore(folder);
        store.write("c", chunk.content());
        return chunk;
    }

    private void check(EncodedChunk chunk, @Nullable KeyBox box) throws IOException, InterruptedException {
        ChunkAudit.check(
                store,
                new ChunkDescriptor("c", 0, 1, 1, 0, chunk.tuples(), chunk.bytes(), chunk.region(), box),
                WideKeys.SCHEMA,
                ChunkCheck.Pace.NONE);
    }

    @Test
    void boundsOfDimensionsThatAreNotThoseOfTheKeysAreDamage() throws Exception {
        EncodedChunk chunk = write();
        KeyBox box = Objects.requireNonNull(chunk.box());
        check(chunk, box);
        check(chunk, null);
        int wrong = 0;
        for (int d = 0; d < WideKeys.DIMENSIONS.count(); d++) {
            long mask = WideKeys.DIMENSIONS.mask(d);
            for (KeyBox other : new KeyBox[] {
                new KeyBox(box.least() & ~mask, box.greatest()), new KeyBox(box.least(), box.greatest() | mask)
            }) {
                wrong++;
                assertThatThrownBy(() -> check(chunk, other))
                        .as("dimension %s", d)
                        .isInstanceOf(CorruptChunkException.class)
                        .hasMessageContaining("bounds of the key's dimensions")
                        .hasMessageContaining(other + ", as the catalog says")
                        .hasMessageContaining(box.toString());
            }
        }
        assertThat(wrong).isEqualTo(16);
    }
}
