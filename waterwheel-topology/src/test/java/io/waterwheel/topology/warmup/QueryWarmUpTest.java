package io.waterwheel.topology.warmup;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.run.CollectedAnswer;
import io.waterwheel.topology.rpc.QueryHandler;
import java.nio.file.Path;
import java.time.Duration;
import java.util.AbstractCollection;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
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

    /** Streams, or the catalog behind one, may never answer: a start does not wait for that without end. */
    @Test
    void aStartDoesNotWaitForAQuestionThatBlocks() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        AtomicReference<Thread> asking = new AtomicReference<>();
        Collection<StreamInfo> streams = new AbstractCollection<>() {
            @Override
            public Iterator<StreamInfo> iterator() {
                asking.set(Thread.currentThread());
                try {
                    never.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                return Collections.emptyIterator();
            }

            @Override
            public int size() {
                return 1;
            }
        };
        QueryHandler none = (query, sink) -> sink.fail(new WaterwheelException(ErrorCode.STARTING, "not asked"));
        try (QueryWarmUp warmUp = QueryWarmUp.apart(Duration.ofMillis(1), parent)) {
            warmUp.askAsClients("127.0.0.1", 1, streams, none);
            Waiting.until("it asks", () -> asking.get() != null);
            Thread first = asking.get();
            assertThat(first).isNotSameAs(Thread.currentThread());
            assertThat(first.isDaemon()).isTrue();
            // Another coordinator of the worker waits for the same, and asks nothing.
            warmUp.askAsClients("127.0.0.1", 1, streams, none);
            assertThat(asking).hasValue(first);
            assertThat(first.isAlive()).isTrue();
            never.countDown();
            first.join();
        }
    }

    @Test
    void anErrorOfAQuestionEndsNothing() throws Exception {
        Collection<StreamInfo> streams = new AbstractCollection<>() {
            @Override
            public Iterator<StreamInfo> iterator() {
                throw new NoClassDefFoundError("thrown by the test");
            }

            @Override
            public int size() {
                return 1;
            }
        };
        try (QueryWarmUp warmUp = QueryWarmUp.apart(Duration.ofSeconds(10), parent)) {
            warmUp.askAsClients("127.0.0.1", 1, streams, (query, sink) -> {});
            // It has returned, and the other parts go on.
            warmUp.await();
            assertThat(warmUp.questionsAnswered()).isPositive();
        }
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
