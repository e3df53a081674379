package io.waterwheel.cli.output;

import io.waterwheel.status.ServerReport;
import io.waterwheel.status.StreamReport;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * A server's status for people: a table of the streams, their partitions where something lags, and what is unhealthy
 * and why. With the status before it, rates too. Stateless.
 */
public final class StatusPage {
    private StatusPage() {}

    /** One look at the server. */
    public record Look(ServerReport report, long nanos) {
        private long tuples(String stream) {
            return report.streams().stream()
                    .filter(of -> of.name().equals(stream))
                    .mapToLong(StatusPage::tuples)
                    .findFirst()
                    .orElse(-1);
        }
    }

    private static long tuples(StreamReport stream) {
        return stream.memoryTuples() + stream.chunks().tuples();
    }

    /**
     * Returns the lines of the page.
     *
     * @param before an earlier look, for rates; or the same
     */
    public static List<String> of(Look now, Look before) {
        List<String> lines = new ArrayList<>();
        List<String> troubles = new ArrayList<>(now.report().troubles());
        if (now.report().streams().isEmpty() && troubles.isEmpty()) {
            lines.add("there are no streams");
            gateways(now.report(), lines);
            return lines;
        }
        lines.add(row("stream", "tuples", "in memory", "in chunks", "chunks", "size", "lag", "tuples/s", "rejected"));
        for (StreamReport stream : now.report().streams()) {
            lines.add(row(
                    stream.name(),
                    number(tuples(stream)),
                    number(stream.memoryTuples()),
                    number(stream.chunks().tuples()),
                    number(stream.chunks().count()),
                    size(stream.chunks().bytes()),
                    number(stream.lag()),
                    rate(stream.name(), now, before),
                    number(stream.rejected())));
            partitions(stream, lines);
            stream.dimensions().stream()
                    .filter(StreamReport.Dimension::crowded)
                    .forEach(dimension -> lines.add("  " + dimension.sentence()));
            troubles(stream, troubles);
        }
        gateways(now.report(), lines);
        lines.add("");
        if (troubles.isEmpty()) {
            lines.add("all is well");
        } else {
            lines.add("NOT WELL:");
            troubles.forEach(trouble -> lines.add("  " + trouble));
        }
        return lines;
    }

    private static void gateways(ServerReport report, List<String> lines) {
        report.gateways().forEach(gateway -> lines.add(gateway.sentence()));
    }

    private static String row(String name, String... cells) {
        StringBuilder row = new StringBuilder(String.format(Locale.ROOT, "%-20s", name));
        for (String cell : cells) {
            row.append(String.format(Locale.ROOT, " %12s", cell));
        }
        return row.toString();
    }

    private static String number(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private static String size(long bytes) {
        return bytes < 1 << 20
                ? String.format(Locale.ROOT, "%.1f KiB", bytes / 1024.0)
                : String.format(Locale.ROOT, "%.1f MiB", bytes / 1048576.0);
    }

    private static String rate(String stream, Look now, Look before) {
        long earlier = before.tuples(stream);
        double seconds = (now.nanos() - before.nanos()) / 1e9;
        return earlier < 0 || seconds <= 0
                ? "-"
                : String.format(Locale.ROOT, "%,.0f", Math.max(0, now.tuples(stream) - earlier) / seconds);
    }

    /** A line for each partition that lags; where none does, one for all. */
    private static void partitions(StreamReport stream, List<String> lines) {
        List<StreamReport.Partition> lagging = stream.source().partitions().stream()
                .filter(partition -> partition.lag() > 0)
                .sorted(Comparator.comparingInt(StreamReport.Partition::partition))
                .toList();
        for (StreamReport.Partition partition : lagging) {
            StreamReport.Positions positions = partition.positions();
            lines.add("  partition " + partition.partition() + ": indexed below " + positions.indexed() + " of "
                    + positions.logEnd() + ", lag " + number(partition.lag()));
        }
        if (lagging.isEmpty()) {
            int all = stream.definition().partitions();
            int heard = stream.source().partitions().size();
            String lag = heard >= all ? "none lags" : heard == 0 ? "none heard of" : heard + " heard of, none lags";
            lines.add("  " + all + " partitions of topic " + stream.definition().topic() + ", " + lag);
        }
    }

    private static void troubles(StreamReport stream, List<String> troubles) {
        String name = stream.name();
        stream.troubles().forEach(trouble -> troubles.add(name + ": " + trouble));
        List<StreamReport.Partition> partitions = stream.source().partitions();
        for (StreamReport.Partition partition : partitions) {
            if (!partition.trouble().isEmpty()) {
                troubles.add(name + ", partition " + partition.partition() + " stands still: " + partition.trouble());
            }
        }
        partitions.stream()
                .map(StreamReport.Partition::warning)
                .distinct()
                .filter(warning -> !warning.isEmpty())
                .forEach(warning -> troubles.add(name + ": " + warning));
        long checked = stream.source().checkMillis();
        long wanted = stream.source().wantedMillis();
        if (wanted > 0 && checked > 2 * wanted) {
            troubles.add(name + ": its topic is looked at every " + checked + " ms only, source.check-interval is "
                    + wanted + " ms: a topic that is made anew meanwhile may be taken for the old one. Is Kafka or"
                    + " ZooKeeper slow, or are there too few spouts?");
        }
        int unheard = stream.definition().partitions() - partitions.size();
        if (unheard > 0) {
            troubles.add(name + ": nothing is heard yet of " + unheard
                    + " partitions; a moment after the start this is usual");
        }
        stream.indexers().forEach(indexer -> troubles(name, indexer, troubles));
        for (StreamReport.Lost lost : stream.source().lost()) {
            troubles.add(name + ", partition " + lost.partition() + ": offsets " + lost.from() + " to "
                    + (lost.to() - 1) + " are lost (" + lost.reason() + ")");
        }
        if (stream.deadLetters() > 0) {
            troubles.add(name + ": " + stream.deadLetters()
                    + " records since the start could not become tuples: 'waterwheel dead-letters " + name
                    + "' shows them");
        }
    }

    private static void troubles(String name, StreamReport.Indexer indexer, List<String> troubles) {
        String which = name + ", indexer " + indexer.indexer();
        if (indexer.recovering()) {
            troubles.add(which + " recovers: complete answers wait until it has read what it had before");
        }
        StreamReport.Memory memory = indexer.memory();
        if (!memory.trouble().isEmpty()) {
            troubles.add(which + ": " + memory.trouble() + "; tried again every few seconds");
        }
        if (memory.full()) {
            troubles.add(which + ": " + (memory.usedBytes() >> 20) + " of " + (memory.limitBytes() >> 20)
                    + " MiB of memory used, " + memory.unflushedTrees()
                    + " trees wait to be written, and reading for them. Is the chunk store slow or full?");
        }
    }
}
