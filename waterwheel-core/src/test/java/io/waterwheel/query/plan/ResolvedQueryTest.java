package io.waterwheel.query.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.state.Edit;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.catalog.state.StreamSnapshot;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.geo.Box;
import io.waterwheel.query.Aggregate;
import io.waterwheel.query.Query;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.query.column.RowView;
import io.waterwheel.query.column.Workspace;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.query.result.Gather;
import io.waterwheel.query.rows.PartialMerge;
import io.waterwheel.query.rows.RowCollector;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.RowLayout;
import io.waterwheel.schema.Schema;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.tuple.TupleBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class ResolvedQueryTest {
    private static final StreamInfo STREAM = new StreamInfo(
            "s",
            1,
            new Schema(
                    List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP, false)),
                    new KeySpec.Ordered("k"),
                    "t"),
            RecordFormat.CSV,
            "s",
            1,
            1);

    @Test
    void saysWhatTheStreamHasNot() {
        assertThatThrownBy(() -> ResolvedQuery.of(Query.of("s").withSelect(List.of("speed")), STREAM))
                .isInstanceOf(WaterwheelException.class)
                .hasMessage("there is no field 'speed'; there are [k, t]");
        assertThatThrownBy(() -> ResolvedQuery.of(Query.of("s").withShape(Box.WORLD), STREAM))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("has no position for a key");
    }

    /** Nobody asked for an end: of nanoseconds the greatest is one, in the year 2262. */
    @Test
    void aConditionOnTheTimeLeavesTheOtherSideOpen() {
        Schema schema = new Schema(
                List.of(new Field("k", FieldType.LONG, false), new Field("t", FieldType.TIMESTAMP_NS, false)),
                new KeySpec.Ordered("k"),
                "t");
        StreamInfo nanos = new StreamInfo("s", 1, schema, RecordFormat.CSV, "s", 1, 1);
        Expression where = Expression.parse("t >= TIMESTAMP '2021-01-01 00:00:00Z'");
        assertThat(ResolvedQuery.of(Query.of("s").withWhere(where), nanos)
                        .spec()
                        .times())
                .isEqualTo(new TimeInterval(1_609_459_200_000L, Long.MAX_VALUE));
    }

    /** By a query of that much of the time over a stream that has lost what was before 1000. */
    private static List<Long> filled(TimeInterval times, @Nullable Expression where, long... tuples) throws Exception {
        StreamSnapshot snapshot = StreamSnapshot.before(STREAM)
                .apply(1, new Edit.Created(RoutingTable.even(1, KeyInterval.ALL, 1), List.of(0L)))
                .apply(2, new Edit.Expired(1000));
        ResultSpec.Aggregates wanted = new ResultSpec.Aggregates(
                        List.of(Aggregate.parse("count(*) AS n")), List.of(), Duration.ofMillis(100))
                .withFill(ResultSpec.Fill.NULL);
        Query query = Query.of("s").withTimes(times).withResult(wanted);
        ResolvedQuery resolved =
                ResolvedQuery.of(where == null ? query : query.withWhere(where), snapshot, Planning.unbounded());
        // Who is asked a part of it looks no further back.
        assertThat(resolved.query().times().from()).isGreaterThanOrEqualTo(1000);
        assertThat(resolved.spec().times().from()).isGreaterThanOrEqualTo(1000);
        TupleBlock block = new TupleBlock(RowLayout.of(STREAM.schema()), Math.max(1, tuples.length));
        System.arraycopy(tuples, 0, block.times(), 0, tuples.length);
        block.setSize(tuples.length);
        Gather gather = resolved.spec().gather();
        PartialMerge merge = gather.merge(Workspace.unhurried());
        RowCollector collector = gather.collector(part -> merge.accept(part, rows -> true), Workspace.unhurried());
        collector.add(RowView.of(block), IntStream.range(0, tuples.length).toArray(), tuples.length);
        collector.finish();
        List<Long> buckets = new ArrayList<>();
        merge.finish(answer -> {
            for (int row = 0; row < answer.size(); row++) {
                buckets.add((Long) answer.value(0, row));
            }
            return true;
        });
        return buckets;
    }

    /** An answer has the buckets that it has without retention: from the first tuple on, where no bound is named. */
    @Test
    void whatIsGoneIsNoBoundOfBuckets() throws Exception {
        TimeInterval open = new TimeInterval(Long.MIN_VALUE, 1499);
        assertThat(filled(open, null)).isEmpty();
        assertThat(filled(open, null, 1250)).containsExactly(1200L, 1300L, 1400L);
        assertThat(filled(TimeInterval.ALL, null, 1250, 1450)).containsExactly(1200L, 1300L, 1400L);
        Expression until = Expression.parse("t < TIMESTAMP '1970-01-01 00:00:01.5Z'");
        assertThat(filled(TimeInterval.ALL, until)).isEmpty();
        assertThat(filled(TimeInterval.ALL, until, 1250)).containsExactly(1200L, 1300L, 1400L);
        assertThat(filled(new TimeInterval(900, 1199), null)).containsExactly(900L, 1000L, 1100L);
        Expression within =
                Expression.parse("t BETWEEN TIMESTAMP '1970-01-01 00:00:00.9Z' AND TIMESTAMP '1970-01-01 00:00:01.1Z'");
        assertThat(filled(TimeInterval.ALL, within, 1050)).containsExactly(900L, 1000L, 1100L);
    }
}
