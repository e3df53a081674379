package io.waterwheel.topology.worker;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Closes what a task or a worker owns, in turn, whatever becomes of each. Storm ends a worker by one call a task, and
 * takes a task that throws for a reason to skip what it would have closed after it.
 */
public final class Closing {
    private Closing() {}

    /**
     * Closes all, in this order; what fails is logged, and nothing is thrown. An interruption, which ends the wait of
     * one, is there again for the caller afterwards, and not for those after it: each bounds its own wait.
     *
     * @param owner for the log
     * @param parts null where one was never made
     */
    public static void all(Logger log, String owner, @Nullable AutoCloseable... parts) {
        // One that came before must not cut the first short.
        boolean interrupted = Thread.interrupted();
        for (AutoCloseable part : parts) {
            interrupted |= part != null && close(log, owner, part);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whether it was interrupted. */
    @SuppressWarnings("CatchingUnchecked") // an Error too: a class that is gone at the end must not keep ports open
    private static boolean close(Logger log, String owner, AutoCloseable part) {
        boolean interrupted = false;
        try {
            part.close();
        } catch (InterruptedException e) {
            interrupted = true;
        } catch (Exception | Error e) {
            log.warn("[{}] {} could not be closed; what comes after it is closed all the same", owner, part, e);
        }
        return Thread.interrupted() || interrupted;
    }
}
