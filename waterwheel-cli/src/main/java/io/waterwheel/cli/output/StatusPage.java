package io.waterwheel.cli.output;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A server's status for people: a table of the streams, their partitions where something lags, and what is unhealthy
 * and why. With the status before it, rates too. Stateless.
 */
public final class StatusPage {
    /** Part of an indexer's memory that is used, from which on reading may have to wait for the chunk store. */
    private static final double FULL = 0.875;

    private StatusPage() {}

    /** One look at the server. */
    public record Look(JsonNode json, long nanos) {
        private long tuples(String stream) {
            for (JsonNode node : json.path("streams")) {
                if (node.path("name").asText().equals(stream)) {
                    return memory(node) + node.path("chunkTuples").asLong();
                }
            }
            return -1;
        }
    }

    private static long memory(JsonNode stream) {
        return stream.path("memoryTuples").asLong();
    }

    /**
     * Returns the lines of the page.
     *
     * @param before an earlier look, for rates; or the same
     */
    public static List<String> of(Look now, Look before) {
        List<String> lines = new ArrayList<>();
        List<String> troubles = new ArrayList<>();
        now.json().path("troubles").forEach(trouble -> troubles.add(trouble.asText()));
        if (now.json().path("streams").isEmpty() && troubles.isEmpty()) {
            return List.of("there are no streams");
        }
        lines.add(row("stream", "tuples", "in memory", "in chunks", "chunks", "size", "lag", "tuples/s", "rejected"));
        for (JsonNode stream : now.json().path("streams")) {
            String name = stream.path("name").asText();
            long inChunks = stream.path("chunkTuples").asLong();
            lines.add(row(
                    name,
                    number(memory(stream) + inChunks),
                    number(memory(stream)),
                    number(inChunks),
                    number(stream.path("chunks").asLong()),
                    size(stream.path("chunkBytes").asLong()),
                    number(stream.path("lag").asLong()),
                    rate(name, now, before),
                    number(stream.path("rejected").asLong())));
            partitions(stream, lines);
            troubles(stream, troubles);
        }
        lines.add("");
        if (troubles.isEmpty()) {
            lines.add("all is well");
        } else {
            lines.add("NOT WELL:");
            troubles.forEach(trouble -> lines.add("  " + trouble));
        }
        return lines;
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

    private static long letters(JsonNode stream) {
        long letters = 0;
        for (JsonNode partition : stream.path("sources")) {
            letters += partition.path("deadLetters").asLong();
        }
        return letters;
    }

    /** A line for each partition that lags; where none does, one for all. */
    private static void partitions(JsonNode stream, List<String> lines) {
        Map<Integer, String> lagging = new TreeMap<>();
        for (JsonNode partition : stream.path("sources")) {
            long lag = partition.path("lag").asLong();
            if (lag > 0) {
                lagging.put(
                        partition.path("partition").asInt(),
                        "indexed below " + partition.path("indexed").asLong() + " of "
                                + partition.path("logEnd").asLong() + ", lag " + number(lag));
            }
        }
        lagging.forEach((partition, what) -> lines.add("  partition " + partition + ": " + what));
        if (lagging.isEmpty()) {
            lines.add("  " + stream.path("partitions").asInt() + " partitions of topic "
                    + stream.path("topic").asText() + ", none lags");
        }
    }

    private static void troubles(JsonNode stream, List<String> troubles) {
        String name = stream.path("name").asText();
        stream.path("troubles").forEach(trouble -> troubles.add(name + ": " + trouble.asText()));
        for (JsonNode partition : stream.path("sources")) {
            String what = partition.path("trouble").asText();
            if (!what.isEmpty()) {
                troubles.add(name + ", partition " + partition.path("partition").asInt() + " stands still: " + what);
            }
        }
        Set<String> warnings = new LinkedHashSet<>();
        stream.path("sources")
                .forEach(partition -> warnings.add(partition.path("warning").asText()));
        warnings.stream().filter(warning -> !warning.isEmpty()).forEach(warning -> troubles.add(name + ": " + warning));
        long checked = stream.path("sourceCheckMillis").asLong();
        long wanted = stream.path("sourceCheckWantedMillis").asLong();
        if (wanted > 0 && checked > 2 * wanted) {
            troubles.add(name + ": its topic is looked at every " + checked + " ms only, source.check-interval is "
                    + wanted + " ms: a topic that is made anew meanwhile may be taken for the old one. Is Kafka or"
                    + " ZooKeeper slow, or are there too few spouts?");
        }
        if (stream.path("sources").size() < stream.path("partitions").asInt()) {
            troubles.add(name + ": nothing is heard yet of "
                    + (stream.path("partitions").asInt()
                            - stream.path("sources").size())
                    + " partitions; a moment after the start this is usual");
        }
        for (JsonNode indexer : stream.path("indexers")) {
            String which = name + ", indexer " + indexer.path("indexer").asInt();
            if (indexer.path("recovering").asBoolean()) {
                troubles.add(which + " recovers: complete answers wait until it has read what it had before");
            }
            String trouble = indexer.path("trouble").asText();
            if (!trouble.isEmpty()) {
                troubles.add(which + ": " + trouble + "; tried again every few seconds");
            }
            long limit = indexer.path("memoryLimit").asLong();
            long used = indexer.path("memoryUsed").asLong();
            if (used > FULL * limit && indexer.path("unflushedTrees").asInt() > 0) {
                troubles.add(which + ": " + (used >> 20) + " of " + (limit >> 20) + " MiB of memory used, "
                        + indexer.path("unflushedTrees").asInt()
                        + " trees wait to be written, and reading for them. Is the chunk store slow or full?");
            }
        }
        for (JsonNode lost : stream.path("lost")) {
            troubles.add(name + ", partition " + lost.path("partition").asInt() + ": offsets "
                    + lost.path("from").asLong() + " to " + (lost.path("to").asLong() - 1) + " are lost ("
                    + lost.path("reason").asText() + ")");
        }
        long letters = letters(stream);
        if (letters > 0) {
            troubles.add(name + ": " + letters + " records since the start could not become tuples: 'waterwheel"
                    + " dead-letters " + name + "' shows them");
        }
    }
}
