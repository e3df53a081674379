package io.waterwheel.query.column;

/**
 * The scan is not wanted any longer: leads from the depth of an expression back to the scan, which ends where it is.
 */
public final class ScanEndedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ScanEndedException() {
        super("the scan is not wanted any longer", null, false, false);
    }
}
