package io.waterwheel.query.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.hash.Hashing;
import io.waterwheel.catalog.state.ChunkDescriptor;
import io.waterwheel.tuple.Region;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Queries over simulated servers: fast and slow ones, ones that are lost on the way, each with a cache of its own. */
final class DispatchTest {
    private static final int SERVERS = 8;
    private static final int COLD_MILLIS = 10;
    private static final int WARM_MILLIS = 2;
    private static final long MILLI = 1_000_000;

    /** One query server; lost ones fail whatever they are asked, as a connection to a dead process does. */
    private static final class Server {
        final String name;
        final int slowness;
        long lostAt = Long.MAX_VALUE;
        /** Chunks that its cache holds, the oldest first. */
        final LinkedHashMap<String, Boolean> cache = new LinkedHashMap<>(16, 0.75f, true);

        ChunkDescriptor reading;
        long busyUntil;
        boolean ended;
        long work;
        int reads;
        int hits;

        Server(String name, int slowness) {
            this.name = name;
            this.slowness = slowness;
        }
    }

    /** What one simulation saw. */
    private record Outcome(double hitShare, double makespan, double imbalance) {}

    @Test
    void everyPolicyReadsEveryChunkOnceWithSlowAndLostServers() {
        for (ComparedPolicy policy : ComparedPolicy.values()) {
            for (long seed = 1; seed <= 40; seed++) {
                Random random = new Random(seed);
                List<Server> servers = new ArrayList<>();
                for (int s = 0; s < SERVERS; s++) {
                    Server server = new Server("server-" + s, random.nextInt(4) == 0 ? 10 : 1);
                    server.lostAt = s > 0 && random.nextInt(3) == 0 ? random.nextInt(200) : Long.MAX_VALUE;
                    servers.add(server);
                }
                for (int query = 0; query < 4; query++) {
                    run(policy, chunks(random, 1 + random.nextInt(120)), servers, 20, policy + ", seed " + seed);
                }
            }
        }
    }

    /** Two read one chunk, and wait for its client at the same time. */
    @Test
    void pausesThatOverlapCountOnce() {
        List<ChunkDescriptor> one = chunks(new Random(1), 1);
        Dispatch dispatch = new LocalityAwareDispatch(one, servers("a", "h", "b", "h", "c", "h"), file -> List.of());
        assertThat(dispatch.bid("a", millis(0))).isInstanceOf(Dispatch.Bid.Read.class);
        assertThat(dispatch.bid("b", millis(499))).isInstanceOf(Dispatch.Bid.Nothing.class);
        assertThat(dispatch.bid("b", millis(500))).as("it takes long").isInstanceOf(Dispatch.Bid.Read.class);
        dispatch.paused(one.get(0), "a", true, millis(600));
        dispatch.paused(one.get(0), "b", true, millis(700));
        assertThat(dispatch.bid("c", millis(10_000))).as("it waits").isInstanceOf(Dispatch.Bid.Nothing.class);
        dispatch.paused(one.get(0), "a", false, millis(10_500));
        dispatch.paused(one.get(0), "b", false, millis(10_600));
        // Begun the second time at 500, and paused for 10,000: a third server helps after a second without pauses.
        assertThat(dispatch.bid("c", millis(11_499))).isInstanceOf(Dispatch.Bid.Nothing.class);
        assertThat(dispatch.bid("c", millis(11_500))).isInstanceOf(Dispatch.Bid.Read.class);
    }

    private static long millis(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }

