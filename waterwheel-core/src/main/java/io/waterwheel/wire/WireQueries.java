package io.waterwheel.wire;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.geo.Shape;
import io.waterwheel.query.KeyRange;
import io.waterwheel.query.PageToken;
import io.waterwheel.query.Query;
import io.waterwheel.query.SessionPositions;
import io.waterwheel.query.Statistics;
import io.waterwheel.query.Verdict;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.schema.Retention;
import io.waterwheel.tuple.KeyInterval;
import io.waterwheel.tuple.LostRange;
import io.waterwheel.tuple.TimeInterval;
import io.waterwheel.wire.proto.AheadMessage;
import io.waterwheel.wire.proto.Explain;
import io.waterwheel.wire.proto.LostRangeMessage;
import io.waterwheel.wire.proto.StreamSeenMessage;
import io.waterwheel.wire.proto.Ticket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Queries and verdicts as messages. What a message says is checked against the bounds that its {@code .proto} names;
 * one that breaks them is a {@link WaterwheelException} of kind USER, code {@code BAD_QUERY}. Stateless, thread-safe.
 */
public final class WireQueries {
    /** Longest ticket that is looked at. */
    public static final int MAX_TICKET_BYTES = 1 << 20;
    /** Most key intervals, and most partitions, that a query names. */
    public static final int MAX_INTERVALS = 10_000;

    static final int MAX_NAME = 100;
    private static final int MAX_MISSING = 1000;
    /** The longest timeout of a query, of any server. */
    public static final Duration LONGEST_TIMEOUT = Duration.ofHours(1);

    private static final long MAX_TIMEOUT_MILLIS = LONGEST_TIMEOUT.toMillis();

    private WireQueries() {}

    /** The ticket that asks for the query. */
    public static byte[] ticket(Query query) {
        return Ticket.newBuilder().setQuery(toMessage(query)).build().toByteArray();
    }

    /** The ticket that asks for a subquery. */
    public static byte[] subqueryTicket(byte[] request) {
        return Ticket.newBuilder()
                .setSubquery(com.google.protobuf.ByteString.copyFrom(request))
                .build()
                .toByteArray();
    }

    /** Reads a ticket; which of the kinds it is remains to be seen. */
    public static Ticket parseTicket(byte[] bytes) {
        if (bytes.length > MAX_TICKET_BYTES) {
            throw bad("the ticket has " + bytes.length + " bytes, expected at most " + MAX_TICKET_BYTES);
        }
        try {
            Ticket ticket = Ticket.parseFrom(bytes);
            refuseUnknown("ticket", ticket);
            return ticket;
        } catch (InvalidProtocolBufferException e) {
            throw bad("the ticket is not a waterwheel.v1.Ticket message: " + e.getMessage());
        }
    }

    static io.waterwheel.wire.proto.Query toMessage(Query query) {
        io.waterwheel.wire.proto.Query.Builder message = io.waterwheel.wire.proto.Query.newBuilder()
                .setStream(query.stream())
                .setTimeoutMillis(
                        query.hasTimeout() ? Math.max(1, query.timeout().toMillis()) : 0)
                .setAllowPartial(query.allowPartial())
                .putAllAtLeast(query.atLeast())
                .putAllSeen(query.seen().positions())
                .setSeenStreamId(query.seen().streamId())
                .setSeenEdit(query.seen().edit())
                .addAllSeenAhead(ahead(query.seen()));
        for (KeyInterval interval : query.keys()) {
            message.addKeys(io.waterwheel.wire.proto.KeyInterval.newBuilder()
                    .setLow(interval.low())
                    .setHigh(interval.high()));
        }
        for (KeyRange range : query.keyRanges()) {
            io.waterwheel.wire.proto.KeyRange.Builder bounds = io.waterwheel.wire.proto.KeyRange.newBuilder();
            if (range.field() != null) {
                bounds.setField(range.field());
            }
            if (range.low() != null) {
                bounds.setLow(range.low());
            }
            if (range.high() != null) {
                bounds.setHigh(range.high());
            }
            message.addKeyRanges(bounds);
        }
        Shape shape = query.shape();
        if (shape != null) {
            message.setShape(WireShapes.toMessage(shape));
        }
        if (!query.times().isAll()) {
            message.setTimes(io.waterwheel.wire.proto.TimeInterval.newBuilder()
                    .setFrom(query.times().from())
                    .setTo(query.times().to()));
        }
        if (!query.instants().isAll()) {
            message.setInstants(WireInstants.toMessage(query.instants()));
        }
        if (query.where() != null) {
            message.setWhere(query.where().toString());
        }
        message.setExplain(
                switch (query.explain()) {
                    case NONE -> Explain.EXPLAIN_NONE;
                    case PLAN -> Explain.EXPLAIN_PLAN;
                    case ANALYZE -> Explain.EXPLAIN_ANALYZE;
                });
        WireResults.write(query.result(), message);
        return message.build();
    }

