package io.waterwheel.gateway.keyed;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides what is appended to one stream under keys, by which lane and when, so that the rows of each key are stored
 * once. A state machine: takes events and the time, and hands out effects for its shell to carry out. One thread.
 *
 * <p>Before it stores anything it claims all lanes ({@link ClaimStep}) and reads the notes of all commits. From then on
 * no other gateway commits, so that it knows every key; another claim makes its commits fail. After any failure it does
 * not know what was stored: it claims again, and the notes say which keys were. Only the others are sent again.
 *
 * <p>Before a claim it looks whose lanes they are. Where they are another gateway's, that one is asked to store the
 * rows: two that get rows of one stream would shut each other out all the time. Nothing rests on it: who gives no
 * answer is shut out by a claim, and the notes say what it stored.
 *
 * @param <R> the rows of a request, and who waits for them
 */
final class LaneProtocol<R> {
    /*
     * Why a key is stored once. A commit writes rows and the keys' note in one transaction of a lane's id. A claim takes
     * lane 0, reads the mark of the last claim, takes or fences all lanes that it or that one uses, and commits a mark
     * of its own by lane 0. Take two claims that both end well, A's mark before B's. B took lane 0 after A's mark, or
     * that mark would have failed; so it read A's mark or a later one, and shut A out of all its lanes after A had
     * taken them, as did one between the two. What A commits later fails at the lane that it is committed by. What A
     * committed before it was shut out, B reads, because it reads last. So there is one table of keys at any time, and
     * it is whole.
     *
     * That holds for a request too which was in a batch whose end is not known, or was sent on without an answer, and is
     * sent on (again): the owner has read the batch or shut it out before it took anything, and who claims after the
     * owner reads, or shuts out, what that one did. A request that was sent on may reach the other one late, though,
     * when its client has had it stored elsewhere, and the key is forgotten: so it carries until when it may be stored.
     */

    /** What the shell is to do. */
    sealed interface Effect<R> {}

    /** Go through {@link ClaimStep#all} for this number of open lanes, and report under this epoch. */
    record Claim<R>(long epoch, int open) implements Effect<R> {}

    /** Find out whose claim was the last, and report it under this epoch. */
    record Look<R>(long epoch) implements Effect<R> {}

    /**
     * Ask another gateway to store rows, and report its answer, or that there is none.
     *
     * @param deadline after which they are not to be stored
     * @param perhaps whether they may be stored already
     */
    record SendOn<R>(Owner to, Commit.Entry entry, R rows, int size, long deadline, boolean perhaps)
            implements Effect<R> {}

    /** Store a batch by its lane, and report it. */
    record Store<R>(Batch<R> batch) implements Effect<R> {}

    /** Tell who waits. */
    record Tell<R>(R rows, Outcome outcome) implements Effect<R> {}

    /** A note that has served its time. */
    record Forgotten(Commit.Id id, int lane) {}

    /**
     * What one transaction is to hold.
     *
     * @param epoch of the claim
     * @param rows of its keys, in the order of the entries
     * @param forgotten notes that go with it
     */
    record Batch<R>(
            long epoch, int lane, Commit.Id id, List<Commit.Entry> entries, List<R> rows, List<Forgotten> forgotten) {
        /**
         * What is to be noted, now that its rows are sent.
         *
         * @param now not when the batch was made: the gateway may have stood still since, and Kafka bounds only the
         *     time from the rows to the commit
         */
        Commit commit(Map<Integer, Long> positions, long now) {
            return new Commit(id, lane, now, positions, entries);
        }
    }

    private enum State {
        LOST,
        LOOKING,
        /** Another gateway has the lanes: nothing waits here. */
        ELSEWHERE,
        CLAIMING,
        OWNED
    }

    private record Known(Digest body, Commit commit) {}

    private static final int MOST_DOUBLINGS = 5;

