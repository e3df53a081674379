package io.waterwheel.gateway.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.status.ServerReport;
import io.waterwheel.status.StreamReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Who hears of every event knows what the last report says. */
final class ReportChangesTest {
    private final ReportChanges changes = new ReportChanges();

    static StreamReport stream(String name, long edit, long lag, String trouble) {
        return new StreamReport(
                new StreamReport.Definition(name, name, 1, "skip", "fail"),
                edit,
                List.of(),
                null,
                new StreamReport.Chunks(edit, 10 * edit, 100 * edit),
                List.of(),
                new StreamReport.Source(
                        0,
                        0,
                        List.of(new StreamReport.Partition(
                                0, new StreamReport.Positions(0, 0, 0, lag), 0, "", trouble)),
                        List.of()),
                List.of());
    }

    static ServerReport report(StreamReport... streams) {
        return new ServerReport(List.of(), List.of(streams), null, null, List.of());
    }

    private static List<String> texts(List<ServerEvent> events) {
        return events.stream().map(event -> event.kind() + " " + event.data()).toList();
    }

    @Test
    void theFirstReportIsHowThingsAre() {
        assertThat(changes.next(report(stream("s", 3, 7, "")))).isEmpty();
        assertThat(texts(changes.current()))
                .containsExactly(
                        "edit {\"stream\":\"s\",\"edit\":3,\"chunks\":3,\"chunkTuples\":30,\"chunkBytes\":300}",
                        "lag {\"stream\":\"s\",\"lag\":7}");
        assertThat(changes.next(report(stream("s", 3, 7, "")))).isEmpty();
    }

    @Test
    void alertsBeginChangeAndEnd() {
        changes.next(report(stream("s", 1, 0, "")));
        assertThat(texts(changes.next(report(stream("s", 1, 0, "stands at 7")))))
                .containsExactly("alert {\"stream\":\"s\",\"at\":\"partition 0\",\"reasons\":[\"stands at 7\"]}");
        assertThat(texts(changes.current())).last().asString().contains("stands at 7");
        assertThat(texts(changes.next(report(stream("s", 1, 0, "")))))
                .containsExactly("alert {\"stream\":\"s\",\"at\":\"partition 0\",\"reasons\":[]}");
    }

    @Test
    void aServerThatDoesNotAnswerIsAnAlertAndStreamsStay() {
        changes.next(report(stream("s", 1, 0, "")));
        assertThat(texts(changes.noReport("refused")))
                .containsExactly("alert {\"at\":\"server\",\"reasons\":[\"the server does not answer: refused\"]}");
        assertThat(changes.noReport("refused")).isEmpty();
        assertThat(texts(changes.next(report(stream("s", 1, 0, "")))))
                .containsExactly("alert {\"at\":\"server\",\"reasons\":[]}");
    }

    @Test
    void streamsAreToldWhenTheServerAnswersForTheFirstTime() {
        assertThat(changes.noReport("refused")).isEmpty();
        assertThat(texts(changes.current()))
                .containsExactly("alert {\"at\":\"server\",\"reasons\":[\"the server does not answer: refused\"]}");
        assertThat(changes.next(report(stream("s", 3, 7, ""))))
                .extracting(ServerEvent::kind)
                .containsExactly("alert", "edit", "lag");
    }

    /** A coordinator that has just started has heard of no partition, and may not have read the catalog. */
    @Test
    void whatIsNotKnownIsNotTold() {
        StreamReport unknown = new StreamReport(
                new StreamReport.Definition("s", "s", 1, "skip", "fail"),
                0,
                List.of(),
                null,
                new StreamReport.Chunks(0, 0, 0),
                List.of(),
                new StreamReport.Source(0, 0, List.of(), List.of()),
                List.of());
        changes.next(report(unknown));
        assertThat(changes.current()).isEmpty();
        assertThat(changes.next(report(stream("s", 3, 7, ""))))
                .extracting(ServerEvent::kind)
                .containsExactly("edit", "lag");
        assertThat(changes.next(report(unknown))).isEmpty();
        assertThat(changes.current()).extracting(ServerEvent::kind).containsExactly("edit", "lag");
    }

    @Test
    void longReasonsAreCut() {
        changes.next(report(stream("s", 1, 0, "")));
        String data = changes.next(report(stream("s", 1, 0, "x".repeat(100_000))))
                .get(0)
                .data();
        assertThat(data).hasSizeLessThan(3_000).contains("x ...");
    }

    /** On random reports: what a reader keeps of each kind and thing is what those who come now are told. */
    @Test
    void eventsAddUpToHowThingsAre() {
        long seed = Long.getLong("seed", System.nanoTime());
        Random random = new Random(seed);
        Map<String, String> known = new TreeMap<>();
        for (int step = 0; step < 500; step++) {
            List<ServerEvent> events;
            if (random.nextInt(10) == 0) {
                events = changes.noReport("away " + random.nextInt(2));
            } else {
                List<StreamReport> streams = new ArrayList<>();
                for (String name : List.of("a", "b", "c")) {
                    if (random.nextInt(8) > 0) {
                        streams.add(stream(
                                name,
                                random.nextInt(3),
                                random.nextInt(3),
                                random.nextInt(3) == 0 ? "trouble " + random.nextInt(2) : ""));
                    }
                }
                events = changes.next(report(streams.toArray(StreamReport[]::new)));
            }
            // A reader that came before the first look gets how things are after it.
            (step == 0 ? changes.current() : events).forEach(event -> keep(known, event));
            Map<String, String> current = new TreeMap<>();
            changes.current().forEach(event -> keep(current, event));
            assertThat(known).as("seed %s, step %s", seed, step).isEqualTo(current);
        }
    }

    private static void keep(Map<String, String> known, ServerEvent event) {
        String thing = event.stream() + " " + event.kind();
        if (event.kind().equals("stream")) {
            if (event.data().contains("false")) {
                known.keySet().removeIf(key -> key.startsWith(event.stream() + " "));
            }
        } else if (event.kind().equals("alert")) {
            String at = thing + event.data().substring(0, event.data().indexOf("\"reasons\""));
            if (event.data().contains("\"reasons\":[]")) {
                known.remove(at);
            } else {
                known.put(at, event.data());
            }
        } else {
            known.put(thing, event.data());
        }
    }
}
