package io.waterwheel.topology.warmup;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.run.AnswerSink;
import io.waterwheel.schema.Field;
import io.waterwheel.tuple.TupleBlock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A worker's own questions are real ones, and nothing is left of them. */
@Timeout(150)
final class QueryWarmUpTest {
    @TempDir
    Path parent;

    @Test
    void everyQuestionFindsRowsInChunksAndInMemory() throws Exception {
        try (ScratchStreams streams = ScratchStreams.make(parent)) {
            assertThat(parent).isNotEmptyDirectory();
            for (Query question : ScratchStreams.questions()) {
                Answer answer = new Answer();
                streams.query(question, answer);
                assertThat(answer.failure).as("%s", question).isNull();
                assertThat(answer.rows).as("%s", question).isPositive();
                assertThat(answer.verdict().tuples()).as("%s", question).isPositive();
                assertThat(answer.verdict().complete()).as("%s", question).isTrue();
            }
            Answer counted = new Answer();
            streams.query(Query.of("by-place").withCount(), counted);
            assertThat(counted.verdict().statistics().chunksRead()).isPositive();
            assertThat(counted.verdict().tuples()).isEqualTo(6_000);
        }
        assertThat(parent).isEmptyDirectory();
    }

    @Test
    void itEndsOnceItHasHadItsTimeAndLeavesNothing() throws Exception {
        try (QueryWarmUp warmUp = QueryWarmUp.start(Duration.ofMillis(300), parent)) {
            Waiting.until("its end", warmUp::hasEnded);
            warmUp.await();
        }
        assertThat(parent).isEmptyDirectory();
        // Another of the same process ends before it has begun.
        try (QueryWarmUp again = QueryWarmUp.start(Duration.ofHours(1), parent)) {
            assertThat(again.hasEnded()).isTrue();
            again.await();
        }
    }

    private static final class Answer implements AnswerSink {
        private long rows;
        private @Nullable Verdict verdict;
        private @Nullable WaterwheelException failure;

        Verdict verdict() {
            return Objects.requireNonNull(verdict);
        }

        @Override
        public void start(List<Field> fields) {
            assertThat(new ArrayList<>(fields)).isNotEmpty();
        }

        @Override
        public void rows(TupleBlock block) {
            rows += block.size();
        }

        @Override
        public void finish(Verdict end) {
            verdict = end;
        }

        @Override
        public void fail(WaterwheelException reason) {
            failure = reason;
        }

        @Override
        public boolean cancelled() {
            return false;
        }
    }
}
