package io.waterwheel.gateway;

import com.fasterxml.jackson.core.JsonGenerator;
import io.waterwheel.client.admin.StreamDetails;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.gateway.http.HttpCode;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.gateway.http.Json;
import io.waterwheel.schema.BadRecords;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code POST /v1/streams/{stream}/rows}: decodes rows at the door, has them stored together with those of others, and
 * answers when they are stored, or visible.
 */
final class PushEndpoint implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PushEndpoint.class);

    /** Longest body, and what a compressed one may expand to. */
    static final int MOST_BYTES = 16 << 20;

    private static final int MOST_EXPANDED_BYTES = 64 << 20;
    private static final String BLOCK = "application/vnd.waterwheel.block";
    private static final List<String> JSON = List.of("application/x-ndjson", "application/jsonl", "application/json");
    /** How long what is known of a stream holds: it may be dropped, and another made of its name. */
    private static final long KNOWN_NANOS = TimeUnit.SECONDS.toNanos(1);

    static final int MOST_STREAMS = 64;
    private static final Duration END_PATIENCE = Duration.ofSeconds(10);

    private final QueryEndpoint.Server server;
    private final Executor questions;
    /** Guarded by itself. */
    private final Map<String, Target> targets = new HashMap<>();
    /** All that were started and may still store. Guarded by itself. */
    private final Set<PushSlot> running = new HashSet<>();
    /** Guarded by {@link #running}. */
    private boolean closed;

    PushEndpoint(QueryEndpoint.Server server, Executor questions) {
        this.server = server;
        this.questions = questions;
    }

    /** When a request is answered. */
    private enum Wait {
        STORED,
        VISIBLE,
        NONE
    }

    /** Where the rows of one stream go. */
    private final class Target {
        private final String name;
        private final Visibility visibility;
        /** Guarded by this. */
        private @Nullable PushSlot slot;

        private boolean looking;
        private long lookedAt;
        private final Object firsts = new Object();

        Target(String name) {
            this.name = name;
            this.visibility = new Visibility(name, server, questions);
        }

        /**
         * The slot of the stream that bears the name now. One request looks; the others go on with what is known. While
         * no coordinator answers, rows are stored all the same: Kafka takes them.
         */
        PushSlot slot() {
            PushSlot present;
            synchronized (this) {
                present = slot;
                if (present != null) {
                    if (looking || System.nanoTime() - lookedAt < KNOWN_NANOS) {
                        return present;
                    }
                    looking = true;
                }
            }
            if (present == null) {
                return first();
            }
            StreamDetails now = null;
            try {
                now = server.client().describe(name);
                return now(now);
            } catch (WaterwheelException e) {
                if (now == null
                        && (e.kind() == WaterwheelException.Kind.TEMPORARY
                                || e.kind() == WaterwheelException.Kind.UNKNOWN_OUTCOME)) {
                    LOG.debug("stream {} is taken to be as it was", name, e);
                    return present;
                }
                if (e.is(ErrorCode.NO_SUCH_STREAM)) {
                    end();
                }
                throw e;
            } finally {
                synchronized (this) {
                    looking = false;
                    lookedAt = System.nanoTime();
                }
            }
        }

        /** Those who come first wait for one look. */
        private PushSlot first() {
            synchronized (firsts) {
                synchronized (this) {
                    if (slot != null) {
                        return slot;
                    }
                }
                return now(server.client().describe(name));
            }
        }

        private synchronized PushSlot now(StreamDetails now) {
            PushSlot present = slot;
            if (present != null
                    && present.stream().id() == now.id()
                    && present.stream().definition().equals(now.definition())
                    && present.stream().bases().equals(now.bases())) {
                return present;
            }
            if (present != null) {
                present.end();
            }
            PushSlot started = begin(now);
            slot = started;
            lookedAt = System.nanoTime();
            return started;
        }

        synchronized void forget(PushSlot ended) {
            if (slot == ended) {
                slot = null;
            }
        }

        private synchronized void end() {
            if (slot != null) {
                slot.end();
                slot = null;
            }
        }

        synchronized boolean rests() {
            return slot == null || slot.hasEnded();
        }
    }

    /** A slot that is ended with the gateway. */
    private PushSlot begin(StreamDetails stream) {
        synchronized (running) {
            if (closed) {
                throw new WaterwheelException(ErrorCode.SERVER_CLOSING, "the gateway is closing");
            }
            running.removeIf(slot -> !slot.isRunning());
            PushSlot slot = PushSlot.start(stream);
            running.add(slot);
            return slot;
        }
    }

    /** Decodes the rows of a request, and answers it later. */
    void push(Exchange exchange) {
        exchange.allow(List.of("wait", "partial"));
        Wait wait = choice(exchange, "wait", Wait.values(), Wait.STORED);
        boolean allow = choice(exchange, "partial", Partial.values(), Partial.FAIL) == Partial.ALLOW;
        Target target = target(exchange.name());
        PushSlot slot = target.slot();
        StreamDefinition stream = slot.stream().definition();
        if (allow && !stream.policy().badRecords().equals(BadRecords.SKIP)) {
            throw HttpFailure.of(
                    HttpCode.STREAM_HALTS,
                    "stream " + stream.name() + " halts at bad records (dead-letters: "
                            + stream.policy().badRecords() + "), and partial=allow would send it some",
                    "partial");
        }
        RecordFormat body = format(exchange, stream);
        byte[] bytes = Expansion.expand(
                exchange.body(), exchange.header(HttpHeader.CONTENT_ENCODING), MOST_EXPANDED_BYTES, exchange.lease());
        PushedRows rows = new RowDecoder(stream, body, allow, exchange.lease()).decode(bytes, header(exchange));
        if (rows.rejected() > 0 && !allow) {
            exchange.answer(422, Exchange.JSON, refusal(rows, body));
            return;
        }
        if (rows.rows() == 0 && rows.records().isEmpty()) {
            if (wait == Wait.NONE) {
                exchange.answer(202, Exchange.JSON, answer(rows, null, null));
            } else {
                exchange.json(answer(rows, Map.of(), wait == Wait.VISIBLE ? "" : null));
            }
            return;
        }
        CompletableFuture<Map<Integer, Long>> stored = store(target, slot, rows);
        if (wait == Wait.NONE) {
            exchange.keepLease(stored);
            exchange.answer(202, Exchange.JSON, answer(rows, null, null));
            return;
        }
        var unused = stored.whenComplete((positions, failure) -> {
            if (failure != null) {
                exchange.fail(failure);
            } else if (wait == Wait.STORED) {
                exchange.json(answer(rows, positions, null));
            } else {
                var unusedLate = target.visibility
                        .await(positions)
                        .whenComplete((nothing, late) -> exchange.json(
                                answer(rows, positions, late == null ? "" : String.valueOf(late.getMessage()))));
            }
        });
    }

    private Target target(String name) {
        synchronized (targets) {
            Target known = targets.get(name);
            if (known != null) {
                return known;
            }
        }
        // Only a stream that there is.
        server.client().describe(name);
        synchronized (targets) {
            Target known = targets.get(name);
            if (known != null) {
                return known;
            }
            if (targets.size() >= MOST_STREAMS) {
                targets.values().removeIf(Target::rests);
            }
            if (targets.size() >= MOST_STREAMS) {
                throw HttpFailure.of(
                        HttpCode.GATEWAY_BUSY,
                        "rows go to " + MOST_STREAMS + " streams by this gateway already; use another gateway");
            }
            Target added = new Target(name);
            targets.put(name, added);
            return added;
        }
    }

    private static CompletableFuture<Map<Integer, Long>> store(Target target, PushSlot first, PushedRows rows) {
        PushSlot slot = first;
        while (true) {
            CompletableFuture<Map<Integer, Long>> stored = slot.store(rows);
            if (stored != null) {
                return stored;
            }
            target.forget(slot);
            slot = target.slot();
            if (slot.stream().id() != first.stream().id()
                    || !slot.stream().definition().equals(first.stream().definition())) {
                throw HttpFailure.of(
                        HttpCode.STREAM_REPLACED,
                        "stream " + target.name + " was changed while the rows came; send them again");
            }
        }
    }

    private enum Partial {
        FAIL,
        ALLOW
    }

    private static <E extends Enum<E>> E choice(Exchange exchange, String parameter, E[] choices, E usual) {
        String text = exchange.parameter(parameter);
        if (text == null) {
            return usual;
        }
        for (E one : choices) {
            if (one.name().toLowerCase(Locale.ROOT).equals(text)) {
                return one;
            }
        }
        throw HttpFailure.bad(
                ErrorCode.BAD_REQUEST,
                parameter + ": expected one of " + Arrays.toString(choices).toLowerCase(Locale.ROOT) + ", got '" + text
                        + "'",
                parameter,
                null);
    }

    private static RecordFormat format(Exchange exchange, StreamDefinition stream) {
        String type = exchange.bodyType();
        RecordFormat body = null;
        if (type.equals("text/csv")) {
            body = RecordFormat.CSV;
        } else if (JSON.contains(type)) {
            body = RecordFormat.JSON;
        } else if (type.equals(BLOCK)) {
            body = RecordFormat.BLOCK;
        }
        if (body == null) {
            throw HttpFailure.of(
                    HttpCode.MEDIA_TYPE_UNKNOWN,
                    "Content-Type: expected text/csv, one of " + JSON + " or " + BLOCK + ", got '" + type + "'",
                    "Content-Type");
        }
        if (stream.format() != RecordFormat.BLOCK && stream.format() != body) {
            throw HttpFailure.of(
                    HttpCode.MEDIA_TYPE_UNKNOWN,
                    "stream " + stream.name() + " has the format " + SchemaFile.formatName(stream.format())
                            + " and takes only that; a stream of the format block takes all",
                    "Content-Type");
        }
        return body;
    }

    /** Of {@code text/csv; header=present} [RFC 4180, 3]. */
    private static RowDecoder.Header header(Exchange exchange) {
        String type = exchange.header(HttpHeader.CONTENT_TYPE);
        String parameter = type == null ? "" : type.toLowerCase(Locale.ROOT).replaceAll("\\s", "");
        if (parameter.contains(";header=present")) {
            return RowDecoder.Header.PRESENT;
        }
        return parameter.contains(";header=absent") ? RowDecoder.Header.ABSENT : RowDecoder.Header.SEEN;
    }

    /**
     * What became of the rows.
     *
     * @param positions where they lie; null: not known yet
     * @param late why it is not known that they are visible; empty: they are; null: not asked for
     */
    private static byte[] answer(PushedRows rows, @Nullable Map<Integer, Long> positions, @Nullable String late) {
        return Json.object(json -> {
            json.writeNumberField("rows", rows.rows());
            json.writeNumberField("rejected", rows.rejected());
            if (positions != null) {
                VerdictJson.positions(json, positions);
            }
            if (late != null) {
                json.writeBooleanField("visible", late.isEmpty());
                if (!late.isEmpty()) {
                    json.writeStringField("reason", late);
                }
            }
            if (rows.rejected() > 0) {
                reasons(json, rows);
            }
        });
    }

    private static byte[] refusal(PushedRows rows, RecordFormat body) {
        return Json.object(json -> {
            json.writeStringField("code", HttpCode.ROWS_REJECTED.name());
            json.writeStringField(
                    "message",
                    rows.rejected() + " of " + (rows.rows() + rows.rejected()) + " "
                            + (body == RecordFormat.BLOCK ? "blocks" : "rows") + " are no tuples of the stream, and"
                            + " nothing is stored; with partial=allow the others would be");
            json.writeStringField("at", "line " + rows.reasons().get(0).line());
            json.writeNumberField("rejected", rows.rejected());
            reasons(json, rows);
        });
    }

    private static void reasons(JsonGenerator json, PushedRows rows) throws IOException {
        json.writeArrayFieldStart("errors");
        for (PushedRows.Reason reason : rows.reasons()) {
            json.writeStartObject();
            json.writeNumberField("line", reason.line());
            if (reason.field() != null) {
                json.writeStringField("field", reason.field());
            }
            json.writeStringField("reason", reason.reason());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /** Takes no more rows, and waits until what was taken is stored: some were told so already. */
    @Override
    public void close() {
        List<PushSlot> ending;
        synchronized (running) {
            closed = true;
            ending = List.copyOf(running);
        }
        ending.forEach(PushSlot::end);
        long deadline = System.nanoTime() + END_PATIENCE.toNanos();
        try {
            for (PushSlot slot : ending) {
                slot.awaitEnd(TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
