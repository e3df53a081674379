package io.waterwheel.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The files of deploy/grafana ask for metrics that there are; a test of the server asks them of a real Prometheus. */
final class GrafanaFilesTest {
    private static final Path GRAFANA = Path.of("..", "deploy", "grafana");
    private static final Pattern NAME = Pattern.compile("(?<![\\w:])waterwheel_\\w+(?![\\w:])");

    private static List<Metric> all() {
        return ProcessMetrics.ROOMS.stream()
                .flatMap(room -> room.metrics().stream())
                .toList();
    }

    private static Set<String> asked(String text) {
        return NAME.matcher(text).results().map(MatchResult::group).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Names under which a metric is asked for. */
    private static Stream<String> names(Metric metric) {
        return metric.type() == Metric.Type.HISTOGRAM
                ? Stream.of("", "_bucket", "_count", "_sum").map(end -> metric.name() + end)
                : Stream.of(metric.name());
    }

    private static String texts() throws IOException {
        StringBuilder texts = new StringBuilder();
        try (Stream<Path> files = Files.walk(GRAFANA)) {
            for (Path file : files.filter(name -> name.toString().matches(".*\\.(json|yml)"))
                    .toList()) {
                texts.append(Files.readString(file)).append('\n');
            }
        }
        return texts.toString();
    }

    @Test
    void askForMetricsThatThereAre() throws IOException {
        Set<String> there = all().stream().flatMap(GrafanaFilesTest::names).collect(Collectors.toSet());
        assertThat(asked(texts())).hasSizeGreaterThan(50).isSubsetOf(there);
    }

    /** What is measured and shown nowhere is measured for nothing; {@code status} has the rest. */
    @Test
    void showEveryMetric() throws IOException {
        Set<String> asked = asked(texts());
        assertThat(all())
                .filteredOn(metric -> names(metric).noneMatch(asked::contains))
                .extracting(Metric::name)
                .isEmpty();
    }

    /** Else Grafana asks for the variable's name, and shows nothing. */
    @Test
    void declareTheVariablesThatTheyUse() throws IOException {
        try (Stream<Path> files = Files.list(GRAFANA.resolve("dashboards"))) {
            for (Path file : files.toList()) {
                String text = Files.readString(file);
                Set<String> used = Pattern.compile("\\$\\{?([a-z]\\w*)")
                        .matcher(text)
                        .results()
                        .map(match -> match.group(1))
                        .collect(Collectors.toSet());
                Set<String> declared = Pattern.compile("\"name\": \"(\\w+)\",\\s*\"label\": ")
                        .matcher(text)
                        .results()
                        .map(match -> match.group(1))
                        .collect(Collectors.toSet());
                assertThat(declared).as(file.toString()).containsAll(used);
            }
        }
    }

    @Test
    void everyAlertHasATest() throws IOException {
        String tests = Files.readString(GRAFANA.resolve("waterwheel.test.yml"));
        List<String> alerts = Pattern.compile("- alert: (\\w+)")
                .matcher(Files.readString(GRAFANA.resolve("waterwheel.rules.yml")))
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(alerts).hasSizeGreaterThan(10).allSatisfy(alert -> assertThat(tests)
                .containsPattern("alertname: " + alert + "\\s+exp_alerts:\\s+- exp_labels"));
    }
}