    private final LaneBounds bounds;
    private final IntSupplier mostKeys;
    private final Owner self;
    private final SplittableRandom random;
    private final LinkedHashMap<Commit.Id, Commit> commits = new LinkedHashMap<>();
    private final Map<Digest, Known> known = new LinkedHashMap<>();
    private final LinkedHashMap<Digest, Pending<R>> pending = new LinkedHashMap<>();
    private final List<Deque<Pending<R>>> queues = new ArrayList<>();
    private final Map<Integer, Batch<R>> running = new HashMap<>();
    private final List<Forgotten> forgotten = new ArrayList<>();
    private State state = State.LOST;
    private long epoch;
    private long sequence;
    private int open = 1;
    private int wanted = 1;
    private long claimAfter = Long.MIN_VALUE;
    /** One behind the other, since something was stored. */
    private int losses;

    private @Nullable Throwable lastFailure;
    /** Whose lanes they are, while they are another's. */
    private @Nullable Owner owner;
    /** Who gave no answer. */
    private @Nullable Owner distrusted;

    private long distrustedUntil;
    /** Requests that other gateways have been asked to store, and have not answered. */
    private int sentOn;

    /**
     * One that has claimed nothing yet.
     *
     * @param mostKeys that may be remembered or under way here, as it is at the moment; further ones are refused
     * @param self its claim names its notes: drawn anew for each, so that no two have the same
     */
    LaneProtocol(LaneBounds bounds, IntSupplier mostKeys, Owner self) {
        this.bounds = bounds;
        this.mostKeys = mostKeys;
        this.self = self;
        this.random = new SplittableRandom(self.claim());
        for (int lane = 0; lane < bounds.lanes(); lane++) {
            queues.add(new ArrayDeque<>());
        }
    }

    /** Rows under a key have come from a client. */
    List<Effect<R>> request(Commit.Entry entry, R rows, int size, long now) {
        List<Effect<R>> effects = new ArrayList<>();
        take(entry, new Pending.Waiter<>(rows, false), size, now + bounds.patienceMillis(), false, now, effects);
        return effects;
    }

    /**
     * Rows under a key have come from another gateway.
     *
     * @param until when they may be stored, by the clock of that one
     */
    List<Effect<R>> guest(Commit.Entry entry, R rows, int size, long until, long now) {
        List<Effect<R>> effects = new ArrayList<>();
        long deadline = Math.min(until, now + bounds.patienceMillis());
        if (now >= deadline) {
            effects.add(new Tell<>(rows, new Outcome.Moved()));
        } else {
            take(entry, new Pending.Waiter<>(rows, true), size, deadline, false, now, effects);
        }
        return effects;
    }

    private void take(
            Commit.Entry entry,
            Pending.Waiter<R> waiter,
            int size,
            long deadline,
            boolean asked,
            long now,
            List<Effect<R>> effects) {
        Known before = known.get(entry.key());
        if (before != null) {
            boolean same = before.body().equals(entry.body());
            effects.add(new Tell<>(
                    waiter.rows(),
                    same ? new Outcome.Stored(before.commit().positions(), true) : new Outcome.Conflict()));
            return;
        }
        Owner elsewhere = owner;
        if (state == State.ELSEWHERE && elsewhere != null) {
            sendOn(elsewhere, entry, waiter, size, deadline, asked, effects);
            return;
        }
        Pending<R> underWay = pending.get(entry.key());
        if (underWay != null) {
            if (underWay.entry.body().equals(entry.body())) {
                underWay.waiting.add(waiter);
                underWay.asked |= asked;
            } else {
                // Of what came before, the table knows all, while it is this one's.
                boolean perhaps = state != State.OWNED && (asked || waiter.guest());
                effects.add(new Tell<>(
                        waiter.rows(), perhaps ? new Outcome.Failed(true, lastFailure) : new Outcome.Conflict()));
            }
            return;
        }
        if (known.size() + pending.size() >= mostKeys.getAsInt()) {
            forget(now);
        }
        if (known.size() + pending.size() >= mostKeys.getAsInt()) {
            Outcome full = new Outcome.Full();
            effects.add(new Tell<>(waiter.rows(), asked ? full.perhaps() : full));
            return;
        }
        Pending<R> added = new Pending<>(entry, waiter, size, deadline);
        added.asked = asked;
        pending.put(entry.key(), added);
        queue(added);
        pump(now, effects);
    }

