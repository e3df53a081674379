package io.waterwheel.gateway.events;

import io.waterwheel.status.ServerReport;
import io.waterwheel.status.StreamReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Compares each report of a server with the one before. An event of the kind {@code edit}, {@code lag} or {@code alert}
 * says how something is now, not by how much it changed: who has missed some needs only the last of each. One thread.
 */
final class ReportChanges {
    /** Of one reason of an alert; a message may name thousands of partitions. */
    private static final int MOST_REASON_LENGTH = 2_000;

    private static final int MOST_REASONS = 20;
    private static final String SERVER = "server";
    private static final long UNKNOWN = -1;

    private Map<String, Seen> streams = new TreeMap<>();
    private Map<String, List<String>> server = new TreeMap<>();
    /** Whether anybody may have been told how things are. */
    private boolean told;
    /** Whether the streams are known. */
    private boolean known;

    /**
     * How a stream was; alerts by what they are about.
     *
     * @param edit 0: not known
     * @param lag {@link #UNKNOWN} until all partitions have been heard of
     */
    private record Seen(long edit, StreamReport.Chunks chunks, long lag, Map<String, List<String>> alerts) {}

    /** What differs from what was told before; where nothing was, nothing does. */
    List<ServerEvent> next(ServerReport report) {
        List<ServerEvent> events = new ArrayList<>();
        Map<String, List<String>> serverNow = new TreeMap<>();
        put(serverNow, SERVER, report.troubles());
        alerts("", server, serverNow, events);
        server = serverNow;
        Map<String, Seen> now = new TreeMap<>();
        for (StreamReport stream : report.streams()) {
            Seen before = streams.get(stream.name());
            Seen seen = seen(stream, before);
            now.put(stream.name(), seen);
            if (before == null && known) {
                events.add(there(stream.name(), true));
            }
            changes(stream.name(), before, seen, events);
        }
        for (String name : streams.keySet()) {
            if (!now.containsKey(name)) {
                events.add(there(name, false));
            }
        }
        streams = now;
        known = true;
        return toldBefore() ? events : List.of();
    }

    /** What a coordinator does not know, for it has just started or cannot read it, is as it was. */
    private static Seen seen(StreamReport stream, @Nullable Seen before) {
        boolean whole =
                stream.source().partitions().size() >= stream.definition().partitions();
        return new Seen(
                before == null || stream.edit() > 0 ? stream.edit() : before.edit,
                before == null || stream.edit() > 0 ? stream.chunks() : before.chunks,
                whole ? stream.lag() : before == null ? UNKNOWN : before.lag,
                alerts(stream));
    }

    /** Whether anybody may have been told something before this. */
    private boolean toldBefore() {
        boolean before = told;
        told = true;
        return before;
    }

    /** The same where there is no report: the server does not answer. What is known of streams stays as it was. */
    List<ServerEvent> noReport(String why) {
        List<ServerEvent> events = new ArrayList<>();
        Map<String, List<String>> now = new TreeMap<>(server);
        put(now, SERVER, List.of("the server does not answer: " + why));
        alerts("", server, now, events);
        server = now;
        return toldBefore() ? events : List.of();
    }

    /** How things are: what was seen last, as events. */
    List<ServerEvent> current() {
        List<ServerEvent> events = new ArrayList<>();
        alerts("", Map.of(), server, events);
        streams.forEach((name, seen) -> changes(name, null, seen, events));
        return events;
    }

    private static void changes(String name, @Nullable Seen before, Seen now, List<ServerEvent> events) {
        if (now.edit > 0 && (before == null || before.edit != now.edit)) {
            events.add(ServerEvent.of(name, "edit", json -> {
                json.writeNumberField("edit", now.edit);
                json.writeNumberField("chunks", now.chunks.count());
                json.writeNumberField("chunkTuples", now.chunks.tuples());
                json.writeNumberField("chunkBytes", now.chunks.bytes());
            }));
        }
        if (now.lag != UNKNOWN && (before == null || before.lag != now.lag)) {
            events.add(ServerEvent.of(name, "lag", json -> json.writeNumberField("lag", now.lag)));
        }
        alerts(name, before == null ? Map.of() : before.alerts, now.alerts, events);
    }

    private static ServerEvent there(String name, boolean there) {
        return ServerEvent.of(name, "stream", json -> json.writeBooleanField("there", there));
    }

    private static Map<String, List<String>> alerts(StreamReport stream) {
        Map<String, List<String>> alerts = new TreeMap<>();
        put(alerts, "stream", stream.troubles());
        for (StreamReport.Partition partition : stream.source().partitions()) {
            put(alerts, "partition " + partition.partition(), List.of(partition.trouble(), partition.warning()));
        }
        for (StreamReport.Indexer indexer : stream.indexers()) {
            put(alerts, "indexer " + indexer.indexer(), List.of(indexer.memory().trouble()));
        }
        return alerts;
    }

    /** Notes what is wrong with something, where anything is. */
    private static void put(Map<String, List<String>> alerts, String at, List<String> reasons) {
        List<String> said = reasons.stream()
                .filter(reason -> !reason.isEmpty())
                .limit(MOST_REASONS)
                .map(reason -> reason.length() > MOST_REASON_LENGTH
                        ? reason.substring(0, MOST_REASON_LENGTH) + " ..."
                        : reason)
                .toList();
        if (!said.isEmpty()) {
            alerts.put(at, said);
        }
    }

    private static void alerts(
            String stream, Map<String, List<String>> before, Map<String, List<String>> now, List<ServerEvent> events) {
        now.forEach((at, reasons) -> {
            if (!reasons.equals(before.get(at))) {
                events.add(alert(stream, at, reasons));
            }
        });
        for (String at : before.keySet()) {
            if (!now.containsKey(at)) {
                events.add(alert(stream, at, List.of()));
            }
        }
    }

    private static ServerEvent alert(String stream, String at, List<String> reasons) {
        return ServerEvent.of(stream, "alert", json -> {
            json.writeStringField("at", at);
            json.writeArrayFieldStart("reasons");
            for (String reason : reasons) {
                json.writeString(reason);
            }
            json.writeEndArray();
        });
    }
}
