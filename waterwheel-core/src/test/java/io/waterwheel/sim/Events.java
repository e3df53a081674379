package io.waterwheel.sim;

import io.waterwheel.catalog.Namespace;
import io.waterwheel.catalog.StreamCatalog;
import io.waterwheel.catalog.state.RoutingTable;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.ingest.indexer.SealedTree;
import io.waterwheel.key.KeyScheme;
import io.waterwheel.query.KeyRange;
import io.waterwheel.query.Query;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Dimension;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.ScaleVersion;
import io.waterwheel.tuple.TimeInterval;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What may happen next, and how often; one step is one event, and a little time. */
final class Events {
    /** Where tuples expire, one event in so many has to do with it. */
    private static final int EXPIRY = 15;

    private final World world;
    private final Random random;
    private final List<Session> sessions = new ArrayList<>();
    /** Whom the last question was put to. */
    private @Nullable CoordinatorRole asked;

    /** What a client sends back of what it has seen. */
    private enum Demand {
        /** The positions of its answers, as clients of an older release do. */
        POSITIONS,
        /** Up to where its answers show tuples, as positions that a query must have seen. */
        SHOWN,
        /** All that verdicts say, as our client does. */
        WHOLE
    }

    /** A client that demands what it has seen, of whichever coordinator it asks. */
    private static final class Session {
        private final Demand demand;
        private SessionPositions seen = SessionPositions.NOTHING;
        /** The tuples that complete answers had; by life of a coordinator where it demands positions alone. */
        private final Map<Optional<CoordinatorRole>, Set<Long>> shown = new HashMap<>();

        Session(Demand demand) {
            this.demand = demand;
        }

        SessionPositions demanded() {
            return switch (demand) {
                case POSITIONS -> new SessionPositions(seen.streamId(), seen.positions());
                case SHOWN -> SessionPositions.NOTHING;
                case WHOLE -> seen;
            };
        }

        Map<Integer, Long> atLeast() {
            return demand == Demand.SHOWN ? seen.shown() : Map.of();
        }

        void saw(Verdict verdict) {
            seen = seen.and(verdict.seen());
        }

        /** Whether it was shown tuples from above its positions. */
        boolean isAhead() {
            return !seen.ahead().isEmpty();
        }

        Set<Long> shownBy(@Nullable CoordinatorRole coordinator) {
            return shown.computeIfAbsent(
                    demand == Demand.POSITIONS ? Optional.ofNullable(coordinator) : Optional.empty(),
                    unused -> new HashSet<>());
        }
    }

    private boolean asking;
    private int completeAnswers;
    private int steps;

    Events(World world) {
        this.world = world;
        this.random = world.random;
        for (Demand demand : Demand.values()) {
            sessions.add(new Session(demand));
        }
    }

    int completeAnswers() {
        return completeAnswers;
    }

    /** Events so far, those that happened while a query ran included. */
    int steps() {
        return steps;
    }

    void step() {
        steps++;
        world.now += random.nextInt(2_000_000);
        if (!world.expirers.isEmpty() && random.nextInt(EXPIRY) == 0) {
            expire();
        }
        int action = random.nextInt(1000);
        if (action < 480) {
            world.network.deliverOne();
        } else if (action < 560) {
            for (int n = random.nextInt(world.settings.burst()); n > 0; n--) {
                produce();
            }
            produce();
        } else if (action < 680) {
            world.spouts[random.nextInt(world.spouts.length)].read();
        } else if (action < 750) {
            tick();
        } else if (action < 830) {
            flush(pickHost());
        } else if (action < 840) {
            if (!world.settings.quiet()) {
                seal(pickHost());
            }
        } else if (action < 862) {
            query();
        } else if (action < 882) {
            if (random.nextInt(world.settings.laziness()) == 0) {
                world.coordinators[random.nextInt(world.coordinators.length)].advance();
            }
        } else if (action < 900) {
            world.collector.step();
        } else if (action < 908) {
            merge();
        } else if (action < 916) {
            world.rollers[random.nextInt(world.rollers.length)].step();
        } else if (action < 940) {
            world.hosts[random.nextInt(world.hosts.length)].launch();
        } else if (action < 940 + world.settings.routings()) {
            changeRouting();
        } else if (action < 966) {
            zombie();
        } else if (action < 975) {
            trouble();
        } else if (action < 975 + world.settings.crashes()) {
            crash();
        } else if (action >= 994) {
            world.finisher.step();
        }
    }

