package io.waterwheel.embedded.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.known.Feed;
import io.waterwheel.client.known.KnownRows;
import io.waterwheel.embedded.ServerLoad;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random statements by JDBC and by Flight SQL from several clients, while rows come and the server is killed: each
 * answer is that of DuckDB over the rows that were acknowledged before it was asked. At the end the server does not
 * hold more by being asked. {@code -Dminutes=60}, {@code -Dseed=N}; it runs with that option alone.
 */
@Tag("embedded")
@EnabledIfSystemProperty(named = "minutes", matches = "\\d+")
final class StatementSoakTest {
    private static final int ROWS_A_SECOND = 1_000;
    private static final int CLIENTS = 4;
    /** A server that is back may refuse what it cannot answer yet. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final long MOST_MORE_HEAP = 48 << 20;
    private static final int MOST_MORE_THREADS = 16;
    private static final int MOST_MORE_FILES = 60;

    /** What the server says of a statement that it will not answer, however often it is asked. */
    private static final Pattern FINAL =
            Pattern.compile("\\b(BUG|BAD_\\w+|SQL_VALUE|SQL_UNSUPPORTED|INTEGER_OVERFLOW|NO_SUCH_FIELD): ");

    private static final Pattern CODE = Pattern.compile("\\b([A-Z]+(?:_[A-Z]+)+): ");

    @TempDir
    Path folder;

    private final long seed = Long.getLong("seed", System.nanoTime());
    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    /** By code, what was refused. */
    private final Map<String, Integer> refusals = new ConcurrentSkipListMap<>();

    private volatile boolean ends;
    /** When the server was killed last, or came back. */
    private volatile long disturbed = System.nanoTime();

    @Test
    void answersAreThoseOfDuckDb() throws Exception {
        Duration most = Duration.ofMinutes(Long.getLong("minutes", 60));
        System.err.println("statements: seed " + seed);
        Random random = new Random(seed);
        try (Installation installation = new Installation(
                        folder,
                        folder.resolve("chunks"),
                        false,
                        "indexer.seal-size=1 MiB",
                        "indexer.memory-pool=16 MiB");
                KnownTwin twin = new KnownTwin()) {
            installation.startAll();
            try (WaterwheelClient client = WaterwheelClient.connect(installation.url())) {
                client.createStream(KnownRows.definition());
                try (Feed feed = new Feed(client.describe(KnownRows.STREAM), ROWS_A_SECOND)) {
                    Waiting.until(
                            "rows come", PATIENCE, () -> feed.acknowledged().rows() > 1000);
                    List<CompletableFuture<Void>> asking = new ArrayList<>();
                    for (int c = 0; c < CLIENTS; c++) {
                        boolean jdbc = c % 2 == 0;
                        Random own = new Random(random.nextLong());
                        asking.add(CompletableFuture.runAsync(
                                () -> ask(installation.url(), jdbc, feed, twin, own),
                                task -> new Thread(task).start()));
                    }
                    int kills = 0;
                    long end = System.nanoTime() + most.toNanos();
                    while (System.nanoTime() < end) {
                        await(asking, Duration.ofMillis(15_000 + random.nextInt(60_000)));
                        disturbed = System.nanoTime();
                        installation.part(Installation.Part.SERVER).kill();
                        installation.start(Installation.Part.SERVER);
                        disturbed = System.nanoTime();
                        kills++;
                        System.err.printf(
                                Locale.ROOT,
                                "statements: %d kills, %d rows, %d answers right, %d refused: %s%n",
                                kills,
                                feed.acknowledged().rows(),
                                answered.get(),
                                refused.get(),
                                refusals);
                    }
                    heldAlike(installation, asking);
                    System.err.println("statements: " + answered + " answers right");
                    ends = true;
                    for (CompletableFuture<Void> one : asking) {
                        one.get();
                    }
                } catch (Exception | AssertionError e) {
                    installation.keepLog();
                    throw new AssertionError("seed " + seed + ": " + e, e);
                } finally {
                    ends = true;
                }
            }
        }
    }

