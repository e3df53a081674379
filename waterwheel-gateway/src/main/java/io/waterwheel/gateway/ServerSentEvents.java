package io.waterwheel.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.gateway.answer.Utf8Buffer;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.gateway.http.Json;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What all answers of server-sent events [WHATWG HTML, 9.2] have in common. Stateless. */
final class ServerSentEvents {
    private static final Logger LOG = LoggerFactory.getLogger(ServerSentEvents.class);

    static final String TYPE = "text/event-stream";
    static final String LAST_EVENT = "Last-Event-ID";
    /** Without an event for so long, a comment says that the connection lives. */
    static final long HEARTBEAT_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** After which a page comes again where the server is away, or the gateway has no room. */
    private static final int RETRY_MILLIS = 5_000;

    private ServerSentEvents() {}

    /**
     * Answers where events do not begin, without waiting for the client. A page's EventSource gives up at any status
     * but 200, also where the server is away for a moment: it gets an answer without events, and comes again.
     */
    static void refuse(Exchange exchange, Throwable e) {
        if (exchange.accept().contains(TYPE) && HttpFailure.of(e).retryAfter() > 0 && !exchange.hasBegun()) {
            exchange.answer(200, TYPE, ("retry: " + RETRY_MILLIS + "\n\n").getBytes(UTF_8));
        } else {
            exchange.fail(e);
        }
    }

    /** A failure in the middle is an event, and the last one. */
    static void fail(AnswerStream stream, RuntimeException e) {
        HttpFailure failure = HttpFailure.of(e);
        if (failure.status() == 500) {
            LOG.warn("events ended: {}", failure.getMessage(), e);
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
    static void line(Utf8Buffer event, byte[] document) {
        for (byte one : document) {
            if (one != '\n' && one != '\r') {
                event.put(one);
            }
        }
    }

    /** The same of a text. */
    static void line(Utf8Buffer event, String document) {
        line(event, document.getBytes(UTF_8));
    }

    /** Sends what was gathered, and begins anew. */
    static void flush(Utf8Buffer event, AnswerStream stream) {
        stream.write(event.bytes(), event.length());
        event.clear();
    }
}
