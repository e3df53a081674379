package io.waterwheel.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A gateway that finds the coordinators of a real cluster in ZooKeeper: rows under keys go in while a worker is killed,
 * each is there once, and Prometheus finds the page of each worker through it. {@code -Dseed=N} repeats a run's
 * choices.
 */
@Tag("cluster")
@Timeout(1200)
@ExtendWith(SharedCluster.class)
final class GatewayOnClusterTest {
    private static final String STREAM = "pushed";
    private static final String ROWS = "/v1/streams/" + STREAM + "/rows";
    private static final int POSTS = 60;
    private static final int ROWS_EACH = 50;
    private static final Pattern POSITION = Pattern.compile("\"(\\d+)\":(\\d+)");
    private static final Pattern TARGETS = Pattern.compile(
            "\\{\"targets\":\\[\"([^\"]+)\"],\"labels\":\\{\"__meta_waterwheel_role\":\"(worker|gateway)\"");

    private final long seed = Long.getLong("seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final Map<String, String> positionsByKey = new TreeMap<>();
    private long rows;
    private long sum;

    @Test
    void takesRowsAndAnswersAndNamesAllPagesOfMetrics(SharedCluster.Running running) throws Exception {
        RealCluster cluster = running.cluster();
        // Another class may have killed some of them.
        Waiting.until("all workers run", () -> cluster.workers().size() == cluster.pairs());
        try (GatewayProcess gateway = GatewayProcess.start(cluster, "--zookeeper", cluster.zooKeeper())) {
            try {
                run(gateway, cluster);
            } catch (Exception | AssertionError e) {
                System.out.println(cluster.tails());
                throw new AssertionError("seed " + seed + ": " + e + "; the gateway: " + gateway.tail(), e);
            }
        }
    }

    private void run(GatewayProcess gateway, RealCluster cluster) throws Exception {
        awaitReady(gateway);
        sql(
                gateway,
                "CREATE STREAM pushed (id BIGINT, n BIGINT, at TIMESTAMP) KEY (id) TIME (at)"
                        + " WITH (partitions = 3)");
        for (int post = 0; post < POSTS; post++) {
            push(gateway, "before-" + post, "visible");
        }
        askAll(gateway);
        everyPageIsFound(gateway, cluster);

        RealCluster.Worker victim =
                cluster.workers().get(random.nextInt(cluster.workers().size()));
        cluster.killWorker(victim);
        for (int post = 0; post < POSTS; post++) {
            push(gateway, "after-" + post, "stored");
        }
        Map<String, String> first = Map.copyOf(positionsByKey);
        for (String key : first.keySet()) {
            repeat(gateway, key);
        }
        assertThat(positionsByKey).isEqualTo(first);
        askAll(gateway);
        Waiting.until(
                "there is another worker",
                () -> cluster.workers().size() == cluster.pairs()
                        && cluster.workers().stream().noneMatch(worker -> worker.pid() == victim.pid()));
        awaitReady(gateway);
        Waiting.until(
                "the pages of all workers are found",
                () -> targets(gateway, "worker").size() == cluster.pairs()
                        && answering(gateway).size() == cluster.pairs());
        sql(gateway, "DROP STREAM " + STREAM);
    }

    private static void awaitReady(GatewayProcess gateway) throws Exception {
        assertThat(gateway.get("/healthz").status()).isEqualTo(200);
        Waiting.until("the gateway is ready", () -> gateway.get("/readyz").status() == 200);
    }

    private static String sql(GatewayProcess gateway, String statement) throws Exception {
        GatewayProcess.Reply reply =
                gateway.post("/v1/query?format=csv&timeout=300", statement, "Content-Type", "application/sql");
        assertThat(reply.status()).as("%s: %s", statement, reply.body()).isEqualTo(200);
        return reply.body();
    }

    /** The rows of a key are always the same. */
    private static String body(String key) {
        Random values = new Random(key.hashCode());
        StringBuilder lines = new StringBuilder();
        for (int row = 0; row < ROWS_EACH; row++) {
            lines.append(values.nextInt(1_000_000))
                    .append(',')
                    .append(values.nextInt(1_000))
                    .append(',')
                    .append(1_700_000_000_000L + values.nextInt(3_600_000))
                    .append('\n');
        }
        return lines.toString();
    }

    private void push(GatewayProcess gateway, String key, String wait) throws Exception {
        String body = body(key);
        positionsByKey.put(key, send(gateway, key, wait));
        rows += ROWS_EACH;
        sum += body.lines()
                .mapToLong(line -> Long.parseLong(line.split(",", -1)[1]))
                .sum();
    }

    private void repeat(GatewayProcess gateway, String key) throws Exception {
        positionsByKey.put(key, send(gateway, key, "stored"));
    }

    private static String send(GatewayProcess gateway, String key, String wait) throws Exception {
        GatewayProcess.Reply reply =
                gateway.post(ROWS + "?wait=" + wait, body(key), "Content-Type", "text/csv", "Idempotency-Key", key);
        assertThat(reply.status()).as("%s: %s", key, reply.body()).isEqualTo(200);
        assertThat(reply.body()).contains("\"rows\":" + ROWS_EACH);
        if (wait.equals("visible")) {
            assertThat(reply.body()).contains("\"visible\":true");
        }
        return reply.body().substring(reply.body().indexOf("\"positions\":")).replaceAll("}.*\\s*", "}");
    }

    /** By a query and by a statement: what was pushed, no row less and none twice. */
    private void askAll(GatewayProcess gateway) throws Exception {
        Map<Integer, Long> demanded = new TreeMap<>();
        positionsByKey.values().forEach(positions -> POSITION.matcher(positions)
                .results()
                .forEach(found ->
                        demanded.merge(Integer.valueOf(found.group(1)), Long.valueOf(found.group(2)), Math::max)));
        List<String> atLeast = new ArrayList<>();
        demanded.forEach((partition, offset) -> atLeast.add(partition + ":" + offset));
        String positions = String.join(",", atLeast);
        GatewayProcess.Reply counted =
                gateway.get("/v1/query?stream=" + STREAM + "&count&format=csv&timeout=300&at-least=" + positions);
        assertThat(counted).isEqualTo(new GatewayProcess.Reply(200, "tuples\n" + rows + "\n"));
        GatewayProcess.Reply summed = gateway.post(
                "/v1/query?format=csv&timeout=300&at-least="
                        + String.join(
                                ",",
                                atLeast.stream()
                                        .map(each -> STREAM + ":" + each)
                                        .toList()),
                "SELECT COUNT(*) AS tuples, SUM(n) AS s FROM " + STREAM,
                "Content-Type",
                "application/sql");
        assertThat(summed).isEqualTo(new GatewayProcess.Reply(200, "tuples,s\n" + rows + "," + sum + "\n"));
    }

    /** Each worker and the gateway itself are listed; together the workers have inserted what was pushed. */
    private void everyPageIsFound(GatewayProcess gateway, RealCluster cluster) throws Exception {
        assertThat(targets(gateway, "gateway")).contains(gateway.place());
        Waiting.until("all workers are listed", () -> targets(gateway, "worker").size() == cluster.pairs());
        long inserted = 0;
        for (String place : targets(gateway, "worker")) {
            GatewayProcess.Reply page = gateway.getFrom(place, "/metrics");
            assertThat(page.status()).as(place).isEqualTo(200);
            assertThat(page.body()).contains("waterwheel_catalog_connected 1.0", "jvm_memory_used_bytes");
            inserted += valueOf("waterwheel_inserted_tuples_total{stream=\"" + STREAM + "\"} ", page.body());
        }
        assertThat(inserted).isEqualTo(rows);
        GatewayProcess.Reply own = gateway.get("/metrics");
        assertThat(valueOf("waterwheel_gateway_pushed_rows_total{stream=\"" + STREAM + "\"} ", own.body()))
                .isEqualTo(rows);
    }

    private static long valueOf(String series, String page) {
        return page.lines()
                .filter(line -> line.startsWith(series))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(series.length())))
                .sum();
    }

    /** The addresses that Prometheus is told. */
    private static Set<String> targets(GatewayProcess gateway, String role) throws Exception {
        GatewayProcess.Reply reply = gateway.get("/v1/sd/prometheus");
        Set<String> found = new TreeSet<>();
        if (reply.status() == 200) {
            TARGETS.matcher(reply.body())
                    .results()
                    .filter(match -> match.group(2).equals(role))
                    .map((MatchResult match) -> match.group(1))
                    .forEach(found::add);
        }
        return found;
    }

    private static List<String> answering(GatewayProcess gateway) throws Exception {
        List<String> answering = new ArrayList<>();
        for (String place : targets(gateway, "worker")) {
            try {
                if (gateway.getFrom(place, "/metrics").status() == 200) {
                    answering.add(place);
                }
            } catch (IOException e) {
                // The one that was killed, until its session is over.
            }
        }
        return answering;
    }
}