    /** Reads a query. */
    public static Query fromMessage(io.waterwheel.wire.proto.Query message) {
        refuseUnknown("query", message);
        refuseUnknown("query: times", message.getTimes());
        refuseUnknown("query: shape", message.getShape());
        refuseUnknown("query: box", message.getShape().getBox());
        refuseUnknown("query: circle", message.getShape().getCircle());
        atMost("keys", message.getKeysCount(), MAX_INTERVALS);
        atMost("key_ranges", message.getKeyRangesCount(), MAX_INTERVALS);
        atMost("at_least", message.getAtLeastCount(), MAX_INTERVALS);
        atMost("seen", message.getSeenCount(), MAX_INTERVALS);
        atMost("characters in stream", message.getStream().length(), MAX_NAME);
        requireTimeout(message.getTimeoutMillis());
        notNegative("at_least", message.getAtLeastMap());
        notNegative("seen", message.getSeenMap());
        requireAhead(message);
        if (message.getSeenStreamId() < 0) {
            throw bad("seen_stream_id: expected 0 or an id, got " + message.getSeenStreamId());
        }
        try {
            List<KeyInterval> keys = new ArrayList<>(message.getKeysCount());
            for (io.waterwheel.wire.proto.KeyInterval interval : message.getKeysList()) {
                refuseUnknown("query: keys", interval);
                keys.add(new KeyInterval(interval.getLow(), interval.getHigh()));
            }
            List<KeyRange> ranges = new ArrayList<>(message.getKeyRangesCount());
            for (io.waterwheel.wire.proto.KeyRange range : message.getKeyRangesList()) {
                refuseUnknown("query: key_ranges", range);
                ranges.add(new KeyRange(
                        range.hasField() ? range.getField() : null,
                        range.hasLow() ? range.getLow() : null,
                        range.hasHigh() ? range.getHigh() : null));
            }
            Query.Builder query = Query.builder(message.getStream())
                    .keys(keys)
                    .keyRanges(ranges)
                    .shape(message.hasShape() ? WireShapes.fromMessage(message.getShape()) : null)
                    .times(
                            message.hasTimes()
                                    ? new TimeInterval(
                                            message.getTimes().getFrom(),
                                            message.getTimes().getTo())
                                    : TimeInterval.ALL)
                    .instants(WireInstants.fromMessage(message.getInstants()))
                    .where(message.getWhere().isEmpty() ? null : Expression.parsePrinted(message.getWhere()))
                    .result(WireResults.read(message))
                    .allowPartial(message.getAllowPartial())
                    .explain(explain(message.getExplain()))
                    .atLeast(message.getAtLeastMap())
                    .seen(new SessionPositions(
                            message.getSeenStreamId(),
                            message.getSeenMap(),
                            message.getSeenEdit(),
                            ahead(message.getSeenAheadList())));
            if (message.getTimeoutMillis() > 0) {
                query.timeout(Duration.ofMillis(message.getTimeoutMillis()));
            }
            return query.build();
        } catch (IllegalArgumentException e) {
            throw bad(String.valueOf(e.getMessage()));
        }
    }

    private static void requireAhead(io.waterwheel.wire.proto.Query message) {
        if (message.getSeenEdit() < 0) {
            throw bad("seen_edit: expected 0 or the number of an edit, got " + message.getSeenEdit());
        }
        int entries = 0;
        for (AheadMessage ahead : message.getSeenAheadList()) {
            refuseUnknown("query: seen_ahead", ahead);
            if (ahead.getIndexer() < SessionPositions.EVERY_INDEXER) {
                throw bad("seen_ahead: expected the id of an indexer or " + SessionPositions.EVERY_INDEXER
                        + " for all, got " + ahead.getIndexer());
            }
            notNegative("seen_ahead", ahead.getPositionsMap());
            entries += ahead.getPositionsCount();
        }
        atMost("seen_ahead", message.getSeenAheadCount(), SessionPositions.MOST_AHEAD);
        atMost("seen_ahead", entries, SessionPositions.MOST_AHEAD);
    }

