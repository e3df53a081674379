package io.waterwheel.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.gateway.arrow.ArrowDecoder;
import io.waterwheel.gateway.http.HttpCode;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.gateway.http.MediaTypes;
import io.waterwheel.gateway.keyed.Digest;
import io.waterwheel.gateway.keyed.Letter;
import io.waterwheel.gateway.keyed.Outcome;
import io.waterwheel.gateway.rows.Expansion;
import io.waterwheel.gateway.rows.PushedRows;
import io.waterwheel.gateway.rows.RowDecoder;
import io.waterwheel.schema.BadRecords;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.wire.TraceParent;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /v1/streams/{stream}/rows}: decodes rows at the door, has them stored together with those of others, and
 * answers when they are stored, or visible.
 */
final class PushEndpoint {
    /** Longest body, and what a compressed one may expand to. */
    static final int MOST_BYTES = 16 << 20;

    static final int MOST_EXPANDED_BYTES = 64 << 20;
    /** Of no more a body is decoded sooner than another thread is woken. */
    private static final int FEW_BYTES = 1 << 10;

    static final String KEY = "Idempotency-Key";
    private static final int MOST_KEY_LENGTH = 255;
    private static final String BLOCK = "application/vnd.waterwheel.block";
    private static final String ARROW = "application/vnd.apache.arrow.stream";
    /** Text is UTF-8, of which ASCII is a part. */
    private static final List<String> CHARSETS = List.of("utf-8", "utf8", "us-ascii");

    /** One object a line, whatever the first one begins with. */
    private static final List<String> JSON_LINES = List.of("application/x-ndjson", "application/jsonl");

    /** The same, or one array. */
    private static final String JSON = "application/json";

    private final PushTargets targets;
    private final Executor decoding;

    /** @param decoding where rows are decoded that are many, or whose stream has to be looked up */
    PushEndpoint(PushTargets targets, Executor decoding) {
        this.targets = targets;
        this.decoding = decoding;
    }

    /**
     * What a request asks for, beside its rows.
     *
     * @param sender the gateway that has sent it on; null: it came from a client
     */
    private record Asked(
            Wait until, boolean allow, @Nullable String key, Letter.@Nullable Sender sender) {}

    /** Rows of a request, and where they go. */
    private record Decoded(
            PushTargets.Target target,
            PushSlot slot,
            PushedRows rows,
            @Nullable Keyed keyed) {}

    /** Rows under a key. */
    private record Keyed(Digest key, Digest body, Letter letter) {}

    /** When a request is answered. */
    private enum Wait {
        STORED,
        VISIBLE,
        NONE
    }

    /** The form of a body. */
    private enum Body {
        CSV(RecordFormat.CSV),
        JSON(RecordFormat.JSON),
        JSON_LINES(RecordFormat.JSON),
        BLOCK(RecordFormat.BLOCK),
        ARROW(null);

        /** The format of records that the rows have; null where they have none. */
        final @Nullable RecordFormat records;

        Body(@Nullable RecordFormat records) {
            this.records = records;
        }

        static @Nullable Body of(String mediaType) {
            if (PushEndpoint.JSON_LINES.contains(mediaType)) {
                return JSON_LINES;
            }
            return switch (mediaType) {
                case "text/csv" -> CSV;
                case PushEndpoint.JSON -> JSON;
                case PushEndpoint.BLOCK -> BLOCK;
                case PushEndpoint.ARROW -> ARROW;
                default -> null;
            };
        }
    }

