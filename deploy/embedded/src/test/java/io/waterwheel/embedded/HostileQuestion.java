package io.waterwheel.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.client.Cursor;
import io.waterwheel.client.StreamQuery;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.error.WaterwheelException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;

/**
 * A question that costs as much as one can, of the stream {@code rows} of {@link AttacksTest}.
 *
 * @param name for people
 * @param ask the question
 * @param rows that a whole answer has; those of a count are what it counts
 * @param refusals codes that are right, too; empty where it must be answered
 */
record HostileQuestion(String name, Function<WaterwheelClient, StreamQuery> ask, long rows, Set<String> refusals) {
    /** Its time is over, and the answer is not whole. */
    private static final Set<String> LATE = Set.of("INCOMPLETE", "TIMEOUT", "SERVER_BUSY");

    private static final Duration SHORT = Duration.ofSeconds(1);
    /** Of those that must be answered, or refused for what they take: a busy machine decides nothing. */
    private static final Duration LONG = Duration.ofMinutes(5);

    /** All kinds, each against as many rows as there are. */
    static List<HostileQuestion> all(int rows) {
        String terms = IntStream.range(0, 3_900).mapToObj(i -> "k + 0 = " + i).collect(Collectors.joining(" OR "));
        String[] columns =
                IntStream.range(0, 64).mapToObj(i -> "upper(note) AS c" + i).toArray(String[]::new);
        return List.of(
                new HostileQuestion(
                        "a LIKE of 15,000 characters",
                        client -> count(client.query("rows").where("note LIKE '%" + "s".repeat(15_000) + "b%'"))
                                .timeout(SHORT),
                        0,
                        LATE),
                new HostileQuestion(
                        "60 nested functions",
                        client -> count(client.query("rows")
                                .where("upper(".repeat(60) + "note" + ")".repeat(60) + " LIKE 'SOME%'")),
                        rows,
                        LATE),
                new HostileQuestion(
                        "3,900 terms",
                        client -> count(client.query("rows").keys(0, rows - 1).where(terms))
                                .timeout(SHORT),
                        3_900,
                        LATE),
                new HostileQuestion("2,000 ranges of keys", client -> count(ranges(client, rows / 2_000)), 2_000, LATE),
                new HostileQuestion(
                        "an order of all rows",
                        client -> client.query("rows")
                                .keys(0, rows - 1)
                                .orderByDescending("note")
                                .timeout(LONG),
                        rows,
                        Set.of("QUERY_MEMORY", "RESULT_TOO_LARGE")),
                new HostileQuestion(
                        "64 computed columns of all rows",
                        client -> client.query("rows")
                                .keys(0, rows - 1)
                                .select(columns)
                                .limit(20_000)
                                .timeout(LONG),
                        20_000,
                        Set.of("QUERY_MEMORY")),
                new HostileQuestion(
                        "a group of each row",
                        client -> count(client.query("rows").groupBy("note")),
                        rows,
                        Set.of("SPILL_FULL", "SPILL_BUSY", "QUERY_MEMORY", "INCOMPLETE", "TIMEOUT", "SERVER_BUSY")),
                new HostileQuestion(
                        "the newest of all keys",
                        client -> client.query("rows")
                                .keys(0, rows - 1)
                                .latest(10)
                                .timeout(LONG),
                        rows,
                        Set.of("RESULT_TOO_LARGE", "QUERY_MEMORY")));
    }

    private static StreamQuery count(StreamQuery query) {
        return query.aggregate("count(*)");
    }

    private static StreamQuery ranges(WaterwheelClient client, long apart) {
        StreamQuery query = client.query("rows");
        for (int i = 0; i < 2_000; i++) {
            query = query.key(i * apart);
        }
        return query;
    }

    /** Asks it; what came of it, for people. Fails where the answer is wrong, or refused for another reason. */
    String asked(WaterwheelClient client) {
        long came = 0;
        try (Cursor cursor = ask.apply(client).rows()) {
            while (cursor.nextBatch()) {
                VectorSchemaRoot columns = cursor.columns();
                boolean isCount = columns.getFieldVectors().size() == 1
                        && columns.getFieldVectors().get(0) instanceof BigIntVector;
                came += isCount ? ((BigIntVector) columns.getVector(0)).get(0) : columns.getRowCount();
            }
        } catch (WaterwheelException e) {
            if (!refusals.contains(e.code())) {
                throw new AssertionError(name, e);
            }
            return name + ": " + e.code();
        }
        assertThat(came).as(name).isEqualTo(rows);
        return name + ": answered";
    }
}