    @Test
    void ladaHitsCachesAsHashingDoesAndSharesWorkAsAQueueDoes() {
        Map<ComparedPolicy, Outcome> outcomes = new HashMap<>();
        for (ComparedPolicy policy : ComparedPolicy.values()) {
            double hits = 0;
            double makespan = 0;
            double imbalance = 0;
            int seeds = 10;
            for (long seed = 1; seed <= seeds; seed++) {
                Random random = new Random(seed);
                List<Server> servers = new ArrayList<>();
                for (int s = 0; s < SERVERS; s++) {
                    servers.add(new Server("server-" + s, 1));
                }
                Outcome outcome = new Outcome(0, 0, 0);
                // Queries of 10 to 60 of 400 chunks; a cache holds 100: an eighth of the chunks and as many again.
                for (int query = 0; query < 200; query++) {
                    outcome = run(policy, chunks(random, 10 + random.nextInt(50)), servers, 100, "seed " + seed);
                    makespan += outcome.makespan;
                    imbalance += outcome.imbalance;
                }
                hits += outcome.hitShare;
            }
            outcomes.put(policy, new Outcome(hits / seeds, makespan / seeds / 200, imbalance / seeds / 200));
            System.out.printf("dispatch %s: %s%n", policy, outcomes.get(policy));
        }
        Outcome lada = outcomes.get(ComparedPolicy.LADA);
        assertThat(lada.hitShare).isGreaterThan(outcomes.get(ComparedPolicy.SHARED_QUEUE).hitShare * 1.2);
        assertThat(lada.hitShare).isGreaterThan(outcomes.get(ComparedPolicy.ROUND_ROBIN).hitShare * 1.2);
        assertThat(lada.imbalance).isLessThan(outcomes.get(ComparedPolicy.HASHING).imbalance * 0.8);
        assertThat(lada.makespan).isLessThan(outcomes.get(ComparedPolicy.SHARED_QUEUE).makespan * 0.7);
        assertThat(lada.makespan).isLessThan(outcomes.get(ComparedPolicy.ROUND_ROBIN).makespan * 0.7);
        // Hashing reads no chunk at two servers: on equal servers that outweighs its uneven shares.
        assertThat(lada.makespan).isLessThan(outcomes.get(ComparedPolicy.HASHING).makespan * 1.15);
    }

    @Test
    void aSlowServerHoldsUpHashingButNotLada() {
        Map<ComparedPolicy, Double> makespans = new HashMap<>();
        for (ComparedPolicy policy : ComparedPolicy.values()) {
            Random random = new Random(1);
            List<Server> servers = new ArrayList<>();
            for (int s = 0; s < SERVERS; s++) {
                servers.add(new Server("server-" + s, s == 3 ? 10 : 1));
            }
            double sum = 0;
            for (int query = 0; query < 200; query++) {
                sum += run(policy, chunks(random, 60), servers, 100, policy.toString()).makespan;
            }
            makespans.put(policy, sum / 200);
        }
        assertThat(makespans.get(ComparedPolicy.LADA))
                .as("%s", makespans)
                .isLessThan(makespans.get(ComparedPolicy.HASHING) * 0.6)
                .isLessThan(makespans.get(ComparedPolicy.ROUND_ROBIN) * 0.6);
    }

    /** Runs one query to its end, a millisecond a step. */
    private static Outcome run(
            ComparedPolicy policy, List<ChunkDescriptor> chunks, List<Server> servers, int cacheChunks, String about) {
        Map<String, Dispatch.Server> each = new HashMap<>();
        servers.forEach(server -> each.put(server.name, new Dispatch.Server("host of " + server.name, 1)));
        Dispatch dispatch = policy.dispatch(chunks, each, file -> List.of());
        Set<String> read = new HashSet<>();
        long[] work = new long[servers.size()];
        servers.forEach(server -> server.ended = false);
        long now = 0;
        while (read.size() < chunks.size()) {
            assertThat(now).as("%s: no end", about).isLessThan(1_000_000);
            boolean anyAtWork = false;
            for (int s = 0; s < servers.size(); s++) {
                Server server = servers.get(s);
                if (server.reading != null && server.busyUntil <= now) {
                    end(dispatch, server, read, cacheChunks, now, about);
                }
                if (server.reading == null && !server.ended) {
                    Dispatch.Bid bid = dispatch.bid(server.name, now * MILLI);
                    server.reading = bid instanceof Dispatch.Bid.Read taken ? taken.chunk() : null;
                    server.ended = bid instanceof Dispatch.Bid.Nothing;
                    if (server.reading != null) {
                        long cost = begin(server, now);
                        work[s] += cost;
                    } else if (policy.anyMayTakeAll() && server.work < server.lostAt) {
                        assertThat(dispatch.left())
                                .as("%s: %s idles while this is pending", about, server.name)
                                .isEmpty();
                    }
                }
                anyAtWork |= server.reading != null;
            }
            if (!anyAtWork && read.size() < chunks.size()) {
                // As the runner does: all ended, something is left because who had it failed.
                dispatch.forgetFailures();
                servers.forEach(server -> server.ended = false);
            }
            now++;
        }
        assertThat(dispatch.left()).as(about).isEmpty();
        long most = 0;
        long all = 0;
        for (long part : work) {
            most = Math.max(most, part);
            all += part;
        }
        int reads = servers.stream().mapToInt(server -> server.reads).sum();
        int hits = servers.stream().mapToInt(server -> server.hits).sum();
        return new Outcome((double) hits / reads, now, (double) most * servers.size() / all);
    }