    private static List<AheadMessage> ahead(SessionPositions seen) {
        return seen.ahead().entrySet().stream()
                .map(one -> AheadMessage.newBuilder()
                        .setIndexer(one.getKey())
                        .putAllPositions(one.getValue())
                        .build())
                .toList();
    }

    /** Of one indexer there may be several, of a client that puts those of its verdicts together: all of them hold. */
    private static Map<Integer, Map<Integer, Long>> ahead(List<AheadMessage> messages) {
        Map<Integer, Map<Integer, Long>> ahead = new HashMap<>();
        for (AheadMessage message : messages) {
            Map<Integer, Long> own = ahead.computeIfAbsent(message.getIndexer(), indexer -> new HashMap<>());
            message.getPositionsMap().forEach((partition, offset) -> own.merge(partition, offset, Math::max));
        }
        return ahead;
    }

    private static io.waterwheel.query.Explain explain(Explain explain) {
        return switch (explain) {
            case EXPLAIN_NONE -> io.waterwheel.query.Explain.NONE;
            case EXPLAIN_PLAN -> io.waterwheel.query.Explain.PLAN;
            case EXPLAIN_ANALYZE -> io.waterwheel.query.Explain.ANALYZE;
            case UNRECOGNIZED -> throw bad("explain: a value that is not known to this server");
        };
    }

    static void requireTimeout(long millis) {
        if (millis < 0 || millis > MAX_TIMEOUT_MILLIS) {
            throw bad("timeout_millis: expected 0 to " + MAX_TIMEOUT_MILLIS + ", got " + millis);
        }
    }

    static void notNegative(String what, Map<Integer, Long> positions) {
        for (Map.Entry<Integer, Long> entry : positions.entrySet()) {
            if (entry.getKey() < 0 || entry.getValue() < 0) {
                throw bad(what + ": partition " + entry.getKey() + ", offset " + entry.getValue()
                        + ": expected neither to be negative");
            }
        }
    }

    /**
     * The verdict as bytes; of more than 1,000 missing parts it names 1,000 and says how many more there are. Of more
     * lost ranges it tells neighbours as one, with what lies between them.
     */
    public static byte[] verdict(Verdict verdict) {
        List<LostRangeMessage> lost = fewer(verdict.lost()).stream()
                .map(range -> LostRangeMessage.newBuilder()
                        .setPartition(range.partition())
                        .setFrom(range.from())
                        .setTo(range.to())
                        .setReason(range.reason())
                        .build())
                .toList();
        io.waterwheel.wire.proto.Verdict.Builder message = io.waterwheel.wire.proto.Verdict.newBuilder();
        if (verdict.horizon() != Retention.NO_HORIZON) {
            message.setHorizon(verdict.horizon());
        }
        if (verdict.next() != null) {
            message.setNext(verdict.next().text());
        }
        if (verdict.explanation() != null) {
            message.setExplanation(WireExplanations.toMessage(verdict.explanation()));
        }
        verdict.streams()
                .forEach((stream, seen) -> message.addStreams(StreamSeenMessage.newBuilder()
                        .setStream(stream)
                        .setStreamId(seen.streamId())
                        .putAllPositions(seen.positions())
                        .setSeenEdit(seen.edit())
                        .addAllAhead(ahead(seen))));
        return message.addAllLost(lost)
                .setVersion(1)
                .setComplete(verdict.complete())
                .addAllMissing(shortened(verdict.missing()))
                .addAllStale(shortened(verdict.stale()))
                .setStreamId(verdict.streamId())
                .putAllPositions(verdict.positions())
                .setSeenEdit(verdict.seen().edit())
                .addAllAhead(ahead(verdict.seen()))
                .setEdit(verdict.edit())
                .setTuples(verdict.tuples())
                .setIndexersAsked(verdict.indexersAsked())
                .setChunksRead(verdict.chunksRead())
                .setStatistics(WireStatistics.toMessage(verdict.statistics()))
                .build()
                .toByteArray();
    }

