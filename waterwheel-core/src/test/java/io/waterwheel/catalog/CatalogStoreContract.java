package io.waterwheel.catalog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.waterwheel.Waiting;
import io.waterwheel.catalog.store.CatalogPaths;
import io.waterwheel.catalog.store.CatalogStore;
import io.waterwheel.catalog.store.CatalogStore.ConflictException;
import io.waterwheel.catalog.store.CatalogStore.Node;
import io.waterwheel.catalog.store.CatalogStore.Op;
import io.waterwheel.catalog.store.CatalogStore.UnknownOutcomeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every catalog store keeps. A test of a store extends it and says how clients come and lose their session. */
public abstract class CatalogStoreContract {
    private final List<CatalogStore> clients = new ArrayList<>();
    private CatalogStore store;

    /** Another client of the same tree, which is empty at the start of each test. */
    protected abstract CatalogStore newClient() throws Exception;

    /** Ends the client's session behind its back; it renews it by itself. */
    protected abstract void loseSession(CatalogStore client) throws Exception;

    private CatalogStore client() throws Exception {
        CatalogStore client = newClient();
        clients.add(client);
        return client;
    }

    @BeforeEach
    final void openStore() throws Exception {
        store = client();
    }

    @AfterEach
    final void closeClients() {
        clients.forEach(CatalogStore::close);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static String text(CatalogStore client, String path) {
        return client.read(path).map(node -> new String(node.data(), UTF_8)).orElse("(none)");
    }

    private static int version(CatalogStore client, String path) {
        return client.read(path).map(Node::version).orElse(-1);
    }

    private static void await(String what, BooleanSupplier condition) {
        Waiting.until(what, condition::getAsBoolean);
    }

    @Test
    void nothingIsReadWhereNothingIs() {
        assertThat(store.read("/a")).isEmpty();
        assertThat(store.read("/a/b")).isEmpty();
        assertThat(store.children("/a")).isEmpty();
        assertThat(store.children("/")).isEmpty();
    }

    @Test
    void ensureMakesParentsAndLeavesWhatIsThere() throws Exception {
        store.ensure("/a/b/c");
        assertThat(store.read("/a/b/c")).map(node -> node.data().length).contains(0);
        store.commit(List.of(new Op.Set("/a/b", bytes("x"), 0)));
        store.ensure("/a/b/c");
        store.ensure("/a/b");
        assertThat(text(store, "/a/b")).isEqualTo("x");
        assertThat(version(store, "/a/b")).isEqualTo(1);
        assertThat(store.children("/a")).containsExactly("b");
        store.ensure("/");
    }

    @Test
    void childrenAreSortedNames() throws Exception {
        store.ensure("/p");
        for (String name : List.of("b", "10", "a", "9", "a-b")) {
            store.ensure("/p/" + name + "/below");
        }
        assertThat(store.children("/p")).containsExactly("10", "9", "a", "a-b", "b");
    }

    @Test
    void severalNodesAreReadInTheirOrder() throws Exception {
        assertThat(store.readAll(List.of())).isEmpty();
        List<String> paths = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            paths.add("/n" + i);
            if (i % 3 != 0) {
                store.commit(List.of(new Op.Create("/n" + i, bytes("" + i))));
            }
        }
        store.commit(List.of(new Op.Set("/n7", bytes("seven"), 0)));
        List<Optional<Node>> nodes = store.readAll(paths);
        assertThat(nodes).hasSize(100);
        for (int i = 0; i < 100; i++) {
            String expected = i % 3 == 0 ? "(none)" : i == 7 ? "seven 1" : i + " 0";
            assertThat(nodes.get(i)
                            .map(node -> new String(node.data(), UTF_8) + " " + node.version())
                            .orElse("(none)"))
                    .isEqualTo(expected);
        }
    }

