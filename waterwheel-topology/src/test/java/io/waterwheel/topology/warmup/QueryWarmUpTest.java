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
    void clientsComeOnceEachKindIsAnsweredAndTheRestGoesOnBetweenTheirQuestions() throws Exception {
        int kinds = ScratchStreams.questions().size();
        try (QueryWarmUp warmUp = QueryWarmUp.apart(Duration.ofSeconds(5), parent)) {
            // Before clients may come none of theirs is awaited, so this one does not hold up the first part.
            warmUp.asked();
            warmUp.await();
            assertThat(warmUp.questionsAnswered()).isEqualTo(kinds);
            assertThat(warmUp.hasEnded()).isFalse();
            warmUp.goOn();
            Waiting.until("it gives way", warmUp::givesWay);
            assertThat(warmUp.questionsAnswered()).isEqualTo(kinds);
            warmUp.answered();
            Waiting.until("it goes on", () -> warmUp.questionsAnswered() > 2 * kinds);
            assertThat(warmUp.mayGoOn()).isTrue();
        }
        // Closed in the middle of it.
        assertThat(parent).isEmptyDirectory();
    }

    @Test
    void itEndsOnceItHasHadItsTimeAndLeavesNothing() throws Exception {
        try (QueryWarmUp warmUp = QueryWarmUp.apart(Duration.ofMillis(1), parent)) {
            // Its time is up before each kind is answered: the start waits no longer.
            warmUp.await();
            warmUp.goOn();
            Waiting.until("its end", warmUp::hasEnded);
            assertThat(warmUp.questionsAnswered())
                    .isLessThan(ScratchStreams.questions().size());
        }
        assertThat(parent).isEmptyDirectory();
    }

    @Test
    void aProcessWarmsUpOnceAndOnlyItsMakerLetsItGoOn() throws Exception {
        try (QueryWarmUp first = QueryWarmUp.start(Duration.ofSeconds(1));
                QueryWarmUp second = QueryWarmUp.start(Duration.ofHours(1))) {
            second.asked();
            second.await();
            assertThat(second.questionsAnswered()).isZero();
            second.goOn();
            first.goOn();
            Waiting.until("it gives way to clients of the second", first::givesWay);
            second.answered();
            Waiting.until("the end of both", second::hasEnded);
            assertThat(first.hasEnded()).isTrue();
            assertThat(first.questionsAnswered())
                    .isGreaterThan(ScratchStreams.questions().size());
        }
        try (QueryWarmUp none = QueryWarmUp.start(Duration.ZERO)) {
            none.await();
            assertThat(none.hasEnded()).isTrue();
            none.asked();
            none.answered();
        }
    }
}
