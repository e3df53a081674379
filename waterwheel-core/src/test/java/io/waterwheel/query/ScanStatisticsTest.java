package io.waterwheel.query;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ScanStatisticsTest {
    private static ScanStatistics of(long leaves, long read) {
        return new ScanStatistics(leaves, Pruning.NOTHING, 0, read, 0, 0, ScanStatistics.Parts.NOTHING);
    }

    /** A scan in another process that is ended early tells nothing. */
    @Test
    void whatIsNotKnownWasNotByTheDirectoryAlone() {
        assertThat(of(5, 0).isByDirectoryAlone()).isTrue();
        assertThat(of(5, 1).isByDirectoryAlone()).isFalse();
        assertThat(ScanStatistics.NOTHING.isByDirectoryAlone()).isFalse();
    }

    @Test
    void whatIsLeftOfAChunkInPiecesCountsOnce() {
        ScanStatistics firstPiece = of(5, 2);
        assertThat(firstPiece.left()).isEqualTo(3);
        assertThat(firstPiece.plus(of(0, 2)).left()).isEqualTo(1);
    }
}