    @Test
    void aNodeOfAnyVersionIsDeletedIfItIsThere() throws Exception {
        store.commit(List.of(new Op.Create("/a", bytes("0")), new Op.Create("/b", bytes("0"))));
        store.commit(List.of(new Op.Set("/a", bytes("1"), 0)));
        store.commit(List.of(new Op.Delete("/a", Op.Delete.ANY_VERSION)));
        assertThat(store.read("/a")).isEmpty();
        assertThatThrownBy(() -> store.commit(List.of(
                        new Op.Delete("/b", Op.Delete.ANY_VERSION), new Op.Delete("/a", Op.Delete.ANY_VERSION))))
                .isInstanceOf(ConflictException.class);
        assertThat(text(store, "/b")).isEqualTo("0");
    }

    @Test
    void versionsCountFromTheCreation() throws Exception {
        store.commit(List.of(new Op.Create("/a", bytes("0"))));
        assertThat(version(store, "/a")).isZero();
        store.commit(List.of(new Op.Set("/a", bytes("1"), 0)));
        store.commit(List.of(new Op.Set("/a", bytes("2"), 1), new Op.Set("/a", bytes("3"), 2)));
        assertThat(text(store, "/a")).isEqualTo("3");
        assertThat(version(store, "/a")).isEqualTo(3);
        store.commit(List.of(new Op.Delete("/a", 3)));
        assertThat(store.read("/a")).isEmpty();
        store.commit(List.of(new Op.Create("/a", bytes("again"))));
        assertThat(version(store, "/a")).isZero();
    }

    @Test
    void laterStepsSeeEarlierOnes() throws Exception {
        store.commit(
                List.of(new Op.Create("/a", bytes("1")), new Op.Create("/a/b", bytes("2")), new Op.Check("/a/b", 0)));
        store.commit(List.of(new Op.Delete("/a/b", 0), new Op.Delete("/a", 0)));
        assertThat(store.children("/")).isEmpty();
    }

    @Test
    void everyRefusedStepRefusesTheWholeTransaction() throws Exception {
        store.commit(List.of(new Op.Create("/a", bytes("a")), new Op.Create("/a/child", bytes("c"))));
        store.commit(List.of(new Op.Set("/a", bytes("b"), 0)));
        List<Op> refused = List.of(
                new Op.Create("/a", bytes("x")),
                new Op.Create("/missing/child", bytes("x")),
                new Op.Set("/a", bytes("x"), 0),
                new Op.Set("/a", bytes("x"), 2),
                new Op.Set("/missing", bytes("x"), 0),
                new Op.Delete("/a", 1), // has a child
                new Op.Delete("/a/child", 1),
                new Op.Delete("/missing", 0),
                new Op.Check("/a", 0),
                new Op.Check("/missing", 0));
        for (Op op : refused) {
            assertThatThrownBy(() -> store.commit(List.of(
                            new Op.Create("/new", bytes("n")),
                            new Op.Set("/a/child", bytes("changed"), 0),
                            new Op.Set("/a/child", bytes("back"), 1),
                            new Op.Check("/a", 1),
                            op.path().equals("/a/child") ? new Op.Delete("/a/child", 9) : op)))
                    .as("%s", op)
                    .isInstanceOf(ConflictException.class)
                    .hasMessageContaining(op.path());
            assertThat(store.read("/new")).as("%s", op).isEmpty();
            assertThat(text(store, "/a")).as("%s", op).isEqualTo("b");
            assertThat(text(store, "/a/child")).as("%s", op).isEqualTo("c");
            assertThat(version(store, "/a/child")).as("%s", op).isZero();
        }
        store.commit(List.of(new Op.Check("/a", 1), new Op.Set("/a", bytes("d"), 1)));
        assertThat(text(store, "/a")).isEqualTo("d");
    }

