package io.waterwheel.trino;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.BigintType;
import io.waterwheel.query.Query;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.Statistics;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.FieldType;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TimeInterval;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each split asks for its rectangle at the positions of the scan, and takes no answer that lies below them. */
final class SplitQueryTest {
    private static final Map<Integer, Long> POSITIONS = Map.of(0, 120L, 1, 7L);
    private static final StreamColumn ID = StreamColumn.field("id", "Id", FieldType.LONG, BigintType.BIGINT, false);
    private static final StreamTable TABLE =
            StreamTable.of(new SchemaTableName("default", "readings"), "Readings", 5, POSITIONS);
    private static final StreamSplit SPLIT = new StreamSplit(-3, 9, 1000, 2000, 1);

    private static SplitQuery split(StreamTable table, List<StreamColumn> columns) {
        return new SplitQuery(table, SPLIT, columns, Duration.ofSeconds(9));
    }

    @Test
    void everySplitDemandsThePositions() {
        StreamColumn count = new StreamColumn("aggregate_0", "", "long", BigintType.BIGINT, false, "count(*)");
        for (SplitQuery split : List.of(
                split(TABLE, List.of(ID)),
                split(TABLE, List.of()),
                split(TABLE.withLimit(3, List.of(new StreamTable.SortedBy(ID, true))), List.of(ID)),
                split(TABLE.withAggregates(List.of(count)), List.of(count)))) {
            Query query = split.query(TupleDomain.all());
            assertThat(query.seen()).isEqualTo(new SessionPositions(5, POSITIONS));
            assertThat(query.stream()).isEqualTo("Readings");
            assertThat(query.keys()).containsExactly(new KeyInterval(-3, 9));
            assertThat(query.times()).isEqualTo(new TimeInterval(1000, 2000));
            assertThat(query.allowPartial()).isFalse();
        }
    }

    @Test
    void whatAJoinSaysNarrows() {
        TupleDomain<StreamColumn> three =
                TupleDomain.withColumnDomains(Map.of(ID, Domain.singleValue(BigintType.BIGINT, 3L)));
        assertThat(String.valueOf(split(TABLE, List.of(ID)).query(three).where()))
                .isEqualTo("Id = 3");
        assertThat(split(TABLE, List.of(ID)).isOfNothing(TupleDomain.none())).isTrue();
    }

    @Test
    void answersBelowThePositionsAreRefused() {
        SplitQuery split = split(TABLE, List.of(ID));
        assertThatCode(() -> split.requireWhole(verdict(5, Map.of(0, 120L, 1, 9L))))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> split.requireWhole(verdict(5, Map.of(0, 119L, 1, 9L))))
                .hasMessageContaining("partition 0 was seen up to 119");
        assertThatThrownBy(() -> split.requireWhole(verdict(6, POSITIONS))).hasMessageContaining("made anew");
        Verdict lacking = new Verdict(
                new Verdict.Completeness(false, List.of("indexer 2 is away"), List.of()),
                new SessionPositions(5, POSITIONS),
                Verdict.Gone.NOTHING,
                1,
                0,
                new Verdict.Effort(1, 0, Statistics.NONE));
        assertThatThrownBy(() -> split.requireWhole(lacking)).hasMessageContaining("INCOMPLETE: indexer 2 is away");
    }

    private static Verdict verdict(int stream, Map<Integer, Long> positions) {
        return new Verdict(
                Verdict.Completeness.WHOLE,
                new SessionPositions(stream, positions),
                Verdict.Gone.NOTHING,
                1,
                0,
                new Verdict.Effort(1, 0, Statistics.NONE));
    }
}