    private static long begin(Server server, long now) {
        boolean warm = server.cache.containsKey(server.reading.file());
        long cost = server.work >= server.lostAt ? 1 : (long) (warm ? WARM_MILLIS : COLD_MILLIS) * server.slowness;
        server.busyUntil = now + cost;
        server.work += cost;
        server.reads++;
        server.hits += warm ? 1 : 0;
        return cost;
    }

    private static void end(
            Dispatch dispatch, Server server, Set<String> read, int cacheChunks, long now, String about) {
        ChunkDescriptor chunk = server.reading;
        server.reading = null;
        if (server.work >= server.lostAt) {
            dispatch.failed(chunk, server.name);
            return;
        }
        assertThat(dispatch.done(chunk, server.name, now * MILLI))
                .as("%s: %s is read whole for the first time", about, chunk.file())
                .isEqualTo(read.add(chunk.file()));
        server.cache.put(chunk.file(), true);
        if (server.cache.size() > cacheChunks) {
            server.cache.remove(server.cache.keySet().iterator().next());
        }
    }

    @Test
    void aServerThatHoldsAReplicaComesFirst() {
        List<ChunkDescriptor> chunks = chunks(new Random(1), 30);
        Dispatch dispatch = new LocalityAwareDispatch(
                chunks,
                servers("a", "h1", "b", "h2", "c", "h3"),
                file -> file.hashCode() % 2 == 0 ? List.of("h2") : List.of("h3"));
        long even = chunks.stream()
                .filter(chunk -> chunk.file().hashCode() % 2 == 0)
                .count();
        for (int i = 0; i < even; i++) {
            ChunkDescriptor chunk = chunk(dispatch.bid("b", 0));
            assertThat(chunk).isNotNull();
            assertThat(chunk.file().hashCode() % 2).as(chunk.file()).isEqualTo(0);
        }
    }

    @Test
    void aFailedChunkGoesToEveryOtherServerAndIsLeftWhenAllFailed() {
        for (ComparedPolicy policy : ComparedPolicy.values()) {
            Dispatch dispatch = policy.dispatch(
                    chunks(new Random(1), 1), servers("a", "h1", "b", "h2", "c", "h3"), file -> List.of());
            Set<String> tried = new HashSet<>();
            for (int round = 0; round < 3; round++) {
                for (String server : List.of("a", "b", "c")) {
                    ChunkDescriptor chunk = chunk(dispatch.bid(server, 0));
                    if (chunk != null) {
                        assertThat(tried.add(server))
                                .as("%s: not again to %s", policy, server)
                                .isTrue();
                        dispatch.failed(chunk, server);
                    }
                }
            }
            assertThat(tried).as("%s", policy).hasSize(3);
            assertThat(dispatch.left()).hasSize(1);
            dispatch.forgetFailures();
            assertThat(List.of("a", "b", "c")).anyMatch(server -> dispatch.bid(server, 0) instanceof Dispatch.Bid.Read);
        }
    }