    /** The same and more: of a partition's ranges those are joined that have the least between them. */
    private static List<LostRange> fewer(List<LostRange> ranges) {
        if (ranges.size() <= MAX_MISSING) {
            return ranges;
        }
        List<LostRange> sorted = new ArrayList<>(ranges);
        sorted.sort(Comparator.comparingInt(LostRange::partition).thenComparingLong(LostRange::from));
        long[] gaps = new long[sorted.size() - 1];
        int count = 0;
        for (int i = 1; i < sorted.size(); i++) {
            if (sorted.get(i).partition() == sorted.get(i - 1).partition()) {
                gaps[count++] = sorted.get(i).from() - sorted.get(i - 1).to();
            }
        }
        Arrays.sort(gaps, 0, count);
        int toClose = Math.min(count, sorted.size() - MAX_MISSING);
        long widest = toClose == 0 ? Long.MIN_VALUE : gaps[toClose - 1];
        List<LostRange> joined = new ArrayList<>();
        LostRange last = sorted.get(0);
        for (LostRange range : sorted.subList(1, sorted.size())) {
            if (toClose > 0 && range.partition() == last.partition() && range.from() - last.to() <= widest) {
                toClose--;
                String reason = range.reason().equals(last.reason()) ? last.reason() : "several reasons";
                last = new LostRange(last.partition(), last.from(), Math.max(last.to(), range.to()), reason);
            } else {
                joined.add(last);
                last = range;
            }
        }
        joined.add(last);
        return joined;
    }

    private static List<String> shortened(List<String> sentences) {
        if (sentences.size() <= MAX_MISSING) {
            return sentences;
        }
        List<String> some = new ArrayList<>(sentences.subList(0, MAX_MISSING));
        some.add("and " + (sentences.size() - MAX_MISSING) + " more");
        return some;
    }

    /** Reads a verdict; unknown fields are let pass, a newer server may say more. */
    public static Verdict parseVerdict(ByteBuffer bytes) throws IOException {
        io.waterwheel.wire.proto.Verdict message =
                io.waterwheel.wire.proto.Verdict.parseFrom(CodedInputStream.newInstance(bytes));
        List<LostRange> lost = message.getLostList().stream()
                .map(range -> new LostRange(range.getPartition(), range.getFrom(), range.getTo(), range.getReason()))
                .toList();
        Statistics statistics = WireStatistics.fromMessage(message.getStatistics());
        return new Verdict(
                new Verdict.Completeness(message.getComplete(), message.getMissingList(), message.getStaleList()),
                new SessionPositions(
                        message.getStreamId(),
                        message.getPositionsMap(),
                        message.getSeenEdit(),
                        ahead(message.getAheadList())),
                new Verdict.Gone(lost, message.hasHorizon() ? message.getHorizon() : Retention.NO_HORIZON),
                message.getEdit(),
                message.getTuples(),
                new Verdict.Effort(message.getIndexersAsked(), message.getChunksRead(), statistics),
                next(message.getNext()),
                message.hasExplanation() ? WireExplanations.fromMessage(message.getExplanation(), statistics) : null,
                message.getStreamsList().stream()
                        .collect(Collectors.toMap(
                                StreamSeenMessage::getStream,
                                seen -> new SessionPositions(
                                        seen.getStreamId(),
                                        seen.getPositionsMap(),
                                        seen.getSeenEdit(),
                                        ahead(seen.getAheadList())),
                                (one, other) -> other)));
    }

    private static @Nullable PageToken next(String text) throws IOException {
        try {
            return text.isEmpty() ? null : new PageToken(text);
        } catch (IllegalArgumentException e) {
            throw new IOException("the verdict's token of the next page is damaged", e);
        }
    }

    static void atMost(String what, int got, int most) {
        if (got > most) {
            throw bad(what + ": expected at most " + most + ", got " + got);
        }
    }

    static void refuseUnknown(String what, Message message) {
        var unknown = message.getUnknownFields().asMap();
        if (!unknown.isEmpty()) {
            throw bad(what + ": fields " + unknown.keySet()
                    + " are unknown to this server; client and server are of different releases");
        }
    }

    static WaterwheelException bad(String what) {
        String message = what.startsWith("query: ") ? what : "query: " + what;
        return new WaterwheelException(ErrorCode.BAD_QUERY, message);
    }
}
