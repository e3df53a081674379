package io.waterwheel.metrics;

import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The page that Prometheus reads: the metrics of a process, its JVM's included, in the form that the scraper accepts:
 * text, OpenMetrics, or Protocol Buffers, which alone hold native histograms.
 *
 * @param contentType for the header of that name
 * @param body not changed by anyone
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Scrape(String contentType, byte[] body) {
    /* The libraries look at all of the JVM's beans when they are registered: once a process. */
    private static final class Libraries {
        static final PrometheusRegistry JVM = new PrometheusRegistry();
        static final ExpositionFormats FORMATS = ExpositionFormats.init();

        static {
            JvmMetrics.builder().register(JVM);
        }

        private Libraries() {}
    }

    /**
     * The metrics of these registries, as they are, and those of the JVM. Of two that have a metric in common, the
     * first counts.
     *
     * @param accept the header of that name; null where there is none
     */
    public static Scrape of(Collection<Metrics> registries, @Nullable String accept) {
        MetricSnapshots.Builder all = MetricSnapshots.builder();
        Set<String> names = new HashSet<>();
        for (Metrics registry : registries) {
            for (MetricSnapshot snapshot : registry.snapshots()) {
                if (names.add(snapshot.getMetadata().getPrometheusName())) {
                    all.metricSnapshot(snapshot);
                }
            }
        }
        for (MetricSnapshot snapshot : Libraries.JVM.scrape()) {
            all.metricSnapshot(snapshot);
        }
        ExpositionFormatWriter writer = Libraries.FORMATS.findWriter(accept);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            writer.write(out, all.build());
        } catch (IOException e) {
            throw new UncheckedIOException("a page in memory could not be written", e);
        }
        return new Scrape(writer.getContentType(), out.toByteArray());
    }
}