    /** What the last server holds after it was asked much is what it held after it was asked some. */
    private void heldAlike(Installation installation, List<CompletableFuture<Void>> asking) throws Exception {
        long pid = installation.part(Installation.Part.SERVER).pid();
        Held before = asked(pid, asking);
        Held[] now = new Held[1];
        now[0] = asked(pid, asking);
        System.err.println("statements: held " + before + ", later " + now[0]);
        Waiting.until("it holds no more than " + before, PATIENCE, () -> {
            now[0] = Held.of(pid);
            return now[0].load().heapBytes() < before.load().heapBytes() + MOST_MORE_HEAP
                    && now[0].load().threads() < before.load().threads() + MOST_MORE_THREADS
                    && now[0].files() < before.files() + MOST_MORE_FILES;
        });
    }

    private Held asked(long pid, List<CompletableFuture<Void>> asking) throws Exception {
        int from = answered.get();
        Waiting.until("statements are answered", Duration.ofMinutes(10), () -> {
            requireNoFailure(asking);
            return answered.get() > from + 300;
        });
        return Held.of(pid);
    }

    private record Held(ServerLoad load, long files) {
        static Held of(long pid) throws Exception {
            Path held = Path.of("/proc/" + pid + "/fd");
            if (!Files.isDirectory(held)) {
                return new Held(ServerLoad.of(pid), 0);
            }
            try (var files = Files.list(held)) {
                return new Held(ServerLoad.of(pid), files.count());
            }
        }

        @Override
        public String toString() {
            return load + ", " + files + " files";
        }
    }

    private static void requireNoFailure(List<CompletableFuture<Void>> asking) throws Exception {
        for (CompletableFuture<Void> one : asking) {
            if (one.isCompletedExceptionally()) {
                one.get();
            }
        }
    }

    private static void await(List<CompletableFuture<Void>> asking, Duration time) throws Exception {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            requireNoFailure(asking);
            Thread.sleep(100);
        }
    }

    private void ask(String url, boolean jdbc, Feed feed, KnownTwin twin, Random random) {
        MixedStatements statements = new MixedStatements(random);
        StatementAsker asker = null;
        try {
            while (!ends) {
                Feed.Acknowledged known = feed.acknowledged();
                long begin = System.nanoTime();
                String statement = statements.next(known.rows(), hint(known.positions()));
                List<List<String>> rows;
                try {
                    asker = asker == null ? StatementAsker.of(url, jdbc) : asker;
                    rows = asker.rows(statement);
                } catch (Exception e) {
                    String said = said(e);
                    if (FINAL.matcher(said).find()) {
                        throw new AssertionError(statement, e);
                    }
                    Matcher code = CODE.matcher(said);
                    refusals.merge(code.find() ? code.group(1) : "no connection", 1, Integer::sum);
                    if (begin - disturbed > PATIENCE.toNanos() && System.nanoTime() - disturbed > PATIENCE.toNanos()) {
                        throw new AssertionError("it was long back: " + statement, e);
                    }
                    refused.incrementAndGet();
                    if (asker != null) {
                        asker.close();
                        asker = null;
                    }
                    Thread.sleep(200);
                    continue;
                }
                assertThat(sorted(rows)).as(statement).isEqualTo(sorted(twin.rows(statement, known.rows())));
                answered.incrementAndGet();
            }
        } catch (Exception e) {
            throw new IllegalStateException("seed " + seed, e);
        } finally {
            if (asker != null) {
                asker.close();
            }
        }
    }

    private static String said(Throwable failure) {
        StringBuilder said = new StringBuilder();
        for (Throwable one = failure; one != null; one = one.getCause()) {
            said.append(one.getMessage()).append('\n');
        }
        return said.toString();
    }

    private static String hint(Map<Integer, Long> positions) {
        return positions.entrySet().stream()
                .map(one -> KnownRows.STREAM + ":" + one.getKey() + ":" + one.getValue())
                .collect(Collectors.joining(",", "/*+ at_least('", "') */ "));
    }

    private static List<String> sorted(List<List<String>> rows) {
        return rows.stream().map(String::valueOf).sorted().toList();
    }
}
