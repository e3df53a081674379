package io.waterwheel.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** The definitions are a public interface: documented, each with an advice, no name twice. */
final class MetricsPageTest {
    private static final String COMMAND =
            "mvn -pl waterwheel-metrics test -Dtest=MetricsPageTest -Dwaterwheel.regenerate=true";

    @Test
    void pageIsUpToDate() throws IOException {
        Path file = Path.of("../docs/metrics.md");
        if (Boolean.getBoolean("waterwheel.regenerate")) {
            Files.writeString(file, page());
        }
        assertThat(file)
                .as("docs/metrics.md is generated; write it again with: %s", COMMAND)
                .hasContent(page());
    }

    @Test
    void namesAreDifferent() {
        assertThat(all()).extracting(Metric::name).doesNotHaveDuplicates();
    }

    @Test
    void textsAreSentencesForATable() {
        for (Metric metric : all()) {
            assertThat(metric.meaning())
                    .as(metric.name())
                    .matches("[A-Z0-9].{9,399}\\.")
                    .doesNotContain("|");
            assertThat(metric.advice())
                    .as(metric.name())
                    .matches("[A-Z`].{7,399}\\.")
                    .doesNotContain("|");
        }
    }

    private static List<Metric> all() {
        List<Metric> all = new ArrayList<>();
        ProcessMetrics.ROOMS.forEach(room -> all.addAll(room.metrics()));
        return all;
    }

    private static String page() {
        StringBuilder page = new StringBuilder("""
                <!-- Generated from the definitions in waterwheel-metrics; do not edit. -->
                # Metrics

                Every worker, server and gateway answers `GET /metrics` for Prometheus. The server in one process and a gateway
                have it at the gateway's port:

                    curl http://127.0.0.1:7071/metrics

                A worker of a cluster has a port for it, and for `GET /healthz`, reachable from its own machine only
                unless `metrics.host` says otherwise. A gateway lists all of them, and all gateways, in
                the form of Prometheus's `http_sd_configs`:

                    curl http://127.0.0.1:7071/v1/sd/prometheus

                [deploy/grafana](../deploy/grafana/README.md) has a scrape configuration, alerts and dashboards.

                Counters end with `_total` and begin anew with the process. Histograms come with classic buckets, and in the form
                of Protocol Buffers with native ones too. A Prometheus that takes native histograms
                (`--enable-feature=native-histograms`) keeps those alone. So a rule for both asks for both:

                    histogram_quantile(0.99, sum by (stream) (rate(waterwheel_ingest_delay_seconds[5m])))
                    or histogram_quantile(0.99, sum by (stream, le) (rate(waterwheel_ingest_delay_seconds_bucket[5m])))

                The first `metrics.streams` (100) streams that a process meets have series of their own; the others are summed
                up as the stream `other`. All other labels have few values: tasks of a worker, codes, stages.

                Nothing is measured once a tuple: an observation is made once a batch, a block, a flush, a call or a query.
                """);
        for (Room room : ProcessMetrics.ROOMS) {
            page.append("\n## ")
                    .append(room.title())
                    .append("\n\n")
                    .append(room.where())
                    .append(
                            "\n\n| name | type | labels | unit | meaning | when it is high |\n|---|---|---|---|---|---|\n");
            for (Metric metric : room.metrics()) {
                page.append("| `")
                        .append(metric.name())
                        .append("` | ")
                        .append(metric.type().name().toLowerCase(Locale.ROOT))
                        .append(" | ")
                        .append(metric.labels().isEmpty() ? "" : "`" + String.join("`, `", metric.labels()) + "`")
                        .append(" | ")
                        .append(metric.unit())
                        .append(" | ")
                        .append(metric.meaning())
                        .append(" | ")
                        .append(metric.advice())
                        .append(" |\n");
            }
        }
        return page.append("""

                The JVM's own are those of the
                [Prometheus client for Java](https://prometheus.github.io/client_java/instrumentation/jvm/):
                `jvm_memory_used_bytes`, `jvm_gc_collection_seconds`, `jvm_threads_current`, `process_cpu_seconds_total`,
                `process_open_fds` and others.
                """).toString();
    }
}
