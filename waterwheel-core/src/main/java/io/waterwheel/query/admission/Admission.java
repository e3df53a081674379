package io.waterwheel.query.admission;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Query;
import io.waterwheel.query.QueryText;
import io.waterwheel.query.Statistics;
import io.waterwheel.query.admission.QueryState.Stage;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Gives the queries of one process their turns. A query opens, says what it will cost once that is known, waits for its
 * turn in its lane, and gives the turn back while its client takes nothing. Those that have begun hold memory and come
 * first, but every second turn of a lane is for one that has not, if one waits. Among those, the turn goes to the
 * client that has fewest in the lane, then to the oldest query.
 *
 * <p>A query that begins also takes its parts, the threads that may work for it, until it is closed. When the next that
 * has not begun needs more parts than the lane has left, none that has not begun passes it; those that have begun,
 * whose parts it waits for, do. Thread-safe.
 */
public final class Admission {
    /** How often one that waits looks whether its client is still there. */
    private static final long CANCEL_POLL_NANOS = 200_000_000;

    private static final Stage[] STAGES = Stage.values();
    private static final Lane[] LANES = Lane.values();
    private static final long[] NOT_YET = notYet();

    private final AdmissionLimits limits;
    private final SlowQueries slow;
    /** So that an id of another process, or of one before, ends nothing here. */
    private final String process = String.format(Locale.ROOT, "%06x", new SecureRandom().nextInt(1 << 24));

    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    /** By number, the oldest first. */
    private final Map<Long, OpenQuery> open = new LinkedHashMap<>();

    private final EndedQueries ended = new EndedQueries();
    private final OpenStatements statements = new OpenStatements(process);

    private final Turns light = new Turns();
    private final Turns heavy = new Turns();
    private long opened;

    public Admission(AdmissionLimits limits) {
        this(limits, SlowQueries.UNTOLD);
    }

    /**
     * One that tells of queries that took long.
     *
     * @param slow is told outside the lock
     */
    public Admission(AdmissionLimits limits, SlowQueries slow) {
        this.limits = limits;
        this.slow = slow;
    }

    private static long[] notYet() {
        long[] nanos = new long[STAGES.length];
        Arrays.fill(nanos, -1);
        return nanos;
    }

    /** Of one lane. */
    private static final class Turns {
        final List<OpenQuery> waiting = new ArrayList<>();
        int taken;
        /** Threads that its queries may use, of those that have begun. */
        int parts;
        /** Whether the last turn went to one that had had one. */
        boolean resumed;
    }

    private Turns of(Lane lane) {
        return lane == Lane.LIGHT ? light : heavy;
    }

    /** One in which no query ever waits. */
    public static Admission unlimited() {
        return new Admission(AdmissionLimits.NONE);
    }

    /**
     * Opens a query; to be closed when its answer has ended.
     *
     * @param client who asks; queries of one client share what is due to it
     * @throws WaterwheelException TEMPORARY, code SERVER_BUSY, when too many are open, and none that has not begun, of
     *     another client that has more, can make way
     */
    public OpenQuery open(Query query, String client) {
        return open(query, client, "", true);
    }

    /**
     * The same.
     *
     * @param trace the caller's {@code traceparent}, for the log; empty where there is none
     * @param counts false for one of the server's own, which takes turns as all do, and is neither listed nor told of
     */
    public OpenQuery open(Query query, String client, String trace, boolean counts) {
        lock.lock();
        try {
            if (open.size() >= limits.open() && !makeWay(client)) {
                throw busy(open.size() + " queries are open, as many as may be");
            }
            opened++;
            OpenQuery made = new OpenQuery(query, client, trace, counts);
            open.put(made.number, made);
            return made;
        } finally {
            lock.unlock();
        }
    }

    /** The statements of the process that are more than one query. */
    public OpenStatements statements() {
        return statements;
    }

    /** What is open, statements too, the oldest first. */
    public List<QueryState> list() {
        List<OpenQuery> now;
        List<QueryState> states = new ArrayList<>();
        lock.lock();
        try {
            now = open.values().stream().filter(query -> query.counts).toList();
        } finally {
            lock.unlock();
        }
        // A condition may be long: its text is made without the lock.
        for (OpenQuery query : now) {
            states.add(query.state(QueryText.of(query.query)));
        }
        return statements.listedBeside(states);
    }

    /** The last that have ended, the latest last; at most {@value EndedQueries#MOST}, and as many statements. */
    public List<EndedQuery> ended() {
        List<Supplier<EndedQuery>> now;
        lock.lock();
        try {
            now = ended.all();
        } finally {
            lock.unlock();
        }
        return statements.endedBeside(now.stream().map(Supplier::get).toList());
    }