    @Test
    void almostAllColdReadsAreBesideAReplicaAndNoServerIdlesLongerThanThePatience() {
        Map<ComparedPolicy, Double> near = new HashMap<>();
        Map<ComparedPolicy, Double> millis = new HashMap<>();
        for (ComparedPolicy policy : ComparedPolicy.values()) {
            double nearReads = 0;
            double reads = 0;
            double spans = 0;
            for (long seed = 1; seed <= 300; seed++) {
                Replicated run = new Replicated(policy, seed, 1 + (int) (seed % 30));
                run.toTheEnd();
                nearReads += run.nearReads;
                reads += run.chunks.size();
                spans += run.now;
            }
            near.put(policy, nearReads / reads);
            millis.put(policy, spans / 300);
        }
        System.out.printf("beside a replica: %s; ms a query: %s%n", near, millis);
        assertThat(near.get(ComparedPolicy.LADA)).isGreaterThan(0.97);
        for (ComparedPolicy blind :
                List.of(ComparedPolicy.ROUND_ROBIN, ComparedPolicy.HASHING, ComparedPolicy.SHARED_QUEUE)) {
            assertThat(near.get(blind)).as("%s", blind).isBetween(0.6, 0.75);
        }
        assertThat(millis.get(ComparedPolicy.LADA)).isLessThan(millis.get(ComparedPolicy.LADA_PAPER) * 1.1);
    }

    /** One cold query over three servers, each on a host of its own, two replicas a chunk; a millisecond a step. */
    private static final class Replicated {
        private static final List<String> SERVERS = List.of("a", "b", "c");
        private static final long PATIENCE_MILLIS = LocalityAwareDispatch.PATIENCE_NANOS / MILLI;

        final List<ChunkDescriptor> chunks;
        private final ComparedPolicy policy;
        private final Random random;
        private final Dispatch dispatch;
        private final Map<String, ChunkDescriptor> reading = new HashMap<>();
        private final Map<String, Long> busyUntil = new HashMap<>();
        private final Map<String, Long> waitingSince = new HashMap<>();
        private final String about;
        private int left;
        int nearReads;
        long now;

        Replicated(ComparedPolicy policy, long seed, int count) {
            this.policy = policy;
            this.random = new Random(seed);
            this.chunks = chunks(random, count);
            this.left = chunks.size();
            this.about = policy + ", seed " + seed;
            this.dispatch =
                    policy.dispatch(chunks, servers("a", "h-a", "b", "h-b", "c", "h-c"), file -> SERVERS.stream()
                            .filter(server -> holds(server, file))
                            .map(server -> "h-" + server)
                            .toList());
        }

        private static boolean holds(String server, String file) {
            return Math.floorMod(file.hashCode() * 31 / 7, 3) != SERVERS.indexOf(server);
        }

        void toTheEnd() {
            while (left > 0) {
                assertThat(now).as("%s: no end", about).isLessThan(100_000);
                // Who bids first is chance.
                List<String> servers = new ArrayList<>(SERVERS);
                java.util.Collections.shuffle(servers, random);
                servers.forEach(this::step);
                now++;
            }
        }

        private void step(String server) {
            ChunkDescriptor chunk = reading.get(server);
            if (chunk != null && busyUntil.get(server) <= now) {
                reading.remove(server);
                assertThat(dispatch.done(chunk, server, now * MILLI)).as(about).isTrue();
                left--;
                chunk = null;
            }
            if (chunk != null) {
                return;
            }
            Dispatch.Bid bid = dispatch.bid(server, now * MILLI);
            if (bid instanceof Dispatch.Bid.Read taken) {
                reading.put(server, taken.chunk());
                busyUntil.put(server, now + 5 + random.nextInt(15));
                nearReads += holds(server, taken.chunk().file()) ? 1 : 0;
                waitingSince.remove(server);
            } else if (bid instanceof Dispatch.Bid.Later later) {
                assertThat(policy).as(about).isEqualTo(ComparedPolicy.LADA);
                long since = waitingSince.computeIfAbsent(server, key -> now);
                assertThat(now - since).as("%s: %s waits", about, server).isLessThan(PATIENCE_MILLIS);
                assertThat(later.nanos()).as(about).isEqualTo((PATIENCE_MILLIS - (now - since)) * MILLI);
            } else if (policy.anyMayTakeAll()) {
                assertThat(dispatch.left()).as("%s: %s ends", about, server).isEmpty();
            }
        }
    }

