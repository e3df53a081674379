package io.waterwheel.query.exec;

import io.waterwheel.model.WaterwheelException;

/** A tree was forgotten after its flush before it could be read: its tuples are in a chunk; plan the query again. */
public final class TreeGoneException extends WaterwheelException {
    private static final long serialVersionUID = 1;

    TreeGoneException() {
        super(
                Kind.TEMPORARY,
                "TREE_GONE",
                "a tree was forgotten after its flush while a query meant to read it: plan the query again, its tuples are in a chunk");
    }
}