    @Test
    void badPathsAndTooMuchDataAreRefusedBeforeTheyAreSent() {
        for (String path : List.of("", "a", "/a/", "//a", "/a//b", "/a/../b", "/.")) {
            assertThatThrownBy(() -> store.read(path)).as(path).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> store.commit(List.of(new Op.Check(path, 0))))
                    .as(path)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        byte[] half = new byte[CatalogPaths.MAX_TRANSACTION_BYTES / 2];
        assertThatThrownBy(() -> store.commit(List.of(new Op.Create("/a", half), new Op.Create("/b", half))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most " + CatalogPaths.MAX_TRANSACTION_BYTES);
        assertThat(store.children("/")).isEmpty();
    }

    @Test
    void largestTransactionIsTaken() throws Exception {
        byte[] data = new byte[CatalogPaths.MAX_TRANSACTION_BYTES - 2];
        data[data.length - 1] = 7;
        store.commit(List.of(new Op.Create("/a", data)));
        assertThat(store.read("/a")).map(Node::data).hasValueSatisfying(read -> assertThat(read)
                .isEqualTo(data));
    }

    @Test
    void dataIsCopied() throws Exception {
        byte[] data = bytes("abc");
        store.commit(List.of(new Op.Create("/a", data)));
        data[0] = 'X';
        store.read("/a").orElseThrow().data()[1] = 'Y';
        assertThat(text(store, "/a")).isEqualTo("abc");
    }

    @Test
    void otherClientsSeeCommitsAfterSync() throws Exception {
        CatalogStore other = client();
        for (int i = 0; i < 20; i++) {
            store.commit(List.of(i == 0 ? new Op.Create("/a", bytes("0")) : new Op.Set("/a", bytes("" + i), i - 1)));
            other.sync();
            assertThat(text(other, "/a")).isEqualTo("" + i);
        }
    }

    @Test
    void compareAndSetNeverLosesAnIncrement() throws Exception {
        store.commit(List.of(new Op.Create("/counter", bytes("0")), new Op.Create("/log", bytes(""))));
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<Integer>> conflicts = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                CatalogStore mine = client();
                int thread = t;
                Callable<Integer> increments = () -> increment(mine, thread, 25);
                conflicts.add(threads.submit(increments));
            }
            for (Future<Integer> done : conflicts) {
                done.get(2, TimeUnit.MINUTES);
            }
        } finally {
            threads.shutdownNow();
        }
        store.sync();
        assertThat(text(store, "/counter")).isEqualTo("100");
        assertThat(store.children("/log")).hasSize(100);
    }

    private static int increment(CatalogStore client, int thread, int times) throws UnknownOutcomeException {
        int conflicts = 0;
        for (int done = 0; done < times; ) {
            Node counter = client.read("/counter").orElseThrow();
            int next = Integer.parseInt(new String(counter.data(), UTF_8)) + 1;
            try {
                client.commit(List.of(
                        new Op.Set("/counter", bytes("" + next), counter.version()),
                        new Op.Create("/log/" + thread + "-" + done, bytes("" + next))));
                done++;
            } catch (ConflictException e) {
                conflicts++;
            }
        }
        return conflicts;
    }

