package io.waterwheel.embedded.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.known.KnownRows;
import io.waterwheel.client.tail.Tail;
import io.waterwheel.client.tail.TailBatch;
import io.waterwheel.client.tail.TailSettings;
import io.waterwheel.error.WaterwheelException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.BitSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Follows the known rows from the first on, and goes on from where it stood when what it follows by is killed: each row
 * must come once, and queries must see it. A thread of its own.
 */
abstract class RowFollower implements AutoCloseable {
    private final Thread thread;
    /** Guarded by this. */
    private final BitSet seen = new BitSet();
    /** Guarded by this. */
    private @Nullable Throwable failure;

    private int begun;
    private volatile boolean ends;

    RowFollower(String name) {
        this.thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    /** By the Java client. */
    static RowFollower byClient(String url) {
        return new RowFollower("follows by the client") {
            private TailSettings from = TailSettings.NOW.fromEarliest();

            @Override
            void follow() {
                try (WaterwheelClient client = WaterwheelClient.connect(url);
                        Tail tail = client.tail(KnownRows.STREAM, from)) {
                    while (!ends()) {
                        TailBatch batch = tail.poll(java.time.Duration.ofMillis(200));
                        if (batch == null) {
                            continue;
                        }
                        requireNothingMissed(
                                batch.missed().toString(), batch.missed().isEmpty());
                        for (int row = 0; row < batch.size(); row++) {
                            take(number(batch.value(row, "id")), number(batch.value(row, "v")));
                        }
                        from = from.from(batch.positions());
                        if (batch.size() > 0) {
                            requireSeen(client, number(batch.value(batch.size() - 1, "id")));
                        }
                    }
                }
            }
        };
    }

    /** By HTTP, each time by the gateway that is named then. */
    static RowFollower byHttp(Supplier<String> gateway) {
        return new RowFollower("follows by HTTP") {
            private static final ObjectMapper JSON = new ObjectMapper();
            private String last = "";

            @Override
            void follow() throws IOException {
                HttpURLConnection connection = (HttpURLConnection) URI.create(
                                gateway.get() + "/v1/streams/" + KnownRows.STREAM + "/tail?from=earliest&select=id,v")
                        .toURL()
                        .openConnection();
                connection.setConnectTimeout(5_000);
                connection.setReadTimeout(15_000);
                if (!last.isEmpty()) {
                    connection.setRequestProperty("Last-Event-ID", last);
                }
                StringBuilder data = new StringBuilder();
                String id = last;
                String event = "";
                try (BufferedReader lines =
                        new BufferedReader(new InputStreamReader(connection.getInputStream(), UTF_8))) {
                    for (String line = lines.readLine(); line != null && !ends(); line = lines.readLine()) {
                        if (line.startsWith("data: ")) {
                            data.append(line, "data: ".length(), line.length()).append('\n');
                        } else if (line.startsWith("id: ")) {
                            id = line.substring("id: ".length());
                        } else if (line.startsWith("event: ")) {
                            event = line.substring("event: ".length());
                        } else if (line.isEmpty()) {
                            requireNothingMissed(data.toString(), !event.equals("missed"));
                            if (event.isEmpty() && data.length() > 0) {
                                for (JsonNode row : JSON.readTree(data.toString())) {
                                    take(row.path("id").asLong(), row.path("v").asLong());
                                }
                            }
                            last = id;
                            data.setLength(0);
                            event = "";
                        }
                    }
                } finally {
                    connection.disconnect();
                }
            }
        };
    }

    RowFollower start() {
        thread.start();
        return this;
    }

    /** Follows until it is to end, or fails as it may where something is killed. */
    abstract void follow() throws IOException;

    boolean ends() {
        return ends;
    }

    private void run() {
        while (!ends) {
            begun++;
            try {
                follow();
            } catch (IOException e) {
                rest();
            } catch (WaterwheelException e) {
                if (e.kind() == WaterwheelException.Kind.USER) {
                    fail(e);
                    return;
                }
                rest();
            } catch (RuntimeException | Error e) {
                fail(e);
                return;
            }
        }
    }

    private void rest() {
        try {
            Thread.sleep(50);
        } catch (InterruptedException e) {
            ends = true;
        }
    }

    private synchronized void fail(Throwable why) {
        failure = why;
    }

    static long number(@Nullable Object value) {
        if (value instanceof Number number) {
            return number.longValue();
        }
        throw new AssertionError("no number: " + value);
    }

    synchronized void take(long id, long value) {
        if (value != KnownRows.value(id)) {
            throw new AssertionError("row " + id + " has the value " + value);
        }
        if (seen.get((int) id)) {
            throw new AssertionError("row " + id + " came twice");
        }
        seen.set((int) id);
    }

    static void requireNothingMissed(String what, boolean nothing) {
        if (!nothing) {
            throw new AssertionError("missed: " + what);
        }
    }

    static void requireSeen(WaterwheelClient client, long id) {
        long count = client.query(KnownRows.STREAM).where("id = " + id).count();
        if (count != 1) {
            throw new AssertionError("row " + id + " came, and a query found it " + count + " times");
        }
    }

    /** How many rows came; fails with what it failed with. */
    synchronized int rows() {
        if (failure != null) {
            throw new AssertionError(thread.getName(), failure);
        }
        return seen.cardinality();
    }

    @Override
    public String toString() {
        return thread.getName() + ": " + rows() + " rows, begun " + begun + " times";
    }

    @Override
    public void close() throws InterruptedException {
        ends = true;
        thread.interrupt();
        thread.join(20_000);
    }
}
