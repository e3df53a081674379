package io.waterwheel.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Downsampling;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.NeighbourValue;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.compile.SmallRows;
import io.waterwheel.schema.Field;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Series, of fresh tuples and chunks, cold and warm, are those of sorting all rows; {@code -Dseed=N} repeats one. */
final class SeriesTest {
    private static final int SEEDS = Rounds.of(6, 400);
    private static final int ROUNDS = 4;
    private static final int QUESTIONS = 14;

    @TempDir
    Path folder;

    private Random random = new Random(0);
    private final List<Map<String, @Nullable Object>> rows = new ArrayList<>();

    @Test
    void neighboursAreThoseOfSortingAllRows() throws Exception {
        long first = Long.getLong("seed", 0);
        for (long seed = first; seed < first + SEEDS; seed++) {
            random = new Random(seed);
            SmallRows small = new SmallRows(random, true);
            SeriesTwin twin = new SeriesTwin(random, small.schema().fields(), SeriesTest::shown);
            rows.clear();
            Path at = folder.resolve("s" + seed);
            LocalStream stream = LocalStream.open(at, "s", small.schema(), LocalSettings.DEFAULT);
            try {
                for (int round = 0; round < ROUNDS; round++) {
                    insert(stream, small.block(random.nextInt(random.nextInt(6) == 0 ? 2500 : 50)));
                    if (random.nextBoolean()) {
                        stream.flush();
                    }
                    if (random.nextInt(4) == 0) {
                        // Cold: nothing of it is in memory.
                        stream.flush();
                        stream.close();
                        stream = LocalStream.open(at, "s", small.schema(), LocalSettings.DEFAULT);
                    }
                    for (int q = 0; q < QUESTIONS; q++) {
                        check(stream, twin, "seed " + seed + " round " + round + " question " + q);
                    }
                }
            } finally {
                stream.close();
            }
        }
    }

    private void insert(LocalStream stream, TupleBlock block) throws Exception {
        for (int row = 0; row < block.size(); row++) {
            rows.add(SmallRows.row(block, row));
        }
        stream.insert(block);
    }

    private void check(LocalStream stream, SeriesTwin twin, String about) throws Exception {
        ResultSpec.Series wanted = twin.question(true);
        Query query = stream.query().withResult(wanted);
        List<Map<String, @Nullable Object>> matching = new ArrayList<>(rows);
        TimeInterval times = TimeInterval.ALL;
        if (random.nextBoolean()) {
            long from = random.nextInt(9);
            long to = random.nextInt(3) == 0 ? Long.MAX_VALUE : from + random.nextInt(5);
            times = new TimeInterval(from, to);
            query = query.withTimes(times);
            matching.removeIf(row -> SeriesTwin.millis(row) < from || SeriesTwin.millis(row) > to);
        }
        if (random.nextInt(3) == 0) {
            String name = twin.any();
            query = query.withWhere("\"" + name + "\" IS NOT NULL");
            matching.removeIf(row -> row.get(name) == null);
        }
        List<List<String>> expected = twin.expected(wanted, matching, times);
        String told = about + ": " + wanted + " of " + matching.size();
        for (int again = 0; again < 2; again++) {
            List<List<String>> answer = new ArrayList<>();
            if (expected == null && wanted.downsampling() != null && wanted.limit() != Query.NO_LIMIT) {
                // It depends on the block whether as much is computed.
                return;
            } else if (expected == null) {
                Query failing = query;
                assertThatThrownBy(() -> stream.answer(failing, block -> true))
                        .as(told)
                        .hasMessageContaining("exceeds 64 bits");
                return;
            }
            Verdict verdict = stream.answer(query, block -> {
                read(block, answer);
                return true;
            });
            assertThat(answer).as(told).isEqualTo(expected);
            assertThat(verdict.tuples()).as(told).isEqualTo(expected.size());
        }
    }

    private static String shown(@Nullable Object value) {
        if (value instanceof Double number) {
            // The zeros are equal, and come in any order.
            return Double.toString(number + 0.0);
        }
        return value instanceof byte[] bytes ? Base64.getEncoder().encodeToString(bytes) : String.valueOf(value);
    }

    private static void read(TupleBlock block, List<List<String>> into) {
        for (int row = 0; row < block.size(); row++) {
            Map<String, Object> values = SmallRows.row(block, row);
            List<String> texts = new ArrayList<>();
            for (Field field : block.layout().fields()) {
                texts.add(shown(values.get(field.name())));
            }
            into.add(texts);
        }
    }

    @Test
    void whatCannotBeAskedIsAClearError() throws Exception {
        random = new Random(3);
        SmallRows small = new SmallRows(random, true);
        try (LocalStream stream =
                LocalStream.open(folder.resolve("wrong"), "s", small.schema(), LocalSettings.DEFAULT)) {
            assertThatThrownBy(() -> stream.answer(series(stream, "t", "lag(k) AS t"), block -> true))
                    .hasMessageContaining("two fields of the answer are called 't'");
            assertThatThrownBy(() -> stream.answer(series(stream, "t", "delta(t)"), block -> true))
                    .isInstanceOfSatisfying(
                            WaterwheelException.class, e -> assertThat(e.code()).isEqualTo("TYPE_MISMATCH"))
                    .hasMessageContaining("series delta(t) AS delta_t: expected a number, got");
            assertThatThrownBy(() -> stream.answer(series(stream, "t", "lag(kk)"), block -> true))
                    .hasMessageContaining("there is no field 'kk'");
        }
        assertThatThrownBy(() -> NeighbourValue.parse("lead(a)"))
                .hasMessage("there is no value 'lead' of a series; there are lag, delta, rate");
        assertThatThrownBy(() -> NeighbourValue.parse("lag(a, 2)"))
                .hasMessage("series 'lag(a, 2)': expected lag(VALUE)");
        assertThatThrownBy(() -> Downsampling.parse("lttb(a + 1, 9)"))
                .hasMessage("downsample 'lttb(a + 1, 9)': expected lttb(FIELD, NUMBER)");
        assertThatThrownBy(() -> Downsampling.parse("minmax(a, 99999999999)"))
                .hasMessageContaining("expected 2 to 100000");
        assertThatThrownBy(() -> Downsampling.parse("lttb(a, -4294966796)"))
                .hasMessageContaining("expected 2 to 100000");
        assertThat(Downsampling.parse("LTTB(a, 9)")).hasToString("lttb(a, 9)");
        assertThat(NeighbourValue.parse("rate(a)")).hasToString("rate(a) AS rate_a");
    }

    private static Query series(LocalStream stream, String select, String value) {
        return stream.query()
                .withResult(new ResultSpec.Series(
                        List.of(),
                        NamedExpression.fields(select),
                        List.of(NeighbourValue.parse(value)),
                        null,
                        Query.NO_LIMIT));
    }
}
