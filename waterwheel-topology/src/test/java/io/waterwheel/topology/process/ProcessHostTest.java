package io.waterwheel.topology.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.topology.config.Keys;
import io.waterwheel.topology.config.WaterwheelConfig;
import io.waterwheel.topology.process.ProcessHost.Pauses;
import io.waterwheel.topology.task.SourceTask;
import io.waterwheel.topology.task.Task;
import io.waterwheel.topology.task.TaskContext;
import io.waterwheel.topology.task.TaskOpener;
import io.waterwheel.topology.worker.EventLoop;
import io.waterwheel.topology.worker.Role;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tasks in one process: how messages go between them, and what becomes of them when one fails. */
@Timeout(60)
final class ProcessHostTest {
    private static final Pauses SHORT = new Pauses(1, 4, TimeUnit.MINUTES.toNanos(1), TimeUnit.MINUTES.toMillis(1));
    private static final int MESSAGES = 20_000;
    /** The queue of a loop, the event that it is at, and the one that has no room. */
    private static final int HELD = 256 + 2;

    private static final WaterwheelConfig CONFIG = WaterwheelConfig.defaults()
            .with(Keys.SPOUT_TASKS, 2)
            .with(Keys.DISPATCHER_TASKS, 2)
            .with(Keys.INDEXER_TASKS, 2)
            .with(Keys.QUERY_SERVER_TASKS, 1)
            .with(Keys.COORDINATOR_TASKS, 1);
    private static final int TASKS = 8;

    /** Opens what the test says, and stands by where it says nothing. Notes what is opened, closed and ended. */
    private static final class Opener implements TaskOpener {
        private static final long serialVersionUID = 1;

        /** By role, how its tasks are made. */
        interface Making {
            Task make(TaskContext context) throws Exception;
        }

        private final transient Map<Role, Making> makings = new EnumMap<>(Role.class);
        private final transient Queue<String> opened = new ConcurrentLinkedQueue<>();
        private final transient Queue<String> closed = new ConcurrentLinkedQueue<>();
        private final transient Queue<String> ended = new ConcurrentLinkedQueue<>();

        Opener with(Role role, Making making) {
            makings.put(role, making);
            return this;
        }

        @Override
        public Task open(Role role, String worker, WaterwheelConfig config, TaskContext context) {
            Task made;
            try {
                made = makings.getOrDefault(role, told -> role == Role.SPOUT ? source(() -> {}) : () -> {})
                        .make(context);
            } catch (Exception e) {
                throw new IllegalStateException(String.valueOf(e.getMessage()), e);
            }
            String name = worker + " " + role.address(context.index());
            opened.add(name);
            return made instanceof SourceTask source ? new ClosedSource(name, source) : new Closed(name, made);
        }

        @Override
        public void end(String worker) {
            ended.add(worker);
        }

        private class Closed implements Task {
            private final String name;
            final Task task;

            Closed(String name, Task task) {
                this.name = name;
                this.task = task;
            }

            @Override
            public void take(Object message) throws InterruptedException {
                task.take(message);
            }

            @Override
            public void close() {
                task.close();
                closed.add(name);
            }
        }

        private final class ClosedSource extends Closed implements SourceTask {
            ClosedSource(String name, SourceTask task) {
                super(name, task);
            }

            @Override
            public void next() {
                ((SourceTask) task).next();
            }

            @Override
            public void stand() {}

            @Override
            public void goOn() {}
        }
    }

    private static SourceTask source(Runnable next) {
        return new SourceTask() {
            @Override
            public void next() {
                next.run();
            }

            @Override
            public void stand() {}

            @Override
            public void goOn() {}

            @Override
            public void close() {}
        };
    }

    /** A task with an event loop, as dispatchers and indexers have one. */
    private static Task looping(TaskContext context, Consumer<Object> on) {
        EventLoop<Object> loop =
                new EventLoop<>("loop-" + context.index(), TimeUnit.SECONDS.toNanos(1), new EventLoop.Handler<>() {
                    @Override
                    public void on(Object event, long nowNanos) {
                        on.accept(event);
                    }

                    @Override
                    public void onTick(long nowNanos) {}

                    @Override
                    public void onFailure(Throwable cause) {
                        context.failed(cause);
                    }
                });
        loop.start();
        return new Task() {
            @Override
            public void take(Object message) throws InterruptedException {
                loop.put(message);
            }

            @Override
            public void close() {
                loop.close();
            }
        };
    }

