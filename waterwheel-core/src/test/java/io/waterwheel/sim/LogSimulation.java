package io.waterwheel.sim;

import io.waterwheel.catalog.LogMemory;
import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.LogIdentity;
import io.waterwheel.catalog.state.StartOfTopic;
import io.waterwheel.catalog.state.StreamInfo;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.ingest.source.LogTracker;
import io.waterwheel.ingest.source.LogTracker.Look;
import io.waterwheel.protocol.Control.LogProblem;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.StreamPolicy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One run of a partition whose brokers answer from the past, and whose log now and then really is cut or made anew,
 * under one seed: on the shipped {@link LogTracker}, {@link LogMemory} and {@link StreamCatalog}. Deposed leaders name
 * their epoch and an end of then; brokers with old metadata name topics that were, also one of before the stream;
 * spouts die, and live on beside their successors; the catalog lags and fails. A record must never be taken twice, no
 * log be followed by another that is the same, no partition stand still for nothing; in the end the last log is taken
 * whole.
 *
 * <p>What docs/exactness.md assumes is not broken here: nothing is produced into a log that was cut before that is
 * known; a lie that cannot be known as one (a deposed leader's before its successor was ever heard of, a topic's of
 * before the stream) does not come twice without the truth between. Nor does a deposed leader say less to a spout, and
 * then more: no follower fetches from it any longer, so that the end of what it shows stays where it is. (That a leader
 * shows an end below where its epoch began Kafka rules out too, by KIP-207; here it may.)
 */
final class LogSimulation {
    private static final int STEPS = 300;
    private static final int CALM_STEPS = 60;
    private static final int MAX_EVENTS = 2;
    private static final String BEFORE = "before";

    /**
     * How often things happen in a run. Each run has a mix of its own: what is rare in an even one, as many leaders
     * within one look, is common in some.
     *
     * @param deposals of 100 steps
     * @param cuts of 100 steps
     * @param recreations of 100 steps
     * @param restarts of 100 steps
     * @param spouts that live at once, at most
     * @param lies one answer of so many is true for certain
     * @param turns of a spout, of which one is for the catalog, one for reading, the others for looks
     * @param faithful of 10 questions go to the broker that answered the one before; its leader may be one no more
     */
    record Mix(int deposals, int cuts, int recreations, int restarts, int spouts, int lies, int turns, int faithful) {
        static final Mix EVEN = new Mix(4, 1, 1, 2, 2, 2, 4, 0);

        static Mix draw(long seed) {
            Random random = new Random(seed * 0x9E3779B97F4A7C15L + 2);
            if (random.nextInt(4) == 0) {
                return EVEN;
            }
            return new Mix(
                    2 + random.nextInt(7),
                    1 + random.nextInt(3),
                    1 + random.nextInt(2),
                    1 + random.nextInt(6),
                    2 + random.nextInt(2),
                    2 + random.nextInt(4),
                    4 + 2 * random.nextInt(2),
                    2 + random.nextInt(7));
        }
    }

    /** A record, with the epoch of the leader that took it. */
    private record Entry(long id, int epoch) {}

    /** A leader of the topic that was made under this id. */
    private record Leader(String topicId, int epoch) {}

    /** A log between two losses. */
    private static final class Life {
        final String topicId;
        final long cut;
        /** The catalog's name for it; null before it has one. */
        @Nullable
        LogIdentity identity;

        Life(String topicId, long cut, @Nullable LogIdentity identity) {
            this.topicId = topicId;
            this.cut = cut;
            this.identity = identity;
        }
    }

    private final class Spout {
        private final SimCatalog.Client client = catalog.client();
        private final StreamCatalog routes = new StreamCatalog(client, stream);
        private final LogMemory memory = new LogMemory(client, stream);
        private @Nullable LogTracker tracker;
        private long position;
        private boolean reading;
        private @Nullable Look look;
        private long readBefore;
        /** What it was told last that was not of the present. */
        private @Nullable Look heard;
        /** What it was told by leaders that are deposed: they take no records any more, so they say the same again. */
        private final Map<Leader, Look.Seen> told = new HashMap<>();
        /** Whether it was told a lie that it cannot know as one, and nothing true since. */
        private boolean lied;

        /** Asks, hears, tells the catalog, reads: one of these. */
        void step() {
            try {
                if (tracker == null) {
                    LogIdentity log = routes.route(0).route().log();
                    LogMemory.Known known = memory.read(List.of(0));
                    position = Math.max(watermark, log.since());
                    tracker = new LogTracker(log, known.left(), known.epochs().get(0));
                }
                act(tracker);
            } catch (WaterwheelException e) {
                Oracle.check(e.kind() == WaterwheelException.Kind.TEMPORARY, "the catalog refuses: %s", e);
            }
        }

