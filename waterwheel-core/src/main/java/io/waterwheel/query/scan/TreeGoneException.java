package io.waterwheel.query.scan;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;

/**
 * A tree's memory was needed, after its flush, before it was read to its end: its tuples are in a chunk; plan the query
 * again.
 */
public final class TreeGoneException extends WaterwheelException {
    private static final long serialVersionUID = 1;

    TreeGoneException() {
        super(
                ErrorCode.TREE_GONE,
                "a tree was forgotten after its flush before the query had read it, because its memory was needed; ask again:"
                        + " its tuples are in a chunk now");
    }
}
