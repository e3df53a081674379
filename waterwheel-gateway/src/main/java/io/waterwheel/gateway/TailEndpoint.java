package io.waterwheel.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.client.TextRows;
import io.waterwheel.client.tail.Tail;
import io.waterwheel.client.tail.TailBatch;
import io.waterwheel.client.tail.TailSettings;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.gateway.answer.Utf8Buffer;
import io.waterwheel.gateway.http.HttpCode;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.gateway.http.Json;
import io.waterwheel.schema.Field;
import io.waterwheel.tuple.LostRange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code GET /v1/streams/{stream}/tail}: the rows of a stream as they become visible, by server-sent events [WHATWG
 * HTML, 9.2]. The id of an event is the positions behind its rows, so that a client that comes again with it gets each
 * row once. Each tail has a thread while it is open. Thread-safe.
 */
final class TailEndpoint {
    private static final Logger LOG = LoggerFactory.getLogger(TailEndpoint.class);

    static final String TYPE = "text/event-stream";
    /** Open at a time. */
    static final int AT_ONCE = 16;
    /** Of a stream that is followed by HTTP: each event tells the position of all. */
    static final int MOST_PARTITIONS = 512;

    /** After which a page comes again where the server is away, or the gateway has no room. */
    private static final int RETRY_MILLIS = 5_000;

    private static final String LAST_EVENT = "Last-Event-ID";
    /** How soon it sees that its client has gone. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final long HEARTBEAT_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** After which an event ends; a record's rows are in one. */
    private static final int EVENT_BYTES = 64 << 10;

    private final QueryEndpoint.Server server;
    private final Executor threads;
    private final ClientWatch watch;
    private final long patienceMillis;
    private final GatewayMeter meter;
    private final AtomicInteger open = new AtomicInteger();

    /** @param threads has room for {@link #AT_ONCE} */
    TailEndpoint(
            QueryEndpoint.Server server, Executor threads, ClientWatch watch, long patienceMillis, GatewayMeter meter) {
        this.server = server;
        this.threads = threads;
        this.watch = watch;
        this.patienceMillis = patienceMillis;
        this.meter = meter;
    }

    /** How many are open. */
    int open() {
        return open.get();
    }

    /** Begins a tail; what is wrong with the request is told by the status. */
    void tail(Exchange exchange) {
        AnswerStream.requireChunks(exchange.request());
        exchange.allow(List.of("where", "from", "select"));
        if (open.incrementAndGet() > AT_ONCE) {
            open.decrementAndGet();
            refuse(exchange, busy());
            return;
        }
        try {
            threads.execute(() -> {
                try {
                    follow(exchange);
                } catch (RuntimeException | Error e) {
                    refuse(exchange, e);
                } finally {
                    open.decrementAndGet();
                }
            });
        } catch (RejectedExecutionException e) {
            open.decrementAndGet();
            refuse(exchange, busy());
        }
    }

    /**
     * A tail that does not begin. A page's EventSource gives up at any status but 200, also where the server is away
     * for a moment: it gets an answer without events, and comes again.
     */
    private void refuse(Exchange exchange, Throwable e) {
        if (exchange.accept().contains(TYPE) && HttpFailure.of(e).retryAfter() > 0 && !exchange.hasBegun()) {
            AnswerStream stream = exchange.events(TYPE, patienceMillis);
            Utf8Buffer event = new Utf8Buffer();
            event.ascii("retry: " + RETRY_MILLIS + "\n\n");
            try {
                stream.write(event.bytes(), event.length());
                stream.end();
            } catch (AnswerStream.ClientGone gone) {
                stream.cut(gone);
            }
        } else {
            exchange.fail(e);
        }
    }

    private static HttpFailure busy() {
        return HttpFailure.of(
                HttpCode.GATEWAY_BUSY, "as many streams are followed by this gateway as may be: " + AT_ONCE);
    }

    private static TailSettings settings(Exchange exchange) {
        String where = exchange.parameter("where");
        TailSettings settings = where == null ? TailSettings.NOW : TailSettings.NOW.where(where);
        String last = exchange.request().getHeaders().get(LAST_EVENT);
        String from = last == null || last.isEmpty() ? exchange.parameter("from") : last;
        return from == null ? settings : settings.from(from);
    }

    private void follow(Exchange exchange) {
        try (Tail tail = server.client().tail(exchange.name(), settings(exchange))) {
            int partitions = tail.definition().partitions();
            if (partitions > MOST_PARTITIONS) {
                throw HttpFailure.bad(
                        ErrorCode.BAD_REQUEST,
                        "stream " + exchange.name() + " has " + partitions
                                + " partitions, and by HTTP a stream of at most " + MOST_PARTITIONS
                                + " can be followed; waterwheel tail and the Java client follow any",
                        "stream",
                        null);
            }
            Shown shown = Shown.of(
                    exchange.parameter("select"), tail.definition().schema().fields());
            AtomicBoolean gone = new AtomicBoolean();
            ClientWatch.Watched watched = watch.add(exchange.request(), () -> gone.set(true));
            AnswerStream stream = exchange.events(TYPE, patienceMillis);
            try {
                send(exchange.name(), tail, shown, stream, gone);
                stream.cut(new AnswerStream.ClientGone("the client is gone", null));
            } catch (AnswerStream.ClientGone e) {
                stream.cut(e);
            } catch (RuntimeException e) {
                end(stream, e);
            } finally {
                watched.end();
            }
        }
    }

