package io.waterwheel.gateway.keyed;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Two or three gateways before one Kafka under a seed: requests come late, twice and in any order, to any; each step of
 * a claim or a commit may fail before or after it took effect, wait for any time, or be the last before a crash. So may
 * a look whose the lanes are, which may also find who had them before, and a request that is sent on: it arrives late,
 * twice or not at all, and so does its answer. The oracle knows the log: the rows of a key are there once, whoever was
 * told that they are stored was told the truth and the same positions.
 */
final class LaneSimulation implements LongFunction<String> {
    private static final int LANES = 4;
    private static final int KEYS = 40;
    private static final int KEEP = 4_000;
    private static final int PATIENCE = 500;
    private static final int STEPS = 3_000;
    private static final int DISTRUST = 60;

    /** A request and who waits for it: a client, or a gateway that has sent it on. */
    private record Ask(int key, Digest body, @Nullable SendingOn by) {
        Commit.Entry entry() {
            return new Commit.Entry(LaneSimulation.key(key), body);
        }
    }

    /** Something that goes on by itself, a step at a time. */
    private abstract static class Task {
        final Gateway gateway;

        Task(Gateway gateway) {
            this.gateway = gateway;
        }

        /** @return whether there is another step */
        abstract boolean step();
    }

    private static final class Gateway {
        LaneProtocol<Ask> protocol;
        Owner self;
        final int[] readTo = new int[LANES];
        final Map<Integer, Long> epochs = new HashMap<>();
        long lanesEpoch;
        /** Requests of clients that it has told nothing. */
        int waiting;

        Gateway(LaneProtocol<Ask> protocol, Owner self) {
            this.protocol = protocol;
            this.self = self;
        }
    }

    private final List<String> trace = new ArrayList<>();
    private Random random = new Random(0);
    private SimKafka kafka = new SimKafka(LANES);
    private final List<Gateway> gateways = new ArrayList<>();
    private final List<Task> tasks = new ArrayList<>();
    private final Map<Digest, Long> told = new HashMap<>();
    /** Keys that a request was told to be stored for. */
    private final Set<Digest> counted = new HashSet<>();

    private final Map<Digest, Set<Digest>> sent = new HashMap<>();
    private final Set<Integer> done = new HashSet<>();
    private final Map<Commit.Entry, Integer> asks = new HashMap<>();
    /** Rows of which nothing is stored, as their only request was told. */
    private final Set<Commit.Entry> never = new HashSet<>();
    /** Few, so that keys go by their age; or so many that clients may count on the last of them. */
    private int leastKeys;
    /** Few, so that new ones are refused; or more than there are. */
    private int mostKeys;

    private boolean faults = true;
    private long now;

    @Override
    public String apply(long seed) {
        return new LaneSimulation().run(seed);
    }

    private String run(long seed) {
        random = new Random(seed);
        kafka = new SimKafka(LANES);
        leastKeys = seed % 2 == 0 ? 8 : 80;
        mostKeys = seed % 3 == 0 ? leastKeys + 16 : 1_000;
        try {
            for (int i = 0; i < 2 + seed / 2 % 2; i++) {
                Owner self = new Owner(random.nextLong(), "gateway:" + i);
                gateways.add(new Gateway(protocol(self), self));
            }
            for (int step = 0; step < STEPS; step++) {
                event();
                check();
            }
            faults = false;
            now += KEEP / 4;
            end();
            check();
            return "";
        } catch (RuntimeException | AssertionError e) {
            StringBuilder failure = new StringBuilder("seed " + seed + ", " + trace.size() + " steps: " + e + "\n");
            trace.subList(Math.max(0, trace.size() - 60), trace.size())
                    .forEach(line -> failure.append("  ").append(line).append('\n'));
            java.util.Arrays.stream(e.getStackTrace())
                    .limit(8)
                    .forEach(at -> failure.append("    at ").append(at).append('\n'));
            return failure.toString();
        }
    }

    private LaneProtocol<Ask> protocol(Owner self) {
        return new LaneProtocol<>(
                new LaneBounds(LANES, leastKeys, KEEP, 3, 3, PATIENCE, 5, DISTRUST), () -> mostKeys, self);
    }

    private void event() {
        now += random.nextInt(4);
        int dice = random.nextInt(100);
        Gateway gateway = gateways.get(random.nextInt(gateways.size()));
        if (dice < 65 && !tasks.isEmpty()) {
            step(tasks.get(random.nextInt(tasks.size())));
        } else if (dice < 88) {
            ask(gateway, kafka.committed.size() / 2 + random.nextInt(KEYS), random.nextInt(12) == 0 ? 1 : 0);
        } else if (dice < 96) {
            tick(gateway);
        } else if (dice < 97) {
            crash(gateway);
        } else if (dice < 98) {
            carryOut(gateway, gateway.protocol.resize(1 << random.nextInt(3), now));
        } else if (random.nextInt(4) == 0) {
            // A night goes by: what is old is forgotten.
            now += KEEP;
        }
    }