    /** The twin is a sorted map; every step is done on both and everything is compared. */
    @Test
    void randomTransactionsAreThoseOfAMap() throws Exception {
        long seed = Long.getLong("seed", 20_261_121L);
        Random random = new Random(seed);
        TreeMap<String, String> twin = new TreeMap<>();
        TreeMap<String, Integer> versions = new TreeMap<>();
        List<String> paths = List.of("/a", "/a/x", "/a/y", "/b", "/b/x");
        for (int step = 0; step < 300; step++) {
            TreeMap<String, String> nextTwin = new TreeMap<>(twin);
            TreeMap<String, Integer> nextVersions = new TreeMap<>(versions);
            List<Op> ops = new ArrayList<>();
            boolean good = true;
            for (int n = 1 + random.nextInt(3); n > 0; n--) {
                String path = paths.get(random.nextInt(paths.size()));
                boolean exists = nextTwin.containsKey(path);
                int version = nextVersions.getOrDefault(path, 0) + (random.nextInt(6) == 0 ? 1 : 0);
                boolean match = exists && nextVersions.get(path) == version;
                String value = "v" + step + "-" + n;
                switch (random.nextInt(exists ? 6 : 2)) {
                    case 0, 1 -> {
                        ops.add(new Op.Create(path, bytes(value)));
                        String parent = CatalogPaths.parent(path);
                        good &= !exists && (parent.equals("/") || nextTwin.containsKey(parent));
                        nextTwin.put(path, value);
                        nextVersions.put(path, 0);
                    }
                    case 2, 3 -> {
                        ops.add(new Op.Set(path, bytes(value), version));
                        good &= match;
                        nextTwin.put(path, value);
                        nextVersions.merge(path, 1, Integer::sum);
                    }
                    case 4 -> {
                        ops.add(new Op.Delete(path, version));
                        good &= match && nextTwin.keySet().stream().noneMatch(p -> p.startsWith(path + "/"));
                        nextTwin.remove(path);
                        nextVersions.remove(path);
                    }
                    default -> {
                        ops.add(new Op.Check(path, version));
                        good &= match;
                    }
                }
            }
            boolean done;
            try {
                store.commit(ops);
                done = true;
            } catch (ConflictException e) {
                done = false;
            }
            assertThat(done).as("seed %s step %s: %s", seed, step, ops).isEqualTo(good);
            if (good) {
                twin = nextTwin;
                versions = nextVersions;
            }
            for (String path : paths) {
                assertThat(text(store, path))
                        .as("seed %s step %s: %s after %s", seed, step, path, ops)
                        .isEqualTo(twin.getOrDefault(path, "(none)"));
                assertThat(version(store, path))
                        .as("seed %s step %s: version of %s", seed, step, path)
                        .isEqualTo(versions.getOrDefault(path, -1));
            }
        }
    }

    @Test
    void watchTellsOfDataAndChildren() throws Exception {
        CatalogStore other = client();
        AtomicInteger calls = new AtomicInteger();
        try (AutoCloseable watch = store.watch("/a", calls::incrementAndGet)) {
            assertThat(watch).isNotNull();
            List<Op> changes = List.of(
                    new Op.Create("/a", bytes("1")),
                    new Op.Set("/a", bytes("2"), 0),
                    new Op.Create("/a/b", bytes("3")),
                    new Op.Delete("/a/b", 0),
                    new Op.Delete("/a", 1),
                    new Op.Create("/a", bytes("4")));
            for (Op change : changes) {
                int before = settled(calls);
                other.commit(List.of(change));
                await("a call after " + change, () -> calls.get() > before);
            }
        }
        int before = settled(calls);
        other.commit(List.of(new Op.Set("/a", bytes("5"), 0)));
        AtomicInteger later = new AtomicInteger();
        try (AutoCloseable watch = store.watch("/a", later::incrementAndGet)) {
            assertThat(watch).isNotNull();
            other.commit(List.of(new Op.Set("/a", bytes("6"), 1)));
            await("the call of a later watch", () -> later.get() > 0);
        }
        assertThat(calls).as("calls of a closed watch").hasValue(before);
    }

    /** Waits until calls under way are done: another watch's call of a later change comes after them. */
    private int settled(AtomicInteger calls) throws Exception {
        AtomicInteger mark = new AtomicInteger();
        try (AutoCloseable watch = store.watch("/mark", mark::incrementAndGet)) {
            assertThat(watch).isNotNull();
            int version = version(store, "/mark");
            int marked = mark.get();
            store.commit(List.of(
                    version < 0 ? new Op.Create("/mark", bytes("m")) : new Op.Set("/mark", bytes("m"), version)));
            await("the mark's call", () -> mark.get() > marked);
        }
        return calls.get();
    }

