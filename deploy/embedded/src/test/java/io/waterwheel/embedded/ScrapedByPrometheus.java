package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.waterwheel.Waiting;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.embedded.server.PortRegistry;
import io.waterwheel.gateway.Gateway;
import io.waterwheel.gateway.GatewaySettings;
import io.waterwheel.metrics.Metrics;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * A whole server that is scraped by real Prometheus servers, with native histograms and without; the files of
 * deploy/grafana against them. Needs the programs {@code prometheus} and {@code promtool}, as Debian has them.
 */
final class ScrapedByPrometheus implements AutoCloseable {
    private static final Path GRAFANA =
            Path.of("..", "grafana").toAbsolutePath().normalize();
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String STREAM = "watched";
    private static final Schema SCHEMA = new Schema(
            List.of(new Field("id", FieldType.LONG, false), new Field("at", FieldType.TIMESTAMP, false)),
            new KeySpec.Ordered("id"),
            "at");

    /** Alerts whose series are there only once something went wrong. */
    private static final List<String> IN_TROUBLE =
            List.of("WaterwheelQueriesRefused", "WaterwheelChunkDamaged", "WaterwheelGatewayErrors");

    /** Questions whose answer may be NaN here, since nothing happens that they measure. */
    private static final List<String> OF_NOTHING = List.of(
            // A template is rebuilt once its leaves have grown uneven: a few rows have nothing to even out.
            "cluster.json, Pauses of rebuilds, 99 %, A");

    private final WaterwheelClient client;
    private final Path folder;
    private final Gateway gateway;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final List<Process> processes = new ArrayList<>();

    private ScrapedByPrometheus(WaterwheelClient client, Path folder, Supplier<? extends Collection<Metrics>> metrics)
            throws IOException {
        this.client = client;
        this.folder = Files.createDirectories(folder);
        this.gateway = Gateway.start(GatewaySettings.DEFAULT.withPort(0));
        gateway.show(metrics);
        gateway.serve(client);
    }

    /** Skips the test where Prometheus is not installed. */
    static ScrapedByPrometheus start(
            WaterwheelClient client, Path folder, Supplier<? extends Collection<Metrics>> metrics) throws IOException {
        for (String program : List.of("prometheus", "promtool")) {
            Assumptions.assumeTrue(
                    isThere(program),
                    () -> program
                            + " is not on PATH: NOTHING OF deploy/grafana IS TESTED. Debian and Ubuntu have both in"
                            + " the package prometheus");
        }
        return new ScrapedByPrometheus(client, folder, metrics);
    }

    private static boolean isThere(String program) {
        return Stream.of(String.valueOf(System.getenv("PATH")).split(File.pathSeparator, -1))
                .anyMatch(on -> Files.isExecutable(Path.of(on, program)));
    }

