package io.waterwheel.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.gateway.http.Json;
import io.waterwheel.gateway.influx.LineProtocol;
import io.waterwheel.gateway.influx.PointRows;
import io.waterwheel.gateway.rows.Expansion;
import io.waterwheel.gateway.rows.PushedRows;
import io.waterwheel.gateway.rows.RowDecoder;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;

/**
 * Takes what InfluxDB's writers send, {@code POST /write} and {@code POST /api/v2/write}, and answers as InfluxDB does:
 * 204 when all points are stored; 400 and a list when some are none, and the others are stored.
 */
final class InfluxEndpoint {
    static final int MOST_STATEMENT_BYTES = 64 << 10;
    private static final int MOST_REASONS = 20;
    /** Of a time, from 1970 on either way. */
    private static final BigDecimal MOST_NANOS = BigDecimal.valueOf(Long.MAX_VALUE);

    private static final byte[] NOTHING = {};
    private static final Map<String, Long> NANOS = Map.of(
            "",
            1L,
            "n",
            1L,
            "ns",
            1L,
            "u",
            1_000L,
            "us",
            1_000L,
            "ms",
            1_000_000L,
            "s",
            1_000_000_000L,
            "m",
            60_000_000_000L,
            "h",
            3_600_000_000_000L);

    private final PushTargets targets;
    private final Map<String, String> streams;
    private final Executor decoding;

    /**
     * @param streams by database or bucket, or DATABASE/MEASUREMENT
     * @param decoding where points are decoded
     */
    InfluxEndpoint(PushTargets targets, Map<String, String> streams, Executor decoding) {
        this.decoding = decoding;
        this.targets = targets;
        this.streams = streams;
    }

    /** The points of one stream. */
    private record Group(PushTargets.Target target, PushSlot slot, StreamDefinition plain, PointRows rows) {}

    /**
     * Why a point is not taken.
     *
     * @param drafts whether a stream is wanting, of which the answer is to have a draft
     */
    private record Refusal(String why, boolean drafts) {}

    /** What is wrong with a request's points. */
    private static final class Complaints {
        private final List<String> reasons = new ArrayList<>();
        private int dropped;
        private @Nullable String schema;

        void add(int line, String reason) {
            dropped++;
            if (reasons.size() < MOST_REASONS) {
                reasons.add("line " + line + ": " + reason);
            }
        }
    }

    /** {@code GET /ping}: as InfluxDB's clients look whether there is one. */
    void ping(Exchange exchange) {
        exchange.answer(204, Exchange.TEXT, NOTHING);
    }

    /** {@code POST /query}: Telegraf creates its database before it writes. Streams are created otherwise. */
    void query(Exchange exchange) {
        String statement = exchange.parameter("q");
        if (exchange.bodyType().equals(QueryReader.FORM)) {
            statement = Exchange.only(
                    io.waterwheel.gateway.http.Parameters.decode(new String(exchange.body(), UTF_8)), "q");
        }
        if (statement == null || !statement.strip().regionMatches(true, 0, "CREATE DATABASE ", 0, 16)) {
            throw HttpFailure.bad(
                    ErrorCode.BAD_REQUEST,
                    "InfluxQL is not spoken here; ask by /v1/query, in SQL for instance",
                    "q",
                    null);
        }
        exchange.json("{\"results\":[{\"statement_id\":0}]}\n".getBytes(UTF_8));
    }

    /** {@code POST /write}, with the database in {@code db}. */
    void write(Exchange exchange) {
        exchange.failAsInflux();
        refuseKey(exchange);
        exchange.allow(List.of("db", "rp", "precision", "consistency", "u", "p"));
        String database = exchange.parameter("db");
        exchange.answer(decoding, () -> write(exchange, database, true));
    }

    /** {@code POST /api/v2/write}, with the database in {@code bucket}. */
    void writeBucket(Exchange exchange) {
        refuseKey(exchange);
        exchange.allow(List.of("bucket", "org", "orgID", "precision"));
        String bucket = exchange.parameter("bucket");
        exchange.answer(decoding, () -> write(exchange, bucket, false));
    }

    /** InfluxDB has none; to take one and store the points twice would break what a key promises. */
    private static void refuseKey(Exchange exchange) {
        if (exchange.request().getHeaders().contains(PushEndpoint.KEY)) {
            throw HttpFailure.bad(
                    ErrorCode.BAD_REQUEST,
                    PushEndpoint.KEY + ": points have no keys; send rows under a key to /v1/streams/{stream}/rows",
                    PushEndpoint.KEY,
                    null);
        }
    }

    private void write(Exchange exchange, @Nullable String database, boolean first) {
        String precision = exchange.parameter("precision");
        Long unit = NANOS.get(precision == null ? "" : precision);
        if (unit == null) {
            throw HttpFailure.bad(
                    ErrorCode.BAD_REQUEST,
                    "precision: expected ns, us, ms, s, m or h, got '" + precision + "'",
                    "precision",
                    null);
        }
        byte[] bytes = Expansion.expand(
                exchange.body(),
                exchange.header(HttpHeader.CONTENT_ENCODING),
                PushEndpoint.MOST_EXPANDED_BYTES,
                exchange.lease());
        Complaints complaints = new Complaints();
        Map<String, Group> groups = read(bytes, database == null ? "" : database, unit, complaints);
        List<CompletableFuture<?>> stored = new ArrayList<>();
        for (Group group : groups.values()) {
            exchange.lease().grow(group.rows().length());
            PushedRows rows = new RowDecoder(group.plain(), RecordFormat.JSON, false, exchange.lease())
                    .decode(group.rows().json(), RowDecoder.Header.ABSENT);
            for (PushedRows.Reason reason : rows.reasons()) {
                complaints.add(group.rows().line(reason.line()), ofPoint(reason.reason()));
            }
            group.target().refused(rows.kinds());
            complaints.dropped += rows.rejected() - rows.reasons().size();
            if (rows.rows() > 0) {
                stored.add(group.target().store(group.slot(), rows));
            }
        }
        var unused = CompletableFuture.allOf(stored.toArray(CompletableFuture[]::new))
                .whenComplete((nothing, failure) -> {
                    if (failure != null) {
                        exchange.fail(failure);
                    } else if (complaints.dropped == 0) {
                        exchange.answer(204, Exchange.TEXT, NOTHING);
                    } else {
                        exchange.answer(400, Exchange.JSON, refusal(complaints, first));
                    }
                });
    }

