package io.waterwheel.embedded.storm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.storm.Config;
import org.apache.storm.generated.StormTopology;
import org.apache.storm.utils.ConfigUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Storm in this process: one worker with one topology, which is started again whenever it has died, be it a task that
 * fails or a thread of Storm. Nothing else of Storm is here. Its daemons end their process when they cannot go on, and
 * have nothing to decide where there is one worker (docs/decisions/0019-storm-in-one-process.md).
 */
public final class EmbeddedStorm implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedStorm.class);
    private static final long LOOK_MILLIS = 200;
    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long LONGEST_PAUSE_MILLIS = 10_000;
    /** After a life this long the next death is not taken for the same trouble. */
    private static final long SOUND_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** For a worker that is just starting or ending, before the watch is interrupted in it. */
    private static final long CLOSE_MILLIS = TimeUnit.SECONDS.toMillis(90);

    private static final int SILENCE_SECONDS = 24 * 60 * 60;

    private final String name;
    private final Map<String, Object> conf;
    private final StormTopology topology;
    private final Thread watch;
    /** Owner: the starting thread, then the watch. */
    private @Nullable StormWorker worker;

    private final AtomicInteger lives = new AtomicInteger();
    private volatile String trouble = "";
    private volatile boolean closing;

    private EmbeddedStorm(String name, Map<String, Object> conf, StormTopology topology) {
        this.name = name;
        this.conf = Map.copyOf(conf);
        this.topology = topology;
        this.watch = new Thread(this::watch, "storm-watch");
    }

    /**
     * Starts a topology; it runs until {@link #close}. Its tasks come up a moment later.
     *
     * @param conf on top of this Storm's defaults: no ackers, no Java serialization, message timeouts on. Tests put
     *     {@code topology.testing.always.try.serialize} to true, so that what could not cross to another worker fails
     *     here
     * @throws IOException when Storm's worker does not start at all; what its tasks fail with comes later, and is
     *     {@link #trouble}
     */
    public static EmbeddedStorm start(String name, Map<String, Object> conf, StormTopology topology)
            throws IOException {
        EmbeddedStorm started = new EmbeddedStorm(name, conf, topology);
        try {
            started.startWorker();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while Storm was starting", e);
        }
        started.watch.start();
        return started;
    }

    private static Map<String, Object> storm() {
        Map<String, Object> storm = ConfigUtils.readStormConfig();
        storm.put(Config.STORM_CLUSTER_MODE, "local");
        storm.put(Config.STORM_LOCAL_HOSTNAME, "127.0.0.1");
        storm.put(Config.TOPOLOGY_SKIP_MISSING_KRYO_REGISTRATIONS, true);
        storm.put(Config.TOPOLOGY_FALL_BACK_ON_JAVA_SERIALIZATION, false);
        storm.put(Config.TOPOLOGY_ENABLE_MESSAGE_TIMEOUTS, true);
        storm.put(Config.TOPOLOGY_ACKER_EXECUTORS, 0);
        storm.put(Config.TOPOLOGY_EVENTLOGGER_EXECUTORS, 0);
        // These have no reader, and the disk that they are written to may be full.
        storm.put(Config.WORKER_HEARTBEAT_FREQUENCY_SECS, SILENCE_SECONDS);
        storm.put(Config.EXECUTOR_METRICS_FREQUENCY_SECS, SILENCE_SECONDS);
        return storm;
    }

    private void startWorker() throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("storm-worker-");
        worker = StormWorker.start(folder, storm(), name, conf, topology);
        lives.incrementAndGet();
    }

    private void watch() {
        long pause = FIRST_PAUSE_MILLIS;
        long begun = System.nanoTime();
        try {
            while (!closing) {
                StormWorker running = worker;
                String death = running == null ? trouble : running.death();
                if (death == null) {
                    pause(LOOK_MILLIS);
                    continue;
                }
                trouble = death;
                pause = System.nanoTime() - begun > SOUND_NANOS ? FIRST_PAUSE_MILLIS : pause;
                LOG.error("Storm's worker is dead ({}); the next one starts in {} ms", death, pause);
                if (running != null) {
                    worker = null;
                    end(running);
                }
                pause(pause);
                pause = Math.min(pause * 2, LONGEST_PAUSE_MILLIS);
                begun = System.nanoTime();
                if (!closing) {
                    startNext();
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("the watch over Storm's worker is told to end");
        }
    }

    /* Whatever a worker's end or start fails with, memory for a thread among it, the watch goes on: without it no worker
     * would ever follow. */

    private static void end(StormWorker dead) {
        try {
            dead.close();
        } catch (RuntimeException | Error e) {
            LOG.error("Storm's dead worker did not end in order", e);
        }
    }

    private void startNext() throws InterruptedException {
        try {
            startWorker();
        } catch (IOException | RuntimeException | Error e) {
            trouble = String.valueOf(e.getMessage());
            LOG.error("Storm's worker did not start", e);
        }
    }

    private synchronized void pause(long millis) throws InterruptedException {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (long left = millis;
                left > 0 && !closing;
                left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime())) {
            wait(left);
        }
    }

    /** What the last worker died of; empty when none has died. */
    public String trouble() {
        return trouble;
    }

    /** How many workers there have been. */
    public int lives() {
        return lives.get();
    }

    /** Takes a moment: tasks end in order. */
    @Override
    public void close() throws IOException {
        synchronized (this) {
            closing = true;
            notifyAll();
        }
        try {
            // Not interrupted while it starts or ends a worker: half of one would be left behind.
            watch.join(CLOSE_MILLIS);
            watch.interrupt();
            watch.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while Storm was stopping", e);
        }
        if (worker != null) {
            worker.close();
        }
    }
}
