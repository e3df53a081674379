package io.waterwheel.catalog.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.catalog.CatalogJson;
import io.waterwheel.tuple.KeyBox;
import io.waterwheel.tuple.LostRange;
import io.waterwheel.tuple.Region;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Edits of every kind, as they are written. */
final class EditTest {
    private static final RoutingTable TABLE = new RoutingTable(2, new long[] {10}, new int[] {0, 1});
    private static final IndexerCheckpoint CHECKPOINT = new IndexerCheckpoint(3, 4, new long[] {5, 6}, 7);
    private static final List<PartitionRoute.VersionSince> VERSIONS =
            List.of(new PartitionRoute.VersionSince(1, 0), new PartitionRoute.VersionSince(2, 90));

    private static final List<Edit> ONE_OF_EACH = List.of(
            new Edit.Created(TABLE, List.of(1L, 2L)),
            new Edit.Started(1, 3),
            new Edit.Flushed(1, CHECKPOINT, List.of(chunk("flushed", new KeyBox(1, 2)))),
            new Edit.Merged(List.of("a", "b"), chunk("merged", null)),
            new Edit.Routed(TABLE, Map.of(1, 80L), Map.of(1, CHECKPOINT)),
            new Edit.Lost(new LostRange(1, 20, 30, "gone"), TABLE, VERSIONS),
            new Edit.Joined(List.of(2, 3), CHECKPOINT),
            new Edit.Adopted(Map.of(0, VERSIONS, 1, VERSIONS.subList(0, 1))),
            new Edit.Extended(2, List.of(7L), true),
            new Edit.Expired(1_500_000_000_000L));

    private static ChunkDescriptor chunk(String name, @Nullable KeyBox box) {
        return new ChunkDescriptor(name, 0, 1, 1, 0, 1, 1, Region.of(0, 1, 0, 1), box);
    }

    /** A kind that changes chunks in the snapshot and not in the changes would be lost with the next manifest. */
    @Test
    void eachChangesTheChunksOfASnapshotAndTheChangesAlike() {
        for (Edit edit : ONE_OF_EACH) {
            ChunkChanges changes = new ChunkChanges(4);
            changes.apply(5, edit);
            assertThat(changes.to()).isEqualTo(5);
            List<String> added = edit instanceof Edit.Flushed
                    ? List.of("flushed")
                    : edit instanceof Edit.Merged ? List.of("merged") : List.of();
            assertThat(changes.added())
                    .as("%s", edit)
                    .extracting(ChunkDescriptor::file)
                    .isEqualTo(added);
            assertThat(changes.removed())
                    .as("%s", edit)
                    .isEqualTo(edit instanceof Edit.Merged ? List.of("a", "b") : List.of());
        }
    }

    @Test
    void eachIsReadAsItWasWritten() {
        Set<Class<?>> kinds = new HashSet<>();
        ONE_OF_EACH.forEach(edit -> kinds.add(edit.getClass()));
        assertThat(kinds).as("a kind of edit is missing here").isEqualTo(Set.of(Edit.class.getPermittedSubclasses()));
        for (Edit edit : ONE_OF_EACH) {
            assertThat(CatalogJson.readEdit("/e", CatalogJson.write(edit)))
                    .usingRecursiveComparison()
                    .isEqualTo(edit);
        }
    }
}