    private void sendOn(
            Owner to,
            Commit.Entry entry,
            Pending.Waiter<R> waiter,
            int size,
            long deadline,
            boolean perhaps,
            List<Effect<R>> effects) {
        if (waiter.guest()) {
            effects.add(new Tell<>(waiter.rows(), new Outcome.Moved()));
        } else {
            sentOn++;
            effects.add(new SendOn<>(to, entry, waiter.rows(), size, deadline, perhaps));
        }
    }

    /** Whose claim was the last; null where that is not known, or there was none. */
    List<Effect<R>> looked(long lookEpoch, @Nullable Owner found, long now) {
        List<Effect<R>> effects = new ArrayList<>();
        if (lookEpoch != epoch || state != State.LOOKING) {
            return effects;
        }
        settleLate(now, effects);
        boolean vain = found != null && found.equals(distrusted) && now < distrustedUntil;
        if (found == null || found.claim() == self.claim() || found.place().equals(self.place()) || vain) {
            if (pending.isEmpty()) {
                state = State.LOST;
            } else {
                claim(effects);
            }
            return effects;
        }
        state = State.ELSEWHERE;
        owner = found;
        queues.forEach(Deque::clear);
        for (Pending<R> one : List.copyOf(pending.values())) {
            pending.remove(one.entry.key());
            boolean perhaps = one.sent || one.asked;
            for (Pending.Waiter<R> waiter : one.waiting) {
                sendOn(found, one.entry, waiter, one.size, one.deadline, perhaps, effects);
            }
        }
        return effects;
    }

    /** The other gateway has answered. */
    List<Effect<R>> answered(SendOn<R> request, Outcome outcome) {
        sentOn--;
        // That one does not know what was stored before it was asked.
        return List.of(new Tell<>(request.rows(), request.perhaps() ? outcome.perhaps() : outcome));
    }

    /** The other gateway has not taken it, or gave no answer: then it may have stored it, or may still do so. */
    List<Effect<R>> notTaken(SendOn<R> request, Throwable cause, long now) {
        List<Effect<R>> effects = new ArrayList<>();
        sentOn--;
        // It refuses what comes too late, and is there all the same.
        boolean late = now >= request.deadline();
        if (!late && state == State.ELSEWHERE && request.to().equals(owner)) {
            distrusted = request.to();
            distrustedUntil = now + bounds.distrustMillis();
            state = State.LOST;
            lastFailure = cause;
            claimAfter = now;
        }
        if (late) {
            effects.add(new Tell<>(request.rows(), new Outcome.Failed(true, cause)));
        } else {
            take(
                    request.entry(),
                    new Pending.Waiter<>(request.rows(), false),
                    request.size(),
                    request.deadline(),
                    true,
                    now,
                    effects);
        }
        return effects;
    }

    private void queue(Pending<R> one) {
        int lane = (int) (one.entry.key().high() >>> 32) & (bounds.lanes() - 1);
        queues.get(lane).add(one);
    }

    /** How many lanes are to be used: a power of two. They are claimed anew once what is under way has ended. */
    List<Effect<R>> resize(int lanes, long now) {
        wanted = lanes;
        List<Effect<R>> effects = new ArrayList<>();
        pump(now, effects);
        return effects;
    }

    /** A claim is made. */
    List<Effect<R>> claimed(long claimEpoch, List<Commit> read, Set<Commit.Id> gone, long now) {
        List<Effect<R>> effects = new ArrayList<>();
        if (claimEpoch != epoch || state != State.CLAIMING) {
            return effects;
        }
        read.stream()
                .sorted(Comparator.comparingLong(Commit::timeMillis))
                .filter(commit -> !gone.contains(commit.id()))
                .forEach(this::remember);
        gone.forEach(this::drop);
        state = State.OWNED;
        lastFailure = null;
        queues.forEach(Deque::clear);
        for (Pending<R> one : List.copyOf(pending.values())) {
            one.running = false;
            Known found = known.get(one.entry.key());
            if (found == null) {
                one.sent = false;
                if (isLate(one, now)) {
                    settle(one, failed(one, null), effects);
                } else {
                    queue(one);
                }
            } else {
                settle(
                        one,
                        found.body().equals(one.entry.body())
                                ? new Outcome.Stored(
                                        found.commit().positions(),
                                        !one.sent || found.commit().id().claim() != self.claim())
                                : new Outcome.Conflict(),
                        effects);
            }
        }
        pump(now, effects);
        return effects;
    }

