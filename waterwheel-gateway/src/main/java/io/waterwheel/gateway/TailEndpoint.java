package io.waterwheel.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.client.tail.Tail;
import io.waterwheel.client.tail.TailBatch;
import io.waterwheel.client.tail.TailSettings;
import io.waterwheel.encode.TextRows;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /v1/streams/{stream}/tail}: the rows of a stream as they become visible, by server-sent events [WHATWG
 * HTML, 9.2]. The id of an event is the positions behind its rows, so that a client that comes again with it gets each
 * row once. Each tail has a thread while it is open. Thread-safe.
 */
final class TailEndpoint {
    /** Open at a time. */
    static final int AT_ONCE = 16;
    /** Of a stream that is followed by HTTP: each event tells the position of all. */
    static final int MOST_PARTITIONS = 512;

    /** How soon it sees that its client has gone. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

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
            ServerSentEvents.refuse(exchange, busy());
            return;
        }
        try {
            threads.execute(() -> {
                try {
                    follow(exchange);
                } catch (RuntimeException | Error e) {
                    ServerSentEvents.refuse(exchange, e);
                } finally {
                    open.decrementAndGet();
                }
            });
        } catch (RejectedExecutionException e) {
            open.decrementAndGet();
            ServerSentEvents.refuse(exchange, busy());
        }
    }

    private static HttpFailure busy() {
        return HttpFailure.of(
                HttpCode.GATEWAY_BUSY, "as many streams are followed by this gateway as may be: " + AT_ONCE);
    }

    private static TailSettings settings(Exchange exchange) {
        String where = exchange.parameter("where");
        TailSettings settings = where == null ? TailSettings.NOW : TailSettings.NOW.where(where);
        String last = exchange.request().getHeaders().get(ServerSentEvents.LAST_EVENT);
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
            AnswerStream stream = exchange.events(ServerSentEvents.TYPE, patienceMillis);
            try {
                send(exchange.name(), tail, shown, stream, gone);
                stream.cut(new AnswerStream.ClientGone("the client is gone", null));
            } catch (AnswerStream.ClientGone e) {
                stream.cut(e);
            } catch (RuntimeException e) {
                ServerSentEvents.fail(stream, told(e));
            } finally {
                watched.end();
            }
        } catch (WaterwheelException e) {
            throw told(e);
        }
    }

    /**
     * Positions of a stream that was dropped never hold again: a page that comes again with them would do so for good.
     */
    private static RuntimeException told(RuntimeException e) {
        return e instanceof WaterwheelException known && known.is(ErrorCode.STREAM_CHANGED)
                ? HttpFailure.of(HttpCode.STREAM_REPLACED, known.getMessage() + "; follow it without positions", "from")
                : e;
    }

    private void send(String name, Tail tail, Shown shown, AnswerStream stream, AtomicBoolean gone) {
        Utf8Buffer event = new Utf8Buffer();
        event.ascii("retry: 1000\n");
        Sent sent = new Sent(tail);
        heartbeat(event, sent);
        ServerSentEvents.flush(event, stream);
        long sentNanos = System.nanoTime();
        while (!gone.get()) {
            TailBatch batch = tail.poll(PATIENCE);
            if (batch != null) {
                for (LostRange range : batch.missed()) {
                    missed(event, range);
                    ServerSentEvents.flush(event, stream);
                }
                if (batch.size() > 0) {
                    rows(event, batch, shown, sent, stream);
                    meter.tailed(name, batch.size());
                    sentNanos = System.nanoTime();
                }
                sent.all(batch);
                if (batch.size() == 0 && !batch.missed().isEmpty()) {
                    // Its id: what was said to be missed is not said again.
                    heartbeat(event, sent);
                    ServerSentEvents.flush(event, stream);
                }
            }
            if (System.nanoTime() - sentNanos > ServerSentEvents.HEARTBEAT_NANOS) {
                heartbeat(event, sent);
                ServerSentEvents.flush(event, stream);
                sentNanos = System.nanoTime();
            }
        }
    }

    /** A comment, and an id without an event: what was passed without a row is not read again. */
    private static void heartbeat(Utf8Buffer event, Sent sent) {
        event.ascii(": heartbeat\nid: " + sent.id() + "\n\n");
    }

    private static void missed(Utf8Buffer event, LostRange range) {
        event.ascii("event: missed\ndata: ");
        ServerSentEvents.line(event, Json.object(json -> {
            json.writeNumberField("partition", range.partition());
            json.writeNumberField("from", range.from());
            json.writeNumberField("to", range.to());
            json.writeStringField("reason", range.reason());
        }));
        event.ascii("\n\n");
    }

    /** Some events, each an array of rows, and none with a part of a record. */
    private static void rows(Utf8Buffer event, TailBatch batch, Shown shown, Sent sent, AnswerStream stream) {
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
                sent.record(batch.partition(row), batch.position(row));
            }
            if (row + 1 == size) {
                sent.all(batch);
            }
            if (row + 1 == size || (ends && event.length() >= EVENT_BYTES)) {
                event.ascii("]\nid: " + sent.id() + "\n\n");
                ServerSentEvents.flush(event, stream);
                begun = false;
            }
        }
    }

    /** What was sent, and what a tail before this one had sent of the records that it began within. */
    private static final class Sent {
        private final int stream;
        private final Map<Integer, Long> positions;
        private final Map<Integer, Integer> within;

        Sent(Tail tail) {
            stream = tail.streamId();
            positions = new TreeMap<>(tail.positions());
            within = new TreeMap<>(tail.within());
        }

        /** A whole record was sent. */
        void record(int partition, long position) {
            positions.put(partition, position + 1);
            within.remove(partition);
        }

        void all(TailBatch batch) {
            positions.putAll(batch.positions());
            within.clear();
            within.putAll(batch.within());
        }

        String id() {
            return TailSettings.text(stream, positions, within);
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
