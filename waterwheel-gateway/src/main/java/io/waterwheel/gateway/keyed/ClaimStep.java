package io.waterwheel.gateway.keyed;

import java.util.ArrayList;
import java.util.List;

/**
 * What a gateway does, in this order, to become the only one that appends to a stream under keys. Others may do the
 * same at the same time: the one that holds lane 0 at the end has them all, since every claim begins with lane 0.
 *
 * @param lane that it is about; 0 where it is about all
 */
record ClaimStep(Kind kind, int lane) {
    enum Kind {
        /** Shuts out who has the lane, and keeps it. */
        TAKE,
        /** Reads the mark of the last claim that ended well: how many lanes it opened. */
        READ_MARK,
        /** Shuts out who has the lane, where the mark says that it was opened. */
        FENCE,
        /** Commits a mark of its own by lane 0: fails when another claim has begun meanwhile. */
        MARK,
        /** Reads what was committed since it was read last. Last: no other gateway can commit now. */
        READ
    }

    /**
     * The steps.
     *
     * @param lanes all that there are
     * @param open those that are to be used, the first of them
     */
    static List<ClaimStep> all(int lanes, int open) {
        List<ClaimStep> steps = new ArrayList<>();
        steps.add(new ClaimStep(Kind.TAKE, 0));
        steps.add(new ClaimStep(Kind.READ_MARK, 0));
        for (int lane = 1; lane < open; lane++) {
            steps.add(new ClaimStep(Kind.TAKE, lane));
        }
        for (int lane = open; lane < lanes; lane++) {
            steps.add(new ClaimStep(Kind.FENCE, lane));
        }
        steps.add(new ClaimStep(Kind.MARK, 0));
        steps.add(new ClaimStep(Kind.READ, 0));
        return steps;
    }
}
