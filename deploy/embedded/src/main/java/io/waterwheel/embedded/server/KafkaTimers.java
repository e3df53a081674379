package io.waterwheel.embedded.server;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.utils.AppInfoParser;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;
import org.apache.kafka.server.util.ShutdownableThread;
import org.apache.kafka.server.util.timer.Timer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakes a broker's timers when they have something to do. Kafka has one for each kind of request that may wait and for
 * each coordinator, and each has a thread that wakes up five times a second to look whether a wait has come to its end:
 * half of the wake-ups of an idle server. No setting changes it.
 *
 * <p>Here those threads are ended once the broker has started, and others take their timers. A timer has a thread
 * still, which sleeps until the next wait ends; those whose waits hardly ever end by themselves share one, which looks
 * every second. The way to the timers is that of one version of Kafka: in another, and where anything fails, Kafka's
 * threads stay. docs/decisions/0071 says what to do when that version changes.
 */
final class KafkaTimers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaTimers.class);

    /** How the versions begin whose timers are known. */
    private static final String KNOWN_VERSION = "4.3.";

    /** Where this system property is true, Kafka's threads stay. */
    private static final String KEEPS_OWN = "waterwheel.kafka.own-timers";

    /** Kafka's threads that look; quotas have others, which release what they hold back to the millisecond. */
    static final Set<String> REAPERS = Set.of(
            "org.apache.kafka.server.purgatory.DelayedOperationPurgatory$ExpiredOperationReaper",
            "org.apache.kafka.server.util.timer.SystemTimerReaper$Reaper",
            "org.apache.kafka.raft.TimingWheelExpirationService$ExpiredOperationReaper");

    private static final String PURGATORY = "ExpirationReaper-";

    /**
     * What threads are named after whose timers can do with a second more. Of one broker no write waits for another;
     * the next three are bounds of many seconds on what is answered long before, or is not used here; clients are
     * forgotten after minutes.
     */
    private static final Set<String> PATIENT = Set.of(
            "Produce", "DeleteRecords", "RemoteFetch", "RemoteListOffsets", "AlterAcls", "client-metrics-reaper");

    /** A timer that has something to do sooner wakes its thread. */
    private static final long MOST_MILLIS = 60_000;

    private static final long LOOK_MILLIS = 1_000;

    /** One of Kafka's timers, and the thread that it has had so far. */
    private record Taken(ShutdownableThread reaper, Clock clock) {}

    @FunctionalInterface
    private interface Clock {
        /** Does what is due; where nothing is, waits for so long until something is, and does that. */
        void advance(long mostMillis) throws InterruptedException;
    }

    private final List<Thread> threads = new ArrayList<>();
    /** Once all threads are there, and Kafka's have been told to end. */
    private final CountDownLatch begins = new CountDownLatch(1);

    private volatile boolean closed;

    private KafkaTimers() {}

    /**
     * Takes those of a broker that has just started.
     *
     * @param group the broker's threads, to which those that are started here belong
     */
    static KafkaTimers take(ThreadGroup group) {
        KafkaTimers timers = new KafkaTimers();
        if (Boolean.getBoolean(KEEPS_OWN)) {
            LOG.info("Kafka's timers keep their threads: {}", KEEPS_OWN);
            return timers;
        }
        if (!AppInfoParser.getVersion().startsWith(KNOWN_VERSION)) {
            LOG.warn(
                    "Kafka {} keeps the threads of its timers: they are known of {}x",
                    AppInfoParser.getVersion(),
                    KNOWN_VERSION);
            return timers;
        }
        try {
            timers.takeFrom(group);
        } catch (ReflectiveOperationException | RuntimeException | Error e) {
            // None of Kafka's has been told to end: the broker goes on as it is.
            timers.close();
            LOG.warn("Kafka's timers keep their threads", e);
        }
        return timers;
    }

    private void takeFrom(ThreadGroup group) throws ReflectiveOperationException {
        // The count is an estimate: what does not fit would be left out.
        Thread[] living = new Thread[2 * group.activeCount() + 10];
        int count = group.enumerate(living);
        List<Taken> all = new ArrayList<>();
        List<Taken> patient = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            if (living[i] instanceof ShutdownableThread reaper
                    && REAPERS.contains(reaper.getClass().getName())) {
                all.add(new Taken(reaper, clock(reaper)));
            }
        }
        for (Taken taken : all) {
            if (isPatient(taken.reaper.getName())) {
                patient.add(taken);
            } else {
                start(group, taken.reaper.getName(), () -> follow(taken));
            }
        }
        if (!patient.isEmpty()) {
            start(group, "kafka-patient-timers", () -> look(patient));
        }
        all.forEach(taken -> taken.reaper.initiateShutdown());
        begins.countDown();
    }

    /** Names of purgatories stand behind a prefix and the broker's number. */
    private static boolean isPatient(String name) {
        return PATIENT.contains(
                name.startsWith(PURGATORY) ? name.substring(name.indexOf('-', PURGATORY.length()) + 1) : name);
    }

    private static Clock clock(ShutdownableThread reaper) throws ReflectiveOperationException {
        Object owner = value(reaper, "this$0");
        if (owner instanceof DelayedOperationPurgatory<?> purgatory) {
            // It also forgets those that have ended otherwise.
            Method advance = DelayedOperationPurgatory.class.getDeclaredMethod("advanceClock", long.class);
            advance.setAccessible(true);
            return mostMillis -> invoke(advance, purgatory, mostMillis);
        }
        Timer timer = (Timer) value(owner, "timer");
        return timer::advanceClock;
    }

    /** Of a private field of one of Kafka's objects. */
    static Object value(Object object, String name) throws ReflectiveOperationException {
        Field field = object.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(object);
    }

    private static void invoke(Method advance, Object purgatory, long millis) throws InterruptedException {
        try {
            advance.invoke(purgatory, millis);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof InterruptedException interrupted) {
                throw interrupted;
            }
            if (e.getCause() instanceof RuntimeException exception) {
                throw exception;
            }
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException(e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private void start(ThreadGroup group, String name, Runnable loop) {
        Thread thread = new Thread(group, loop, name);
        thread.setDaemon(true);
        thread.start();
        threads.add(thread);
    }

    /** Waits for Kafka's own thread to end: a timer is not made for two that advance it. */
    private boolean isFree(Taken taken) throws InterruptedException {
        begins.await();
        if (!closed) {
            taken.reaper.awaitShutdown();
        }
        return !closed;
    }

    private void follow(Taken taken) {
        try {
            boolean goesOn = isFree(taken);
            while (goesOn) {
                goesOn = advances(taken.clock, MOST_MILLIS) && !closed;
            }
        } catch (InterruptedException e) {
            LOG.trace("closed", e);
        }
    }

    private void look(List<Taken> all) {
        try {
            for (Taken taken : all) {
                if (!isFree(taken)) {
                    return;
                }
            }
            while (!closed) {
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
                for (Taken taken : all) {
                    var unused = advances(taken.clock, 0);
                }
            }
        } catch (InterruptedException e) {
            LOG.trace("closed", e);
        }
    }

    /** A timer whose thread ends would end no wait any longer: it goes on until its broker has ended. */
    private static boolean advances(Clock clock, long mostMillis) throws InterruptedException {
        try {
            clock.advance(mostMillis);
            return true;
        } catch (RejectedExecutionException e) {
            LOG.debug("its broker ends", e);
            return false;
        } catch (RuntimeException | Error e) {
            try {
                LOG.warn("a timer of Kafka's failed; it goes on", e);
            } catch (RuntimeException | Error again) {
                // Where memory is out, a line may fail too.
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            return true;
        }
    }

    /** Once the broker has ended. */
    @Override
    public void close() {
        closed = true;
        begins.countDown();
        threads.forEach(Thread::interrupt);
    }
}
