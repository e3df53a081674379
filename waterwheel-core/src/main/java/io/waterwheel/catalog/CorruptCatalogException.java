package io.waterwheel.catalog;

import io.waterwheel.model.ErrorCode;
import io.waterwheel.model.WaterwheelException;

/** An entry of the catalog cannot be understood: it was damaged, or written by a newer version. */
public final class CorruptCatalogException extends WaterwheelException {
    private static final long serialVersionUID = 1;

    CorruptCatalogException(String path, Throwable cause) {
        super(
                ErrorCode.CORRUPT_CATALOG,
                "catalog entry " + path + " cannot be read: " + cause.getMessage()
                        + "; restore it, or use the version that wrote it",
                cause);
    }
}