    /** Names and hosts in turn; each reads one chunk at once. */
    private static Map<String, Dispatch.Server> servers(String... namesAndHosts) {
        Map<String, Dispatch.Server> servers = new HashMap<>();
        for (int i = 0; i < namesAndHosts.length; i += 2) {
            servers.put(namesAndHosts[i], new Dispatch.Server(namesAndHosts[i + 1], 1));
        }
        return servers;
    }

    /** Each of its readers bids by itself, under the server's name. */
    @Test
    void aServerWithTwoReadersIsFreeWhileItReadsOneChunk() {
        Map<String, Dispatch.Server> two = Map.of("a", new Dispatch.Server("h1", 2), "b", new Dispatch.Server("h1", 1));
        List<ChunkDescriptor> preferred = chunks(new Random(4), 40).stream()
                .filter(chunk -> new LocalityAwareDispatch(List.of(chunk), two, file -> List.of("h1")).bid("a", 0)
                        instanceof Dispatch.Bid.Read)
                .limit(4)
                .toList();
        assertThat(preferred).hasSize(4);
        Dispatch dispatch = new LocalityAwareDispatch(preferred, two, file -> List.of("h1"));
        ChunkDescriptor one = chunk(dispatch.bid("a", 0));
        assertThat(dispatch.bid("b", 0))
                .as("the other reader of a has nothing to do")
                .isInstanceOf(Dispatch.Bid.Later.class);
        ChunkDescriptor other = chunk(dispatch.bid("a", 0));
        ChunkDescriptor given = chunk(dispatch.bid("b", 0));
        assertThat(given).as("both readers of a are at work").isNotNull();
        dispatch.failed(given, "b");
        dispatch.putOff(other, "a");
        assertThat(dispatch.bid("b", 0)).as("put off").isInstanceOf(Dispatch.Bid.Later.class);
        assertThat(chunk(dispatch.bid("a", 0))).isNotNull();
        assertThat(dispatch.done(one, "a", 1)).isTrue();
        assertThat(dispatch.bid("b", 0)).as("read").isInstanceOf(Dispatch.Bid.Later.class);
    }