    private void produce() {
        world.topic.produce(random.nextInt(world.spouts.length), world.now / 1_000_000);
    }

    private HostRole pickHost() {
        if (!world.zombieHosts.isEmpty() && random.nextInt(5) == 0) {
            return world.zombieHosts.get(random.nextInt(world.zombieHosts.size()));
        }
        return world.hosts[random.nextInt(world.hosts.length)];
    }

    private HostRole.@Nullable Instance pickInstance(HostRole host) {
        if (host.hosted.isEmpty() || host.paused()) {
            return null;
        }
        List<HostRole.Instance> all = List.copyOf(host.hosted.values());
        return all.get(random.nextInt(all.size()));
    }

    private void expire() {
        world.expirers.get(random.nextInt(world.expirers.size())).step();
    }

    /** What others may do to the same entries of the catalog in the middle of a call: commit what they have. */
    void rival() {
        steps++;
        if (!world.expirers.isEmpty() && random.nextInt(4) == 0) {
            expire();
        } else if (!world.zombieHosts.isEmpty() && random.nextInt(4) != 0) {
            flushAll(world.zombieHosts.get(random.nextInt(world.zombieHosts.size())));
        } else if (random.nextInt(4) == 0) {
            changeRouting();
        } else {
            flushAll(world.hosts[random.nextInt(world.hosts.length)]);
        }
    }

    private static void flushAll(HostRole host) {
        for (HostRole.Instance instance : List.copyOf(host.hosted.values())) {
            instance.flushStep();
            instance.flushStep();
        }
    }

    /** A timer's turn: everyone notices the time. */
    void tick() {
        world.now += random.nextInt(60_000_000);
        for (int p = 0; p < world.dispatchers.length; p++) {
            world.spouts[p].onTick();
            DispatcherRole dispatcher = world.dispatchers[p];
            if (dispatcher != null && !dispatcher.paused()) {
                dispatcher.onTick();
            }
        }
        for (HostRole host : world.hosts) {
            if (!host.paused()) {
                host.onTick();
            }
        }
    }

    private void flush(HostRole host) {
        HostRole.Instance instance = pickInstance(host);
        if (instance != null) {
            instance.flushStep();
        }
    }

    private void seal(HostRole host) {
        HostRole.Instance instance = pickInstance(host);
        if (instance != null) {
            instance.core.onSealRequest(SealedTree.Reason.REQUEST, world.now);
        }
    }

    private void merge() {
        if (random.nextBoolean()) {
            world.merger.commit();
        } else {
            HostRole host = pickHost();
            world.merger.write(host, pickInstance(host));
        }
    }

    private void zombie() {
        if (!world.zombieDispatchers.isEmpty()) {
            world.zombieDispatchers
                    .get(random.nextInt(world.zombieDispatchers.size()))
                    .onTick();
        }
        if (!world.zombieHosts.isEmpty()) {
            HostRole zombie = world.zombieHosts.get(random.nextInt(world.zombieHosts.size()));
            zombie.onTick();
            seal(zombie);
            flush(zombie);
        }
    }

    /** Somebody pauses, loses its session, or a link or the disk fails for a while. */
    private void trouble() {
        long while_ = 1_000_000L * random.nextInt(random.nextInt(10) == 0 ? 2_500 : 300);
        HostRole host = world.hosts[random.nextInt(world.hosts.length)];
        switch (random.nextInt(9)) {
            case 0 -> {
                host.pausedUntil = world.now + while_;
                world.note("host " + host.number, "pauses for %d ms", while_ / 1_000_000);
            }
            case 1 -> {
                DispatcherRole dispatcher = world.dispatchers[random.nextInt(world.dispatchers.length)];
                if (dispatcher != null) {
                    dispatcher.pausedUntil = world.now + while_;
                    world.note("dispatcher " + dispatcher.partition(), "pauses for %d ms", while_ / 1_000_000);
                }
            }
            case 2 -> host.client.loseSession(1 + random.nextInt(8));
            case 3 -> world.coordinators[random.nextInt(2)].client.loseSession(1 + random.nextInt(8));
            case 4 -> world.collector.client.loseSession(1 + random.nextInt(8));
            case 5 -> {
                DispatcherRole dispatcher = world.dispatchers[random.nextInt(world.dispatchers.length)];
                if (dispatcher != null) {
                    dispatcher.loseSession(1 + random.nextInt(8));
                }
            }
            case 6 -> world.rollers[random.nextInt(2)].client.loseSession(1 + random.nextInt(8));
            case 7 -> {
                world.files.fill(1 + random.nextInt(10));
                world.note("disk", "is full");
            }
            default -> world.network.cut(while_);
        }
    }

