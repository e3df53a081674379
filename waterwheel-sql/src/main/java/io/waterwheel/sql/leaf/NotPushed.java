package io.waterwheel.sql.leaf;

import org.jspecify.annotations.Nullable;

/** A part of a statement that the engine does not answer as SQL does; the message names it. Without a stack: usual. */
public final class NotPushed extends Exception {
    private static final long serialVersionUID = 1;

    private final @Nullable String operator;

    public NotPushed(String what) {
        this(what, null);
    }

    private NotPushed(String what, @Nullable String operator) {
        super(what, null, false, false);
        this.operator = operator;
    }

    /** The same within a call of an operator; of several within each other the innermost is told. */
    public NotPushed within(String name) {
        return operator == null ? new NotPushed(String.valueOf(getMessage()), name) : this;
    }

    /** The name of the operator that is not answered; null where it is no call. */
    public @Nullable String operator() {
        return operator;
    }
}
