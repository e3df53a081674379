package io.waterwheel.topology.process;

import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.task.IdlePause;
import io.waterwheel.topology.task.SourceTask;
import io.waterwheel.topology.task.Task;
import io.waterwheel.topology.task.TaskContext;
import io.waterwheel.topology.task.TaskOpener;
import io.waterwheel.topology.worker.Closing;
import io.waterwheel.topology.worker.Role;
import io.waterwheel.topology.worker.Uninterrupted;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One life of a topology's tasks. Each is opened by a thread of its own, side by side; that of a source goes on to call
 * it, the others end. Who sends to a task that is not open yet waits for it.
 */
final class Life implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Life.class);
    /** Receivers before senders: who waits for room in a task is let go when that is closed. */
    private static final List<Role> CLOSED_IN_TURN =
            List.of(Role.COORDINATOR, Role.QUERY_SERVER, Role.INDEXER, Role.DISPATCHER, Role.SPOUT);

    /** For a task that is just being opened, before that is interrupted; half of one is harder to close. */
    private static final long OPENING_MILLIS = TimeUnit.SECONDS.toMillis(5);

    /** For threads that were interrupted. */
    private static final long ENDING_MILLIS = TimeUnit.SECONDS.toMillis(10);

    private final String id;
    private final long closeMillis;
    private final WaterwheelConfig config;
    private final TaskOpener opener;
    private final BiConsumer<String, Throwable> died;
    private final Map<Role, List<Place>> places = new EnumMap<>(Role.class);
    private final Place[] all;
    /** Of all places, in the order in which they end. */
    private final Ending[] endings;

    private final Ending services;
    /** Once it closes, what fails is no news. */
    private volatile boolean closing;

    /**
     * A life that has not begun.
     *
     * @param id no other life has it
     * @param died hears which task failed, and with what; on any thread, and must neither wait nor need memory, which
     *     may be out
     * @param closeMillis for the ends of all tasks, and as long for their services', before what has not ended is left
     *     behind
     */
    Life(String id, WaterwheelConfig config, TaskOpener opener, BiConsumer<String, Throwable> died, long closeMillis) {
        this.id = id;
        this.config = config;
        this.opener = opener;
        this.died = died;
        this.closeMillis = closeMillis;
        for (Role role : Role.values()) {
            List<Place> ofRole = new ArrayList<>();
            for (int index = 0; index < role.tasks(config); index++) {
                ofRole.add(new Place(role, index));
            }
            places.put(role, ofRole);
        }
        this.all = places.values().stream().flatMap(List::stream).toArray(Place[]::new);
        this.endings = CLOSED_IN_TURN.stream()
                .flatMap(role -> of(role).stream())
                .map(place -> new Ending("close-" + place.address, place::close))
                .toArray(Ending[]::new);
        this.services = new Ending("end-services", () -> opener.end(id));
    }

    /** Begins to open the tasks. */
    void start() {
        for (Place place : all) {
            place.thread.start();
        }
    }

    private List<Place> of(Role role) {
        return places.getOrDefault(role, List.of());
    }

    /** Ends all tasks, in turn. What does not end is logged and left behind. Takes no memory, which may be out. */
    @Override
    public void close() {
        closing = true;
        try {
            for (Place place : all) {
                place.end();
            }
            awaitThreads();
        } finally {
            try {
                closeTasks();
            } finally {
                services.begin();
                services.await(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(closeMillis));
            }
        }
    }

    /** One that hangs keeps those after it waiting for its share of the time, and is left behind alone. */
    private void closeTasks() {
        long begun = System.nanoTime();
        long nanos = TimeUnit.MILLISECONDS.toNanos(closeMillis);
        for (int i = 0; i < endings.length; i++) {
            endings[i].begin();
            long left = nanos - (System.nanoTime() - begun);
            boolean unused = endings[i].join(System.nanoTime() + left / (endings.length - i));
        }
        for (Ending ending : endings) {
            ending.await(begun + nanos);
        }
    }

    private void awaitThreads() {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(OPENING_MILLIS);
        for (Place place : all) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (!Uninterrupted.join(place.thread, Math.max(0, left))) {
                place.thread.interrupt();
            }
        }
        deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ENDING_MILLIS);
        for (Place place : all) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (!Uninterrupted.join(place.thread, Math.max(0, left))) {
                LOG.warn("{} has not ended, and is left behind", place.thread.getName());
            }
        }
    }

    /**
     * The end of one part, on a thread of its own: one that hangs must keep neither others nor the next life waiting.
     */
    private final class Ending {
        private final AutoCloseable[] part;
        private final Thread thread;

        Ending(String name, AutoCloseable part) {
            this.part = new AutoCloseable[] {part};
            this.thread = new Thread(this::run, name);
            thread.setDaemon(true);
        }

        private void run() {
            Closing.all(LOG, id, part);
        }

        /** Without a thread it is done when this returns. */
        void begin() {
            try {
                thread.start();
            } catch (Error none) {
                try {
                    run();
                } catch (Error e) {
                    // Where memory is out, a line of a log may fail too: the others are ended all the same.
                }
            }
        }

        /** Whether it has ended by then. */
        boolean join(long untilNanos) {
            long left = TimeUnit.NANOSECONDS.toMillis(untilNanos - System.nanoTime());
            return Uninterrupted.join(thread, Math.max(0, left));
        }

        void await(long untilNanos) {
            if (!join(untilNanos)) {
                LOG.warn("{} of {} has not ended within {} ms, and is left behind", thread.getName(), id, closeMillis);
            }
        }
    }

    /** Where a task is, once it is open, and what it is told. */
    private final class Place implements TaskContext {
        private final Role role;
        private final int index;
        private final String address;
        final Thread thread;
        /** Written under the lock of this. */
        private volatile @Nullable Task task;
        /** Guarded by this. */
        private boolean ended;
        /** Guarded by this: whether its thread is through with opening, and may be interrupted. */
        private boolean reading;
        /** Messages of a source, which have been handed over. Its own thread's. */
        private long sent;

        Place(Role role, int index) {
            this.role = role;
            this.index = index;
            this.address = role.address(index);
            this.thread = new Thread(this::run, role == Role.SPOUT ? address : "open-" + address);
            thread.setDaemon(true);
        }

        private void run() {
            try {
                Task opened = opener.open(role, id, config, this);
                if (!take(opened)) {
                    // This life is over: its successor needs the ports.
                    opened.close();
                } else if (opened instanceof SourceTask source) {
                    read(source);
                }
            } catch (Throwable e) {
                failed(e);
                // Last: where memory is out, the line may fail.
                if (!closing) {
                    LOG.error("[{}] failed", address, e);
                }
            }
        }

        private synchronized boolean take(Task opened) {
            if (ended) {
                return false;
            }
            task = opened;
            reading = opened instanceof SourceTask;
            notifyAll();
            return true;
        }

        private void read(SourceTask source) throws InterruptedException {
            IdlePause pause = new IdlePause();
            int looks = 0;
            while (!closing) {
                long before = sent;
                source.next();
                looks = sent == before ? pause.pause(looks) : 0;
            }
        }

        /** The task, which is waited for; null when this life ends before it is open. */
        private @Nullable Task await() throws InterruptedException {
            Task open = task;
            if (open != null) {
                return open;
            }
            synchronized (this) {
                while (task == null && !ended) {
                    wait();
                }
                return task;
            }
        }

        synchronized void end() {
            ended = true;
            notifyAll();
            if (reading) {
                thread.interrupt();
            }
        }

        void close() {
            Task open = task;
            if (open != null) {
                open.close();
            }
        }

        @Override
        public int index() {
            return index;
        }

        @Override
        public int tasks(Role of) {
            return of(of).size();
        }

        @Override
        public void send(int to, Object message) {
            Place receiver = of(role.next()).get(to);
            try {
                Task open = receiver.await();
                if (open != null) {
                    open.take(message);
                }
                if (role == Role.SPOUT) {
                    sent++;
                }
            } catch (InterruptedException e) {
                // The message is lost: what has sent it must not go on as if it were not.
                Thread.currentThread().interrupt();
                throw new IllegalStateException(
                        "interrupted before " + receiver.address + " had room for a message", e);
            }
        }

        @Override
        public void failed(Throwable cause) {
            if (closing) {
                LOG.debug("[{}] failed while it ended", address, cause);
                return;
            }
            died.accept(address, cause);
        }
    }
}