    /** A claim has failed, or was overtaken by another gateway's. */
    List<Effect<R>> claimFailed(long claimEpoch, Throwable cause, long now) {
        return lost(claimEpoch, cause, now);
    }

    /** A batch is committed. Also what an earlier claim committed is: that is as true as it was. */
    List<Effect<R>> stored(Batch<R> batch, Commit commit, long now) {
        List<Effect<R>> effects = new ArrayList<>();
        remember(commit);
        for (Commit.Entry entry : batch.entries()) {
            Pending<R> one = pending.get(entry.key());
            if (one != null && one.entry.equals(entry)) {
                settle(one, new Outcome.Stored(commit.positions(), false), effects);
            }
        }
        losses = 0;
        if (batch.epoch() == epoch) {
            running.remove(batch.lane());
        }
        pump(now, effects);
        return effects;
    }

    /** A batch has failed: it may be committed or not. */
    List<Effect<R>> storeFailed(Batch<R> batch, Throwable cause, long now) {
        return lost(batch.epoch(), cause, now);
    }

    private List<Effect<R>> lost(long lostEpoch, Throwable cause, long now) {
        List<Effect<R>> effects = new ArrayList<>();
        if (lostEpoch == epoch && state != State.LOST) {
            lose(cause, now);
            tick(now, effects);
        }
        return effects;
    }

    private void lose(@Nullable Throwable cause, long now) {
        state = State.LOST;
        epoch++;
        running.values().forEach(batch -> forgotten.addAll(batch.forgotten()));
        running.clear();
        lastFailure = cause;
        long pause = bounds.retryMillis() << Math.min(losses++, MOST_DOUBLINGS);
        claimAfter = now + pause / 2 + random.nextLong(pause);
        for (Pending<R> one : pending.values()) {
            one.running = false;
        }
    }

    /** Time has gone by. */
    List<Effect<R>> tick(long now) {
        List<Effect<R>> effects = new ArrayList<>();
        tick(now, effects);
        return effects;
    }

    private void tick(long now, List<Effect<R>> effects) {
        settleLate(now, effects);
        pump(now, effects);
    }

    private void settleLate(long now, List<Effect<R>> effects) {
        for (Pending<R> one : List.copyOf(pending.values())) {
            if (!one.running && isLate(one, now)) {
                queues.forEach(queue -> queue.remove(one));
                settle(one, failed(one, lastFailure), effects);
            }
        }
    }

    /** Forgets everything, so that it takes no memory: the next request claims and reads again. */
    void rest() {
        if (!pending.isEmpty()) {
            throw new IllegalStateException("rows are under way");
        }
        lose(null, 0);
        losses = 0;
        claimAfter = Long.MIN_VALUE;
        letGo();
    }

    /** Whether rows are under way, or lanes are being claimed. */
    boolean busy() {
        return !pending.isEmpty()
                || sentOn > 0
                || state == State.CLAIMING
                || state == State.LOOKING
                || !running.isEmpty();
    }

    /** Whose lanes they are; null while they are its own, or that is not known. */
    @Nullable
    Owner elsewhere() {
        return state == State.ELSEWHERE ? owner : null;
    }

    /** Whether the table of keys is of no use: it is another gateway's, or the next request has to claim it. */
    boolean keepsInVain() {
        return keys() > 0 && (state == State.ELSEWHERE || (state == State.LOST && pending.isEmpty()));
    }

    /** Forgets all keys. */
    void letGo() {
        known.clear();
        commits.clear();
        forgotten.clear();
    }

    /** Keys that are remembered, or under way. */
    int keys() {
        return known.size() + pending.size();
    }

