package io.waterwheel.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a session demands of which indexer (protocol rule 10). */
final class SessionPositionsTest {
    private static SessionPositions seen(
            long edit, Map<Integer, Long> positions, Map<Integer, Map<Integer, Long>> ahead) {
        return new SessionPositions(7, positions, edit, ahead);
    }

    @Test
    void onlyWhatIsAboveThePositionsIsKept() {
        SessionPositions seen = seen(1, Map.of(0, 20L, 1, 30L), Map.of(3, Map.of(0, 21L, 1, 30L), 4, Map.of(0, 20L)));
        assertThat(seen.ahead()).isEqualTo(Map.of(3, Map.of(0, 21L)));
        assertThat(seen.shown()).isEqualTo(Map.of(0, 21L, 1, 30L));
        assertThat(seen.aheadOf(3)).isEqualTo(Map.of(0, 21L));
        assertThat(seen.aheadOf(4)).isEmpty();
    }

    @Test
    void whatWasSeenBesidesRaisesItAndMakesItNeedless() {
        SessionPositions one = seen(5, Map.of(0, 20L, 1, 9L), Map.of(3, Map.of(0, 25L, 1, 11L)));
        SessionPositions other = seen(4, Map.of(0, 22L, 1, 9L), Map.of(3, Map.of(0, 24L), 4, Map.of(0, 23L)));
        SessionPositions both = seen(5, Map.of(0, 22L, 1, 9L), Map.of(3, Map.of(0, 25L, 1, 11L), 4, Map.of(0, 23L)));
        assertThat(one.and(other)).isEqualTo(both);
        assertThat(other.and(one)).isEqualTo(both);
        assertThat(both.and(seen(9, Map.of(0, 24L, 1, 11L), Map.of())))
                .isEqualTo(seen(9, Map.of(0, 24L, 1, 11L), Map.of(3, Map.of(0, 25L))));
        assertThat(both.and(new SessionPositions(8, Map.of(0, 1L))))
                .as("of a later stream of the name")
                .isEqualTo(new SessionPositions(8, Map.of(0, 1L)));
        assertThat(both.of(8)).isEqualTo(SessionPositions.NOTHING);
        assertThat(both.of(7)).isEqualTo(both);
    }

    /** Many partitions and indexers: what is told stays bounded, and demands too much rather than too little. */
    @Test
    void ofTooManyTheHighestHoldsForEveryIndexer() {
        Map<Integer, Map<Integer, Long>> ahead = new HashMap<>();
        Map<Integer, Long> positions = new HashMap<>();
        for (int p = 0; p < 101; p++) {
            positions.put(p, 5L);
            for (int indexer = 0; indexer < 100; indexer++) {
                ahead.computeIfAbsent(indexer, unused -> new HashMap<>()).put(p, 6L + indexer);
            }
        }
        SessionPositions all = seen(1, positions, ahead);
        assertThat(all.ahead()).containsOnlyKeys(SessionPositions.EVERY_INDEXER);
        assertThat(all.aheadOf(0)).hasSize(101).containsEntry(100, 105L);
        assertThat(all.and(seen(2, positions, Map.of(0, Map.of(3, 200L)))).aheadOf(0))
                .hasSize(101)
                .containsEntry(3, 200L)
                .containsEntry(4, 105L);
        ahead.remove(99);
        assertThat(seen(1, positions, ahead).ahead()).hasSize(99);
    }
}
