package io.waterwheel.topology.warmup;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.query.Query;
import io.waterwheel.query.run.CollectedAnswer;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A worker's own questions are real ones, and nothing is left of them. */
@Timeout(300)
final class QueryWarmUpTest {
    @TempDir
    Path parent;

    @Test
    void everyQuestionFindsRowsInChunksAndInMemory() throws Exception {
        try (ScratchStreams streams = ScratchStreams.make(parent)) {
            assertThat(parent).isNotEmptyDirectory();
            for (Query question : ScratchStreams.questions()) {
                CollectedAnswer answer = new CollectedAnswer();
                streams.query(question, answer);
                assertThat(answer.fields()).as("%s", question).isNotEmpty();
                assertThat(answer.rowCount()).as("%s", question).isPositive();
                assertThat(answer.verdict().tuples()).as("%s", question).isPositive();
                assertThat(answer.verdict().complete()).as("%s", question).isTrue();
            }
            CollectedAnswer counted = new CollectedAnswer();
            streams.query(Query.of("by-place").withCount(), counted);
            assertThat(counted.verdict().statistics().chunksRead()).isPositive();
            assertThat(counted.verdict().tuples()).isEqualTo(6_000);
        }
        assertThat(parent).isEmptyDirectory();
    }

    @Test
    void itEndsOnceItHasHadItsTimeAndLeavesNothing() throws Exception {
        try (QueryWarmUp warmUp = QueryWarmUp.start(Duration.ofSeconds(1), parent)) {
            Waiting.until("its end", warmUp::hasEnded);
            warmUp.await();
            assertThat(warmUp.answered()).isPositive();
        }
        assertThat(parent).isEmptyDirectory();
        // Another of the same process ends before it has begun.
        try (QueryWarmUp again = QueryWarmUp.start(Duration.ofHours(1), parent)) {
            assertThat(again.hasEnded()).isTrue();
            again.await();
            assertThat(again.answered()).isZero();
        }
    }
}
