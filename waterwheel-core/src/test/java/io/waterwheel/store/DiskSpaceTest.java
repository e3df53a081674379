package io.waterwheel.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A reserve of the disk is kept, and the store goes on by itself. */
final class DiskSpaceTest {
    private static final long MIB = 1 << 20;

    @TempDir
    Path folder;

    private long free = 1_000 * MIB;
    private long total = 10_000 * MIB;
    private boolean writable = true;
    private boolean away;

    private DiskSpace space(long reserve) {
        return new DiskSpace(folder, reserve, new DiskSpace.Gauge() {
            @Override
            public long freeBytes() throws IOException {
                if (away) {
                    throw new IOException("planted");
                }
                return free;
            }

            @Override
            public long totalBytes() {
                return total;
            }

            @Override
            public boolean isWritable() {
                return writable;
            }
        });
    }

    @Test
    void itsRoomIsWhatIsFreeBeyondTheReserve() {
        assertThat(space(256 * MIB).roomBytes()).isEqualTo(744 * MIB);
        free = 200 * MIB;
        assertThat(space(256 * MIB).roomBytes()).isZero();
        // Without a reserve, or where it cannot be found out, there is none to count on.
        free = 1_000 * MIB;
        assertThat(space(0).roomBytes()).isZero();
        away = true;
        assertThat(space(256 * MIB).roomBytes()).isZero();
    }

    @Test
    void nothingIsWrittenBelowTheReserveAndWritingGoesOn() throws IOException {
        try (LocalChunkStore store = new LocalChunkStore(folder, space(256 * MIB))) {
            List<ByteBuffer> content = List.of(ByteBuffer.allocate(2 << 20));
            store.write("a", content);
            free = 257 * MIB;
            assertThat(store.trouble()).isEmpty();
            assertThatThrownBy(() -> store.write("b", content))
                    .isInstanceOf(DiskSpace.NoRoomException.class)
                    .hasMessageContaining("DISK_FULL: the disk of " + folder)
                    .hasMessageContaining("257.0 MiB free, 2.0 MiB are to be written, and 256.0 MiB are kept");
            free = 200 * MIB;
            assertThat(store.trouble()).startsWith("DISK_FULL: ").contains("200.0 MiB free, and 256.0 MiB");
            assertThat(store.list("")).extracting(ChunkStore.StoredFile::name).containsExactly("a");
            store.open("a").close();
            store.delete("a");
            free = 258 * MIB;
            store.write("b", content);
            writable = false;
            assertThat(store.trouble()).startsWith("DISK_READ_ONLY: ").contains(folder.toString());
            assertThatThrownBy(() -> store.write("c", content)).isInstanceOf(DiskSpace.NoRoomException.class);
            writable = true;
            away = true;
            // A disk that does not say how full it is: the write itself finds out.
            assertThat(store.trouble()).isEmpty();
            store.write("d", content);
            away = false;
            assertThat(store.list("")).extracting(ChunkStore.StoredFile::name).containsExactly("b", "d");
        }
    }

    @Test
    void ofASmallDiskATenthIsKept() throws IOException {
        total = 100 * MIB;
        DiskSpace space = space(256 * MIB);
        free = 10 * MIB;
        assertThat(space.trouble(0)).isEmpty();
        assertThat(space.keptBytes()).isEqualTo(10 * MIB);
        free--;
        assertThat(space.trouble(0)).contains("10.0 MiB are kept");
    }

    @Test
    void withoutAReserveTheDiskItselfSaysWhenItIsFull() throws IOException {
        free = 0;
        space(0).check(1 << 20);
    }

    @Test
    void isFullWhateverIsKeptWhereNothingCanBeWritten() {
        DiskSpace space = space(0);
        assertThat(space.isFull(MIB)).isFalse();
        free = MIB - 1;
        assertThat(space.isFull(MIB)).isTrue();
        away = true;
        assertThat(space.isFull(MIB)).as("what it does not say").isFalse();
        writable = false;
        assertThat(space.isFull(MIB)).isTrue();
    }

    @Test
    void theSystemSaysHowFullItIs() throws IOException {
        try (LocalChunkStore store = new LocalChunkStore(folder, 1)) {
            assertThat(store.trouble()).isEmpty();
        }
        // The size of some disks moves with what is on them.
        double tenth = Files.getFileStore(folder).getTotalSpace() / 10.0;
        assertThat((double) new DiskSpace(folder, Long.MAX_VALUE).keptBytes()).isCloseTo(tenth, withinPercentage(5));
        // Who writes there makes the folder.
        assertThat(new DiskSpace(folder.resolve("absent").resolve("yet"), 1).trouble(0))
                .isEmpty();
    }
}
