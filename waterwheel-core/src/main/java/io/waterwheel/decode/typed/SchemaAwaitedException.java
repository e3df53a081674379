package io.waterwheel.decode.typed;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;

/**
 * A record cannot be decoded yet: the schema by which it was written has to come from a registry, which has not
 * answered. Nothing is known of the record; it is to be decoded again later.
 */
public final class SchemaAwaitedException extends WaterwheelException {
    private static final long serialVersionUID = 1;

    public SchemaAwaitedException(String why) {
        super(ErrorCode.SCHEMA_REGISTRY_UNAVAILABLE, why);
    }
}