    private void crash() {
        switch (random.nextInt(11)) {
            case 0, 1, 2, 3 -> world.crashHost(random.nextInt(world.hosts.length), random.nextBoolean());
            case 4, 5, 6 -> world.crashDispatcher(random.nextInt(world.dispatchers.length), random.nextBoolean());
            case 7 -> {
                int p = random.nextInt(world.spouts.length);
                world.spouts[p] = new SpoutRole(world, p);
                world.note("spout " + p, "restarts");
            }
            case 8 -> {
                int c = random.nextInt(world.coordinators.length);
                world.coordinators[c] = new CoordinatorRole(world, c);
                world.note("coordinator " + c, "restarts");
            }
            case 9 -> {
                int r = random.nextInt(world.rollers.length);
                world.rollers[r] = new CompactionRole(world, r);
                world.note("roller " + r, "restarts");
            }
            default -> world.collector = new CollectorRole(world);
        }
    }

    /** Two balancers, each with its own view of the catalog; now and then with another number of indexers. */
    private void changeRouting() {
        int count = 1 + random.nextInt(4);
        int scales = world.topic.scaled() ? world.truth.newestTable().scales() : 1;
        boolean rescale = world.topic.scaled() && scales < ScaleVersion.MOST && random.nextInt(3) == 0;
        KeyInterval domain = world.topic.scaled()
                ? KeyScheme.of(world.topic.schema).domain(rescale ? scales + 1 : scales)
                : KeyInterval.ALL;
        RoutingTable even = RoutingTable.even(1, domain, count);
        long[] boundaries = even.boundaries();
        for (int i = 0; i < boundaries.length; i++) {
            boundaries[i] += world.topic.scaled() ? random.nextInt(4) : random.nextInt();
        }
        int[] indexers = even.indexers();
        // Not always the same id for the same keys.
        int first = random.nextInt(count);
        for (int i = 0; i < count; i++) {
            indexers[i] = (first + i) % count;
        }
        SimCatalog.Client balancer = world.balancers[random.nextInt(world.balancers.length)];
        if (world.faulty() && random.nextInt(4) == 0) {
            // It gets no further than so many calls.
            balancer.loseSessionAfter(random.nextInt(24));
        }
        try {
            StreamCatalog catalog = new StreamCatalog(balancer, world.stream);
            RoutingTable table = rescale
                    ? catalog.changeScales(0, scales(), boundaries, indexers).orElseThrow()
                    : catalog.changeRouting(boundaries, indexers);
            world.note("balancer", "table %d: %d indexers, scales %d", table.version(), count, table.scales());
        } catch (WaterwheelException e) {
            world.requireTemporary(e);
            world.note("balancer", "fails: %s", e.getMessage());
        } catch (IllegalArgumentException e) {
            // Others were faster with the last versions.
            Oracle.check(
                    rescale
                            && new Namespace(world.catalog.truth())
                                            .find("s")
                                            .orElseThrow()
                                            .scales()
                                    == ScaleVersion.MOST,
                    "scales are refused: %s",
                    e.getMessage());
            world.note("balancer", "is refused: %s", e.getMessage());
        }
        for (HostRole host : world.hosts) {
            host.launch();
        }
    }

    /** Other cuts of both dimensions; those of the one that moves on lie about what was produced last. */
    private List<Dimension> scales() {
        int last = world.topic.produced().size();
        return List.of(
                new Dimension("k", Topic.DIMENSION_BITS, List.of(), cuts(random::nextInt)),
                new Dimension("id", Topic.DIMENSION_BITS, List.of(), cuts(() -> last - 50 + random.nextInt(150))));
    }