    /** Whether rows wait for a lane. */
    boolean waits() {
        return queues.stream().anyMatch(queue -> !queue.isEmpty());
    }

    /**
     * What has waited so long is no longer stored. A gateway may have stood still meanwhile: its client may have had
     * the rows stored by another, which may have forgotten the key since.
     */
    private boolean isLate(Pending<R> one, long now) {
        return now >= one.deadline;
    }

    private static Outcome failed(Pending<?> one, @Nullable Throwable cause) {
        return new Outcome.Failed(one.sent || one.asked, cause);
    }

    private void settle(Pending<R> one, Outcome outcome, List<Effect<R>> effects) {
        pending.remove(one.entry.key());
        Outcome told = outcome;
        for (Pending.Waiter<R> waiter : one.waiting) {
            effects.add(new Tell<>(waiter.rows(), told));
            told = told instanceof Outcome.Stored stored ? new Outcome.Stored(stored.positions(), true) : told;
        }
    }

    private void remember(Commit commit) {
        if (commits.putIfAbsent(commit.id(), commit) == null) {
            commit.entries().forEach(entry -> known.put(entry.key(), new Known(entry.body(), commit)));
        }
    }

    private void drop(Commit.Id id) {
        Commit commit = commits.remove(id);
        if (commit != null) {
            for (Commit.Entry entry : commit.entries()) {
                Known one = known.get(entry.key());
                if (one != null && one.commit().id().equals(id)) {
                    known.remove(entry.key());
                }
            }
        }
    }

    /** Only the owner forgets: it writes down that it did, with its next commit. */
    private void forget(long now) {
        if (state != State.OWNED) {
            return;
        }
        List<Commit> old = new ArrayList<>();
        int left = known.size();
        Iterator<Commit> oldest = commits.values().iterator();
        while (oldest.hasNext()) {
            Commit commit = oldest.next();
            left -= commit.entries().size();
            if (now - commit.timeMillis() < bounds.keepMillis() || left < bounds.leastKeys()) {
                break;
            }
            old.add(commit);
        }
        for (Commit commit : old) {
            drop(commit.id());
            forgotten.add(new Forgotten(commit.id(), commit.lane()));
        }
    }

    private void pump(long now, List<Effect<R>> effects) {
        if (state == State.LOST && !pending.isEmpty() && now >= claimAfter) {
            state = State.LOOKING;
            effects.add(new Look<>(++epoch));
        }
        if (state != State.OWNED) {
            return;
        }
        if (wanted != open) {
            if (running.isEmpty() && !pending.isEmpty()) {
                claim(effects);
            }
            return;
        }
        for (int lane = 0; lane < open; lane++) {
            if (!running.containsKey(lane)) {
                batch(lane, now, effects);
            }
        }
    }

    private void claim(List<Effect<R>> effects) {
        state = State.CLAIMING;
        open = wanted;
        effects.add(new Claim<>(++epoch, open));
    }

    private void batch(int lane, long now, List<Effect<R>> effects) {
        List<Commit.Entry> entries = new ArrayList<>();
        List<R> rows = new ArrayList<>();
        long size = 0;
        for (int queue = lane; queue < bounds.lanes(); queue += open) {
            Deque<Pending<R>> waiting = queues.get(queue);
            while (!waiting.isEmpty() && size < bounds.batchRows() && entries.size() < bounds.batchKeys()) {
                Pending<R> one = waiting.remove();
                if (isLate(one, now)) {
                    settle(one, failed(one, lastFailure), effects);
                    continue;
                }
                one.running = true;
                one.sent = true;
                entries.add(one.entry);
                rows.add(one.waiting.get(0).rows());
                size += one.size;
            }
        }
        if (entries.isEmpty()) {
            return;
        }
        forget(now);
        Batch<R> batch = new Batch<>(
                epoch,
                lane,
                new Commit.Id(self.claim(), sequence++),
                List.copyOf(entries),
                List.copyOf(rows),
                List.copyOf(forgotten));
        forgotten.clear();
        running.put(lane, batch);
        effects.add(new Store<>(batch));
    }
}