    @Test
    void readingWhatAWatchToldOfSeesIt() throws Exception {
        CatalogStore other = client();
        List<String> seen = java.util.Collections.synchronizedList(new ArrayList<>());
        try (AutoCloseable watch = store.watch("/a", () -> seen.add(text(store, "/a")))) {
            assertThat(watch).isNotNull();
            other.commit(List.of(new Op.Create("/a", bytes("0"))));
            for (int i = 1; i <= 20; i++) {
                other.commit(List.of(new Op.Set("/a", bytes("" + i), i - 1)));
            }
            await("the last value", () -> seen.contains("20"));
        }
    }

    @Test
    void watchSurvivesALostSession() throws Exception {
        CatalogStore other = client();
        AtomicInteger calls = new AtomicInteger();
        other.commit(List.of(new Op.Create("/a", bytes("1"))));
        try (AutoCloseable watch = store.watch("/a", calls::incrementAndGet)) {
            assertThat(watch).isNotNull();
            for (int round = 0; round < 2; round++) {
                int before = settled(calls);
                loseSession(store);
                await("a call after the session was renewed", () -> calls.get() > before);
                int renewed = settled(calls);
                other.commit(List.of(new Op.Set("/a", bytes("2"), round)));
                await("a call after a change in the new session", () -> calls.get() > renewed);
            }
        }
    }

    @Test
    void announcementLivesAsLongAsItsClient() throws Exception {
        CatalogStore other = client();
        AutoCloseable first = other.announce("/live/a", bytes("host:1"));
        AutoCloseable second = other.announce("/live/b", bytes("host:2"));
        assertThat(second).isNotNull();
        store.sync();
        assertThat(store.children("/live")).containsExactly("a", "b");
        assertThat(text(store, "/live/a")).isEqualTo("host:1");
        first.close();
        await("a closed announcement is gone", () -> store.children("/live").equals(List.of("b")));
        other.close();
        await("those of a closed client are gone", () -> store.children("/live").isEmpty());
    }

    @Test
    void announcementComesBackAfterALostSession() throws Exception {
        CatalogStore other = client();
        AtomicInteger calls = new AtomicInteger();
        try (AutoCloseable announcement = other.announce("/live/a", bytes("host:1"));
                AutoCloseable watch = store.watch("/live", calls::incrementAndGet)) {
            assertThat(announcement).isNotNull();
            assertThat(watch).isNotNull();
            for (int round = 0; round < 2; round++) {
                int before = settled(calls);
                loseSession(other);
                await("the node changed hands", () -> calls.get() > before);
                await("it is back", () -> text(store, "/live/a").equals("host:1"));
            }
        }
        await("and ends with its closing", () -> store.read("/live/a").isEmpty());
    }

    @Test
    void announcementReplacesALeftoverAndIsNotRemovedByItsEnd() throws Exception {
        CatalogStore dead = client();
        dead.announce("/live/a", bytes("old"));
        CatalogStore other = client();
        AutoCloseable announcement = other.announce("/live/a", bytes("new"));
        store.sync();
        assertThat(text(store, "/live/a")).isEqualTo("new");
        dead.close();
        store.sync();
        assertThat(text(store, "/live/a")).isEqualTo("new");
        announcement.close();
        await("it ends", () -> store.read("/live/a").isEmpty());
    }

    @Test
    void announcementReplacesOneOfItsOwnAndIsNotRemovedByItsEnd() throws Exception {
        CatalogStore other = client();
        AutoCloseable before = other.announce("/live/a", bytes("old"));
        AutoCloseable announcement = other.announce("/live/a", bytes("new"));
        store.sync();
        assertThat(text(store, "/live/a")).isEqualTo("new");
        before.close();
        store.sync();
        assertThat(text(store, "/live/a")).isEqualTo("new");
        announcement.close();
        await("it ends", () -> store.read("/live/a").isEmpty());
    }

    @Test
    void closedStoreSaysSo() {
        store.close();
        store.close();
        assertThatThrownBy(() -> store.read("/a"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }
}