    private void tick(Gateway gateway) {
        carryOut(gateway, gateway.protocol.tick(now));
        if (gateway.protocol.keepsInVain() && random.nextBoolean()) {
            gateway.protocol.letGo();
            java.util.Arrays.fill(gateway.readTo, 0);
        }
    }

    private void crash(Gateway gateway) {
        trace.add("crash " + gateways.indexOf(gateway));
        tasks.removeIf(task -> task.gateway == gateway);
        gateway.self = new Owner(random.nextLong(), gateway.self.place());
        gateway.protocol = protocol(gateway.self);
        java.util.Arrays.fill(gateway.readTo, 0);
        gateway.epochs.clear();
        gateway.lanesEpoch = -1;
        gateway.waiting = 0;
    }

    private static Digest key(int key) {
        return new Digest(key * 0x9E37_79B9_7F4A_7C15L, key);
    }

    /** Some keys come without rows: they are noted all the same, and fill no batch. */
    private static int size(int key) {
        return key % 5 == 0 ? 0 : 1;
    }

    /** A client that may still count on the key being known. */
    private boolean remembered(Digest key) {
        int from = Math.max(0, kafka.committed.size() - (leastKeys - 8) / 2);
        for (int i = kafka.committed.size() - 1; i >= 0; i--) {
            SimKafka.Row row = kafka.committed.get(i);
            if (row.entry.key().equals(key)) {
                return i >= from || now - row.committedAt < KEEP / 2;
            }
        }
        return true;
    }

    private void ask(Gateway gateway, int key, int body) {
        if (!remembered(key(key))) {
            return;
        }
        Ask ask = new Ask(key, new Digest(body, key), null);
        gateway.waiting++;
        asks.merge(ask.entry(), 1, Integer::sum);
        never.remove(ask.entry());
        sent.computeIfAbsent(key(key), unused -> new HashSet<>()).add(ask.body());
        trace.add(gateways.indexOf(gateway) + " ask " + key + " body " + body);
        carryOut(gateway, gateway.protocol.request(ask.entry(), ask, size(key), now));
    }

    private void carryOut(Gateway gateway, List<LaneProtocol.Effect<Ask>> effects) {
        for (LaneProtocol.Effect<Ask> effect : effects) {
            if (effect instanceof LaneProtocol.Tell<Ask> tell) {
                gateway.waiting -= tell.rows().by() == null ? 1 : 0;
                tell(tell.rows(), tell.outcome());
            } else if (effect instanceof LaneProtocol.Store<Ask> store) {
                tasks.add(new Storing(gateway, store.batch()));
            } else if (effect instanceof LaneProtocol.Claim<Ask> claim) {
                tasks.add(new Claiming(gateway, claim));
            } else if (effect instanceof LaneProtocol.Look<Ask> look) {
                tasks.add(new Looking(gateway, look));
            } else if (effect instanceof LaneProtocol.SendOn<Ask> on) {
                require(on.rows().by() == null, "key " + on.rows().key() + " was sent on twice");
                tasks.add(new SendingOn(gateway, on));
            }
        }
    }