    /** A failure in the middle is an event, and the last one. */
    private static void end(AnswerStream stream, RuntimeException e) {
        HttpFailure failure = HttpFailure.of(e);
        if (failure.status() == 500) {
            LOG.warn("a stream was followed no more: {}", failure.getMessage(), e);
        }
        Utf8Buffer event = new Utf8Buffer();
        event.ascii("event: failure\ndata: ");
        line(event, Json.bytes(failure::writeWithoutStatus));
        event.ascii("\n\n");
        try {
            stream.write(event.bytes(), event.length());
            stream.end();
        } catch (AnswerStream.ClientGone gone) {
            e.addSuppressed(gone);
            stream.cut(e);
        }
    }

    /** Appends a document without its line ends, which would end the field. */
    private static void line(Utf8Buffer event, byte[] document) {
        for (byte one : document) {
            if (one != '\n' && one != '\r') {
                event.put(one);
            }
        }
    }

    private void send(String name, Tail tail, Shown shown, AnswerStream stream, AtomicBoolean gone) {
        Utf8Buffer event = new Utf8Buffer();
        event.ascii("retry: 1000\n");
        Map<Integer, Long> positions = new TreeMap<>(tail.positions());
        heartbeat(event, tail.streamId(), positions);
        flush(event, stream);
        long sentNanos = System.nanoTime();
        while (!gone.get()) {
            TailBatch batch = tail.poll(PATIENCE);
            if (batch != null) {
                for (LostRange range : batch.missed()) {
                    missed(event, range);
                    flush(event, stream);
                }
                if (batch.size() > 0) {
                    rows(event, batch, shown, tail.streamId(), positions, stream);
                    meter.tailed(name, batch.size());
                    sentNanos = System.nanoTime();
                }
                positions.putAll(batch.positions());
                if (batch.size() == 0 && !batch.missed().isEmpty()) {
                    // Its id: what was said to be missed is not said again.
                    heartbeat(event, tail.streamId(), positions);
                    flush(event, stream);
                }
            }
            if (System.nanoTime() - sentNanos > HEARTBEAT_NANOS) {
                heartbeat(event, tail.streamId(), positions);
                flush(event, stream);
                sentNanos = System.nanoTime();
            }
        }
    }

    private static void flush(Utf8Buffer event, AnswerStream stream) {
        stream.write(event.bytes(), event.length());
        event.clear();
    }

    /** A comment, and an id without an event: what was passed without a row is not read again. */
    private static void heartbeat(Utf8Buffer event, int stream, Map<Integer, Long> positions) {
        event.ascii(": heartbeat\nid: " + TailSettings.text(stream, positions) + "\n\n");
    }

    private static void missed(Utf8Buffer event, LostRange range) {
        event.ascii("event: missed\ndata: ");
        line(event, Json.object(json -> {
            json.writeNumberField("partition", range.partition());
            json.writeNumberField("from", range.from());
            json.writeNumberField("to", range.to());
            json.writeStringField("reason", range.reason());
        }));
        event.ascii("\n\n");
    }

    /** Some events, each an array of rows, and none with a part of a record. */
    private static void rows(
            Utf8Buffer event,
            TailBatch batch,
            Shown shown,
            int number,
            Map<Integer, Long> positions,
            AnswerStream stream) {
        int size = batch.size();
        boolean begun = false;
        for (int row = 0; row < size; row++) {
            event.ascii(begun ? ",\ndata: " : "data: [");
            begun = true;
            byte[] text = shown.json(batch, row).getBytes(UTF_8);
            for (byte one : text) {
                event.put(one);
            }
            boolean ends = row + 1 == size
                    || batch.position(row + 1) != batch.position(row)
                    || batch.partition(row + 1) != batch.partition(row);
            if (ends) {
                positions.put(batch.partition(row), batch.position(row) + 1);
            }
            if (row + 1 == size) {
                positions.putAll(batch.positions());
            }
            if (row + 1 == size || (ends && event.length() >= EVENT_BYTES)) {
                event.ascii("]\nid: " + TailSettings.text(number, positions) + "\n\n");
                flush(event, stream);
                begun = false;
            }
        }
    }

    /** The fields that are shown. */
    private record Shown(List<Integer> fields, List<String> names) {
        static Shown of(@Nullable String select, List<Field> all) {
            List<String> known = all.stream().map(Field::name).toList();
            List<String> names = select == null ? known : List.of(select.split(",", -1));
            List<Integer> fields = new ArrayList<>();
            for (String name : names) {
                int field = known.indexOf(name);
                if (field < 0) {
                    throw HttpFailure.bad(
                            ErrorCode.NO_SUCH_FIELD,
                            "select: there is no field '" + name + "' in " + known,
                            "select",
                            null);
                }
                fields.add(field);
            }
            return new Shown(fields, names);
        }

        String json(TailBatch batch, int row) {
            List<@Nullable Object> values = new ArrayList<>(fields.size());
            for (int field : fields) {
                values.add(batch.value(row, field));
            }
            return TextRows.jsonOf(names, values);
        }
    }
}