    @Test
    void theOnlyChunkIsLeftToTheServerThatPrefersIt() {
        List<ChunkDescriptor> one = chunks(new Random(1), 1);
        Map<String, Dispatch.Server> servers = servers("a", "h1", "b", "h2", "c", "h3");
        List<String> held = List.of("h1", "h2");
        String first = null;
        for (String server : List.of("a", "b")) {
            Dispatch dispatch = new LocalityAwareDispatch(one, servers, file -> held);
            if (dispatch.bid(server, 0) instanceof Dispatch.Bid.Read) {
                assertThat(first).as("one of them is preferred").isNull();
                first = server;
            }
        }
        assertThat(first).isNotNull();
        String second = first.equals("a") ? "b" : "a";

        // Neither the other holder nor the server without a replica takes it while the first may.
        Dispatch dispatch = new LocalityAwareDispatch(one, servers, file -> held);
        assertThat(dispatch.bid("c", 0)).isEqualTo(new Dispatch.Bid.Later(LocalityAwareDispatch.PATIENCE_NANOS));
        assertThat(dispatch.bid(second, 7)).isEqualTo(new Dispatch.Bid.Later(LocalityAwareDispatch.PATIENCE_NANOS));
        assertThat(dispatch.bid(second, 9)).isEqualTo(new Dispatch.Bid.Later(LocalityAwareDispatch.PATIENCE_NANOS - 2));
        assertThat(dispatch.bid(first, 10)).isEqualTo(new Dispatch.Bid.Read(one.get(0)));
        assertThat(dispatch.bid("c", 11)).isInstanceOf(Dispatch.Bid.Nothing.class);

        // The first fails: the other holder has it at once, also while the far one waits; and nobody waits for it.
        dispatch = new LocalityAwareDispatch(one, servers, file -> held);
        dispatch.failed(chunk(dispatch.bid(first, 0)), first);
        assertThat(dispatch.bid("c", 1)).isInstanceOf(Dispatch.Bid.Later.class);
        assertThat(dispatch.bid(first, 1)).isInstanceOf(Dispatch.Bid.Nothing.class);
        dispatch.failed(chunk(dispatch.bid(second, 2)), second);
        assertThat(dispatch.bid("c", 3)).isEqualTo(new Dispatch.Bid.Read(one.get(0)));

        // A holder that never bids, or holds on to something else for ever, is waited for no longer than the patience.
        dispatch = new LocalityAwareDispatch(one, servers, file -> held);
        assertThat(dispatch.bid("c", 0)).isInstanceOf(Dispatch.Bid.Later.class);
        assertThat(dispatch.bid("c", LocalityAwareDispatch.PATIENCE_NANOS - 1)).isEqualTo(new Dispatch.Bid.Later(1));
        assertThat(dispatch.bid("c", LocalityAwareDispatch.PATIENCE_NANOS))
                .isEqualTo(new Dispatch.Bid.Read(one.get(0)));
    }

    @Test
    void patienceIsTheMeanTimeOfReadsThatHaveEndedWithinItsBounds() {
        for (long tookMillis : List.of(3L, 120L, 10_000L)) {
            List<ChunkDescriptor> two = chunks(new Random(2), 2);
            long now = tookMillis * MILLI;
            long patience = Math.max(
                    LocalityAwareDispatch.PATIENCE_NANOS,
                    Math.min(tookMillis * MILLI, LocalityAwareDispatch.MOST_PATIENCE_NANOS));
            Dispatch dispatch = afterOneRead(two, tookMillis);
            assertThat(dispatch.bid("b", now))
                    .as("after a read of %s ms", tookMillis)
                    .isEqualTo(new Dispatch.Bid.Later(patience));
            assertThat(dispatch.bid("b", now + patience - 1)).isEqualTo(new Dispatch.Bid.Later(1));
            assertThat(dispatch.bid("b", now + patience)).isInstanceOf(Dispatch.Bid.Read.class);
        }
    }

    /** A dispatch of which server a, beside all replicas, has read one chunk. */
    private static Dispatch afterOneRead(List<ChunkDescriptor> chunks, long tookMillis) {
        Dispatch dispatch = new LocalityAwareDispatch(chunks, servers("a", "h1", "b", "h2"), file -> List.of("h1"));
        assertThat(dispatch.done(chunk(dispatch.bid("a", 0)), "a", tookMillis * MILLI))
                .isTrue();
        return dispatch;
    }