        private void act(LogTracker at) {
            switch (random.nextInt(mix.turns())) {
                case 0, 4 -> {
                    if (look == null) {
                        look = answer(this);
                        readBefore = position;
                    }
                }
                case 1, 5 -> {
                    if (look != null) {
                        at.onLook(look, readBefore);
                        note("hears %s, read %d: %s", look, readBefore, at.problem());
                        look = null;
                    }
                }
                case 2 -> tellCatalog(at);
                default -> read(at);
            }
            if (!at.mayRead()) {
                reading = false;
            } else if (!reading && at.problem() == LogProblem.NONE) {
                position = Math.max(position, at.log().since());
                reading = true;
            }
        }

        private void tellCatalog(LogTracker at) {
            // As when a look is asked for: what is heard meanwhile counts next time.
            LogTracker.Successor next = skip ? at.successor() : null;
            LogMemory.LeaderEpoch epoch = at.epochToRemember();
            boolean unsure = at.isDecided();
            for (String id : List.copyOf(at.leftToRemember())) {
                memory.leave(id);
                at.onLeftRemembered(List.of(id));
            }
            if (epoch != null) {
                if (memory.raise(Map.of(0, epoch)).isEmpty()) {
                    unsure = true;
                } else {
                    at.onRemembered(epoch);
                }
            }
            boolean past = false;
            if (unsure) {
                client.sync();
                LogIdentity present = routes.route(0).route().log();
                LogMemory.Known known = memory.read(List.of(0));
                at.onKnown(present, known.left(), known.epochs().get(0));
                checkStandsForSomething(at);
                past = next != null && next.isPast(known.left(), known.epochs().get(0));
            }
            if (next != null && !past) {
                LogIdentity log = routes.changeLog(0, next.old(), next.topicId(), next.firstOffset())
                        .route()
                        .log();
                at.onRoute(log, memory.read(List.of(0)).left());
                checkRoute();
            } else {
                LogIdentity log = routes.route(0).route().log();
                at.onRoute(log, memory.read(List.of(0)).left());
            }
        }

        private void read(LogTracker at) {
            if (!reading) {
                return;
            }
            if (at.log().equals(routed)) {
                // The dispatcher, which knows how far it has got, sends a spout there.
                position = Math.max(position, watermark);
            }
            Life life = life(at.log());
            if (life != last()) {
                if (life != null && life.topicId.equals(last().topicId) && random.nextBoolean()) {
                    // Below the first cut that came since: what Kafka finds by comparing epochs.
                    long cut = Long.MAX_VALUE;
                    for (int i = lives.indexOf(life) + 1; i < lives.size(); i++) {
                        cut = Math.min(cut, lives.get(i).cut);
                    }
                    if (cut + at.log().base() < position) {
                        at.onTruncation(cut + at.log().base());
                        note("the consumer finds a truncation at %d", cut);
                    }
                }
                return;
            }
            long from = position - at.log().base();
            int to = (int) Math.min(log.size(), from + 1 + random.nextInt(3));
            int epochOf = -1;
            for (long o = from; o < to; o++) {
                epochOf = Math.max(epochOf, log.get((int) o).epoch());
            }
            if (from < to && at.onRecords(epochOf)) {
                take(at.log(), position, log.subList((int) from, to));
                position += to - from;
            }
        }
    }

    private final Random random;
    private final Mix mix;
    private final Trace trace = new Trace();
    private final SimCatalog catalog;
    private final StreamInfo stream;
    private final StreamCatalog truth;
    private boolean skip;
    private boolean calm;
    private long now;

    private final List<Life> lives = new ArrayList<>();
    private List<Entry> log = new ArrayList<>();
    private int epoch = 3;
    private long nextId;
    private int cuts;
    private int recreations;
    /** Answers of deposed leaders and of brokers with old metadata, that were right once. */
    private final List<Look> past = new ArrayList<>();
    /** Answers that were never right: of leaders who did not know any more up to where the log was committed. */
    private final List<Look.Seen> lies = new ArrayList<>();

    /** Transactions of the catalog after which the route was looked at. */
    private long checked = -1;

    private long watermark;
    /** The highest epoch of a record that was taken from the log that the route names. */
    private int takenEpoch = -1;

    private final Set<Long> taken = new HashSet<>();
    private LogIdentity routed = LogIdentity.first("t0");
    private final List<Spout> spouts = new ArrayList<>();

    private LogSimulation(long seed, Mix mix) {
        this.mix = mix;
        this.random = new Random(seed * 0x9E3779B97F4A7C15L + 1);
        this.catalog = new SimCatalog(random, 0.05);
        this.skip = random.nextBoolean();
        this.stream = new Namespace(catalog.truth())
                .create(
                        "s",
                        Topic.SCHEMA,
                        RecordFormat.BLOCK,
                        new StartOfTopic("t", new long[1], routed),
                        1,
                        StreamPolicy.DEFAULT);
        this.truth = new StreamCatalog(catalog.truth(), stream);
        lives.add(new Life("t0", 0, routed));
        past.add(new Look.Gone());
        lies.add(new Look.Seen(BEFORE, 9, 0, 50));
        spouts.add(new Spout());
    }

