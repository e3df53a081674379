package io.waterwheel.topology.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.message.IpcOption;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What of an answer goes to its client when, and on whose thread. */
final class FlightAnswerTest {
    private static final List<Field> FIELDS = List.of(new Field("n", FieldType.LONG, false));
    private static final Verdict WHOLE = new Verdict(true, List.of(), Map.of(0, 7L), 3, 0, 1, 2);
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private final BufferAllocator allocator = new RootAllocator(1 << 20);
    private final Told told = new Told();
    private final Queue<Runnable> network = new ArrayDeque<>();

    @AfterEach
    void nothingIsHeld() {
        assertThat(allocator.getAllocatedMemory()).isZero();
        allocator.close();
    }

    /** A client that is always ready. */
    private static final class Told implements ServerStreamListener {
        private final List<String> events = new ArrayList<>();
        private @Nullable VectorSchemaRoot root;

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public void setOnCancelHandler(Runnable handler) {}

        @Override
        public void setOnReadyHandler(Runnable handler) {}

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void start(VectorSchemaRoot shown, DictionaryProvider dictionaries, IpcOption option) {
            root = shown;
            events.add("schema");
        }

        @Override
        public void putNext() {
            events.add("rows " + (root == null ? -1 : root.getRowCount()));
        }

        @Override
        public void putNext(ArrowBuf metadata) {
            metadata.close();
            putNext();
        }

        @Override
        public void putMetadata(ArrowBuf metadata) {
            metadata.close();
        }

        @Override
        public void error(Throwable failure) {
            events.add("failure");
        }

        @Override
        public void completed() {
            events.add("end");
        }
    }

    private FlightAnswer answer(Executor on) {
        return new FlightAnswer(
                told, allocator, System.nanoTime() + MINUTE, MINUTE, () -> false, "", "", FlightExtension.Form.OWN, on);
    }

    private static void rows(FlightAnswer answer, int count) {
        List<Object[]> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rows.add(new Object[] {(long) i});
        }
        answer.rows(Handlers.block(FIELDS, rows));
    }

    @Test
    void aSmallAnswerIsHandedToTheConnectionsThreadAsAWhole() {
        try (FlightAnswer answer = answer(network::add)) {
            answer.start(FIELDS);
            rows(answer, 10);
            answer.finish(WHOLE);
            assertThat(answer.ended()).isTrue();
        }
        assertThat(told.events).isEmpty();
        assertThat(network).hasSize(1);
        network.remove().run();
        assertThat(told.events).containsExactly("schema", "rows 10", "end");
    }

    @Test
    void anAnswerOfNoRowsIsHandedOverTheSameWay() {
        try (FlightAnswer answer = answer(network::add)) {
            answer.finish(WHOLE);
        }
        assertThat(told.events).isEmpty();
        network.remove().run();
        assertThat(told.events).containsExactly("schema", "rows 0", "end");
    }

    /** The client learns that its question was taken, and what of the answer there is. */
    @Test
    void whatTakesItsTimeIsNotHeldBack() {
        try (FlightAnswer answer = answer(network::add)) {
            answer.start(FIELDS);
            answer.flush();
            assertThat(told.events).containsExactly("schema");
            rows(answer, 10);
            answer.flush();
            assertThat(told.events).containsExactly("schema", "rows 10");
            answer.finish(WHOLE);
        }
        assertThat(told.events).containsExactly("schema", "rows 10", "rows 0", "end");
        assertThat(network).isEmpty();
    }

    /** Of 9 bytes a row, as it is counted. */
    @Test
    void lessThan48KibibytesAreASmallAnswer() {
        for (int rows : new int[] {5461, 5462}) {
            told.events.clear();
            try (FlightAnswer answer = answer(network::add)) {
                answer.start(FIELDS);
                rows(answer, rows);
                answer.finish(WHOLE);
            }
            assertThat(network).hasSize(rows == 5461 ? 1 : 0);
            network.forEach(Runnable::run);
            network.clear();
            assertThat(told.events).startsWith("schema", "rows " + rows).endsWith("end");
        }
    }

    /** It would keep the connection's other calls waiting. */
    @Test
    void ofALargeAnswerNothingRunsOnTheConnectionsThread() {
        try (FlightAnswer answer = answer(network::add)) {
            answer.start(FIELDS);
            rows(answer, 20_000);
            answer.finish(WHOLE);
        }
        assertThat(told.events).startsWith("schema").endsWith("end").doesNotContain("failure");
        assertThat(network).isEmpty();
    }

    @Test
    void aConnectionsThreadThatHasEndedLosesNothing() {
        try (FlightAnswer answer = answer(task -> {
            throw new RejectedExecutionException("ended");
        })) {
            answer.start(FIELDS);
            rows(answer, 10);
            answer.finish(WHOLE);
        }
        assertThat(told.events).containsExactly("schema", "rows 10", "end");
    }

    /** As when no thread can be started: the client is told, and the rows are given back. */
    @Test
    void whatCannotBeHandedOverIsTold() {
        Executor broken = task -> {
            throw new IllegalStateException("a defect");
        };
        Executor threadless = task -> {
            throw new OutOfMemoryError("unable to create native thread");
        };
        for (Executor on : List.of(broken, threadless)) {
            told.events.clear();
            try (FlightAnswer answer = answer(on)) {
                answer.start(FIELDS);
                rows(answer, 10);
                answer.finish(WHOLE);
                assertThat(answer.ended()).isTrue();
            }
            assertThat(told.events).containsExactly("failure");
        }
    }

    /** When there is no memory left for the verdict, its client is told, and the rows are given back. */
    @Test
    void whatFailsWhileItIsWrittenIsTold() {
        try (FlightAnswer answer = answer(network::add)) {
            answer.start(FIELDS);
            rows(answer, 10);
            answer.finish(WHOLE);
        }
        allocator.setLimit(allocator.getAllocatedMemory());
        network.remove().run();
        assertThat(told.events).containsExactly("schema", "failure");
    }
}