    /** A reason in the words of points: that they become JSON on the way is not theirs to know. */
    private static String ofPoint(String reason) {
        return reason.replaceFirst("^object lacks ", "there is no tag or field ")
                .replace("the member is there twice", "it is there twice, of tags and fields together");
    }

    private Map<String, Group> read(byte[] bytes, String database, long unit, Complaints complaints) {
        Map<String, Group> groups = new LinkedHashMap<>();
        Map<String, Refusal> unknown = new LinkedHashMap<>();
        BigDecimal now = BigDecimal.valueOf(System.currentTimeMillis()).movePointRight(6);
        int line = 0;
        int at = 0;
        while (at < bytes.length) {
            int end = LineProtocol.end(bytes, at);
            line++;
            int to = end > at && bytes[end - 1] == '\r' ? end - 1 : end;
            if (to > at && bytes[at] != '#' && !new String(bytes, at, to - at, UTF_8).isBlank()) {
                try {
                    LineProtocol.Point point = LineProtocol.read(bytes, at, to);
                    Refusal refusal = add(groups, unknown, database, point, line, unit, now);
                    if (refusal != null) {
                        complaints.add(line, refusal.why());
                        if (complaints.schema == null && refusal.drafts()) {
                            complaints.schema = PointRows.proposal(point);
                        }
                    }
                } catch (LineProtocol.BadLine e) {
                    complaints.add(line, String.valueOf(e.getMessage()));
                }
            }
            for (int i = at; i < end; i++) {
                line += bytes[i] == '\n' ? 1 : 0;
            }
            at = end + 1;
        }
        return groups;
    }

    /** Adds a point to its stream's; or says why it cannot. */
    private @Nullable Refusal add(
            Map<String, Group> groups,
            Map<String, Refusal> unknown,
            String database,
            LineProtocol.Point point,
            int line,
            long unit,
            BigDecimal now) {
        String mapped = streams.get(database + "/" + point.measurement());
        String name = mapped != null ? mapped : streams.getOrDefault(database, point.measurement());
        Refusal known = unknown.get(name);
        if (known != null) {
            return known;
        }
        Group group = groups.get(name);
        if (group == null) {
            try {
                group = group(name);
            } catch (WaterwheelException e) {
                if (!e.is(ErrorCode.NO_SUCH_STREAM) && e.kind() != WaterwheelException.Kind.USER) {
                    throw e;
                }
                Refusal none = new Refusal(
                        "there is no stream '" + name + "' for the measurement '" + point.measurement()
                                + "': create it, the answer's member schema is a draft; or name one in gateway.influx",
                        true);
                unknown.put(name, none);
                return none;
            }
            if (group == null) {
                Refusal other = new Refusal(
                        "stream '" + name + "' takes records of its own format; points go to streams that take"
                                + " tuple blocks: name one in gateway.influx, as DATABASE/" + point.measurement()
                                + "=STREAM",
                        false);
                unknown.put(name, other);
                return other;
            }
            groups.put(name, group);
        }
        BigDecimal time =
                point.time().isEmpty() ? now : new BigDecimal(point.time()).multiply(BigDecimal.valueOf(unit));
        if (time.abs().compareTo(MOST_NANOS) > 0) {
            return new Refusal(
                    "time " + point.time() + " lies beyond the years 1677 to 2262: is the parameter precision right?",
                    false);
        }
        group.rows().add(point, line, time);
        return null;
    }

    private @Nullable Group group(String name) {
        PushTargets.Target target = targets.target(name);
        PushSlot slot = target.slot();
        StreamDefinition stream = slot.stream().definition();
        if (!stream.takesBlocks()) {
            return null;
        }
        Schema schema = stream.schema();
        // How the stream's own records are written does not matter here.
        StreamDefinition plain = new StreamDefinition(
                stream.name(),
                stream.topic(),
                RecordFormat.BLOCK,
                stream.partitions(),
                new Schema(schema.fields(), schema.key(), schema.timeField()),
                stream.policy());
        return new Group(target, slot, plain, new PointRows(plain.schema()));
    }

    private static byte[] refusal(Complaints complaints, boolean first) {
        String message = "partial write: " + String.join("; ", complaints.reasons) + " dropped=" + complaints.dropped;
        return Json.object(json -> {
            if (first) {
                json.writeStringField("error", message);
            } else {
                json.writeStringField("code", "invalid");
                json.writeStringField("message", message);
            }
            if (complaints.schema != null) {
                json.writeStringField("schema", complaints.schema);
            }
        });
    }

    /** A failure as InfluxDB's clients of the first version read it. */
    static byte[] failure(HttpFailure failure) {
        return Json.object(json -> {
            json.writeStringField("error", failure.getMessage());
            json.writeStringField("code", failure.code());
        });
    }
}