    /**
     * Takes the rows of a request, and answers it later. Never waits: what may is done on a thread that decodes. A few
     * rows of a stream that was looked up just before are decoded at once.
     */
    void push(Exchange exchange) {
        if (exchange.parameter(Letter.PARAMETER) == null) {
            exchange.allow(List.of("wait", "partial"));
        } else {
            exchange.allow(List.of("wait", "partial", Letter.PARAMETER));
        }
        Asked asked = new Asked(
                choice(exchange, "wait", Wait.values(), Wait.STORED),
                choice(exchange, "partial", Partial.values(), Partial.FAIL) == Partial.ALLOW,
                key(exchange),
                sender(exchange.parameter(Letter.PARAMETER)));
        PushTargets.Target known = isSmall(exchange) ? targets.known(exchange.name()) : null;
        PushSlot open = known == null ? null : known.known();
        if (known == null || open == null) {
            exchange.answer(decoding, () -> {
                PushTargets.Target target = targets.target(exchange.name());
                Decoded decoded = decode(exchange, asked, target, target.slot());
                if (decoded != null) {
                    answer(exchange, asked, decoded.target(), decoded.rows(), store(exchange, decoded));
                }
            });
            return;
        }
        Decoded decoded = decode(exchange, asked, known, open);
        if (decoded == null) {
            return;
        }
        CompletableFuture<Map<Integer, Long>> stored = storeAtOnce(exchange, decoded);
        if (stored != null) {
            answer(exchange, asked, decoded.target(), decoded.rows(), stored);
        } else {
            // The slot has ended meanwhile: what the stream is now, a coordinator has to say.
            exchange.answer(
                    decoding,
                    () -> answer(exchange, asked, decoded.target(), decoded.rows(), store(exchange, decoded)));
        }
    }

    private static boolean isSmall(Exchange exchange) {
        return exchange.body().length <= FEW_BYTES && exchange.header(HttpHeader.CONTENT_ENCODING) == null;
    }

    /** May wait for a coordinator. */
    private static CompletableFuture<Map<Integer, Long>> store(Exchange exchange, Decoded decoded) {
        Keyed keyed = decoded.keyed();
        return keyed == null
                ? decoded.target().store(decoded.slot(), decoded.rows())
                : decoded.target()
                        .store(decoded.slot(), decoded.rows(), keyed.key(), keyed.body(), keyed.letter())
                        .thenApply(outcome -> positions(exchange, keyed.letter(), outcome));
    }

    /** Does not wait; null, and nothing is stored, where that is not enough. */
    private static @Nullable CompletableFuture<Map<Integer, Long>> storeAtOnce(Exchange exchange, Decoded decoded) {
        Keyed keyed = decoded.keyed();
        if (keyed == null) {
            return decoded.target().storeAtOnce(decoded.slot(), decoded.rows());
        }
        CompletableFuture<Outcome> stored =
                decoded.target().storeAtOnce(decoded.slot(), decoded.rows(), keyed.key(), keyed.body(), keyed.letter());
        return stored == null ? null : stored.thenApply(outcome -> positions(exchange, keyed.letter(), outcome));
    }

    /** Null where the rows have no key. */
    private static @Nullable Keyed keyed(Exchange exchange, Asked asked, byte[] bytes) {
        Letter.Sender sender = asked.sender();
        if (sender != null) {
            Letter letter = new Letter("", asked.allow(), Map.of(), exchange.body(), sender);
            return new Keyed(sender.key(), sender.content(), letter);
        }
        if (asked.key() == null) {
            return null;
        }
        Map<String, String> headers = new LinkedHashMap<>();
        for (HttpHeader header : List.of(HttpHeader.CONTENT_TYPE, HttpHeader.CONTENT_ENCODING)) {
            String value = exchange.header(header);
            if (value != null) {
                headers.put(header.asString(), value);
            }
        }
        TraceParent trace = exchange.trace();
        if (trace != null) {
            headers.put(TraceParent.HEADER, trace.toString());
        }
        String path = exchange.request().getHttpURI().getCanonicalPath();
        return new Keyed(
                Digest.of(asked.key().getBytes(UTF_8)),
                digest(exchange, asked.allow(), bytes),
                new Letter(path, asked.allow(), headers, exchange.body(), null));
    }