    /** How many queries are at each stage, those at which there are none included. */
    public Map<Stage, Integer> openByStage() {
        Map<Stage, Integer> counts = new EnumMap<>(Stage.class);
        for (Stage stage : Stage.values()) {
            counts.put(stage, 0);
        }
        lock.lock();
        try {
            open.values().forEach(query -> counts.merge(query.stage, query.counts ? 1 : 0, Integer::sum));
        } finally {
            lock.unlock();
        }
        return counts;
    }

    /**
     * Ends a query, or a statement: its client is told QUERY_KILLED.
     *
     * @return whether one of that id was open here
     */
    public boolean kill(String id) {
        lock.lock();
        try {
            for (OpenQuery found : open.values()) {
                if (found.id().equals(id)) {
                    found.killed = true;
                    found.turn.signalAll();
                    return true;
                }
            }
            return statements.kill(id);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Refuses the query that came last of those that have not begun, but are planned or wait, of the client that has
     * most open, if that has two more.
     */
    private boolean makeWay(String client) {
        Map<String, Integer> counts = new HashMap<>();
        open.values().forEach(query -> counts.merge(query.client, 1, Integer::sum));
        int own = counts.getOrDefault(client, 0);
        Optional<OpenQuery> last = open.values().stream()
                .filter(query -> !query.refused && !query.hadTurn)
                .filter(query -> counts.getOrDefault(query.client, 0) > own + 1)
                .max(Comparator.<OpenQuery>comparingInt(query -> counts.getOrDefault(query.client, 0))
                        .thenComparingLong(query -> query.number));
        last.ifPresent(query -> {
            query.refused = true;
            open.remove(query.number);
            if (query.lane != null) {
                of(query.lane).waiting.remove(query);
            }
            query.turn.signalAll();
        });
        if (last.isPresent()) {
            // It may have been in the way of the next.
            giveTurns();
        }
        return last.isPresent();
    }

    /** Lets those run whose turn it is. */
    private void giveTurns() {
        for (Lane lane : LANES) {
            Turns turns = of(lane);
            while (!turns.waiting.isEmpty() && turns.taken < limits.of(lane)) {
                Optional<OpenQuery> found = next(lane, turns, query -> true);
                if (found.isPresent() && !found.get().hadTurn && !fits(found.get(), turns)) {
                    // None passes it that has not begun, or one that needs many would wait for ever. Those that have
                    // begun hold what it waits for.
                    found = next(lane, turns, query -> query.hadTurn);
                }
                if (found.isEmpty()) {
                    break;
                }
                OpenQuery next = found.get();
                turns.waiting.remove(next);
                next.take(turns);
                next.turn.signalAll();
            }
        }
    }

    private boolean fits(OpenQuery query, Turns turns) {
        return turns.parts == 0 || turns.parts + query.parts <= limits.parts();
    }

    /** One that has begun holds memory: it comes first, but every second turn is for one that has not. */
    private Optional<OpenQuery> next(Lane lane, Turns turns, Predicate<OpenQuery> may) {
        if (turns.waiting.size() == 1) {
            return Optional.of(turns.waiting.get(0)).filter(may);
        }
        Map<String, Integer> running = new HashMap<>();
        open.values().stream()
                .filter(query -> query.hasTurn && query.lane == lane)
                .forEach(query -> running.merge(query.client, 1, Integer::sum));
        return turns.waiting.stream()
                .filter(may)
                .min(Comparator.<OpenQuery, Boolean>comparing(query -> query.hadTurn == turns.resumed)
                        .thenComparingInt(query -> running.getOrDefault(query.client, 0))
                        .thenComparingLong(query -> query.number));
    }

    private static WaterwheelException busy(String why) {
        return new WaterwheelException(ErrorCode.SERVER_BUSY, "the server is busy: " + why + "; ask again later");
    }

    /** A query from its coming to the end of its answer. Thread-safe; {@link #admit} is called by one thread. */
    @SuppressWarnings("EnumOrdinal") // an array by stage; a map would take an object for each change of it
    public final class OpenQuery implements AutoCloseable {
        private final long number = opened;
        private final String client;
        private final String trace;
        private final boolean counts;
        private final Query query;
        private final long openedNanos = System.nanoTime();
        private final long deadlineNanos;
        private final Condition turn = lock.newCondition();

        // Guarded by the lock.
        private Stage stage = Stage.PLANNING;
        private long stageNanos = openedNanos;
        /** By stage, how long it was at it before this one, in nanoseconds; -1 where it was not. */
        private final long[] nanos = NOT_YET.clone();

        private long bytes;
        private String outcome = "no answer";
        private Statistics statistics = Statistics.NONE;
        private @Nullable Lane lane;
        private long tuples;
        private int parts;
        private boolean hasTurn;
        private boolean hadTurn;
        private boolean closed;
        /** Of the last wait for a turn. */
        private long waitedNanos;

        /** Once it is closed: by {@link System#nanoTime}, and by the calendar. */
        private long endedNanos;

        private long endedMillis;
        private long rows;

        // Written under the lock.
        private volatile boolean killed;
        private volatile boolean refused;

        private OpenQuery(Query query, String client, String trace, boolean counts) {
            this.counts = counts;
            this.trace = trace;
            this.query = query;
            this.client = client;
            this.deadlineNanos = openedNanos + query.timeout().toNanos();
        }

        public String id() {
            return process + "-" + number;
        }

        /** Whether it was ended from outside: killed, or refused to make way for another. */
        public boolean calledOff() {
            return killed || refused;
        }

        /**
         * The failure that the client gets when its query was called off. People decide whether to repeat a killed
         * query.
         */
        public WaterwheelException calledOffFailure() {
            return killed
                    ? new WaterwheelException(ErrorCode.QUERY_KILLED, "query " + id() + " was ended by `queries kill`")
                    : busy("a client with fewer queries open came, and as many are open as may be");
        }

        /**
         * Waits for the query's turn; one that had its turn on an earlier plan keeps its lane, and waits when it gave
         * the turn back.
         *
         * @param deadlineNanos by {@link System#nanoTime}
         * @param gone whether the client is gone
         * @return the lane it runs in
         * @throws WaterwheelException SERVER_BUSY when its turn does not come in time, QUERY_KILLED
         */
        public Lane admit(QueryCost cost, long deadlineNanos, BooleanSupplier gone) throws InterruptedException {
            lock.lock();
            try {
                waitedNanos = 0;
                if (hadTurn && lane != null) {
                    resume(deadlineNanos, gone);
                    return lane;
                }
                Lane own = laneOf(cost);
                lane = own;
                tuples = cost.tuples();
                parts = cost.parts();
                // One that was refused has no place any longer, and gets no turn.
                boolean came = !calledOff() && awaitTurn(own, deadlineNanos, gone);
                if (calledOff()) {
                    throw calledOffFailure();
                }
                if (!came) {
                    throw busy("the turn of this query did not come in time, "
                            + of(own).waiting.size() + " " + own.text() + " ones wait");
                }
                return own;
            } finally {
                lock.unlock();
            }
        }

        /** Takes a turn that is free. Called under the lock. */
        private void take(Turns turns) {
            turns.taken++;
            turns.resumed = hadTurn;
            if (!hadTurn) {
                turns.parts += parts;
                hadTurn = true;
            }
            hasTurn = true;
            enter(Stage.RUNNING);
        }

        /** In which lane a query of this cost takes its turns. */
        public Lane laneOf(QueryCost cost) {
            return cost.tuples() >= limits.heavyTuples() ? Lane.HEAVY : Lane.LIGHT;
        }

        /** Whether the turn came; it does not once the query is killed or refused, or its client gone. */
        private boolean awaitTurn(Lane own, long deadlineNanos, BooleanSupplier gone) throws InterruptedException {
            Turns turns = of(own);
            if (turns.waiting.isEmpty() && turns.taken < limits.of(own) && (hadTurn || fits(this, turns))) {
                // It was at this stage for no time.
                nanos[Stage.WAITING.ordinal()] = Math.max(0, nanos[Stage.WAITING.ordinal()]);
                take(turns);
                return true;
            }
            enter(Stage.WAITING);
            long since = stageNanos;
            turns.waiting.add(this);
            giveTurns();
            try {
                while (!hasTurn) {
                    long left = deadlineNanos - System.nanoTime();
                    if (left <= 0 || killed || refused || gone.getAsBoolean()) {
                        return false;
                    }
                    long unused = turn.awaitNanos(Math.min(left, CANCEL_POLL_NANOS));
                }
                return true;
            } finally {
                waitedNanos = System.nanoTime() - since;
                if (!hasTurn && of(own).waiting.remove(this)) {
                    // It may have been in the way of the next.
                    giveTurns();
                }
            }
        }

        /**
         * Gives the turn back, until {@link #resume}: the query waits for something that is not its work. Does nothing
         * when it has none.
         *
         * @param what it waits for
         */
        public void pause(Stage what) {
            lock.lock();
            try {
                if (hasTurn && lane != null) {
                    giveBack();
                    enter(what);
                }
            } finally {
                lock.unlock();
            }
        }

        /**
         * Waits for another turn, unless the query has one. Returns without one when the time is up or the query ended;
         * who runs it finds out by itself.
         */
        public void resume(long deadlineNanos, BooleanSupplier gone) throws InterruptedException {
            lock.lock();
            try {
                if (lane == null || !hadTurn || hasTurn || closed) {
                    return;
                }
                if (!awaitTurn(lane, deadlineNanos, gone)) {
                    enter(Stage.RUNNING);
                }
            } finally {
                lock.unlock();
            }
        }

        /** Counts rows that the client was sent, and their bytes. */
        public void sent(long moreRows, long moreBytes) {
            lock.lock();
            try {
                rows += moreRows;
                bytes += moreBytes;
            } finally {
                lock.unlock();
            }
        }

        /** The last of the time that the query allows, from its coming on; by {@link System#nanoTime}. */
        public long deadlineNanos() {
            return deadlineNanos;
        }

        /** How long its last wait for a turn took, in nanoseconds; 0 where {@link #admit} did not wait. */
        public long waitedNanos() {
            lock.lock();
            try {
                return waitedNanos;
            } finally {
                lock.unlock();
            }
        }

        /** Notes how the answer ended, in a word, and what was looked at for it; the last note of a word counts. */
        public void answered(String word, Statistics what) {
            lock.lock();
            try {
                outcome = word;
                statistics = what;
            } finally {
                lock.unlock();
            }
        }

        /** Notes how the answer ended, in a word; the last note counts. */
        public void endedAs(String word) {
            lock.lock();
            try {
                outcome = word;
            } finally {
                lock.unlock();
            }
        }

        /** Notes the time of the stage before. Called under the lock. */
        private void enter(Stage next) {
            long now = System.nanoTime();
            nanos[stage.ordinal()] = Math.max(0, nanos[stage.ordinal()]) + (now - stageNanos);
            stage = next;
            stageNanos = now;
        }

        private Map<Stage, Duration> times() {
            Map<Stage, Duration> times = new EnumMap<>(Stage.class);
            for (Stage one : STAGES) {
                if (nanos[one.ordinal()] >= 0) {
                    times.put(one, Duration.ofNanos(nanos[one.ordinal()]));
                }
            }
            return times;
        }

        private void giveBack() {
            if (hasTurn && lane != null) {
                hasTurn = false;
                of(lane).taken--;
                giveTurns();
            }
        }

        private QueryState state(String text) {
            lock.lock();
            try {
                Duration age = Duration.ofNanos((closed ? endedNanos : System.nanoTime()) - openedNanos);
                return new QueryState(id(), client, text, lane, stage, tuples, rows, age);
            } finally {
                lock.unlock();
            }
        }

        /** Gives its turn to the next. A second call does nothing. */
        @Override
        public void close() {
            SlowQuery told = null;
            String text = EndedQueries.text(query);
            lock.lock();
            try {
                if (closed) {
                    return;
                }
                closed = true;
                open.remove(number);
                if (hadTurn && lane != null) {
                    of(lane).parts -= parts;
                }
                giveBack();
                giveTurns();
                endedNanos = System.nanoTime();
                endedMillis = System.currentTimeMillis();
                // A tail asks how far queries see many times a second: of no interest, and soon there were no others.
                if (counts && (query.times().to() != Long.MIN_VALUE || !outcome.equals("complete"))) {
                    if (text == null) {
                        ended.add(() -> asEnded(QueryText.of(query)));
                    } else {
                        EndedQuery now = asEnded(text);
                        ended.add(() -> now);
                    }
                }
                if (counts && endedNanos - openedNanos >= slow.least().toNanos()) {
                    enter(stage);
                    told = new SlowQuery(state(""), trace, times(), bytes, outcome, statistics);
                }
            } finally {
                lock.unlock();
            }
            if (told != null) {
                slow.told().accept(told.with(slow.values() ? QueryText.of(query) : QueryText.shape(query)));
            }
        }

        private EndedQuery asEnded(String text) {
            lock.lock();
            try {
                return new EndedQuery(state(text), outcome, Instant.ofEpochMilli(endedMillis));
            } finally {
                lock.unlock();
            }
        }
    }
}