    private List<String> cuts(IntSupplier values) {
        Set<Integer> cuts = new TreeSet<>();
        for (int n = 1 + random.nextInt((1 << Topic.DIMENSION_BITS) - 1); n > 0; n--) {
            cuts.add(values.getAsInt());
        }
        return cuts.stream().map(String::valueOf).toList();
    }

    private static List<KeyRange> range(String field, KeyInterval values) {
        return values.equals(KeyInterval.ALL)
                ? List.of()
                : List.of(new KeyRange(field, String.valueOf(values.low()), String.valueOf(values.high())));
    }

    private void query() {
        if (asking) {
            return;
        }
        KeyInterval keys = KeyInterval.ALL;
        if (random.nextBoolean()) {
            long a = world.topic.scaled() ? random.nextInt() : random.nextLong();
            long b = world.topic.scaled() ? random.nextInt() : random.nextLong();
            keys = new KeyInterval(Math.min(a, b), Math.max(a, b));
        }
        KeyInterval ids = KeyInterval.ALL;
        if (world.topic.scaled() && random.nextBoolean()) {
            long from = random.nextInt(world.topic.produced().size() + 1);
            ids = new KeyInterval(from, from + random.nextInt(100));
        }
        TimeInterval times = TimeInterval.ALL;
        if (random.nextInt(3) == 0) {
            long from = random.nextInt((int) (world.now / 1_000_000) + 22_000);
            times = new TimeInterval(from, from + random.nextInt(random.nextBoolean() ? 500 : 20_000));
        }
        Duration timeout = Duration.ofMillis(4 + random.nextInt((int) Settings.MAX_QUERY_MILLIS - 4));
        boolean partial = random.nextInt(6) == 0;
        int kind = random.nextInt(4);
        if (kind < 2) {
            Session session = sessions.get(random.nextInt(sessions.size()));
            // A coordinator knows for a moment only less than another has shown.
            do {
                Answer answer = ask(keys, ids, times, session.atLeast(), session.demanded(), timeout, partial);
                if (answer.verdict == null || !answer.verdict.complete()) {
                    return;
                }
                session.saw(answer.verdict);
                world.oracle.checkShown(answer, session.shownBy(asked));
            } while (session.isAhead() && random.nextBoolean());
            return;
        }
        Map<Integer, Long> demand = new HashMap<>();
        if (kind == 2) {
            int p = random.nextInt(world.spouts.length);
            demand.put(p, (long) random.nextInt((int) world.topic.end(p) + 1));
        }
        ask(keys, ids, times, demand, SessionPositions.NOTHING, timeout, partial);
    }

    /** Asks one of the coordinators for all of some times, and compares what it answers. */
    Answer ask(TimeInterval times, Map<Integer, Long> demand, Duration timeout, boolean partial) {
        return ask(KeyInterval.ALL, KeyInterval.ALL, times, demand, SessionPositions.NOTHING, timeout, partial);
    }

    private Answer ask(
            KeyInterval keys,
            KeyInterval ids,
            TimeInterval times,
            Map<Integer, Long> demand,
            SessionPositions seen,
            Duration timeout,
            boolean partial) {
        Query all = Query.of(world.stream.name());
        Query query = (world.topic.scaled()
                        ? all.withKeyRanges(Stream.of(range("k", keys), range("id", ids))
                                .flatMap(List::stream)
                                .toList())
                        : all.withKeys(List.of(keys)))
                .withTimes(times)
                .withAtLeast(demand)
                .withSeen(seen)
                .withTimeout(timeout)
                .withSelect(List.of("id"));
        if (partial) {
            query = query.withPartialAllowed();
        }
        asking = true;
        try {
            asked = world.coordinators[random.nextInt(world.coordinators.length)];
            Answer answer = asked.ask(query, keys, ids);
            AssertionError broken = world.oracle.broken();
            if (broken != null) {
                throw broken;
            }
            if (answer.failure != null) {
                world.requireTemporary(answer.failure);
            }
            world.oracle.check(answer);
            if (answer.verdict != null && answer.verdict.complete()) {
                completeAnswers++;
            }
            return answer;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            asking = false;
        }
    }
}
