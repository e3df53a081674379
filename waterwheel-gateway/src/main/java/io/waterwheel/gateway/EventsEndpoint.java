package io.waterwheel.gateway;

import io.waterwheel.gateway.answer.Utf8Buffer;
import io.waterwheel.gateway.events.ServerEvent;
import io.waterwheel.gateway.events.ServerWatch;
import io.waterwheel.gateway.http.HttpCode;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.gateway.http.Json;
import io.waterwheel.status.StatusJson;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /v1/events}: how streams are, and what happens to them, by server-sent events. Each reader has a thread
 * while it is there; all share the looks at the server. Thread-safe.
 */
final class EventsEndpoint implements AutoCloseable {
    /** Readers at a time. */
    static final int AT_ONCE = 16;

    /** What a client has one patience for. */
    private static final int AT_ONCE_BYTES = 64 << 10;

    /** How soon it sees that its client has gone. */
    private static final long PATIENCE_MILLIS = 1_000;

    private final QueryEndpoint.Server server;
    private final ServerWatch events;
    private final Executor threads;
    private final ClientWatch watch;
    private final long patienceMillis;
    private final AtomicInteger open = new AtomicInteger();

    /** @param threads has room for {@link #AT_ONCE} */
    EventsEndpoint(QueryEndpoint.Server server, Executor threads, ClientWatch watch, long patienceMillis) {
        this.server = server;
        this.events =
                new ServerWatch(() -> StatusJson.read(server.client().status().json()));
        this.threads = threads;
        this.watch = watch;
        this.patienceMillis = patienceMillis;
    }

    /** How many read. */
    int open() {
        return open.get();
    }

    /** Begins; what is wrong with the request is told by the status. */
    void events(Exchange exchange) {
        AnswerStream.requireChunks(exchange.request());
        exchange.allow(List.of("stream"));
        String stream = exchange.parameter("stream");
        if (open.incrementAndGet() > AT_ONCE) {
            open.decrementAndGet();
            ServerSentEvents.refuse(exchange, busy());
            return;
        }
        try {
            threads.execute(() -> {
                try {
                    follow(exchange, stream);
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
                HttpCode.GATEWAY_BUSY, "as many clients as may be read this gateway's events: " + AT_ONCE);
    }

    private void follow(Exchange exchange, @Nullable String only) {
        if (only == null) {
            server.client();
        } else {
            server.client().describe(only);
        }
        String last = exchange.request().getHeaders().get(ServerSentEvents.LAST_EVENT);
        AtomicBoolean gone = new AtomicBoolean();
        ClientWatch.Watched watched = watch.add(exchange.request(), () -> gone.set(true));
        AnswerStream stream = exchange.events(ServerSentEvents.TYPE, patienceMillis);
        try (ServerWatch.Reader reader = events.read(last == null || last.isEmpty() ? null : last)) {
            send(reader, only, stream, gone);
            stream.cut(new AnswerStream.ClientGone("the client is gone", null));
        } catch (AnswerStream.ClientGone e) {
            stream.cut(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            stream.cut(e);
        } catch (RuntimeException e) {
            ServerSentEvents.fail(stream, e);
        } finally {
            watched.end();
        }
    }

    private static void send(ServerWatch.Reader reader, @Nullable String only, AnswerStream stream, AtomicBoolean gone)
            throws InterruptedException {
        Utf8Buffer text = new Utf8Buffer();
        text.ascii("retry: 1000\n\n");
        ServerSentEvents.flush(text, stream);
        long sentNanos = System.nanoTime();
        while (!gone.get()) {
            ServerWatch.Part part = reader.next(PATIENCE_MILLIS);
            boolean sent = false;
            if (part instanceof ServerWatch.Part.Missed missed) {
                missed(text, missed);
            } else if (part instanceof ServerWatch.Part.Events some) {
                for (ServerEvent event : some.events()) {
                    if (only == null
                            || event.stream().isEmpty()
                            || event.stream().equals(only)) {
                        text.ascii("event: " + event.kind() + "\ndata: ");
                        ServerSentEvents.line(text, event.data());
                        text.ascii("\n\n");
                        if (text.length() >= AT_ONCE_BYTES) {
                            // Not all of it at once: the client may take its time for each of them.
                            ServerSentEvents.flush(text, stream);
                            sentNanos = System.nanoTime();
                            sent = true;
                        }
                    }
                }
                if (sent || text.length() > 0) {
                    // An id without an event: it is of all that came before it.
                    text.ascii("id: " + some.id() + "\n\n");
                }
            }
            if (text.length() == 0 && System.nanoTime() - sentNanos > ServerSentEvents.HEARTBEAT_NANOS) {
                String id = reader.id();
                text.ascii(id == null ? ": heartbeat\n\n" : ": heartbeat\nid: " + id + "\n\n");
            }
            if (text.length() > 0) {
                ServerSentEvents.flush(text, stream);
                sentNanos = System.nanoTime();
            }
        }
    }

    private static void missed(Utf8Buffer text, ServerWatch.Part.Missed missed) {
        text.ascii("event: missed\ndata: ");
        ServerSentEvents.line(text, Json.object(json -> {
            if (missed.events() > 0) {
                json.writeNumberField("events", missed.events());
            }
            json.writeStringField("reason", missed.reason());
        }));
        text.ascii("\n\n");
    }

    @Override
    public void close() {
        events.close();
    }
}
