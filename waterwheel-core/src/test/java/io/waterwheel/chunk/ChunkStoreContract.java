package io.waterwheel.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.store.ChunkStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What every chunk store must do; a store's test extends it and makes an empty store. */
public abstract class ChunkStoreContract {
    /** A store without files; the same one, or one on the same files, within a test. */
    protected abstract ChunkStore store() throws IOException;

    @Test
    void readsBackWhatWasWritten() throws IOException {
        Random random = new Random(1);
        byte[] bytes = new byte[700_000];
        random.nextBytes(bytes);
        ByteBuffer first = ByteBuffer.wrap(bytes, 0, 300_001);
        ByteBuffer second = ByteBuffer.wrap(bytes, 300_001, bytes.length - 300_001);
        store().write("s-1/a.chunk", List.of(first, ByteBuffer.allocate(0), second));
        assertThat(first.remaining()).isEqualTo(300_001);
        try (ChunkStore.Input input = store().open("s-1/a.chunk")) {
            assertThat(input.name()).isEqualTo("s-1/a.chunk");
            assertThat(input.size()).isEqualTo(bytes.length);
            byte[] part = new byte[1000];
            input.read(299_500, part, 10, 980);
            assertThat(Arrays.copyOfRange(part, 10, 990)).isEqualTo(Arrays.copyOfRange(bytes, 299_500, 299_500 + 980));
            int[] lengths = {100, 0, 200_000, 1};
            long[] positions = {0, 100, 100, bytes.length - 1};
            byte[] target = new byte[200_110];
            target[200_101] = 7;
            input.readVectored(positions, lengths, target);
            int at = 0;
            for (int i = 0; i < lengths.length; i++) {
                int from = (int) positions[i];
                assertThat(Arrays.copyOfRange(target, at, at + lengths[i]))
                        .isEqualTo(Arrays.copyOfRange(bytes, from, from + lengths[i]));
                at += lengths[i];
            }
            assertThat(target[at]).as("what lies behind is left alone").isEqualTo((byte) 7);
        }
    }

    @Test
    void neverOverwritesAFile() throws IOException {
        store().write("s-1/a.chunk", List.of(ByteBuffer.wrap(new byte[] {1})));
        assertThatThrownBy(() -> store().write("s-1/a.chunk", List.of(ByteBuffer.wrap(new byte[] {2, 3}))))
                .isInstanceOf(FileAlreadyExistsException.class);
        try (ChunkStore.Input input = store().open("s-1/a.chunk")) {
            assertThat(input.size()).isEqualTo(1);
        }
        assertThat(store().list("s-1")).extracting(ChunkStore.StoredFile::name).containsExactly("s-1/a.chunk");
    }

    @Test
    void anEndOfFileIsAnError() throws IOException {
        store().write("a.chunk", List.of(ByteBuffer.wrap(new byte[10])));
        try (ChunkStore.Input input = store().open("a.chunk")) {
            assertThatThrownBy(() -> input.read(5, new byte[6], 0, 6)).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> input.readVectored(new long[] {0, 8}, new int[] {1, 3}, new byte[4]))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void aMissingFileIsAnError() {
        assertThatThrownBy(() -> store().open("s-1/none.chunk")).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void listsFilesUnderAFolder() throws IOException {
        long before = System.currentTimeMillis();
        store().write("s-1/b.chunk", List.of(ByteBuffer.wrap(new byte[3])));
        store().write("s-1/a.chunk", List.of(ByteBuffer.wrap(new byte[2])));
        store().write("s-2/c.chunk", List.of(ByteBuffer.wrap(new byte[1])));
        assertThat(store().list("s-1"))
                .extracting(ChunkStore.StoredFile::name, ChunkStore.StoredFile::bytes)
                .containsExactlyInAnyOrder(
                        org.assertj.core.groups.Tuple.tuple("s-1/a.chunk", 2L),
                        org.assertj.core.groups.Tuple.tuple("s-1/b.chunk", 3L));
        assertThat(store().list("s-1")).allSatisfy(file -> assertThat(file.modifiedMillis())
                .isBetween(before - 60_000, System.currentTimeMillis() + 60_000));
        assertThat(store().list("s-3")).isEmpty();
    }

    @Test
    void deletesAFileAndTakesAMissingOneForDeleted() throws IOException {
        store().write("s-1/a.chunk", List.of(ByteBuffer.wrap(new byte[3])));
        store().delete("s-1/a.chunk");
        store().delete("s-1/a.chunk");
        assertThat(store().list("s-1")).isEmpty();
        assertThatThrownBy(() -> store().open("s-1/a.chunk")).isInstanceOf(NoSuchFileException.class);
    }
}