    /** Sends its numbers, one at each call, in turn to the dispatchers. */
    private static SourceTask counting(TaskContext context, AtomicInteger begun) {
        return source(() -> {
            int number = begun.get();
            if (number < MESSAGES) {
                begun.incrementAndGet();
                context.send(number % context.tasks(Role.DISPATCHER), new int[] {context.index(), number});
            }
        });
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void messagesOfASenderComeInTheirOrderThroughAllTasks() {
        List<AtomicInteger> begun = List.of(new AtomicInteger(), new AtomicInteger());
        // By indexer and spout, the last number that came. Owner: the indexer's loop.
        int[][] last = {{-1, -1}, {-1, -1}};
        Queue<String> wrong = new ConcurrentLinkedQueue<>();
        AtomicInteger came = new AtomicInteger();
        Opener opener = new Opener()
                .with(Role.SPOUT, context -> counting(context, begun.get(context.index())))
                .with(Role.DISPATCHER, context -> looping(context, message -> context.send(context.index(), message)))
                .with(
                        Role.INDEXER,
                        context -> looping(context, message -> {
                            int[] number = (int[]) message;
                            int before = last[context.index()][number[0]];
                            if (number[1] != (before < 0 ? context.index() : before + 2)) {
                                wrong.add(number[1] + " after " + before);
                            }
                            last[context.index()][number[0]] = number[1];
                            came.incrementAndGet();
                        }));
        try (ProcessHost host = ProcessHost.start("order", CONFIG, opener)) {
            Waiting.until("all messages came", () -> came.get() == 2 * MESSAGES);
            assertThat(wrong).isEmpty();
            assertThat(host.lives()).isEqualTo(1);
            assertThat(host.trouble()).isEmpty();
        }
        assertThat(opener.closed).hasSize(TASKS).containsExactlyInAnyOrderElementsOf(opener.opened);
        assertThat(opener.ended).hasSize(1);
    }

    /** A dispatcher that stands still holds its spout, and an indexer that does so holds the dispatcher too. */
    @ParameterizedTest
    @EnumSource(
            value = Role.class,
            names = {"DISPATCHER", "INDEXER"})
    void whoSendsToATaskWithoutRoomWaits(Role slow) {
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger came = new AtomicInteger();
        CountDownLatch goOn = new CountDownLatch(1);
        Opener opener = new Opener()
                .with(Role.SPOUT, context -> context.index() == 0 ? counting(context, begun) : source(() -> {}))
                .with(
                        Role.DISPATCHER,
                        context -> looping(context, message -> {
                            if (slow == Role.DISPATCHER) {
                                await(goOn);
                            }
                            context.send(0, message);
                        }))
                .with(
                        Role.INDEXER,
                        context -> looping(context, message -> {
                            if (slow == Role.INDEXER) {
                                await(goOn);
                            }
                            came.incrementAndGet();
                        }));
        WaterwheelConfig config = CONFIG.with(Keys.DISPATCHER_TASKS, 1);
        // What an indexer holds has left the dispatcher.
        int most = slow == Role.DISPATCHER ? HELD : HELD - 1 + HELD;
        try (ProcessHost host = ProcessHost.start("full", config, opener)) {
            Waiting.until("the spout waits", () -> begun.get() == most && waits("spout-0"));
            assertThat(begun).hasValue(most);
            assertThat(came).hasValue(0);
            goOn.countDown();
            Waiting.until("all messages came", () -> came.get() == MESSAGES);
            assertThat(host.lives()).isEqualTo(1);
        }
    }

    private static boolean waits(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals(name) && thread.getState() == Thread.State.WAITING);
    }

