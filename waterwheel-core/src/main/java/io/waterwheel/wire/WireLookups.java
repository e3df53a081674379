package io.waterwheel.wire;

import io.waterwheel.query.KeyTime;
import io.waterwheel.query.ResultSpec;
import io.waterwheel.wire.proto.Lookup;
import java.util.ArrayList;
import java.util.List;

/** Lookups as messages. Stateless, thread-safe. */
final class WireLookups {
    private WireLookups() {}

    static Lookup toMessage(ResultSpec.Lookup lookup) {
        Lookup.Builder message = Lookup.newBuilder().setAsOf(lookup.asOf());
        for (KeyTime pair : lookup.pairs()) {
            message.addPairs(io.waterwheel.wire.proto.KeyTime.newBuilder()
                    .setKey(pair.key())
                    .setTime(WireInstants.moment(pair.time())));
        }
        return message.build();
    }

    /**
     * Reads it.
     *
     * @throws IllegalArgumentException when what it says is out of bounds
     */
    static ResultSpec.Lookup fromMessage(Lookup message, List<String> select) {
        WireQueries.refuseUnknown("query: lookup", message);
        WireQueries.atMost("pairs", message.getPairsCount(), ResultSpec.Lookup.MAX_PAIRS);
        List<KeyTime> pairs = new ArrayList<>(message.getPairsCount());
        for (io.waterwheel.wire.proto.KeyTime pair : message.getPairsList()) {
            WireQueries.refuseUnknown("query: pair", pair);
            if (!pair.hasTime()) {
                throw new IllegalArgumentException("query: a pair has no time");
            }
            pairs.add(new KeyTime(pair.getKey(), WireInstants.instant("pair", pair.getTime())));
        }
        return new ResultSpec.Lookup(pairs, message.getAsOf(), select);
    }
}
