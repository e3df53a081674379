package io.waterwheel.gateway.events;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Waiting;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.status.ServerReport;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Readers get how things are, then what changes; those who are slow or come again are told what they missed. */
@Timeout(300)
final class ServerWatchTest {
    private final AtomicReference<ServerReport> report =
            new AtomicReference<>(ReportChangesTest.report(ReportChangesTest.stream("s", 1, 0, "")));
    private final ServerWatch watch = new ServerWatch(this::look, 1_000_000, TimeUnit.MILLISECONDS.toNanos(50));

    private ServerReport look() {
        ServerReport now = report.get();
        if (now == null) {
            throw new WaterwheelException(ErrorCode.SERVER_UNREACHABLE, "planted");
        }
        return now;
    }

    @AfterEach
    void close() {
        watch.close();
    }

    private static ServerWatch.Part next(ServerWatch.Reader reader) throws InterruptedException {
        ServerWatch.Part part = null;
        while (part == null) {
            part = reader.next(1_000);
        }
        return part;
    }

    private static List<String> kinds(ServerWatch.Part part) {
        assertThat(part).isInstanceOf(ServerWatch.Part.Events.class);
        return ((ServerWatch.Part.Events) part)
                .events().stream().map(ServerEvent::kind).toList();
    }

    @Test
    void aReaderGetsHowThingsAreAndThenWhatChanges() throws InterruptedException {
        try (ServerWatch.Reader reader = watch.read(null)) {
            assertThat(kinds(next(reader))).containsExactly("edit", "lag");
            report.set(ReportChangesTest.report(ReportChangesTest.stream("s", 2, 0, "")));
            assertThat(kinds(next(reader))).containsExactly("edit");
            report.set(null);
            assertThat(kinds(next(reader))).containsExactly("alert");
        }
    }

    /** The looks end when no one has read for a while, and go on with the next reader, who has missed nothing. */
    @Test
    void whoComesAgainGetsWhatFollows() throws InterruptedException {
        String id;
        try (ServerWatch.Reader reader = watch.read(null)) {
            next(reader);
            id = reader.id();
        }
        Waiting.until("the looks end", () -> !watch.looks());
        report.set(ReportChangesTest.report(ReportChangesTest.stream("s", 2, 0, "")));
        try (ServerWatch.Reader reader = watch.read(id)) {
            ServerWatch.Part.Events part = (ServerWatch.Part.Events) next(reader);
            assertThat(part.events())
                    .singleElement()
                    .extracting(ServerEvent::data)
                    .asString()
                    .contains("\"edit\":2");
        }
    }

    /** With an id it would come again, and never hear how things are. */
    @Test
    void aReaderHasNoIdBeforeItHasGotHowThingsAre() throws InterruptedException {
        for (String last : new String[] {null, "0-7"}) {
            try (ServerWatch.Reader reader = watch.read(last)) {
                assertThat(reader.id()).isNull();
                if (last != null) {
                    assertThat(next(reader)).isInstanceOf(ServerWatch.Part.Missed.class);
                    assertThat(reader.id()).isNull();
                }
                ServerWatch.Part.Events part = (ServerWatch.Part.Events) next(reader);
                assertThat(reader.id()).isEqualTo(part.id());
            }
        }
    }

    @Test
    void anIdOfAnotherGatewayIsToldAndHowThingsAreFollows() throws InterruptedException {
        for (String foreign : List.of("0-7", "x", "", "00000000-99999999999999999999", "-")) {
            try (ServerWatch.Reader reader = watch.read(foreign)) {
                assertThat(next(reader)).isInstanceOf(ServerWatch.Part.Missed.class);
                assertThat(kinds(next(reader))).containsExactly("edit", "lag");
            }
        }
    }

    @Test
    void aSlowReaderIsToldHowManyItMissed() throws InterruptedException {
        EventLog log = new EventLog();
        int all = EventLog.MOST_EVENTS + 500;
        for (int i = 1; i <= all; i++) {
            int number = i;
            log.add(List.of(ServerEvent.of("s", "lag", json -> json.writeNumberField("lag", number))));
        }
        assertThat(log.last()).isEqualTo(all);
        assertThat(log.first()).isEqualTo(501);
        assertThat(log.after(499, 10, 0)).isNull();
        assertThat(log.after(500, 2, 0))
                .extracting(ServerEvent::data)
                .containsExactly("{\"stream\":\"s\",\"lag\":501}", "{\"stream\":\"s\",\"lag\":502}");
        assertThat(log.after(all, 10, 1)).isEmpty();
        String text = "x".repeat(1 << 20);
        List<ServerEvent> large = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            large.add(new ServerEvent("s", "alert", text));
        }
        log.add(large);
        assertThat(log.last() - log.first() + 1).isEqualTo(EventLog.MOST_BYTES / (2 << 20) - 1);
    }
}
