package io.waterwheel.topology.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Statement;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.admission.Admission;
import io.waterwheel.query.admission.OpenStatements.OpenStatement;
import io.waterwheel.query.admission.QueryState;
import io.waterwheel.query.admission.QueryState.Stage;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.sql.ResidualPlan;
import io.waterwheel.sql.exec.ResidualExecutor;
import io.waterwheel.topology.rpc.ColumnSink;
import io.waterwheel.tuple.TupleBlock;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A statement that is more than one query, as it is listed and ended. */
final class ResidualAnswerTest {
    private static final List<Field> FIELDS = List.of(new Field("c0", FieldType.LONG, true));
    private static final String SQL = "SELECT 1 + 1";

    private final Admission admission = Admission.unlimited();

    /** What the executor does of a plan. */
    private record Executor(Consumer<Asker> work) implements ResidualExecutor {
        @Override
        public void execute(ResidualPlan plan, LeafReader leaves, Asker asker) {
            work.accept(asker);
        }

        @Override
        public Load load() {
            return new Load(0, 0, 1, 0, 0);
        }

        @Override
        public void close() {}
    }

    private static class Sink implements ColumnSink {
        private int rows;

        @Override
        public void show(List<Column> columns) {}

        @Override
        public void start(List<Field> fields) {}

        @Override
        public void rows(TupleBlock block) {
            rows += block.size();
        }

        @Override
        public void finish(Verdict verdict) {}

        @Override
        public void fail(WaterwheelException failure) {
            throw failure;
        }

        @Override
        public boolean cancelled() {
            return false;
        }
    }

    /** A client takes nothing; what waits for it learns in between that the statement was ended. */
    private final class Waiting extends Sink {
        private BooleanSupplier ended = () -> false;

        @Override
        public void endWhen(BooleanSupplier now) {
            ended = now;
        }

        @Override
        public void rows(TupleBlock block) {
            assertThat(ended.getAsBoolean()).isFalse();
            assertThat(admission.kill(listed().id())).isTrue();
            assertThat(ended.getAsBoolean()).as("what waits ends").isTrue();
            throw new WaterwheelException(ErrorCode.CANCELLED, "the client is gone");
        }
    }

    private void answer(Sink sink, Consumer<ResidualExecutor.Asker> work) throws InterruptedException {
        ResidualPlan plan = new ResidualPlan(List.of(), SQL, FIELDS, List.of("x"), List.of());
        try (OpenStatement open = admission.statements().open(SQL, "here")) {
            new ResidualAnswer(
                            Statement.of(SQL),
                            plan,
                            (leaf, query, to) -> {
                                throw new IllegalStateException("there are no leaves");
                            },
                            SystemTablesTest.TABLES,
                            sink,
                            open,
                            Long.MAX_VALUE)
                    .run(new Executor(work));
        }
    }

    private QueryState listed() {
        assertThat(admission.list()).hasSize(1);
        return admission.list().get(0);
    }

    @Test
    void itIsListedUntilItEnds() throws InterruptedException {
        Sink sink = new Sink();
        answer(sink, asker -> {
            assertThat(listed().stage()).isEqualTo(Stage.WAITING);
            assertThat(listed().query()).isEqualTo(SQL);
            asker.begins();
            assertThat(listed().stage()).isEqualTo(Stage.RUNNING);
            TupleBlock block = new TupleBlock(RowLayout.ofFields(FIELDS), 3);
            block.setSize(3);
            asker.take(block);
            assertThat(listed().rows()).isEqualTo(3);
        });
        assertThat(sink.rows).isEqualTo(3);
        assertThat(admission.list()).isEmpty();
        assertThat(admission.ended()).singleElement().satisfies(ended -> assertThat(ended.outcome())
                .isEqualTo("complete"));
    }

    @Test
    void onceKilledNothingIsWantedAndTheClientIsTold() {
        assertThatThrownBy(() -> answer(new Sink(), asker -> {
                    assertThat(asker.cancelled()).isFalse();
                    assertThat(admission.kill(listed().id())).isTrue();
                    assertThat(asker.cancelled()).isTrue();
                    throw new WaterwheelException(ErrorCode.CANCELLED, "the statement was cancelled");
                }))
                .isInstanceOfSatisfying(
                        WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("QUERY_KILLED"))
                .hasMessageContaining("was ended by `queries kill`");
        assertThat(admission.list()).isEmpty();
        assertThat(admission.ended()).singleElement().satisfies(ended -> assertThat(ended.outcome())
                .isEqualTo("QUERY_KILLED"));
    }

    @Test
    void onceKilledItEndsWhileTheClientTakesNothing() {
        assertThatThrownBy(() -> answer(new Waiting(), asker -> {
                    asker.begins();
                    TupleBlock block = new TupleBlock(RowLayout.ofFields(FIELDS), 1);
                    block.setSize(1);
                    asker.take(block);
                }))
                .isInstanceOfSatisfying(
                        WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("QUERY_KILLED"));
        assertThat(admission.ended()).singleElement().satisfies(ended -> assertThat(ended.outcome())
                .isEqualTo("QUERY_KILLED"));
    }
}