    @Test
    void whatAServerHoldsUpAnotherReadsAndTheFirstOfThemCounts() {
        for (long meanMillis : List.of(10L, 200L)) {
            long due = Math.max(LocalityAwareDispatch.HELD_UP_NANOS, 4 * meanMillis * MILLI);
            Dispatch dispatch = new LocalityAwareDispatch(
                    chunks(new Random(3), 2), servers("a", "h", "b", "h", "c", "h"), file -> List.of());
            ChunkDescriptor held = chunk(dispatch.bid("a", 0));
            ChunkDescriptor quick = chunk(dispatch.bid("b", 0));
            assertThat(dispatch.done(quick, "b", meanMillis * MILLI)).isTrue();
            assertThat(dispatch.isRead(quick)).isTrue();
            assertThat(dispatch.isRead(held)).isFalse();
            assertThat(dispatch.hasWorkFor("b", due - 1)).isFalse();
            assertThat(dispatch.bid("b", due - 1)).isInstanceOf(Dispatch.Bid.Nothing.class);

            assertThat(dispatch.hasWorkFor("a", due)).as("it has it").isFalse();
            assertThat(dispatch.hasWorkFor("b", due)).isTrue();
            assertThat(chunk(dispatch.bid("b", due))).isEqualTo(held);
            // Whoever fails leaves it to the others that read it.
            dispatch.failed(held, "b");
            assertThat(dispatch.left()).isEmpty();
            assertThat(dispatch.isRead(held)).isFalse();
            // The next one after twice as long; whoever failed, too.
            for (String server : List.of("b", "c")) {
                assertThat(dispatch.hasWorkFor(server, 3 * due - 1)).isFalse();
                assertThat(dispatch.bid(server, 3 * due - 1)).isInstanceOf(Dispatch.Bid.Nothing.class);
                assertThat(dispatch.hasWorkFor(server, 3 * due)).isTrue();
            }
            assertThat(chunk(dispatch.bid("c", 3 * due))).isEqualTo(held);
            assertThat(dispatch.done(held, "c", 3 * due + 1)).isTrue();
            assertThat(dispatch.isRead(held)).isTrue();
            assertThat(dispatch.done(held, "a", 4 * due)).isFalse();
            dispatch.failed(held, "a");
            assertThat(dispatch.left()).isEmpty();
        }
    }

    @Test
    void whatAServerFailedAtIsWorkForTheOthers() {
        Dispatch dispatch =
                new LocalityAwareDispatch(chunks(new Random(3), 1), servers("a", "h", "b", "h"), file -> List.of());
        ChunkDescriptor only = chunk(dispatch.bid("a", 0));
        assertThat(dispatch.hasWorkFor("b", 0)).isFalse();
        dispatch.failed(only, "a");
        assertThat(dispatch.hasWorkFor("a", 0)).isFalse();
        assertThat(dispatch.hasWorkFor("b", 0)).isTrue();
    }

    @Test
    void theOtherPoliciesDoNotHelp() {
        for (ComparedPolicy policy : ComparedPolicy.values()) {
            Dispatch dispatch =
                    policy.dispatch(chunks(new Random(3), 1), servers("a", "h", "b", "h"), file -> List.of());
            boolean first = chunk(dispatch.bid("a", 0)) != null;
            if (!first) {
                assertThat(chunk(dispatch.bid("b", 0))).isNotNull();
            }
            assertThat(dispatch.hasWorkFor(first ? "b" : "a", Long.MAX_VALUE / 2))
                    .as("%s", policy)
                    .isEqualTo(policy == ComparedPolicy.LADA);
        }
    }

    private static @Nullable ChunkDescriptor chunk(Dispatch.Bid bid) {
        return bid instanceof Dispatch.Bid.Read read ? read.chunk() : null;
    }

    @Test
    void murmurIsGuavas() {
        Random random = new Random(1);
        for (int step = 0; step < 500; step++) {
            String text = random.ints(random.nextInt(40), 32, 0x2000)
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .toString();
            assertThat(Murmur3.hash(text))
                    .as(text)
                    .isEqualTo(Hashing.murmur3_32_fixed()
                            .hashString(text, StandardCharsets.UTF_8)
                            .asInt());
        }
    }

    /** Different ones of 400 chunks. */
    private static List<ChunkDescriptor> chunks(Random random, int count) {
        return random.ints(0, 400)
                .distinct()
                .limit(count)
                .mapToObj(
                        i -> new ChunkDescriptor("s-1/0-1-" + i + "-0.chunk", 0, 1, i, 0, 1, 1, Region.of(0, 1, 0, 1)))
                .toList();
    }
}
