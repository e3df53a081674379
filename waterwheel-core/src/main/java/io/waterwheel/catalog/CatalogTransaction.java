package io.waterwheel.catalog;

import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.CatalogStore.ConflictException;
import io.waterwheel.catalog.store.CatalogStore.UnknownOutcomeException;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A change of the catalog that is tried until it gets through. Each try reads what it rests on, decides, and commits
 * under the versions that it has read. One that met another change, or whose outcome is not known, is followed by a
 * pause ({@link CatalogStore#pause}), then by the next, whose reads see everything that was committed before. So a try
 * after one whose outcome is not known finds out by itself whether that was done.
 */
public final class CatalogTransaction {
    private static final Logger LOG = LoggerFactory.getLogger(CatalogTransaction.class);

    /** Tries before a change that keeps meeting others is given up; with the store's pauses, half a minute. */
    static final int MAX_TRIES = 100;

    /** One try. */
    public interface Try<T> {
        /**
         * Reads, decides and commits, or finds that there is nothing left to do.
         *
         * @param before why the try before this one was in vain; null at the first
         */
        public T run(@Nullable Exception before) throws ConflictException, UnknownOutcomeException;
    }

    private final CatalogStore store;
    private final ErrorCode code;
    private final String failure;

    /** @param failure what could not be done, to be followed by the reason */
    public CatalogTransaction(CatalogStore store, String failure) {
        this(store, ErrorCode.CATALOG_BUSY, failure);
    }

    /** @param code of the error when the change does not get through */
    public CatalogTransaction(CatalogStore store, ErrorCode code, String failure) {
        this.store = store;
        this.code = code;
        this.failure = failure;
    }

    /**
     * Tries until it is done.
     *
     * @throws WaterwheelException TEMPORARY after {@link #MAX_TRIES}; then it may be done or not
     */
    public <T> T run(Try<T> change) {
        Exception before = null;
        for (int tries = 1; ; tries++) {
            try {
                return change.run(before);
            } catch (ConflictException | UnknownOutcomeException e) {
                LOG.debug("{}, at try {}: {}", failure, tries, e.toString());
                if (tries == MAX_TRIES) {
                    throw new WaterwheelException(
                            code,
                            failure + " in " + MAX_TRIES
                                    + " tries, since others changed the catalog meanwhile or the outcome was unknown;"
                                    + " try again",
                            e);
                }
                before = e;
            }
            store.pause(tries);
            store.sync();
        }
    }
}
