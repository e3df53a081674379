package io.waterwheel.sql.plan;

/** A part of a statement that the engine does not answer as SQL does; the message names it. Without a stack: usual. */
final class NotPushed extends Exception {
    private static final long serialVersionUID = 1;

    NotPushed(String what) {
        super(what, null, false, false);
    }
}
