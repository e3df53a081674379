package io.waterwheel.gateway.keyed;

import io.waterwheel.client.AppendLane;
import io.waterwheel.client.AppenderSettings;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.client.kafka.AppendJournal;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.gateway.http.ConnectionThreads;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores rows of one stream under keys: carries out what {@link LaneProtocol} says, each lane and each claim on a
 * thread of the pool while it works. Thread-safe.
 */
public final class KeyedSlot {
    private static final Logger LOG = LoggerFactory.getLogger(KeyedSlot.class);

    /** Lanes of a stream; the same in every release, since keys and notes lie in them. */
    static final int LANES = 16;

    /** Keys of each lane that are remembered, however old. */
    public static final int LEAST_KEYS = 2_000;

    /** How long each key is remembered at least, and as much again as the clocks of two gateways may differ. */
    public static final Duration KEEP = Duration.ofMinutes(10);

    /** How long rows may wait to be stored. */
    public static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Duration CLOCKS_DIFFER = Duration.ofMinutes(1);
    /** What a key takes in memory. */
    static final int KEY_BYTES = 200;

    private static final int BATCH_ROWS = 1 << 16;
    private static final int BATCH_KEYS = 8_192;
    private static final long RETRY_MILLIS = 250;
    private static final Duration DISTRUST = Duration.ofSeconds(10);
    private static final Duration LOOK = Duration.ofSeconds(5);
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(60);
    /** Each batch is flushed by itself: a timer that sends what has gathered would only cut it into smaller records. */
    private static final AppenderSettings SETTINGS =
            new AppenderSettings(Duration.ofSeconds(1), 256 << 10, 32L << 20, Duration.ofSeconds(15));

    private static final SecureRandom RANDOM = new SecureRandom();

    /** Appends the rows of one request to a lane. */
    @FunctionalInterface
    public interface Rows {
        void appendTo(AppendLane lane);
    }

    private record Request(Rows rows, int size, Letter letter, CompletableFuture<Outcome> outcome) {}

    private final StreamDetails stream;
    private final Executor pool;
    private final Executor answers;
    private final AtomicInteger allKeys;
    private final Owner self;
    private final OtherGateways others;
    /** Guarded by this. */
    private final LaneProtocol<Request> protocol;
    /** Guarded by this. */
    private final LaneCount count = new LaneCount(LANES, this::trialEnded, System.nanoTime());
    /** Of the claims; one at a time. */
    private AppendJournal journal;
    /** By which it looks whose lanes they are; one look at a time. */
    private final AppendJournal looks;
    /** What the last look found. Guarded by {@link #looks}. */
    private long lastClaim;

    private @Nullable Owner lastOwner;
    /** Guarded by this; what the last claim took. */
    private List<AppendLane> lanes = List.of();

    private long lanesEpoch;
    private int counted;
    private boolean ended;
    private long usedAt = System.nanoTime();

    /**
     * A slot that has taken nothing yet.
     *
     * @param pool of threads; has one for each lane
     * @param answers tells clients their outcomes, in rounds
     * @param allKeys of all slots together
     * @param mostKeys of all slots together
     * @param patience as {@link #PATIENCE}; tests have a shorter one
     * @param place {@code HOST:PORT} where other gateways reach this one
     * @param others are asked to store rows where they have the lanes
     */
    KeyedSlot(
            StreamDetails stream,
            Executor pool,
            Executor answers,
            AtomicInteger allKeys,
            int mostKeys,
            Duration patience,
            String place,
            OtherGateways others) {
        this.self = new Owner(RANDOM.nextLong(), place);
        this.others = others;
        this.stream = stream;
        this.pool = pool;
        this.answers = answers;
        this.allKeys = allKeys;
        this.journal = new AppendJournal(stream, SETTINGS.timeout(), LANES);
        this.looks = new AppendJournal(stream, LOOK, LANES);
        this.protocol = new LaneProtocol<>(
                new LaneBounds(
                        LANES,
                        LANES * LEAST_KEYS,
                        KEEP.plus(CLOCKS_DIFFER).toMillis(),
                        BATCH_ROWS,
                        BATCH_KEYS,
                        patience.toMillis(),
                        RETRY_MILLIS,
                        DISTRUST.toMillis()),
                () -> mostKeys - allKeys.get() + counted,
                self);
    }

