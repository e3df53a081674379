package io.waterwheel.query;

import io.waterwheel.tuple.TimeInterval;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.stream.Collectors;

/** An explanation in words. Stateless. */
final class ExplanationText {
    private static final int MOST_KEYS = 3;

    private final StringBuilder out = new StringBuilder();

    private ExplanationText() {}

    static String of(Explanation explanation) {
        ExplanationText text = new ExplanationText();
        text.plan(explanation);
        Explanation.Analysis analysis = explanation.analysis();
        if (analysis != null) {
            text.analysis(explanation, analysis);
        }
        return text.out.toString();
    }

    private void plan(Explanation explanation) {
        Explanation.Asked asked = explanation.asked();
        line("result", "%s, at edit %d", asked.result(), asked.edit());
        line("keys", "%s", keys(asked));
        line("times", "%s", times(asked));
        if (asked.shape() || !asked.condition().isEmpty()) {
            line(
                    "tests",
                    "%s",
                    !asked.shape()
                            ? asked.condition()
                            : "the position against the shape"
                                    + (asked.condition().isEmpty() ? "" : ", " + asked.condition()));
        }
        Explanation.Cost cost = explanation.cost();
        line("cost", "about %s to look at: %s", number(cost.tuples(), "tuple"), cost.lane());
        Explanation.Indexers indexers = explanation.indexers();
        line(
                "indexers",
                "%d there; pruned %d by key, %d by report; %s",
                indexers.total(),
                indexers.byKeys(),
                indexers.byReports(),
                indexers.asked().isEmpty()
                        ? "none to ask"
                        : (indexers.asked().size() == 1 ? "to ask: indexer " : "to ask: indexers ")
                                + indexers.asked().stream().map(String::valueOf).collect(Collectors.joining(", ")));
        Explanation.Chunks chunks = explanation.chunks();
        line(
                "chunks",
                "%,d there%s; %,d to read: %s, %s",
                chunks.total(),
                pruned(chunks.pruned()),
                chunks.toRead(),
                number(chunks.tuples(), "tuple"),
                number(chunks.bytes(), "byte"));
    }

    private void analysis(Explanation explanation, Explanation.Analysis analysis) {
        Statistics statistics = analysis.statistics();
        line(
                "time",
                "%s: %s",
                millis(analysis.total()),
                analysis.steps().stream()
                        .map(step -> step.name() + " " + millis(step.time()))
                        .collect(Collectors.joining(", ")));
        Explanation.Work work = analysis.work();
        line(
                "work",
                "of all threads: scanning %s (%s of it reading and decoding), merging %s, sending %s",
                millis(work.scanning()),
                millis(work.reading()),
                millis(work.merging()),
                millis(work.sending()));
        line(
                "read",
                "%s, %,d of them by the directory alone; %,d left",
                number(statistics.chunksRead(), "chunk"),
                analysis.servers().stream()
                        .mapToLong(Explanation.Server::unread)
                        .sum(),
                explanation.chunks().toRead() - statistics.chunksRead());
        scanned("in chunks", statistics.inChunks());
        ScanStatistics.Parts parts = statistics.inChunks().parts();
        line(
                "bytes",
                "%,d from the store (%s of %,d, %s of %,d, %,d read along), %,d from the cache (%s)",
                parts.allBytesRead(),
                number(parts.read(), "column"),
                parts.bytesRead(),
                parts.directoriesRead() == 1
                        ? "1 directory"
                        : String.format(Locale.ROOT, "%,d directories", parts.directoriesRead()),
                parts.directoryBytesRead(),
                parts.bytesReadAlong(),
                parts.bytesCached(),
                number(parts.cached(), "column"));
        scanned("in memory", statistics.fresh());
        for (Explanation.Server server : analysis.servers()) {
            line("server", "%s", server(server));
        }
    }

    private void scanned(String where, ScanStatistics scanned) {
        line(
                where,
                "%s%s; %,d counted unread; %,d read with %s, %,d of them in vain; %,d left",
                leaves(scanned.leaves()),
                pruned(scanned.pruned()),
                scanned.counted(),
                scanned.read(),
                number(scanned.tuples(), "tuple"),
                scanned.unmatched(),
                scanned.left());
    }

    private static String server(Explanation.Server server) {
        ScanStatistics scanned = server.scanned();
        StringBuilder text = new StringBuilder(server.name());
        if (!server.host().isEmpty()) {
            text.append(String.format(
                    Locale.ROOT,
                    " on %s: %s%s,",
                    server.host(),
                    number(server.parts(), "chunk"),
                    server.inVain() == 0 ? "" : " and " + number(server.inVain(), "attempt") + " in vain"));
        } else {
            text.append(':');
        }
        text.append(String.format(
                Locale.ROOT,
                " %,d of %s read, %s, in %s",
                scanned.read(),
                leaves(scanned.leaves()),
                number(scanned.tuples(), "tuple"),
                millis(server.time())));
        if (!server.host().isEmpty()) {
            text.append(String.format(
                    Locale.ROOT,
                    "; %s from the store in %s, %,d from the cache",
                    number(scanned.parts().allBytesRead(), "byte"),
                    millis(Duration.ofNanos(scanned.parts().readNanos())),
                    scanned.parts().bytesCached()));
        }
        return text.toString();
    }

    private static String number(long of, String what) {
        return String.format(Locale.ROOT, "%,d %s%s", of, what, of == 1 ? "" : "s");
    }

    private static String leaves(long of) {
        return of == 1 ? "1 leaf" : String.format(Locale.ROOT, "%,d leaves", of);
    }

    private static String pruned(Pruning pruning) {
        return pruning.counts().isEmpty() ? "; none pruned" : "; pruned " + pruning;
    }

    private static String keys(Explanation.Asked asked) {
        if (asked.keyIntervals() == 0) {
            return "none: nothing can match";
        }
        if (asked.keyIntervals() == 1
                && asked.keys().get(0).from().isEmpty()
                && asked.keys().get(0).to().isEmpty()) {
            return "all";
        }
        String first =
                asked.keys().stream().limit(MOST_KEYS).map(ExplanationText::key).collect(Collectors.joining(", "));
        long more = asked.keyIntervals() - Math.min(MOST_KEYS, asked.keys().size());
        return asked.keyIntervals()
                + (asked.keyIntervals() == 1 ? " interval: " : " intervals: ")
                + first
                + (more == 0 ? "" : " and " + more + " more");
    }

    private static String key(Explanation.KeySpan span) {
        return span.low() == span.high() ? span.from() : span.from() + ".." + span.to();
    }

    private static String times(Explanation.Asked asked) {
        TimeInterval times = asked.times();
        if (times == null) {
            return "none: nothing can match";
        }
        if (times.equals(TimeInterval.ALL)) {
            return "all";
        }
        String from = times.from() == Long.MIN_VALUE ? "the beginning" : instant(times.from());
        return from + " to " + (times.to() == Long.MAX_VALUE ? "the end" : instant(times.to()));
    }

    private static String instant(long millis) {
        try {
            return Instant.ofEpochMilli(millis).toString();
        } catch (DateTimeException e) {
            return millis + " ms";
        }
    }

    private static String millis(Duration time) {
        return String.format(Locale.ROOT, "%.3f ms", time.toNanos() / 1e6);
    }

    private void line(String word, String format, Object... values) {
        out.append(String.format(Locale.ROOT, "%-10s ", word))
                // What is asked may hold line ends of its own.
                .append(String.format(Locale.ROOT, format, values).replaceAll("[\\p{Cc}\\u2028\\u2029]", " "))
                .append('\n');
    }
}
