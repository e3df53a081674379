package io.waterwheel.sql.leaf;

/** A part of a statement that the engine does not answer as SQL does; the message names it. Without a stack: usual. */
public final class NotPushed extends Exception {
    private static final long serialVersionUID = 1;

    public NotPushed(String what) {
        super(what, null, false, false);
    }
}
