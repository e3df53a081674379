package io.waterwheel.query.result;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.aggregate.AggregateState;
import io.waterwheel.query.memory.Reservation;
import java.util.List;

/** Reserves what aggregates hold, and bounds it. One thread. */
final class GroupRoom {
    private static final long MAX_STATE_BYTES = 128L << 20;

    private final Reservation memory;
    private long reserved;

    GroupRoom(Reservation memory) {
        this.memory = memory;
    }

    /**
     * Reserves what the states hold now, after they have taken a page, a leaf or a block.
     *
     * @throws WaterwheelException of kind USER when it is too much
     */
    void require(List<AggregateState> states) {
        long bytes = 0;
        for (AggregateState state : states) {
            bytes += state.bytes();
        }
        if (bytes > MAX_STATE_BYTES) {
            throw new WaterwheelException(
                    ErrorCode.TOO_MANY_GROUPS,
                    "query: the aggregates' values have over " + (MAX_STATE_BYTES >> 20)
                            + " MiB together; group by less, or narrow the query");
        }
        if (bytes != reserved) {
            memory.replace(reserved, bytes);
            reserved = bytes;
        }
    }
}
