package io.waterwheel.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/** Reads server-sent events as a browser does. One thread. */
final class EventReader implements AutoCloseable {
    /** One event, and the id that came with it or before it. */
    record Event(String name, String data, String id) {}

    private final HttpURLConnection connection;
    private final BufferedReader lines;
    private String id = "";

    /** @param last the id that it has seen; null: none */
    EventReader(String url, @Nullable String last) throws IOException {
        connection = (HttpURLConnection) URI.create(url).toURL().openConnection();
        connection.setReadTimeout(60_000);
        if (last != null) {
            connection.setRequestProperty("Last-Event-ID", last);
        }
        lines = new BufferedReader(new InputStreamReader(connection.getInputStream(), UTF_8));
    }

    /** The next with data. */
    Event next() throws IOException {
        while (true) {
            Event event = block();
            if (!event.data().isEmpty()) {
                return event;
            }
        }
    }

    /** The id of the next block that has no data: a heartbeat's. */
    String idBehind() throws IOException {
        Event event = block();
        assertThat(event.data()).isEmpty();
        return event.id();
    }

    private Event block() throws IOException {
        String name = "";
        StringBuilder data = new StringBuilder();
        for (String line = line(); !line.isEmpty(); line = line()) {
            if (line.startsWith("event: ")) {
                name = line.substring(7);
            } else if (line.startsWith("data: ")) {
                data.append(line.substring(6));
            } else if (line.startsWith("id: ")) {
                id = line.substring(4);
            }
        }
        return new Event(name, data.toString(), id);
    }

    private String line() throws IOException {
        String line = lines.readLine();
        if (line == null) {
            throw new IOException("the events have ended");
        }
        return line;
    }

    @Override
    public void close() {
        connection.disconnect();
    }
}
