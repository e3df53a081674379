package io.waterwheel.catalog.maintenance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.chunk.ChunkCheck;
import io.waterwheel.chunk.ChunkWriter;
import io.waterwheel.chunk.EncodedChunk;
import io.waterwheel.chunk.encoding.CorruptChunkException;
import io.waterwheel.decode.RecordDecoder;
import io.waterwheel.index.PagePool;
import io.waterwheel.index.Template;
import io.waterwheel.index.TemplateTree;
import io.waterwheel.key.KeyMaker;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.store.LocalChunkStore;
import io.waterwheel.tuple.KeyBox;
import io.waterwheel.tuple.TupleBlock;
import io.waterwheel.tuple.WideKeys;
import java.io.IOException;
import java.nio.ByteBuffer;
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

    /** A chunk of some leaves. */
    private EncodedChunk write() throws Exception {
        RowLayout layout = RowLayout.of(WideKeys.SCHEMA);
        TupleBlock block = new TupleBlock(layout, 0);
        RecordDecoder decoder = RecordDecoder.of(RecordFormat.CSV, WideKeys.SCHEMA);
        Random random = new Random(1);
        for (int row = 0; row < 5000; row++) {
            StringBuilder line = new StringBuilder();
            for (int field = 0; field < WideKeys.DIMENSIONS.count(); field++) {
                line.append(400_000 + random.nextInt(200_000)).append(',');
            }
            decoder.decode(ByteBuffer.wrap(line.append(row).toString().getBytes(UTF_8)), block);
        }
        KeyMaker.of(layout, WideKeys.SCHEMA).fill(block, 0, (index, reason) -> {
            throw new AssertionError(reason);
        });
        TemplateTree tree = new TemplateTree(layout, Template.single(), new PagePool(1 << 20));
        tree.insert(block, 0, block.size());
        EncodedChunk chunk = new ChunkWriter().encode(tree, WideKeys.SCHEMA);
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
