package io.waterwheel.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.state.CheckpointStep;
import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.IndexerCheckpoint;
import io.waterwheel.catalog.store.CorruptCatalogException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class CheckpointStepTest {
    private static final long SEED = Long.getLong("seed", 1);
    private static final long USED = 1_000_000_000_000L;

    private static byte[] edit(CheckpointStep step) {
        return CatalogJson.write(new Edit.Flushed(3, step, List.of()));
    }

    private static IndexerCheckpoint readAndApplied(CheckpointStep step, IndexerCheckpoint old) {
        Edit.Flushed back = (Edit.Flushed) CatalogJson.readEdit("/e", edit(step));
        assertThat(back.checkpoint()).isEqualTo(step);
        return back.checkpoint().from(old);
    }

    @Test
    void whateverMovesItMakesTheSame() {
        SplittableRandom random = new SplittableRandom(SEED);
        for (int round = 0; round < 200; round++) {
            int partitions = 1 + random.nextInt(40);
            long[] before = new long[partitions];
            Arrays.setAll(before, p -> random.nextInt(100));
            // Of an instance that knows of fewer partitions than there are.
            long[] after = Arrays.copyOf(before, 1 + random.nextInt(partitions));
            int moving = 1 + random.nextInt(5);
            Arrays.setAll(after, p -> after[p] + (random.nextInt(moving) == 0 ? random.nextInt(3) : 0));
            IndexerCheckpoint old = new IndexerCheckpoint(2, 7, before, 1);
            IndexerCheckpoint next = new IndexerCheckpoint(2, 8, after, 5);
            IndexerCheckpoint made = new IndexerCheckpoint(2, 8, next.over(old).watermarks(), 5);
            assertThat(readAndApplied(CheckpointStep.between(before, next), old))
                    .as("-Dseed=%d, round %d", SEED, round)
                    .isEqualTo(made);
            assertThat(readAndApplied(CheckpointStep.to(next), old)).isEqualTo(made);
        }
    }

    @Test
    void anEditIsAsLongAsWhatMoved() {
        long[] before = new long[4_096];
        Arrays.setAll(before, p -> USED + p);
        for (int moved : new int[] {0, 1, 100, 3_000, 4_096}) {
            long[] after = before.clone();
            for (int p = 0; p < moved; p++) {
                after[p]++;
            }
            IndexerCheckpoint next = new IndexerCheckpoint(2, 8, after, 5);
            int bytes = edit(CheckpointStep.between(before, next)).length;
            System.out.printf("a flushed edit of 4096 partitions, %d moved: %d bytes%n", moved, bytes);
            assertThat(bytes).isLessThanOrEqualTo(Math.min(150 + 20 * moved, edit(CheckpointStep.to(next)).length));
        }
    }

    @Test
    void oneOfAReleaseBeforeHasAll() {
        byte[] before = ("{\"edit\":\"flushed\",\"indexer\":3,\"checkpoint\":{\"epoch\":2,\"flushed\":8,"
                        + "\"watermarks\":[4,5],\"rejected\":1},\"chunks\":[]}")
                .getBytes(StandardCharsets.UTF_8);
        Edit.Flushed read = (Edit.Flushed) CatalogJson.readEdit("/e", before);
        assertThat(read.checkpoint().from(new IndexerCheckpoint(2, 7, new long[] {1, 2, 9}, 0)))
                .isEqualTo(new IndexerCheckpoint(2, 8, new long[] {4, 5, 9}, 1));
    }

    @Test
    void whatMovesAPartitionThatThereIsNotIsRefused() {
        CheckpointStep step = new CheckpointStep(2, 8, false, new int[] {2}, new long[] {1}, 0);
        assertThatThrownBy(() -> step.from(new IndexerCheckpoint(2, 7, new long[2], 0)))
                .hasMessage("flush 8 moves partition 2, and there are 2");
        byte[] uneven = ("{\"edit\":\"flushed\",\"indexer\":3,\"checkpoint\":{\"epoch\":2,\"flushed\":8,"
                        + "\"partitions\":[0,1],\"watermarks\":[4],\"rejected\":1},\"chunks\":[]}")
                .getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> CatalogJson.readEdit("/data/1/edits/9", uneven))
                .isInstanceOf(CorruptCatalogException.class)
                .hasMessageContaining("/data/1/edits/9");
    }

    @Test
    void anEditWhoseNumberDoesNotFitIsDamaged() {
        byte[] large = ("{\"edit\":\"flushed\",\"indexer\":4294967299,\"checkpoint\":{\"epoch\":2,\"flushed\":8,"
                        + "\"watermarks\":[4,5],\"rejected\":1},\"chunks\":[]}")
                .getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> CatalogJson.readEdit("/data/1/edits/9", large))
                .isInstanceOf(CorruptCatalogException.class)
                .hasRootCauseMessage("member 'indexer' is no number of 32 bits: 4294967299");
    }
}
