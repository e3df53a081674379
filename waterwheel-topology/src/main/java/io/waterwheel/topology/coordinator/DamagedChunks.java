package io.waterwheel.topology.coordinator;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.run.AnswerSink;
import io.waterwheel.query.run.ForwardingSink;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The damage in chunks that queries failed with, for {@code status}: each place once, the last hour. Thread-safe. */
final class DamagedChunks {
    /** How long after it was last met damage is told of: the file may have been restored since. */
    static final Duration KEPT = Duration.ofHours(1);

    private static final int MOST = 100;

    private record Damage(String stream, String what, Instant when) {}

    private final InstantSource clock;
    /** By what is said of it, which names file and place; the one that was met last is the last. */
    private final Map<String, Damage> damages = new LinkedHashMap<>();

    DamagedChunks(InstantSource clock) {
        this.clock = clock;
    }

    /** Notes a failure of a query, if damage is what it tells of. */
    synchronized void failed(String stream, WaterwheelException failure) {
        if (!failure.is(ErrorCode.CHUNK_CORRUPT)) {
            return;
        }
        String what = String.valueOf(failure.getMessage());
        damages.remove(what);
        damages.put(what, new Damage(stream, what, clock.instant()));
        if (damages.size() > MOST) {
            damages.remove(damages.keySet().iterator().next());
        }
    }

    /** What was met in chunks of a stream, in sentences for people. */
    synchronized List<String> of(String stream) {
        Instant from = clock.instant().minus(KEPT);
        damages.values().removeIf(damage -> damage.when().isBefore(from));
        List<String> said = new ArrayList<>();
        for (Damage damage : damages.values()) {
            if (damage.stream().equals(stream)) {
                said.add(damage.what() + " (a query met it at " + damage.when() + ")");
            }
        }
        return said;
    }

    /** The sink, which lets this see how the answer ends. */
    AnswerSink watching(String stream, AnswerSink sink) {
        return new ForwardingSink(sink) {
            @Override
            public void fail(WaterwheelException failure) {
                failed(stream, failure);
                super.fail(failure);
            }
        };
    }
}