    private HttpResponse<String> send(String url, @Nullable String post) throws IOException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url));
        if (post != null) {
            request.header("Content-Type", post.startsWith("SELECT") ? "application/sql" : "text/csv")
                    .POST(HttpRequest.BodyPublishers.ofString(post));
        }
        try {
            return http.send(request.build(), HttpResponse.BodyHandlers.ofString(UTF_8));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Some of all that is measured: rows, bad rows, chunks, queries, statements, and some that fail. */
    private void load(int round) throws IOException {
        String streams = gateway.url() + "/v1/streams/" + STREAM + "/rows";
        assertThat(send(streams + "?wait=visible&partial=allow", round + ",1000\nno,row\n")
                        .statusCode())
                .isEqualTo(200);
        assertThat(send(gateway.url() + "/v1/query", "SELECT COUNT(*) FROM " + STREAM)
                        .statusCode())
                .isEqualTo(200);
        assertThat(send(gateway.url() + "/v1/query", "SELECT no_such_field FROM " + STREAM)
                        .statusCode())
                .isEqualTo(400);
        if (round % 4 == 0) {
            client.flush(STREAM);
        }
        assertThat(send(gateway.url() + "/v1/query?count&stream=" + STREAM, null)
                        .statusCode())
                .isEqualTo(200);
        assertThat(send(gateway.url() + "/v1/query?where=id%2Bid%3Dat&stream=no-such-stream", null)
                        .statusCode())
                .isEqualTo(404);
    }

    /** What promtool says of the files, and of a page. */
    void filesAndPagesAreWellFormed() throws Exception {
        promtool(null, "check", "rules", GRAFANA.resolve("waterwheel.rules.yml").toString());
        promtool(null, "check", "config", GRAFANA.resolve("prometheus.yml").toString());
        promtool(null, "test", "rules", GRAFANA.resolve("waterwheel.test.yml").toString());
        client.createStream(new StreamDefinition(STREAM, STREAM, RecordFormat.CSV, 2, SCHEMA));
        load(0);
        Path page = folder.resolve("page");
        Files.writeString(page, send(gateway.url() + "/metrics", null).body());
        promtool(page, "check", "metrics");
    }

    private void promtool(@Nullable Path in, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of("promtool"));
        command.addAll(List.of(arguments));
        Path out = Files.createTempFile(folder, "promtool", ".out");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile());
        if (in != null) {
            builder.redirectInput(in.toFile());
        }
        Process process = builder.start();
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).as("%s", command).isTrue();
        assertThat(process.exitValue())
                .as("%s: %s", command, Files.readString(out))
                .isZero();
    }

    /** Every question of every dashboard, every rule, and what alerts compare, with native histograms and without. */
    void dashboardsHaveAnswers() throws Exception {
        List<String> urls =
                List.of(prometheus("classic", List.of()), prometheus("native", List.of("native-histograms")));
        var tail = http.sendAsync(
                HttpRequest.newBuilder(URI.create(gateway.url() + "/v1/streams/" + STREAM + "/tail"))
                        .build(),
                HttpResponse.BodyHandlers.discarding());
        Map<String, String> open = new LinkedHashMap<>();
        Map<String, String> questions = questions();
        assertThat(questions).containsKeys(OF_NOTHING.toArray(String[]::new));
        for (String url : urls) {
            questions.forEach((where, question) -> open.put(url + " " + where, question));
        }
        assertThat(open).hasSizeGreaterThan(100);
        int[] round = {1};
        boolean all = Waiting.holds(Duration.ofMinutes(8), () -> {
            load(round[0]++);
            for (String url : urls) {
                // The first without an answer decides whether the others are worth a look.
                List<String> waiting = open.keySet().stream()
                        .filter(key -> key.startsWith(url + " "))
                        .toList();
                for (String key : waiting) {
                    if (!isAnswered(key, open)) {
                        break;
                    }
                    open.remove(key);
                }
            }
            return open.isEmpty();
        });
        tail.cancel(true);
        if (!all) {
            // Of those that waited for the first one, most have an answer.
            for (String key : List.copyOf(open.keySet())) {
                if (isAnswered(key, open)) {
                    open.remove(key);
                }
            }
        }
        assertThat(open).as("questions without an answer").isEmpty();
        // That it is the native ones that answer, and the classic ones, respectively. Of the last minutes: a scrape
        // that
        // a slow machine answers too late ends a series for the moment.
        String classic = "present_over_time(waterwheel_query_seconds_bucket[10m])";
        String natives = "histogram_count(increase(waterwheel_query_seconds[10m]))";
        assertThat(answers(urls.get(0), classic)).as(classic).isTrue();
        assertThat(answers(urls.get(0), natives)).as(natives).isFalse();
        assertThat(answers(urls.get(1), classic)).as(classic).isFalse();
        assertThat(answers(urls.get(1), natives)).as(natives).isTrue();
    }

    /** Whether a question has an answer, by the address of a Prometheus and the question's place. */
    private boolean isAnswered(String key, Map<String, String> questions) throws IOException {
        int space = key.indexOf(' ');
        String url = key.substring(0, space);
        String question = questions.getOrDefault(key, "");
        return OF_NOTHING.contains(key.substring(space + 1))
                ? !samples(url, question).isEmpty()
                : answers(url, question);
    }

    /** Whether a sample is a number: what is divided by nothing, or the quantile of nothing, is none. */
    private boolean answers(String url, String question) throws IOException {
        for (JsonNode sample : samples(url, question)) {
            if (sample.has("histogram")
                    || !sample.path("value").path(1).asText().equals("NaN")) {
                return true;
            }
        }
        return false;
    }

    private JsonNode samples(String url, String question) throws IOException {
        String body = send(url + "/api/v1/query?query=" + URLEncoder.encode(question, UTF_8), null)
                .body();
        JsonNode answer = JSON.readTree(body);
        assertThat(answer.path("status").asText()).as("%s: %s", question, body).isEqualTo("success");
        return answer.path("data").path("result");
    }

    /** By place in the files. */
    private static Map<String, String> questions() throws IOException {
        Map<String, String> questions = new LinkedHashMap<>();
        try (Stream<Path> dashboards = Files.list(GRAFANA.resolve("dashboards"))) {
            for (Path dashboard : dashboards.sorted().toList()) {
                for (JsonNode panel : JSON.readTree(dashboard.toFile()).path("panels")) {
                    for (JsonNode target : panel.path("targets")) {
                        String where = dashboard.getFileName() + ", "
                                + panel.path("title").asText() + ", "
                                + target.path("refId").asText();
                        questions.put(where, asked(target.path("expr").asText()));
                    }
                }
            }
        }
        for (String rule : List.of(
                "stream:waterwheel_lag_records:sum",
                "stream_stage:waterwheel_ingest_delay_seconds:p99",
                "outcome:waterwheel_query_seconds:p99",
                "status:waterwheel_gateway_requests:rate5m")) {
            questions.put("rule " + rule, rule);
        }
        JsonNode rules = new YAMLMapper()
                .readTree(GRAFANA.resolve("waterwheel.rules.yml").toFile());
        List<String> alerts = new ArrayList<>();
        for (JsonNode group : rules.path("groups")) {
            for (JsonNode rule : group.path("rules")) {
                String alert = rule.path("alert").asText();
                if (alert.isEmpty()) {
                    continue;
                }
                alerts.add(alert);
                if (!IN_TROUBLE.contains(alert)) {
                    questions.put("alert " + alert, measured(rule.path("expr").asText()));
                }
            }
        }
        assertThat(alerts).containsAll(IN_TROUBLE);
        return questions;
    }

    /** What an alert compares, without the bound that is not reached here. */
    private static String measured(String expression) {
        String first = expression.strip().split("\\nand ", 2)[0];
        String measured = first.replaceFirst("\\s*(>|<|==)\\s*[0-9.]+\\s*$", "");
        assertThat(measured).as(expression).isNotEqualTo(first);
        return measured;
    }

    /** As Grafana asks once its variables are chosen. */
    private static String asked(String expression) {
        String chosen = expression
                .replace("$__rate_interval", "10s")
                .replace("$__range", "10s")
                .replace("$namespace", ".*")
                .replace("$stream", STREAM);
        assertThat(chosen).doesNotContain("$");
        return chosen;
    }

    /** The address of a Prometheus that scrapes what the gateway lists. */
    private String prometheus(String name, List<String> features) throws IOException {
        Path data = Files.createDirectories(folder.resolve(name));
        Path config = data.resolve("prometheus.yml");
        String shipped = Files.readString(GRAFANA.resolve("prometheus.yml"));
        String own = shipped.replace("15s", "500ms")
                .replace("30s", "1s")
                .replace(
                        "waterwheel.rules.yml",
                        GRAFANA.resolve("waterwheel.rules.yml").toString())
                .replace("http://127.0.0.1:7071", gateway.url());
        assertThat(own).isNotEqualTo(shipped).contains(gateway.url());
        Files.writeString(config, own);
        int port = new PortRegistry(data).port("prometheus", 0);
        List<String> command = new ArrayList<>(List.of(
                "prometheus",
                "--config.file=" + config,
                "--storage.tsdb.path=" + data.resolve("tsdb"),
                "--web.listen-address=127.0.0.1:" + port));
        features.forEach(feature -> command.add("--enable-feature=" + feature));
        Path log = data.resolve("log");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        processes.add(process);
        String url = "http://127.0.0.1:" + port;
        Waiting.until("Prometheus is ready", () -> {
            assertThat(process.isAlive()).as("%s", Files.readString(log)).isTrue();
            try {
                return send(url + "/-/ready", null).statusCode() == 200;
            } catch (IOException e) {
                return false;
            }
        });
        return url;
    }

    @Override
    public void close() throws InterruptedException {
        for (Process process : processes) {
            process.destroy();
        }
        for (Process process : processes) {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        }
        gateway.close();
    }
}
