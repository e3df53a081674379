package io.waterwheel.sql.leaf;

import org.jspecify.annotations.Nullable;

/** A part of a statement that the engine does not answer as SQL does; the message names it. Without a stack: usual. */
public final class NotPushed extends Exception {
    private static final long serialVersionUID = 1;

    private final @Nullable String operator;
    private final @Nullable String absent;

    public NotPushed(String what) {
        this(what, null, null);
    }

    private NotPushed(String what, @Nullable String operator, @Nullable String absent) {
        super(what, null, false, false);
        this.operator = operator;
        this.absent = absent;
    }

    /** Of a function that neither the engine nor the executor has, whatever it is of. */
    public static NotPushed absent(String function) {
        return new NotPushed("the function " + function, function, function);
    }

    /** The same within a call of an operator; of several within each other the innermost is told. */
    public NotPushed within(String name) {
        return operator == null ? new NotPushed(String.valueOf(getMessage()), name, absent) : this;
    }

    /** The name of the function that is not there; null where what is not answered is something else. */
    public @Nullable String absentFunction() {
        return absent;
    }

    /** The name of the operator that is not answered; null where it is no call. */
    public @Nullable String operator() {
        return operator;
    }
}
