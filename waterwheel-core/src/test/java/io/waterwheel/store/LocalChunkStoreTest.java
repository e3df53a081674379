package io.waterwheel.store;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.chunk.ChunkStoreContract;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LocalChunkStoreTest extends ChunkStoreContract {
    @TempDir
    Path folder;

    @Override
    protected ChunkStore store() throws IOException {
        return new LocalChunkStore(folder);
    }

    @Test
    void namesThatLeaveTheFolderAreRefused() {
        for (String name : List.of("../a.chunk", "/etc/passwd", "a/../../b", "", ".")) {
            assertThatThrownBy(() -> store().open(name))
                    .as(name)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("no name below");
        }
    }
}
