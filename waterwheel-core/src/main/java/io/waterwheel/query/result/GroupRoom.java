package io.waterwheel.query.result;

import io.waterwheel.query.aggregate.state.AggregateState;
import io.waterwheel.query.memory.Reservation;
import java.util.List;

/** Reserves what aggregates hold, and bounds it. One thread. */
final class GroupRoom {
    private final Reservation memory;
    private long reserved;

    GroupRoom(Reservation memory) {
        this.memory = memory;
    }

    /**
     * Reserves what the states hold now, after they have taken a page, a leaf or a block.
     *
     * @throws io.waterwheel.error.WaterwheelException of kind USER when it is too much
     */
    void require(List<AggregateState> states) {
        long bytes = 0;
        for (AggregateState state : states) {
            bytes += state.bytes();
        }
        AggregateState.requireRoom(bytes);
        if (bytes != reserved) {
            memory.replace(reserved, bytes);
            reserved = bytes;
        }
    }
}