    @Test
    void whoSendsToATaskThatIsNotOpenWaitsForIt() {
        AtomicInteger begun = new AtomicInteger();
        Queue<Integer> came = new ConcurrentLinkedQueue<>();
        CountDownLatch open = new CountDownLatch(1);
        Opener opener = new Opener()
                .with(Role.SPOUT, context -> counting(context, begun))
                .with(Role.DISPATCHER, context -> {
                    open.await();
                    return looping(context, message -> came.add(((int[]) message)[1]));
                });
        WaterwheelConfig config = CONFIG.with(Keys.SPOUT_TASKS, 1).with(Keys.DISPATCHER_TASKS, 1);
        try (ProcessHost host = ProcessHost.start("late", config, opener)) {
            Waiting.until("the spout waits", () -> begun.get() == 1 && waits("spout-0"));
            open.countDown();
            Waiting.until("all messages came", () -> came.size() == MESSAGES);
            assertThat(List.copyOf(came)).isSorted();
            assertThat(host.lives()).isEqualTo(1);
        }
    }

    /** Where a task of the first life fails. */
    enum Place {
        OPEN,
        NEXT,
        TAKE,
        LOOP,
        TOLD,
        INTERRUPTED
    }

    @ParameterizedTest
    @CsvSource({
        "SPOUT, OPEN, spout-1 failed: java.lang.IllegalStateException: planted",
        "DISPATCHER, OPEN, dispatcher-1 failed: java.lang.IllegalStateException: planted",
        "INDEXER, OPEN, indexer-1 failed: java.lang.IllegalStateException: planted",
        "QUERY_SERVER, OPEN, query-server-0 failed: java.lang.IllegalStateException: planted",
        "COORDINATOR, OPEN, coordinator-0 failed: java.lang.IllegalStateException: planted",
        "SPOUT, NEXT, spout-1 failed: java.lang.OutOfMemoryError: planted",
        "SPOUT, INTERRUPTED, spout-1 failed: java.lang.InterruptedException: sleep interrupted",
        "DISPATCHER, TAKE, failed: java.lang.IllegalArgumentException: planted",
        "DISPATCHER, LOOP, dispatcher-1 failed: java.lang.OutOfMemoryError: planted",
        "DISPATCHER, INTERRUPTED, dispatcher-1 failed: java.lang.InterruptedException",
        "INDEXER, LOOP, indexer-1 failed: java.lang.OutOfMemoryError: planted",
        "INDEXER, TOLD, indexer-1 failed: java.lang.IllegalStateException: planted",
        "COORDINATOR, TOLD, coordinator-0 failed: java.lang.IllegalStateException: planted"
    })
    void whenATaskFailsAllAreClosedAndOpenedAgain(Role role, Place place, String trouble) {
        AtomicInteger first = new AtomicInteger(1);
        AtomicInteger came = new AtomicInteger();
        Opener opener = new Opener();
        Map<Role, Opener.Making> sound = new EnumMap<>(Role.class);
        sound.put(Role.SPOUT, context -> counting(context, new AtomicInteger()));
        sound.put(Role.DISPATCHER, context -> looping(context, message -> context.send(context.index(), message)));
        sound.put(Role.INDEXER, context -> looping(context, message -> came.incrementAndGet()));
        for (Role each : Role.values()) {
            Opener.Making making = sound.getOrDefault(each, context -> () -> {});
            opener.with(each, context -> {
                boolean fails =
                        each == role && context.index() == context.tasks(each) - 1 && first.getAndDecrement() > 0;
                return fails ? failing(place, context, making) : making.make(context);
            });
        }
        try (ProcessHost host = ProcessHost.start("fails", CONFIG, opener, SHORT)) {
            Waiting.until("another life", () -> host.lives() == 2);
            int before = came.get();
            Waiting.until("messages flow", () -> came.get() > before + 100);
            assertThat(host.trouble()).contains(trouble);
            assertThat(opener.ended).as("the life that was ended").hasSize(1);
        }
        assertThat(endedLives(opener)).isEqualTo(2);
        assertThat(opener.opened).hasSize(place == Place.OPEN ? 2 * TASKS - 1 : 2 * TASKS);
        assertThat(opener.closed).containsExactlyInAnyOrderElementsOf(opener.opened);
    }