    private void tell(Ask ask, Outcome outcome) {
        Digest key = key(ask.key());
        SendingOn by = ask.by();
        if (by != null) {
            by.answer = outcome;
            return;
        }
        trace.add("told " + ask.key() + " body " + ask.body().high() + ": " + outcome);
        if (outcome instanceof Outcome.Stored stored) {
            done.add(ask.key());
            long position = stored.positions().getOrDefault(0, -1L);
            Long before = told.putIfAbsent(key, position);
            require(before == null || before == position, "key " + ask.key() + " had other positions before");
            require(stored.again() || counted.add(key), "key " + ask.key() + " was stored for two requests");
            boolean there = false;
            for (int i = 0; i < Math.min(position, kafka.log.size()); i++) {
                SimKafka.Row row = kafka.log.get(i);
                there |= row.committed && row.entry.equals(new Commit.Entry(key, ask.body()));
            }
            require(there, "key " + ask.key() + " was told to be stored and is not there");
            return;
        }
        if (outcome instanceof Outcome.Conflict) {
            done.add(ask.key());
            require(
                    sent.getOrDefault(key, Set.of()).size() > 1,
                    "key " + ask.key() + " was refused, and came with one body only");
        }
        boolean unknown = outcome instanceof Outcome.Failed failed && failed.sent();
        if (!unknown && asks.getOrDefault(ask.entry(), 0) == 1) {
            never.add(ask.entry());
        }
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    private void check() {
        Set<Digest> seen = new HashSet<>();
        for (SimKafka.Row row : kafka.committed) {
            require(
                    seen.add(row.entry.key()),
                    "the rows of key " + row.entry.key().low() + " are stored twice");
            require(
                    !never.contains(row.entry),
                    "key " + row.entry.key().low() + " is stored, and its client was told that nothing is");
        }
    }

    private void step(Task task) {
        if (!tasks.contains(task)) {
            return;
        }
        if (!task.step()) {
            tasks.remove(task);
        }
    }

    /** Whether this step fails: -1 before it, 1 behind it. */
    private int fault() {
        return !faults
                ? 0
                : switch (random.nextInt(40)) {
                    case 0 -> -1;
                    case 1 -> 1;
                    default -> 0;
                };
    }

    private final class Looking extends Task {
        private final LaneProtocol.Look<Ask> look;
        private @Nullable Owner found;
        private boolean looked;

        Looking(Gateway gateway, LaneProtocol.Look<Ask> look) {
            super(gateway);
            this.look = look;
        }

        @Override
        boolean step() {
            if (looked) {
                trace.add(gateways.indexOf(gateway) + " looked: " + found);
                carryOut(gateway, gateway.protocol.looked(look.epoch(), found, now));
                return false;
            }
            looked = true;
            List<Owner> owners = kafka.owners;
            if (!owners.isEmpty() && fault() == 0) {
                boolean old = faults && random.nextInt(8) == 0;
                found = owners.get(old ? random.nextInt(owners.size()) : owners.size() - 1);
            }
            return true;
        }
    }

    private final class SendingOn extends Task {
        private final LaneProtocol.SendOn<Ask> on;
        private boolean arrived;
        /** Whether it has gone its way before. */
        private boolean again;

        private @Nullable Outcome answer;

        SendingOn(Gateway gateway, LaneProtocol.SendOn<Ask> on) {
            super(gateway);
            this.on = on;
        }

        @Override
        boolean step() {
            Gateway to = gateways.stream()
                    .filter(one -> one.self.equals(on.to()))
                    .findAny()
                    .orElse(null);
            if (!arrived) {
                int fault = fault();
                if (to != null && faults && random.nextInt(12) == 0) {
                    // It is busy, and refuses at the door, whatever became of it before.
                    return end(new Outcome.Full());
                }
                if (fault >= 0 && to != null) {
                    arrive(to);
                    arrived = fault == 0;
                    // It may go its way once more.
                    again |= !arrived;
                    return arrived || random.nextBoolean() || end(null);
                }
                return end(null);
            }
            Outcome told = answer;
            if (told != null) {
                return end(fault() == 0 ? told : null);
            }
            return (to != null && (!faults || random.nextInt(20) > 0)) || end(null);
        }

        private void arrive(Gateway to) {
            trace.add(gateways.indexOf(to) + " guest " + on.rows().key() + " body "
                    + on.rows().body().high());
            Ask guest = new Ask(on.rows().key(), on.rows().body(), this);
            carryOut(to, to.protocol.guest(on.entry(), guest, on.size(), on.deadline(), now));
        }

        private boolean end(@Nullable Outcome outcome) {
            trace.add(gateways.indexOf(gateway) + " sent on " + on.rows().key() + ": " + outcome);
            carryOut(
                    gateway,
                    outcome == null || outcome instanceof Outcome.Moved
                            ? gateway.protocol.notTaken(on, new IllegalStateException("no answer"), now)
                            : gateway.protocol.answered(on, again ? outcome.perhaps() : outcome));
            return false;
        }

        @Override
        public String toString() {
            return "gateway " + gateways.indexOf(gateway);
        }
    }

    private final class Claiming extends Task {
        private final LaneProtocol.Claim<Ask> claim;
        private final List<ClaimStep> steps;
        private final Map<Integer, Long> epochs = new HashMap<>();
        private final Map<Commit.Id, Commit> read = new HashMap<>();
        private final Set<Commit.Id> gone = new HashSet<>();
        private int next;
        private int mark;
        private @Nullable RuntimeException failure;

        Claiming(Gateway gateway, LaneProtocol.Claim<Ask> claim) {
            super(gateway);
            this.claim = claim;
            this.steps = ClaimStep.all(LANES, claim.open());
        }

        @Override
        boolean step() {
            RuntimeException failed = failure;
            if (failed != null) {
                java.util.Arrays.fill(gateway.readTo, 0);
                carryOut(gateway, gateway.protocol.claimFailed(claim.epoch(), failed, now));
                return false;
            }
            if (next == steps.size()) {
                gateway.epochs.clear();
                gateway.epochs.putAll(epochs);
                gateway.lanesEpoch = claim.epoch();
                trace.add(gateways.indexOf(gateway) + " claimed");
                carryOut(gateway, gateway.protocol.claimed(claim.epoch(), List.copyOf(read.values()), gone, now));
                return false;
            }
            ClaimStep step = steps.get(next++);
            int fault = fault();
            try {
                if (fault >= 0) {
                    claim(step);
                }
                if (fault != 0) {
                    failure = new IllegalStateException("fault");
                }
            } catch (SimKafka.Fenced e) {
                failure = e;
            }
            trace.add(gateways.indexOf(gateway) + " " + step + (failure == null ? "" : " " + failure));
            return true;
        }

        private void claim(ClaimStep step) {
            switch (step.kind()) {
                case TAKE -> epochs.put(step.lane(), kafka.take(step.lane()));
                case READ_MARK -> mark = kafka.mark;
                case FENCE -> {
                    if (step.lane() < mark) {
                        kafka.take(step.lane());
                    }
                }
                case MARK -> {
                    kafka.commit(step.lane(), epochs.getOrDefault(step.lane(), -1L), now);
                    kafka.mark = claim.open();
                    kafka.owners.add(gateway.self);
                }
                case READ -> kafka.read(gateway.readTo, read, gone);
            }
        }
    }

    private final class Storing extends Task {
        private final LaneProtocol.Batch<Ask> batch;
        private final long epoch;
        private int next;
        private @Nullable Commit commit;
        private @Nullable RuntimeException failure;

        Storing(Gateway gateway, LaneProtocol.Batch<Ask> batch) {
            super(gateway);
            this.batch = batch;
            this.epoch = gateway.lanesEpoch == batch.epoch() ? gateway.epochs.getOrDefault(batch.lane(), -1L) : -1;
        }

        @Override
        boolean step() {
            RuntimeException failed = failure;
            if (failed != null) {
                carryOut(gateway, gateway.protocol.storeFailed(batch, failed, now));
                return false;
            }
            if (next == 3) {
                carryOut(gateway, gateway.protocol.stored(batch, java.util.Objects.requireNonNull(commit), now));
                return false;
            }
            int fault = fault();
            try {
                if (fault >= 0) {
                    store(next);
                }
                if (fault != 0) {
                    failure = new IllegalStateException("fault");
                }
            } catch (SimKafka.Fenced e) {
                failure = e;
            }
            trace.add(gateways.indexOf(gateway) + " lane " + batch.lane() + " step " + next + " of " + batch.rows()
                    + (failure == null ? "" : " " + failure));
            next++;
            return true;
        }

        private void store(int step) {
            switch (step) {
                case 0 -> commit = batch.commit(Map.of(0, kafka.rows(batch.lane(), epoch, batch.entries(), now)), now);
                case 1 -> {
                    kafka.note(batch.lane(), epoch, batch.lane(), new SimKafka.Note(batch.id(), commit));
                    batch.forgotten()
                            .forEach(old ->
                                    kafka.note(batch.lane(), epoch, old.lane(), new SimKafka.Note(old.id(), null)));
                }
                default -> kafka.commit(batch.lane(), epoch, now);
            }
        }
    }

    /** Without faults every key that is asked for again comes to an end. */
    private void end() {
        int first = 1_000_000;
        for (Gateway gateway : gateways) {
            done.clear();
            end(gateway, first);
            first += KEYS;
        }
        for (int i = 0; i < 40_000 && gateways.stream().anyMatch(one -> one.waiting > 0); i++) {
            settle();
        }
        gateways.forEach(one -> require(
                one.waiting == 0,
                "gateway " + gateways.indexOf(one) + " has left " + one.waiting + " without an answer"));
        // Each commit has one key at least.
        require(
                kafka.liveNotes() <= kafka.committed.size(),
                kafka.liveNotes() + " notes for " + kafka.committed.size() + " keys");
    }

    /** Time goes by, and something goes on. */
    private void settle() {
        now += 1;
        if (tasks.isEmpty() || random.nextInt(8) == 0) {
            gateways.forEach(this::tick);
        } else {
            step(tasks.get(random.nextInt(tasks.size())));
        }
    }

    private void end(Gateway gateway, int first) {
        for (int round = 0;
                round < 100 && done.stream().filter(key -> key >= first).count() < KEYS;
                round++) {
            for (int key = first; key < first + KEYS; key++) {
                if (!done.contains(key)) {
                    ask(gateway, key, 0);
                }
            }
            for (int i = 0; i < 400; i++) {
                settle();
            }
        }
        done.removeIf(key -> key < first);
        require(done.size() >= KEYS, "only " + done.size() + " keys were settled");
    }
}