    /** What failed under a seed, with the last events; empty when nothing did. */
    static String run(long seed) {
        return seed < 0 ? run(-seed, Mix.EVEN) : run(seed, Mix.draw(seed));
    }

    /** The same, of what happens so often. */
    static String run(long seed, Mix mix) {
        LogSimulation run = new LogSimulation(seed, mix);
        try {
            for (int step = 0; step < STEPS; step++) {
                run.step();
            }
            run.settle();
            return "";
        } catch (RuntimeException | AssertionError e) {
            return String.format(
                    Locale.ROOT,
                    "seed %d of the log, after 0 steps: %s%n  %s%n  last events: %s",
                    seed,
                    e,
                    List.of(e.getStackTrace()).subList(0, Math.min(6, e.getStackTrace().length)),
                    run.trace);
        }
    }

    private void note(String what, Object... args) {
        trace.note(now * 1_000_000, "log", what, args);
    }

    private Life last() {
        return lives.get(lives.size() - 1);
    }

    private @Nullable Life life(LogIdentity identity) {
        for (Life life : lives) {
            if (identity.equals(life.identity)) {
                return life;
            }
        }
        return null;
    }

    private Look.Seen present() {
        return new Look.Seen(last().topicId, epoch, 0, log.size());
    }

    private void step() {
        now++;
        int action = random.nextInt(100);
        if ((action -= 12) < 0) {
            produce();
        } else if ((action -= mix.deposals()) < 0) {
            depose(random.nextInt(3));
        } else if ((action -= mix.cuts()) < 0) {
            cut();
        } else if ((action -= mix.recreations()) < 0) {
            recreate();
        } else if ((action -= mix.restarts()) < 0) {
            restart();
        } else if ((action -= 1) < 0 && !skip) {
            decide();
        } else if ((action -= 2) < 0) {
            spouts.get(random.nextInt(spouts.size())).client.loseSession(1 + random.nextInt(3));
        } else {
            spouts.get(random.nextInt(spouts.size())).step();
        }
        checkRoute();
    }

    private void produce() {
        if (last().identity != null) {
            for (int n = random.nextInt(4); n >= 0; n--) {
                log.add(new Entry(nextId++, epoch));
            }
        }
    }

    /** Another broker leads: the one before goes on answering, and may not have known the last that was committed. */
    private void depose(int lag) {
        past.add(present());
        if (last().identity != null && lag > 0 && log.size() > lag) {
            lies.add(new Look.Seen(last().topicId, epoch, 0, log.size() - lag));
        }
        epoch++;
        note("epoch %d begins, log of %d", epoch, log.size());
    }

    private void cut() {
        if (cuts < MAX_EVENTS && last().identity != null && log.size() > 2) {
            cuts++;
            past.add(present());
            if (mix.faithful() > 0 && random.nextBoolean()) {
                lies.add(new Look.Seen(last().topicId, epoch, 0, random.nextInt(log.size())));
            }
            epoch++;
            int at = log.size() - 1 - random.nextInt(Math.min(6, log.size() - 1));
            log = new ArrayList<>(log.subList(0, at));
            if (at + routed.base() < Math.max(watermark, routed.since())) {
                // What nobody has read is not missed: then it is the same log.
                lives.add(new Life(last().topicId, at, null));
            }
            note("epoch %d: the log is cut at %d", epoch, at);
        }
    }

    private void recreate() {
        if (recreations < MAX_EVENTS) {
            recreations++;
            past.add(present());
            // What is under way to spouts, or was the last they heard, is of the past now.
            spouts.forEach(spout -> spout.lied = true);
            lives.add(new Life("t" + recreations, 0, null));
            log = new ArrayList<>();
            epoch = 0;
            note("topic t%d is made", recreations);
        }
    }

    /** Half of those that are replaced live on for a while. */
    private void restart() {
        if (spouts.size() >= mix.spouts() || random.nextBoolean()) {
            spouts.remove(0);
        }
        spouts.add(new Spout());
        note("a spout starts");
    }

    /** Somebody sets the offset by hand, knowing how it is. */
    private void decide() {
        if (last().identity == null) {
            truth.changeLog(0, routed, last().topicId, last().cut);
            note("decided by hand");
        }
    }