    /** Where memory is out, words cannot be made of what it failed with, neither by the task nor by the keeper. */
    @Test
    void whatATaskFailedWithNeedNotBePutIntoWords() {
        AtomicInteger first = new AtomicInteger(1);
        Opener opener = new Opener()
                .with(Role.SPOUT, context -> counting(context, new AtomicInteger()))
                .with(
                        Role.DISPATCHER,
                        context -> looping(context, message -> {
                            if (first.getAndDecrement() > 0) {
                                throw new Wordless();
                            }
                        }));
        try (ProcessHost host = ProcessHost.start("wordless", CONFIG, opener, SHORT)) {
            Waiting.until("another life", () -> host.lives() == 2);
            assertThat(host.trouble()).isEqualTo("a task failed with what cannot be put into words");
        }
        assertThat(endedLives(opener)).isEqualTo(2);
        assertThat(opener.closed).containsExactlyInAnyOrderElementsOf(opener.opened);
    }

    /**
     * The next life begins, and what the last one has died of is known before it is closed. All others of its tasks are
     * closed.
     */
    @Test
    void aTaskThatDoesNotCloseIsLeftBehind() {
        CountDownLatch closes = new CountDownLatch(1);
        AtomicInteger coordinators = new AtomicInteger();
        AtomicInteger first = new AtomicInteger(1);
        Queue<String> known = new ConcurrentLinkedQueue<>();
        AtomicReference<ProcessHost> started = new AtomicReference<>();
        Opener opener = new Opener();
        opener.with(
                Role.SPOUT,
                context -> source(() -> {
                    boolean all = started.get() != null && opener.opened.size() == TASKS;
                    if (all && first.getAndDecrement() > 0) {
                        throw new IllegalStateException("planted");
                    }
                }));
        opener.with(Role.COORDINATOR, context -> {
            boolean hangs = coordinators.getAndIncrement() == 0;
            return () -> {
                if (hangs) {
                    known.add(started.get().trouble());
                    await(closes);
                }
            };
        });
        Pauses impatient = new Pauses(1, 4, TimeUnit.MINUTES.toNanos(1), 1);
        ProcessHost host = ProcessHost.start("hangs", CONFIG, opener, impatient);
        try {
            started.set(host);
            Waiting.until("another life", () -> host.lives() == 2 && opener.opened.size() == 2 * TASKS);
            Waiting.until("the life that hangs has ended all the same", () -> opener.ended.size() == 1);
            Waiting.until("all but what hangs is closed", () -> opener.closed.size() == TASKS - 1);
            Waiting.until("it is known what failed", () -> !known.isEmpty());
            assertThat(known).singleElement().asString().endsWith(" failed: java.lang.IllegalStateException: planted");
        } finally {
            closes.countDown();
            host.close();
        }
    }

    /** Who waits for a task that never opens is let go when the life ends: a source, and any other thread. */
    @Test
    void whoWaitsForATaskThatNeverOpensEndsWithTheLife() {
        AtomicReference<Thread> spout = new AtomicReference<>();
        AtomicReference<Thread> sender = new AtomicReference<>();
        CountDownLatch made = new CountDownLatch(1);
        AtomicInteger begun = new AtomicInteger();
        AtomicBoolean ended = new AtomicBoolean();
        Opener opener = new Opener()
                .with(Role.SPOUT, context -> {
                    spout.set(Thread.currentThread());
                    Thread other = new Thread(() -> context.send(0, "message"), "sender");
                    other.setDaemon(true);
                    other.start();
                    sender.set(other);
                    made.countDown();
                    return counting(context, begun);
                })
                .with(Role.DISPATCHER, context -> {
                    made.await();
                    // Is interrupted, and throws, if one of them waits on.
                    spout.get().join();
                    sender.get().join();
                    ended.set(true);
                    return () -> {};
                });
        WaterwheelConfig config = CONFIG.with(Keys.SPOUT_TASKS, 1).with(Keys.DISPATCHER_TASKS, 1);
        ProcessHost host = ProcessHost.start("never", config, opener);
        Waiting.until("the spout waits", () -> begun.get() == 1 && waits("spout-0") && waits("sender"));
        host.close();
        assertThat(ended).isTrue();
        assertThat(host.trouble()).isEmpty();
    }

