package io.waterwheel.embedded.server;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.server.purgatory.DelayedOperationPurgatory;
import org.apache.kafka.server.util.ShutdownableThread;
import org.apache.kafka.server.util.timer.Timer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakes a broker's timers when they have something to do. Kafka has one for each kind of request that may wait, for
 * each coordinator and for each quota, and each has a thread that wakes up five times a second, or once, to look
 * whether a wait has come to its end: half of the wake-ups of an idle server. It does so by its code, no setting
 * changes it.
 *
 * <p>Here those threads are ended once the broker has started, and others take their timers. Where waits are short,
 * such as a fetch's, a timer has a thread still, which sleeps until the next wait ends. Those whose waits end by
 * themselves hardly ever share one thread, which looks every second. The way to the timers is that of Kafka 4.3
 * (KafkaTimersTest looks at it); in another, Kafka's threads stay.
 */
final class KafkaTimers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaTimers.class);

    /** A timer that has something to do sooner wakes its thread. */
    private static final long MOST_MILLIS = 60_000;

    private static final long LOOK_MILLIS = 1_000;

    /** Where a client is held back by its quota, which Kafka counts by seconds. */
    private static final long QUOTA_LOOK_MILLIS = 100;

    private static final String PURGATORY = "ExpirationReaper-";

    /**
     * What threads are named after whose timers can do with a second more: ends of a patience of many seconds, which
     * ends by itself only where something is wrong.
     */
    private static final Set<String> PATIENT = Set.of(
            "Produce",
            "DeleteRecords",
            "ElectLeader",
            "RemoteFetch",
            "RemoteListOffsets",
            "AlterAcls",
            "topic",
            "client-metrics-reaper",
            "persister-state-manager-reaper",
            "network-partition-metadata-client-reaper");

    /** One of Kafka's timers. */
    @FunctionalInterface
    private interface Clock {
        /**
         * Does what is due; where nothing is, waits for so long until something is, and does that.
         *
         * @return whether it should be looked at soon
         */
        boolean advance(long mostMillis) throws InterruptedException;
    }

    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean closed;

    private KafkaTimers() {}

    /**
     * Takes those of a broker that has just started.
     *
     * @param group the broker's threads, to which those that are started here belong
     */
    static KafkaTimers take(ThreadGroup group) {
        KafkaTimers timers = new KafkaTimers();
        // The count is an estimate: what does not fit would be left out.
        Thread[] living = new Thread[2 * group.activeCount() + 10];
        int count = group.enumerate(living);
        List<Clock> patient = new ArrayList<>();
        List<ShutdownableThread> ending = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            if (living[i] instanceof ShutdownableThread reaper && isReaper(reaper)) {
                try {
                    Clock clock = clock(reaper);
                    if (isQuota(reaper) || isPatient(reaper.getName())) {
                        patient.add(clock);
                    } else {
                        timers.start(group, reaper.getName(), () -> timers.follow(clock));
                    }
                    ending.add(reaper);
                } catch (ReflectiveOperationException | RuntimeException e) {
                    LOG.debug("{} stays as it is", reaper.getName(), e);
                }
            }
        }
        if (!patient.isEmpty()) {
            timers.start(group, "kafka-patient-timers", () -> timers.look(patient));
        }
        // Each of them may look once more: two may look at a timer at once.
        ending.forEach(ShutdownableThread::initiateShutdown);
        return timers;
    }

    private static boolean isReaper(ShutdownableThread thread) {
        String name = thread.getClass().getName();
        return name.endsWith("$ExpiredOperationReaper") || name.endsWith("$Reaper") || isQuota(thread);
    }

    private static boolean isQuota(ShutdownableThread thread) {
        return thread.getClass().getName().endsWith("$ThrottledChannelReaper");
    }

    /** Names of purgatories stand behind a prefix and the broker's number. */
    private static boolean isPatient(String name) {
        return PATIENT.contains(
                name.startsWith(PURGATORY) ? name.substring(name.indexOf('-', PURGATORY.length()) + 1) : name);
    }

    private static Clock clock(ShutdownableThread reaper) throws ReflectiveOperationException {
        if (isQuota(reaper)) {
            DelayQueue<?> queue = (DelayQueue<?>) value(reaper, "delayQueue");
            return mostMillis -> releaseDue(reaper, queue);
        }
        Object owner = value(reaper, "this$0");
        if (owner instanceof DelayedOperationPurgatory<?> purgatory) {
            // It also forgets those that have ended otherwise.
            Method advance = DelayedOperationPurgatory.class.getDeclaredMethod("advanceClock", long.class);
            advance.setAccessible(true);
            return mostMillis -> invoke(advance, purgatory, mostMillis);
        }
        Timer timer = owner instanceof Timer itself ? itself : (Timer) value(owner, "timer");
        return mostMillis -> {
            timer.advanceClock(mostMillis);
            return false;
        };
    }

    /** Its work waits, but not where something is due. */
    private static boolean releaseDue(ShutdownableThread reaper, DelayQueue<?> queue) {
        Delayed head;
        while ((head = queue.peek()) != null && head.getDelay(TimeUnit.NANOSECONDS) <= 0) {
            reaper.doWork();
        }
        return head != null;
    }

    private static Object value(Object object, String name) throws ReflectiveOperationException {
        Field field = object.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(object);
    }

    private static boolean invoke(Method advance, Object purgatory, long millis) throws InterruptedException {
        try {
            advance.invoke(purgatory, millis);
            return false;
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
        threads.add(thread);
        thread.start();
    }

    private void follow(Clock clock) {
        while (!closed) {
            try {
                clock.advance(MOST_MILLIS);
            } catch (InterruptedException e) {
                LOG.trace("woken", e);
            } catch (RejectedExecutionException e) {
                LOG.debug("its broker ends", e);
                return;
            } catch (RuntimeException | Error e) {
                failed(e);
                rest(LOOK_MILLIS);
            }
        }
    }

    private void look(List<Clock> clocks) {
        boolean soon = false;
        while (!closed) {
            rest(soon ? QUOTA_LOOK_MILLIS : LOOK_MILLIS);
            soon = false;
            for (Clock clock : clocks) {
                try {
                    soon |= clock.advance(0);
                } catch (InterruptedException e) {
                    LOG.trace("woken", e);
                } catch (RejectedExecutionException e) {
                    LOG.debug("its broker ends", e);
                } catch (RuntimeException | Error e) {
                    failed(e);
                }
            }
        }
    }

    /** A timer whose thread ends would end no wait any longer. */
    private static void failed(Throwable failure) {
        try {
            LOG.warn("a timer of Kafka's failed; it goes on", failure);
        } catch (RuntimeException | Error e) {
            // Where memory is out, a line may fail too.
        }
    }

    private static void rest(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            // Only a close interrupts: that is asked next.
            LOG.trace("woken", e);
        }
    }

    /** Once the broker has ended. */
    @Override
    public void close() {
        closed = true;
        threads.forEach(Thread::interrupt);
    }
}