    /** The stream as it was when the slot was made. */
    public StreamDetails stream() {
        return stream;
    }

    /**
     * Stores rows under a key, once.
     *
     * @param size number of rows
     * @param letter by which they came, and would be sent on
     * @return null when the slot has ended: another is to be made
     */
    public @Nullable CompletableFuture<Outcome> store(Digest key, Digest body, Rows rows, int size, Letter letter) {
        Request request = new Request(rows, size, letter, new CompletableFuture<>());
        Letter.Sender sender = letter.sender();
        if (sender != null && sender.claim() != self.claim()) {
            // For a gateway that was here before, or one of another installation.
            return CompletableFuture.completedFuture(new Outcome.Moved());
        }
        Commit.Entry entry = new Commit.Entry(key, body);
        List<LaneProtocol.Effect<Request>> effects;
        synchronized (this) {
            if (ended) {
                return null;
            }
            usedAt = System.nanoTime();
            effects = counted(
                    sender == null
                            ? protocol.request(entry, request, size, now())
                            : protocol.guest(entry, request, size, sender.untilMillis(), now()));
        }
        carryOut(effects);
        return request.outcome();
    }

    private static long now() {
        return System.currentTimeMillis();
    }

    private <E> List<E> counted(List<E> effects) {
        int keys = protocol.keys();
        allKeys.addAndGet(keys - counted);
        counted = keys;
        return effects;
    }

    /** What takes long begins first; those who are told their outcome are answered meanwhile. */
    private void carryOut(List<LaneProtocol.Effect<Request>> effects) {
        for (LaneProtocol.Effect<Request> effect : effects) {
            if (effect instanceof LaneProtocol.Store<Request> store) {
                pool.execute(() -> store(store.batch()));
            } else if (effect instanceof LaneProtocol.Claim<Request> claim) {
                pool.execute(() -> claim(claim));
            } else if (effect instanceof LaneProtocol.Look<Request> look) {
                pool.execute(() -> look(look));
            } else if (effect instanceof LaneProtocol.SendOn<Request> on) {
                sendOn(on);
            }
        }
        List<Runnable> told = new ArrayList<>();
        for (LaneProtocol.Effect<Request> effect : effects) {
            if (effect instanceof LaneProtocol.Tell<Request> tell) {
                CompletableFuture<Outcome> waiting = tell.rows().outcome();
                Outcome outcome = tell.outcome();
                told.add(() -> waiting.complete(outcome));
            }
        }
        ConnectionThreads.answerAll(answers, told);
    }

    private void store(LaneProtocol.Batch<Request> batch) {
        Commit commit;
        try {
            AppendLane lane = lane(batch);
            synchronized (lane) {
                batch.rows().forEach(request -> request.rows().appendTo(lane));
                commit = batch.commit(lane.flush(), now());
                List<AppendLane.Note> notes = new ArrayList<>();
                notes.add(new AppendLane.Note(batch.lane(), batch.id().bytes(), commit.note(stream.id())));
                batch.forgotten()
                        .forEach(old -> notes.add(
                                new AppendLane.Note(old.lane(), old.id().bytes(), null)));
                lane.commit(notes);
            }
        } catch (RuntimeException | Error e) {
            log("a batch under keys was not confirmed", e);
            List<LaneProtocol.Effect<Request>> effects;
            synchronized (this) {
                effects = counted(protocol.storeFailed(batch, e, now()));
            }
            carryOut(effects);
            return;
        }
        List<LaneProtocol.Effect<Request>> effects;
        synchronized (this) {
            usedAt = System.nanoTime();
            effects = new ArrayList<>(counted(protocol.stored(batch, commit, now())));
            int rows = batch.rows().stream().mapToInt(Request::size).sum();
            int wanted = count.stored(rows, protocol.waits(), System.nanoTime());
            effects.addAll(protocol.resize(wanted, now()));
        }
        carryOut(effects);
    }

