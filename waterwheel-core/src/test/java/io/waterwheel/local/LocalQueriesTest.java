package io.waterwheel.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Rounds;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.NamedExpression;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.compile.SmallRows;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every kind of answer, over the tree and chunks at once, is what comes of looking at all rows one by one. */
final class LocalQueriesTest {
    private static final int SEEDS = Rounds.of(6, 30);
    private static final int QUERIES = 40;

    @TempDir
    Path folder;

    private Random random = new Random(0);

    @Test
    void answersAreThoseOfLookingAtEveryRow() throws Exception {
        long first = Long.getLong("seed", 0);
        for (long seed = first; seed < first + SEEDS; seed++) {
            random = new Random(seed);
            SmallRows small = random.nextInt(3) == 0 ? SmallRows.ofSeveralFields(random) : new SmallRows(random, true);
            QuestionTwin twin = new QuestionTwin(random, small.schema());
            try (LocalStream stream =
                    LocalStream.open(folder.resolve("s" + seed), "s", small.schema(), LocalSettings.DEFAULT)) {
                for (int round = 0; round < 4; round++) {
                    insert(stream, small, twin);
                    for (int q = 0; q < QUERIES / 4; q++) {
                        twin.check(
                                twin.query(stream.query()),
                                question -> answer(stream, question),
                                "seed " + seed + " round " + round + " query " + q);
                    }
                }
            }
        }
    }

    @Test
    void anOverflowInAChunkFailsTheQueryAtOnce() throws Exception {
        random = new Random(1);
        SmallRows small = new SmallRows(random, false);
        try (LocalStream stream =
                LocalStream.open(folder.resolve("overflow"), "s", small.schema(), LocalSettings.DEFAULT)) {
            stream.insert(small.block(100));
            stream.flush();
            Query query = stream.query().withWhere("k * 9223372036854775807 > 5");
            assertThatThrownBy(() -> stream.answer(query, rows -> true))
                    .isInstanceOf(WaterwheelException.class)
                    .hasMessageContaining("k * 9223372036854775807")
                    .hasMessageContaining("exceeds 64 bits");
            Query many = stream.query()
                    .withAggregates(List.of(Aggregate.parse("sum(9223372036854775807 - k + k) AS all_of_them")));
            assertThatThrownBy(() -> stream.answer(many, rows -> true)).hasMessageContaining("exceeds 64 bits");
            Query whole = stream.query().withAggregates(List.of(Aggregate.parse("sum(9223372036854775807) AS a0")));
            assertThatThrownBy(() -> stream.answer(whole, rows -> true))
                    .hasMessageContaining("aggregate sum(9223372036854775807): the sum exceeds 64 bits");
        }
    }

    @Test
    void tooManyGroupsAreAClearError() throws Exception {
        Schema schema = new Schema(
                List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
                new KeySpec.Ordered("k"),
                "t");
        try (LocalStream stream = LocalStream.open(folder.resolve("groups"), "s", schema, LocalSettings.DEFAULT)) {
            for (int b = 0; b < 270; b++) {
                TupleBlock block = new TupleBlock(stream.layout(), 1000);
                for (int row = 0; row < 1000; row++) {
                    block.keys()[row] = b * 1000L + row;
                }
                block.setSize(1000);
                stream.insert(block);
                if (b == 100) {
                    stream.flush();
                }
            }
            Query query = stream.query()
                    .withResult(
                            new ResultSpec.Aggregates(List.of(Aggregate.count()), NamedExpression.fields("k"), null));
            assertThatThrownBy(() -> stream.answer(query, rows -> true))
                    .hasMessageContaining("group by k: there are more than 262144 groups");
            long[] groups = {0};
            stream.answer(query.withTimes(TimeInterval.ALL).withWhere("k < 262144"), rows -> {
                groups[0] += rows.size();
                return true;
            });
            assertThat(groups[0]).isEqualTo(262_144);
        }
    }

    private static QuestionTwin.Answer answer(LocalStream stream, Query question) throws InterruptedException {
        List<List<String>> rows = new ArrayList<>();
        Verdict verdict = stream.answer(question, block -> {
            for (int row = 0; row < block.size(); row++) {
                Map<String, Object> values = SmallRows.row(block, row);
                List<String> texts = new ArrayList<>();
                for (Field field : block.layout().fields()) {
                    texts.add(QuestionTwin.text(values.get(field.name())));
                }
                rows.add(texts);
            }
            return true;
        });
        return new QuestionTwin.Answer(rows, verdict.tuples(), verdict.next());
    }

    private void insert(LocalStream stream, SmallRows small, QuestionTwin twin) throws IOException {
        for (int b = random.nextInt(4); b >= 0; b--) {
            TupleBlock block = small.block(random.nextInt(random.nextInt(4) == 0 ? 3000 : 60));
            stream.insert(block);
            // Only now, because inserting may make the keys.
            twin.add(block);
            if (random.nextInt(3) == 0) {
                stream.flush();
            }
        }
    }
}