    /**
     * The rows of a request, to be stored; null when there is nothing to store, and the request is answered. A key is
     * stored also without rows: later it must not stand for others.
     */
    private static @Nullable Decoded decode(Exchange exchange, Asked asked, PushTargets.Target target, PushSlot slot) {
        boolean allow = asked.allow();
        StreamDefinition stream = slot.stream().definition();
        if (allow && !stream.policy().badRecords().equals(BadRecords.SKIP)) {
            throw HttpFailure.of(
                    HttpCode.STREAM_HALTS,
                    "stream " + stream.name() + " halts at bad records (dead-letters: "
                            + stream.policy().badRecords() + "), and partial=allow would send it some",
                    "partial");
        }
        Body body = body(exchange, stream);
        byte[] bytes = Expansion.expand(
                exchange.body(), exchange.header(HttpHeader.CONTENT_ENCODING), MOST_EXPANDED_BYTES, exchange.lease());
        PushedRows rows = body.records == null
                ? new ArrowDecoder(stream, allow, exchange.lease()).decode(bytes)
                : slot.decode(body.records, bytes, header(exchange), body == Body.JSON_LINES, allow, exchange.lease());
        if (asked.sender() == null) {
            // Else the gateway that they came to has counted them.
            target.refused(rows.kinds());
        }
        if (rows.rejected() > 0 && !allow) {
            exchange.answer(
                    422,
                    Exchange.JSON,
                    RowsAnswer.refusal(
                            rows.counts(),
                            body == Body.BLOCK ? "blocks" : "rows",
                            body == Body.ARROW ? "row" : "line"));
            return null;
        }
        if (rows.rows() == 0 && rows.records().isEmpty() && asked.key() == null && asked.sender() == null) {
            if (asked.until() == Wait.NONE) {
                exchange.answer(202, Exchange.JSON, RowsAnswer.answer(rows.counts(), null, null));
            } else {
                exchange.json(RowsAnswer.answer(rows.counts(), Map.of(), asked.until() == Wait.VISIBLE ? "" : null));
            }
            return null;
        }
        return new Decoded(target, slot, rows, keyed(exchange, asked, bytes));
    }

    /** Answers once the rows are stored, or visible. */
    private static void answer(
            Exchange exchange,
            Asked asked,
            PushTargets.Target target,
            PushedRows rows,
            CompletableFuture<Map<Integer, Long>> stored) {
        Wait wait = asked.until();
        if (wait == Wait.NONE) {
            exchange.keepLease(stored);
            exchange.answer(202, Exchange.JSON, RowsAnswer.answer(rows.counts(), null, null));
            return;
        }
        // The gateway that has sent them on tells its client what it rejects.
        PushedRows.Counts counts =
                asked.sender() == null ? rows.counts() : rows.counts().withoutReasons();
        var unused = stored.whenComplete((positions, failure) -> {
            if (failure != null) {
                exchange.fail(failure);
            } else if (wait == Wait.STORED) {
                exchange.json(RowsAnswer.answer(counts, positions, null));
            } else {
                // A stream that stands still may have very many waiting.
                exchange.forgetBody();
                var unusedLate = target.visibility()
                        .await(positions)
                        .whenComplete((nothing, late) -> exchange.json(RowsAnswer.answer(
                                counts, positions, late == null ? "" : String.valueOf(late.getMessage()))));
            }
        });
    }

    /** The header's value; null where there is none. */
    private static @Nullable String key(Exchange exchange) {
        List<String> keys = exchange.request().getHeaders().getValuesList(KEY);
        if (keys.isEmpty()) {
            return null;
        }
        String key = keys.get(0);
        if (keys.size() > 1 || key.isEmpty() || key.length() > MOST_KEY_LENGTH) {
            throw HttpFailure.bad(
                    ErrorCode.BAD_REQUEST,
                    KEY + ": expected one value of 1 to " + MOST_KEY_LENGTH + " characters, got "
                            + (keys.size() > 1 ? keys.size() + " values" : key.length() + " characters"),
                    KEY,
                    null);
        }
        return key;
    }

    /** Null where it came from a client. */
    private static Letter.@Nullable Sender sender(@Nullable String parameter) {
        return parameter == null ? null : Letter.Sender.parse(parameter);
    }

    /** Of what was sent, however it was compressed. */
    private static Digest digest(Exchange exchange, boolean allow, byte[] bytes) {
        String type = exchange.header(HttpHeader.CONTENT_TYPE);
        return Digest.of((type == null ? "" : type).getBytes(UTF_8), new byte[] {(byte) (allow ? 1 : 0)}, bytes);
    }

