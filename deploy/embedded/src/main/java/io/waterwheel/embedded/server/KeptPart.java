package io.waterwheel.embedded.server;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a part of the server up: one that has ended, since its disk was full or read-only, is stopped, and started
 * again at the same address as soon as the disk can be written. Thread-safe.
 *
 * @param <P> the part
 */
final class KeptPart<P extends KeptPart.Part<P>> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KeptPart.class);
    private static final long LOOK_MILLIS = 500;

    /** What can be kept up. */
    interface Part<P> extends AutoCloseable {
        /** Whether it has ended by itself. */
        boolean ended();

        /** Starts its successor, on the same folder and at the same address; it has been closed. */
        P again() throws IOException;

        @Override
        void close();
    }

    private final String name;
    private final BooleanSupplier writable;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread;
    // Written by the thread only, and read after its end.
    private P part;

    private KeptPart(String name, P part, BooleanSupplier writable) {
        this.name = name;
        this.part = part;
        this.writable = writable;
        this.thread = new Thread(this::run, name + "-keeper");
        thread.setDaemon(true);
    }

    /**
     * Keeps a part that runs.
     *
     * @param writable whether its disk can be written now; while it cannot, no start is tried
     */
    static <P extends Part<P>> KeptPart<P> of(String name, P part, BooleanSupplier writable) {
        KeptPart<P> kept = new KeptPart<>(name, part, writable);
        kept.thread.start();
        return kept;
    }

    private void run() {
        boolean closed = false;
        try {
            while (!closing.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                if (!closed && part.ended()) {
                    LOG.error("{} has ended; it is started again when its disk can be written", name);
                    closed = true;
                    stop();
                }
                if (closed && writable.getAsBoolean()) {
                    closed = !startAgain();
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("{} is kept no longer", name, e);
        }
    }

    private void stop() {
        try {
            part.close();
        } catch (RuntimeException e) {
            // It is looked after on: without its keeper it would never come back.
            LOG.warn("{} did not stop in order", name, e);
        }
    }

    private boolean startAgain() {
        try {
            part = part.again();
            LOG.info("{} is back", name);
            return true;
        } catch (IOException | RuntimeException e) {
            LOG.warn("{} did not start again; it is tried again", name, e);
            return false;
        }
    }

    /** Closes the part too. */
    @Override
    public void close() throws InterruptedException {
        closing.countDown();
        thread.join();
        part.close();
    }
}
