package io.waterwheel.wire;

import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Statement;
import io.waterwheel.wire.proto.StreamPositions;
import io.waterwheel.wire.proto.Ticket;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Statements as messages, checked as {@link WireQueries} checks queries. Stateless, thread-safe. */
public final class WireStatements {
    private static final int MAX_STREAMS = 1000;

    private WireStatements() {}

    /** The ticket that asks for the statement's answer. */
    public static byte[] ticket(Statement statement) {
        io.waterwheel.wire.proto.Statement.Builder message = io.waterwheel.wire.proto.Statement.newBuilder()
                .setSql(statement.sql())
                .setAllowPartial(statement.allowPartial());
        Duration timeout = statement.timeout();
        if (timeout != null) {
            message.setTimeoutMillis(Math.max(1, timeout.toMillis()));
        }
        statement
                .atLeast()
                .forEach((stream, positions) -> message.addAtLeast(
                        StreamPositions.newBuilder().setStream(stream).putAllPositions(positions)));
        return Ticket.newBuilder().setStatement(message).build().toByteArray();
    }

    /** Reads a statement. */
    public static Statement fromMessage(io.waterwheel.wire.proto.Statement message) {
        WireQueries.refuseUnknown("statement", message);
        WireQueries.atMost("at_least", message.getAtLeastCount(), MAX_STREAMS);
        WireQueries.requireTimeout(message.getTimeoutMillis());
        Map<String, Map<Integer, Long>> atLeast = new HashMap<>();
        for (StreamPositions one : message.getAtLeastList()) {
            WireQueries.refuseUnknown("statement: at_least", one);
            WireQueries.atMost("characters in stream", one.getStream().length(), WireQueries.MAX_NAME);
            WireQueries.atMost("at_least", one.getPositionsCount(), WireQueries.MAX_INTERVALS);
            WireQueries.notNegative("at_least", one.getPositionsMap());
            atLeast.put(one.getStream(), Map.copyOf(one.getPositionsMap()));
        }
        try {
            return new Statement(
                    message.getSql(),
                    message.getTimeoutMillis() == 0 ? null : Duration.ofMillis(message.getTimeoutMillis()),
                    message.getAllowPartial(),
                    atLeast);
        } catch (IllegalArgumentException e) {
            throw new WaterwheelException(ErrorCode.BAD_QUERY, String.valueOf(e.getMessage()), e);
        }
    }
}