    private void look(LaneProtocol.Look<Request> look) {
        Owner found = null;
        try {
            synchronized (looks) {
                byte[] mark = looks.claimKey();
                byte[] owner = looks.ownerKey();
                looks.readFirst((lane, key, value) -> {
                    if (Arrays.equals(key, mark) && value != null && value.length >= Long.BYTES) {
                        lastClaim = ByteBuffer.wrap(value).getLong();
                    } else if (Arrays.equals(key, owner)) {
                        lastOwner = Owner.of(value);
                    }
                });
                // A gateway of an earlier release claims, and does not say where it is.
                found = lastOwner != null && lastOwner.claim() == lastClaim ? lastOwner : null;
            }
        } catch (RuntimeException | Error e) {
            log("it is not known which gateway has its lanes", e);
        }
        List<LaneProtocol.Effect<Request>> effects;
        Owner elsewhere;
        synchronized (this) {
            effects = counted(protocol.looked(look.epoch(), found, now()));
            elsewhere = protocol.elsewhere();
        }
        if (elsewhere != null) {
            LOG.info(
                    "stream {}: rows under keys are sent on to the gateway at {}, which has the lanes",
                    stream.definition().name(),
                    elsewhere.place());
        }
        carryOut(effects);
    }

    /** Waits for nothing. */
    private void sendOn(LaneProtocol.SendOn<Request> on) {
        var unused = others.store(on.to(), on.entry(), on.rows().letter(), on.deadline())
                .whenComplete((outcome, failure) -> {
                    List<LaneProtocol.Effect<Request>> effects;
                    synchronized (this) {
                        usedAt = System.nanoTime();
                        if (failure != null && on.to().equals(protocol.elsewhere())) {
                            // The first of all that are under way.
                            LOG.info(
                                    "stream {}: rows that were sent on are not known to be stored: {}",
                                    stream.definition().name(),
                                    failure.getMessage());
                        }
                        effects = counted(
                                failure == null
                                        ? protocol.answered(on, outcome)
                                        : protocol.notTaken(on, failure, now()));
                    }
                    carryOut(effects);
                });
    }

    private void trialEnded(int open, double before, double after, int tried, double rate, int kept) {
        LOG.info(
                "stream {}: {} lanes stored {} rows/s, {} lanes {} before and {} after: {} are kept",
                stream.definition().name(),
                tried,
                Math.round(rate),
                open,
                Math.round(before),
                Double.isNaN(after) ? "not measured" : Math.round(after),
                kept);
    }

    /** That it holds now. */
    synchronized int lanes() {
        return lanes.size();
    }

    private synchronized AppendLane lane(LaneProtocol.Batch<Request> batch) {
        if (lanesEpoch != batch.epoch() || batch.lane() >= lanes.size()) {
            throw new WaterwheelException(ErrorCode.TAKEN_OVER, "the lanes have been claimed anew");
        }
        return lanes.get(batch.lane());
    }

    private void log(String what, Throwable e) {
        if (e instanceof WaterwheelException known && known.is(ErrorCode.TAKEN_OVER)) {
            LOG.info("stream {}: {}: {}", stream.definition().name(), what, e.getMessage());
        } else {
            LOG.warn("stream {}: {}", stream.definition().name(), what, e);
        }
    }