    /** @throws RuntimeException what the client is to be told where the rows are not stored */
    private static Map<Integer, Long> positions(Exchange exchange, Letter letter, Outcome outcome) {
        if (outcome instanceof Outcome.Moved) {
            throw HttpFailure.of(
                    HttpCode.LANES_ELSEWHERE,
                    "this gateway does not store these rows: it has the lanes of the stream no more, or they came too late",
                    Letter.PARAMETER);
        }
        if (letter.sender() != null) {
            exchange.say(Letter.TAKEN, letter.sender().taken());
        }
        if (outcome instanceof Outcome.Stored stored) {
            return stored.positions();
        }
        if (outcome instanceof Outcome.Elsewhere elsewhere) {
            if (elsewhere.failure() != null) {
                throw elsewhere.failure();
            }
            return elsewhere.positions();
        }
        if (outcome instanceof Outcome.Conflict) {
            throw HttpFailure.of(
                    HttpCode.KEY_REUSED, "other rows were sent under this key before; nothing of these is stored", KEY);
        }
        if (outcome instanceof Outcome.Full) {
            throw HttpFailure.of(
                    HttpCode.GATEWAY_BUSY,
                    "the gateway remembers as many keys as it may, and the newest of each stream for long; send more rows"
                            + " under one key, or set gateway.key-memory higher; these rows may be sent again");
        }
        Outcome.Failed failed = (Outcome.Failed) outcome;
        Throwable cause = failed.cause();
        if (failed.sent()) {
            throw new WaterwheelException(
                    ErrorCode.APPEND_FAILED,
                    "it is not known whether the rows are stored ("
                            + (cause == null ? "no answer in time" : why(cause))
                            + "); sent again under the same key, they are stored once",
                    cause == null ? new IllegalStateException("no answer in time") : cause);
        }
        if (cause instanceof WaterwheelException known
                && known.kind() == WaterwheelException.Kind.USER
                && !known.is(ErrorCode.TAKEN_OVER)) {
            throw known;
        }
        throw HttpFailure.of(
                HttpCode.KEYS_UNAVAILABLE,
                "nothing is stored: what is stored under keys could not be found out in time ("
                        + (cause == null ? "other rows wait" : why(cause)) + ")");
    }

    private static String why(Throwable cause) {
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
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

    private static Body body(Exchange exchange, StreamDefinition stream) {
        String type = exchange.bodyType();
        Body body = Body.of(type);
        if (body == null) {
            throw HttpFailure.of(
                    HttpCode.MEDIA_TYPE_UNKNOWN,
                    "Content-Type: expected text/csv, " + JSON + ", one of " + JSON_LINES + ", " + ARROW + " or "
                            + BLOCK + ", got '" + type + "'",
                    "Content-Type");
        }
        boolean arrow = body == Body.ARROW && stream.format().isText();
        if (!stream.takesBlocks() && stream.format() != body.records && !arrow) {
            throw HttpFailure.of(
                    HttpCode.MEDIA_TYPE_UNKNOWN,
                    "stream " + stream.name() + " has the format " + SchemaFile.formatName(stream.format())
                            + (stream.format().isText()
                                    ? " and takes that and Arrow; a stream that takes tuple blocks takes all"
                                    : ", and its records are written by programs of their own"),
                    "Content-Type");
        }
        return body;
    }

    /** Of {@code text/csv; header=present; charset=utf-8} [RFC 4180, 3]. */
    private static RowDecoder.Header header(Exchange exchange) {
        String type = String.valueOf(exchange.header(HttpHeader.CONTENT_TYPE));
        String charset = MediaTypes.parameter(type, "charset");
        if (charset != null && !CHARSETS.contains(charset)) {
            throw HttpFailure.of(
                    HttpCode.MEDIA_TYPE_UNKNOWN,
                    "Content-Type: expected charset=utf-8, got '" + charset + "'",
                    "Content-Type");
        }
        String header = MediaTypes.parameter(type, "header");
        return switch (header == null ? "" : header) {
            case "" -> RowDecoder.Header.SEEN;
            case "present" -> RowDecoder.Header.PRESENT;
            case "absent" -> RowDecoder.Header.ABSENT;
            default ->
                throw HttpFailure.bad(
                        ErrorCode.BAD_REQUEST,
                        "Content-Type: expected header=present or header=absent, got '" + header + "'",
                        "Content-Type",
                        null);
        };
    }
}
