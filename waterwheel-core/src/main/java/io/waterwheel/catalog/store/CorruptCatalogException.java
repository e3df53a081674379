package io.waterwheel.catalog.store;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;

/** An entry of the catalog cannot be understood: it was damaged, or written by a newer version. */
public final class CorruptCatalogException extends WaterwheelException {
    private static final long serialVersionUID = 1;

    public CorruptCatalogException(String path, Throwable cause) {
        super(
                ErrorCode.CORRUPT_CATALOG,
                "catalog entry " + path + " cannot be read: " + cause.getMessage()
                        + "; restore it, or use the version that wrote it",
                cause);
    }
}
