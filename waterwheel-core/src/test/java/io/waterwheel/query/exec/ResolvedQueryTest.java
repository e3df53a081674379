package io.waterwheel.query.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.catalog.StreamInfo;
import io.waterwheel.model.Box;
import io.waterwheel.model.Field;
import io.waterwheel.model.FieldType;
import io.waterwheel.model.KeyInterval;
import io.waterwheel.model.KeySpec;
import io.waterwheel.model.RecordFormat;
import io.waterwheel.model.Schema;
import io.waterwheel.model.WaterwheelException;
import io.waterwheel.query.Query;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
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
    void mergedAndIntersectedIntervalsHoldTheSameKeys() {
        for (long seed = 1; seed <= 300; seed++) {
            Random random = new Random(seed);
            List<KeyInterval> a = random(random);
            List<KeyInterval> b = random(random);
            List<KeyInterval> left = ResolvedQuery.merged(a);
            List<KeyInterval> right = ResolvedQuery.merged(b);
            List<KeyInterval> both = ResolvedQuery.intersection(left, right);
            for (long key = -5; key < 60; key++) {
                assertThat(holds(left, key)).as("seed %s key %s", seed, key).isEqualTo(holds(a, key));
                assertThat(holds(both, key)).as("seed %s key %s", seed, key).isEqualTo(holds(a, key) && holds(b, key));
            }
            for (int i = 1; i < left.size(); i++) {
                assertThat(left.get(i).low()).isGreaterThan(left.get(i - 1).high() + 1);
            }
        }
    }

    @Test
    void theEndsOfTheDomainMerge() {
        assertThat(ResolvedQuery.merged(List.of(
                        new KeyInterval(Long.MIN_VALUE, 0),
                        new KeyInterval(1, Long.MAX_VALUE),
                        new KeyInterval(Long.MAX_VALUE, Long.MAX_VALUE))))
                .containsExactly(KeyInterval.ALL);
    }

    @Test
    void saysWhatTheStreamHasNot() {
        assertThatThrownBy(() -> ResolvedQuery.of(Query.of("s").withSelect(List.of("speed")), STREAM))
                .isInstanceOf(WaterwheelException.class)
                .hasMessage("stream s has no field 'speed'; it has [k, t]");
        assertThatThrownBy(() -> ResolvedQuery.of(Query.of("s").withBox(Box.WORLD), STREAM))
                .isInstanceOf(WaterwheelException.class)
                .hasMessageContaining("has no position for a key");
    }

    private static boolean holds(List<KeyInterval> intervals, long key) {
        return intervals.stream().anyMatch(interval -> interval.contains(key));
    }

    private static List<KeyInterval> random(Random random) {
        List<KeyInterval> intervals = new ArrayList<>();
        for (int n = random.nextInt(6); n >= 0; n--) {
            long low = random.nextInt(50);
            intervals.add(new KeyInterval(low, low + random.nextInt(8)));
        }
        return intervals;
    }
}