    private static final class Wordless extends IllegalStateException {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new OutOfMemoryError("no memory for words");
        }
    }

    /** How many lives were ended, each once. */
    private static long endedLives(Opener opener) {
        assertThat(opener.ended).doesNotHaveDuplicates();
        return opener.ended.size();
    }

    private static Task failing(Place place, TaskContext context, Opener.Making sound) throws Exception {
        return switch (place) {
            case OPEN -> throw new IllegalStateException("planted");
            case NEXT ->
                source(() -> {
                    throw new OutOfMemoryError("planted");
                });
            case TAKE -> {
                Task made = sound.make(context);
                yield new Task() {
                    @Override
                    public void take(Object message) {
                        throw new IllegalArgumentException("planted");
                    }

                    @Override
                    public void close() {
                        made.close();
                    }
                };
            }
            case LOOP ->
                looping(context, message -> {
                    throw new OutOfMemoryError("planted");
                });
            case TOLD -> {
                context.failed(new IllegalStateException("planted"));
                yield sound.make(context);
            }
            case INTERRUPTED ->
                context.tasks(Role.SPOUT) > 0
                                && Thread.currentThread().getName().startsWith("spout")
                        ? source(() -> Thread.currentThread().interrupt())
                        : looping(context, message -> Thread.currentThread().interrupt());
        };
    }

    @Test
    void pausesDoubleUntilALifeIsLong() {
        Pauses pauses = Pauses.DEFAULT;
        List<Long> all = new ArrayList<>();
        long pause = 0;
        for (int death = 0; death < 9; death++) {
            pause = pauses.after(TimeUnit.SECONDS.toNanos(59), pause);
            all.add(pause);
        }
        assertThat(all).containsExactly(100L, 200L, 400L, 800L, 1600L, 3200L, 6400L, 10_000L, 10_000L);
        assertThat(pauses.after(TimeUnit.SECONDS.toNanos(61), pause)).isEqualTo(100);
    }

    /** Nothing of it is left open, whatever the task that is just being opened does. */
    @ParameterizedTest
    @EnumSource(
            value = Role.class,
            names = {"SPOUT", "COORDINATOR"})
    void aTaskThatIsOpenedWhileAllAreClosedIsClosedToo(Role late) {
        CountDownLatch closing = new CountDownLatch(1);
        CountDownLatch opening = new CountDownLatch(1);
        Opener opener = new Opener();
        opener.with(
                Role.SPOUT,
                context -> source(() -> {
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        // As a host that closes lets it know.
                        closing.countDown();
                        throw new IllegalStateException("interrupted", e);
                    }
                }));
        Opener.Making made = late == Role.SPOUT ? opener.makings.get(Role.SPOUT) : context -> () -> {};
        opener.with(late, context -> {
            if (context.index() == 0) {
                opening.countDown();
                closing.await();
            }
            return made.make(context);
        });
        ProcessHost host = ProcessHost.start("closed-early", CONFIG, opener);
        await(opening);
        Waiting.until("the others are open", () -> opener.opened.size() == TASKS - 1);
        host.close();
        assertThat(opener.opened).hasSize(TASKS);
        assertThat(opener.closed).containsExactlyInAnyOrderElementsOf(opener.opened);
        assertThat(opener.ended).hasSize(1);
        assertThat(host.trouble()).isEmpty();
    }

    @Test
    void aCallerThatIsInterruptedClosesAllTheSame() {
        Opener opener = new Opener();
        ProcessHost host = ProcessHost.start("interrupted", CONFIG, opener);
        Waiting.until("all are open", () -> opener.opened.size() == TASKS);
        Thread.currentThread().interrupt();
        host.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(opener.closed.stream().map(name -> name.substring(name.indexOf(' ') + 1)))
                .as("receivers before senders")
                .containsExactly(
                        "coordinator-0",
                        "query-server-0",
                        "indexer-0",
                        "indexer-1",
                        "dispatcher-0",
                        "dispatcher-1",
                        "spout-0",
                        "spout-1");
        assertThat(opener.ended).hasSize(1);
    }
}