    private Look answer(Spout to) {
        if (calm || random.nextInt(mix.lies()) == 0) {
            to.lied = false;
            return present();
        }
        int pick = random.nextInt(past.size() + lies.size() + 1);
        if (random.nextInt(3) == 0) {
            // The last leader that was deposed is the likeliest not to know it.
            pick = past.size() + lies.size() - 1;
        }
        if (pick == past.size() + lies.size()) {
            return new Look.Unknown();
        }
        Look answer = pick < past.size() ? past.get(pick) : lies.get(pick - past.size());
        if (to.heard != null && random.nextInt(10) < mix.faithful()) {
            answer = to.heard;
        }
        if (answer instanceof Look.Seen seen) {
            answer = to.told.getOrDefault(new Leader(seen.topicId(), seen.epoch()), seen);
        }
        if (answer instanceof Look.Seen lie
                && !knownAsPast(lie)
                && (lies.contains(lie) || to.lied || isUnheardOf(lie))) {
            if (to.lied || last().identity == null) {
                return new Look.Unknown();
            }
            to.lied = true;
        }
        if (answer instanceof Look.Seen seen) {
            to.told.put(new Leader(seen.topicId(), seen.epoch()), seen);
        }
        if (mix.faithful() > 0) {
            to.heard = answer;
        }
        return answer;
    }

    /** Of a topic that was made and unmade before anybody has followed it. */
    private boolean isUnheardOf(Look.Seen answer) {
        return !answer.topicId().equals(last().topicId) && !answer.topicId().equals(routed.topicId());
    }

    private boolean knownAsPast(Look.Seen answer) {
        LogMemory.Known known = new LogMemory(catalog.truth(), stream).read(List.of(0));
        LogMemory.LeaderEpoch of = known.epochs().get(0);
        // What was read under an epoch makes it known, whoever was told.
        return (answer.topicId().equals(routed.topicId()) && answer.epoch() < takenEpoch)
                || known.left().contains(answer.topicId())
                || (of != null && of.topicId().equals(answer.topicId()) && of.epoch() > answer.epoch());
    }

    /** Indexers take what comes, once, as the dispatcher lets them: of the log that the route names. */
    private void take(LogIdentity of, long from, List<Entry> entries) {
        if (!of.equals(routed)) {
            return;
        }
        watermark = Math.max(watermark, routed.since());
        for (int i = 0; i < entries.size(); i++) {
            if (from + i == watermark) {
                watermark++;
                takenEpoch = Math.max(takenEpoch, entries.get(i).epoch());
                Oracle.check(
                        taken.add(entries.get(i).id()),
                        "record %d is taken twice, at %d",
                        entries.get(i).id(),
                        from + i);
            }
        }
    }

    /** A log that follows another in the catalog is one that there really is. */
    private void checkRoute() {
        if (catalog.transactions() == checked) {
            return;
        }
        checked = catalog.transactions();
        LogIdentity present = truth.route(0).route().log();
        if (present.equals(routed)) {
            return;
        }
        note("the catalog follows %s", present);
        Life decided = null;
        for (Life life : lives) {
            if (life.identity == null
                    && life.topicId.equals(present.topicId())
                    && present.since() - present.base() == life.cut) {
                decided = life;
            }
        }
        Oracle.check(decided != null, "%s is followed by %s, which is the same or was left", routed, present);
        if (decided != null) {
            decided.identity = present;
            for (Life life : lives.subList(0, lives.indexOf(decided))) {
                life.identity = life.identity == null ? LogIdentity.ANY : life.identity;
            }
        }
        if (!present.topicId().equals(routed.topicId())) {
            takenEpoch = -1;
        }
        routed = present;
    }

    private void checkStandsForSomething(LogTracker tracker) {
        LogProblem problem = tracker.problem();
        if ((problem == LogProblem.TRUNCATED || problem == LogProblem.RECREATED)
                && tracker.log().equals(routed)) {
            Oracle.check(last().identity == null, "it is said to be %s, and is not", problem);
        }
    }

    /** The last offset of the last log that was not taken; -1 when all were. */
    private int notTaken() {
        for (int o = log.size() - 1; o >= last().cut; o--) {
            if (!taken.contains(log.get(o).id())) {
                return o;
            }
        }
        return -1;
    }

    private void settle() {
        calm = true;
        catalog.calm(true);
        skip = true;
        note("faults end; %s, epoch %d, log of %d", last().topicId, epoch, log.size());
        while (spouts.size() > 1) {
            spouts.remove(0);
        }
        for (int step = 0; step < CALM_STEPS || last().identity == null; step++) {
            Oracle.check(step < 50 * CALM_STEPS, "the log is not followed");
            spouts.get(0).client.loseSession(0);
            spouts.get(0).step();
            checkRoute();
        }
        // Longer than it takes to read it: nothing is taken after its end.
        for (int step = 0; step < 5 * CALM_STEPS || notTaken() >= 0; step++) {
            Oracle.check(step < 50 * CALM_STEPS, "offset %d of the last log is not taken", notTaken());
            spouts.get(0).step();
            checkRoute();
        }
    }
}
