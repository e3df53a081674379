package io.waterwheel.trino;

import io.trino.spi.StandardErrorCode;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ColumnHandle;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.tuple.TimeInterval;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the connector asks of streams, beside their tuples. */
final class Streams {
    /** No tuple is of this time in a stream that anybody has: the answer has a verdict, and nothing is read for it. */
    private static final TimeInterval BEFORE_ALL = new TimeInterval(Long.MIN_VALUE, Long.MIN_VALUE);

    private Streams() {}

    /** All streams by their name in Trino, as {@link #find} finds them. */
    static Map<String, StreamDetails> all(WaterwheelClient client) {
        Map<String, StreamDetails> byName = new LinkedHashMap<>();
        Map<String, Integer> others = new HashMap<>();
        List<StreamDetails> streams = client.listStreams();
        for (StreamDetails stream : streams) {
            if (stream.definition().name().equals(lower(stream.definition().name()))) {
                byName.put(stream.definition().name(), stream);
            } else {
                others.merge(lower(stream.definition().name()), 1, Integer::sum);
            }
        }
        for (StreamDetails stream : streams) {
            String name = lower(stream.definition().name());
            if (others.getOrDefault(name, 0) == 1) {
                byName.putIfAbsent(name, stream);
            }
        }
        return byName;
    }

    /** Whether the fields' names differ also without capitals. */
    static boolean namesDiffer(StreamDetails stream) {
        List<Field> fields = stream.definition().schema().fields();
        return fields.stream().map(field -> lower(field.name())).distinct().count() == fields.size();
    }

    /**
     * The stream that Trino knows by a name: the one that has it as it is, in small letters; else the one that has it
     * but for capitals.
     *
     * @return null when there is none
     * @throws TrinoException when there are several with capitals
     */
    static @Nullable StreamDetails find(WaterwheelClient client, String name) {
        try {
            return client.describe(name);
        } catch (WaterwheelException e) {
            if (!e.is(ErrorCode.NO_SUCH_STREAM)) {
                throw e;
            }
        }
        List<String> same = client.listStreams().stream()
                .map(stream -> stream.definition().name())
                .filter(stream -> lower(stream).equals(name))
                .toList();
        if (same.size() > 1) {
            throw new TrinoException(
                    StandardErrorCode.AMBIGUOUS_NAME,
                    "the streams " + same + " differ in capital letters only, which names of tables do not");
        }
        return same.isEmpty() ? null : client.describe(same.get(0));
    }

    /**
     * The columns of a stream by their name in Trino, in the order of its fields.
     *
     * @throws TrinoException when two names differ in capitals only
     */
    static Map<String, ColumnHandle> columns(StreamDetails stream, ColumnTypes types) {
        Map<String, ColumnHandle> columns = new LinkedHashMap<>();
        for (Field field : stream.definition().schema().fields()) {
            String name = lower(field.name());
            ColumnHandle column =
                    StreamColumn.field(name, field.name(), field.type(), types.of(field.type()), field.nullable());
            if (columns.put(name, column) != null) {
                throw new TrinoException(
                        StandardErrorCode.AMBIGUOUS_NAME,
                        "stream " + stream.definition().name() + " has two fields that are called " + name
                                + " but for capital letters, which names of columns do not have: ask it by Waterwheel's"
                                + " own SQL");
            }
        }
        return columns;
    }

    /**
     * Positions below which everything is seen: those of a question that nothing matches, and what is demanded.
     *
     * @param demanded by partition; empty: nothing
     */
    static Map<Integer, Long> positions(
            WaterwheelClient client, StreamDetails stream, Map<Integer, Long> demanded, Duration timeout) {
        Query question = Query.builder(stream.definition().name())
                .times(BEFORE_ALL)
                .atLeast(demanded)
                .seen(new SessionPositions(stream.id(), Map.of()))
                .timeout(timeout)
                .build()
                .withCount();
        Verdict verdict;
        try (var answer = client.query(question)) {
            while (answer.nextBatch()) {
                // Of an aggregate there is one row.
            }
            verdict = answer.verdict();
        }
        if (verdict.streamId() != stream.id()) {
            throw Failures.split("stream " + stream.definition().name()
                    + " was dropped and made anew just now: run the statement again");
        }
        Map<Integer, Long> positions = new HashMap<>(verdict.positions());
        demanded.forEach((partition, offset) -> positions.merge(partition, offset, Math::max));
        return positions;
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ENGLISH);
    }
}