    private void claim(LaneProtocol.Claim<Request> claim) {
        long begin = System.nanoTime();
        closeLanes();
        List<AppendLane> taken = new ArrayList<>();
        Map<Commit.Id, Commit> read = new HashMap<>();
        Set<Commit.Id> gone = new HashSet<>();
        try {
            AppendJournal reading;
            synchronized (this) {
                reading = journal;
            }
            synchronized (reading) {
                int[] opened = {0};
                for (ClaimStep step : ClaimStep.all(LANES, claim.open())) {
                    switch (step.kind()) {
                        case TAKE -> taken.add(AppendLane.take(stream, SETTINGS, reading, step.lane()));
                        case READ_MARK, READ -> read(reading, read, gone, opened);
                        case FENCE -> {
                            if (step.lane() < opened[0]) {
                                close(AppendLane.take(stream, SETTINGS, reading, step.lane()));
                            }
                        }
                        case MARK ->
                            taken.get(step.lane())
                                    .commit(List.of(
                                            mark(reading, step.lane(), claim.open()),
                                            new AppendLane.Note(step.lane(), reading.ownerKey(), self.note())));
                    }
                }
            }
        } catch (RuntimeException | Error e) {
            log("its lanes could not be claimed", e);
            taken.forEach(KeyedSlot::close);
            List<LaneProtocol.Effect<Request>> effects;
            synchronized (this) {
                // How far it was read is not sure now.
                journal = new AppendJournal(stream, SETTINGS.timeout(), LANES);
                effects = counted(protocol.claimFailed(claim.epoch(), e, now()));
            }
            carryOut(effects);
            return;
        }
        LOG.info(
                "stream {}: {} lanes claimed in {} ms, {} notes read",
                stream.definition().name(),
                claim.open(),
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin),
                read.size());
        List<LaneProtocol.Effect<Request>> effects;
        synchronized (this) {
            lanes = List.copyOf(taken);
            lanesEpoch = claim.epoch();
            effects = counted(protocol.claimed(claim.epoch(), List.copyOf(read.values()), gone, now()));
        }
        carryOut(effects);
    }

    private AppendLane.Note mark(AppendJournal in, int lane, int open) {
        byte[] value = ByteBuffer.allocate(Long.BYTES + Integer.BYTES)
                .putLong(self.claim())
                .putInt(open)
                .array();
        return new AppendLane.Note(lane, in.claimKey(), value);
    }

    /**
     * Reads what is new.
     *
     * @param gone what a note said to be gone, and none after it to be there
     * @param opened how many lanes the last mark says to be open
     */
    private void read(AppendJournal from, Map<Commit.Id, Commit> read, Set<Commit.Id> gone, int[] opened) {
        byte[] mark = from.claimKey();
        from.read((lane, key, value) -> {
            if (Arrays.equals(key, mark) && value != null && value.length == Long.BYTES + Integer.BYTES) {
                opened[0] = ByteBuffer.wrap(value).getInt(Long.BYTES);
                return;
            }
            Commit.Id id = Commit.Id.of(key);
            if (id == null) {
                return;
            }
            if (value == null) {
                gone.add(id);
                read.remove(id);
                return;
            }
            Commit commit;
            try {
                commit = Commit.of(id, lane, value, stream.id());
            } catch (IllegalArgumentException e) {
                // To pass it over could store its keys again.
                throw new WaterwheelException(
                        ErrorCode.PROGRESS_UNREADABLE,
                        "topic " + from.topic() + ", partition " + lane + ": " + e.getMessage(),
                        e);
            }
            if (commit != null) {
                read.put(id, commit);
            }
        });
    }

    private void closeLanes() {
        List<AppendLane> closing;
        synchronized (this) {
            closing = lanes;
            lanes = List.of();
        }
        closing.forEach(KeyedSlot::close);
    }

    /** Waits for what the lane does. */
    private static void close(AppendLane lane) {
        synchronized (lane) {
            try {
                lane.close();
            } catch (RuntimeException e) {
                // Whatever it had not committed is not stored, and is known not to be.
                LOG.debug("a lane did not close", e);
            }
        }
    }

    /** Time has gone by: tells those whose time is over, and lets go of what rests. */
    void tick() {
        List<LaneProtocol.Effect<Request>> effects;
        boolean rests = false;
        synchronized (this) {
            effects = counted(protocol.tick(now()));
            if (!protocol.busy() && !lanes.isEmpty() && (ended || System.nanoTime() - usedAt > REST_NANOS)) {
                protocol.rest();
                rests = true;
            } else if (protocol.keepsInVain() || (protocol.elsewhere() != null && !lanes.isEmpty())) {
                protocol.letGo();
                rests = true;
            }
            if (rests) {
                counted(List.of());
                journal = new AppendJournal(stream, SETTINGS.timeout(), LANES);
            }
        }
        carryOut(effects);
        if (rests) {
            pool.execute(this::closeLanes);
        }
    }

    /** Takes no more; what it has taken is stored. */
    public synchronized void end() {
        ended = true;
    }

    /** Whether it has ended, and nothing is under way. */
    synchronized boolean isOver() {
        return ended && !protocol.busy() && lanes.isEmpty() && protocol.keys() == 0;
    }

    /** Whether nothing is under way, and no lanes are held. */
    public synchronized boolean rests() {
        return !protocol.busy() && lanes.isEmpty();
    }
}
