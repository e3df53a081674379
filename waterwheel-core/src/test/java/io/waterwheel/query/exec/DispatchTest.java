package io.waterwheel.query.exec;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.hash.Hashing;
import io.waterwheel.catalog.ChunkDescriptor;
import io.waterwheel.model.Region;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Queries over simulated servers: fast and slow ones, ones that are lost on the way, each with a cache of its own. */
final class DispatchTest {
    private static final int SERVERS = 8;
    private static final int COLD_MILLIS = 10;
    private static final int WARM_MILLIS = 2;

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
        for (DispatchPolicy policy : DispatchPolicy.values()) {
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

    @Test
    void ladaHitsCachesAsHashingDoesAndSharesWorkAsAQueueDoes() {
        Map<DispatchPolicy, Outcome> outcomes = new HashMap<>();
        for (DispatchPolicy policy : DispatchPolicy.values()) {
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
        Outcome lada = outcomes.get(DispatchPolicy.LADA);
        assertThat(lada.hitShare).isGreaterThan(outcomes.get(DispatchPolicy.SHARED_QUEUE).hitShare * 1.2);
        assertThat(lada.hitShare).isGreaterThan(outcomes.get(DispatchPolicy.ROUND_ROBIN).hitShare * 1.2);
        assertThat(lada.imbalance).isLessThan(outcomes.get(DispatchPolicy.HASHING).imbalance * 0.8);
        assertThat(lada.makespan).isLessThan(outcomes.get(DispatchPolicy.SHARED_QUEUE).makespan * 0.7);
        assertThat(lada.makespan).isLessThan(outcomes.get(DispatchPolicy.ROUND_ROBIN).makespan * 0.7);
        // Hashing reads no chunk at two servers: on equal servers that outweighs its uneven shares.
        assertThat(lada.makespan).isLessThan(outcomes.get(DispatchPolicy.HASHING).makespan * 1.15);
    }

    @Test
    void aSlowServerHoldsUpHashingButNotLada() {
        Map<DispatchPolicy, Double> makespans = new HashMap<>();
        for (DispatchPolicy policy : DispatchPolicy.values()) {
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
        assertThat(makespans.get(DispatchPolicy.LADA))
                .as("%s", makespans)
                .isLessThan(makespans.get(DispatchPolicy.HASHING) * 0.6)
                .isLessThan(makespans.get(DispatchPolicy.ROUND_ROBIN) * 0.6);
    }

    /** Runs one query to its end, a millisecond a step. */
    private static Outcome run(
            DispatchPolicy policy, List<ChunkDescriptor> chunks, List<Server> servers, int cacheChunks, String about) {
        Map<String, String> hosts = new HashMap<>();
        servers.forEach(server -> hosts.put(server.name, "host of " + server.name));
        Dispatch dispatch = policy.dispatch(chunks, hosts, file -> List.of());
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
                    end(dispatch, server, read, cacheChunks, about);
                }
                if (server.reading == null && !server.ended) {
                    server.reading = dispatch.bid(server.name);
                    server.ended = server.reading == null;
                    if (server.reading != null) {
                        long cost = begin(server, now);
                        work[s] += cost;
                    } else if (anyMayTakeAll(policy) && server.work < server.lostAt) {
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

    private static boolean anyMayTakeAll(DispatchPolicy policy) {
        return policy == DispatchPolicy.LADA || policy == DispatchPolicy.SHARED_QUEUE;
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

    private static void end(Dispatch dispatch, Server server, Set<String> read, int cacheChunks, String about) {
        ChunkDescriptor chunk = server.reading;
        server.reading = null;
        if (server.work >= server.lostAt) {
            dispatch.failed(chunk, server.name);
            return;
        }
        assertThat(read.add(chunk.file()))
                .as("%s: %s twice", about, chunk.file())
                .isTrue();
        dispatch.done(chunk);
        server.cache.put(chunk.file(), true);
        if (server.cache.size() > cacheChunks) {
            server.cache.remove(server.cache.keySet().iterator().next());
        }
    }

    @Test
    void aServerThatHoldsAReplicaComesFirst() {
        List<ChunkDescriptor> chunks = chunks(new Random(1), 30);
        Dispatch dispatch = DispatchPolicy.LADA.dispatch(
                chunks,
                Map.of("a", "h1", "b", "h2", "c", "h3"),
                file -> file.hashCode() % 2 == 0 ? List.of("h2") : List.of("h3"));
        long even = chunks.stream()
                .filter(chunk -> chunk.file().hashCode() % 2 == 0)
                .count();
        for (int i = 0; i < even; i++) {
            ChunkDescriptor chunk = dispatch.bid("b");
            assertThat(chunk).isNotNull();
            assertThat(chunk.file().hashCode() % 2).as(chunk.file()).isEqualTo(0);
        }
    }

    @Test
    void aFailedChunkGoesToEveryOtherServerAndIsLeftWhenAllFailed() {
        for (DispatchPolicy policy : DispatchPolicy.values()) {
            Dispatch dispatch = policy.dispatch(
                    chunks(new Random(1), 1), Map.of("a", "h1", "b", "h2", "c", "h3"), file -> List.of());
            Set<String> tried = new HashSet<>();
            for (int round = 0; round < 3; round++) {
                for (String server : List.of("a", "b", "c")) {
                    ChunkDescriptor chunk = dispatch.bid(server);
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
            assertThat(List.of("a", "b", "c")).anyMatch(server -> dispatch.bid(server) != null);
        }
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
