package io.waterwheel.metrics;

import java.util.List;

/**
 * The definition of a metric.
 *
 * @param name as Prometheus sees it, with its unit and, for a counter, {@code _total} at the end
 * @param labels names of its labels, in the order in which values are given
 * @param scale where the classic buckets of a histogram lie; {@link Scale#NONE} for others
 * @param meaning what it measures, one sentence
 * @param advice what to do when it is high, or what it is looked at for; one or two sentences
 */
public record Metric(String name, Type type, List<String> labels, Scale scale, String meaning, String advice) {
    /** Label whose values are names of streams, which {@link Metrics#stream} bounds. */
    static final String STREAM = "stream";

    /** What Prometheus calls the type. */
    public enum Type {
        COUNTER,
        GAUGE,
        HISTOGRAM
    }

    /** Upper bounds of classic buckets, in seconds. Native histograms have buckets of their own, 9 % wide. */
    public enum Scale {
        NONE,
        /** Of work in memory: 10 microseconds to 1 second. */
        SHORT(0.00001, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1),
        /** Of calls and queries: 500 microseconds to 1 minute. */
        CALL(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
        /** Of what records wait for: 1 millisecond to 10 minutes. */
        DELAY(0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 600);

        @SuppressWarnings("ImmutableEnumChecker") // handed out as a copy
        private final double[] bounds;

        Scale(double... bounds) {
            this.bounds = bounds;
        }

        double[] bounds() {
            return bounds.clone();
        }
    }

    public Metric {
        labels = List.copyOf(labels);
        String problem = problem(name, type, labels, scale);
        if (!problem.isEmpty()) {
            throw new IllegalArgumentException("metric " + name + ": " + problem);
        }
    }

    private static String problem(String name, Type type, List<String> labels, Scale scale) {
        if (!name.matches("waterwheel_[a-z][a-z0-9_]*[a-z0-9]")) {
            return "expected a name that begins with waterwheel_, in lower case";
        }
        if (name.endsWith("_total") != (type == Type.COUNTER)) {
            return "expected _total at the end of a counter's name, and of no other";
        }
        if ((scale != Scale.NONE) != (type == Type.HISTOGRAM)) {
            return "expected a scale for a histogram, and for no other";
        }
        if (type == Type.HISTOGRAM && !name.endsWith("_seconds")) {
            return "expected _seconds at the end of a histogram's name";
        }
        if (labels.stream().distinct().count() < labels.size()
                || !labels.stream().allMatch(label -> label.matches("[a-z][a-z_]*"))) {
            return "expected different labels in lower case, got " + labels;
        }
        return "";
    }

    /** The unit, as the name has it; empty for numbers of things. */
    public String unit() {
        String base = name.endsWith("_total") ? name.substring(0, name.length() - "_total".length()) : name;
        return base.endsWith("_seconds") ? "seconds" : base.endsWith("_bytes") ? "bytes" : "";
    }
}
