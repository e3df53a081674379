package io.waterwheel.wire;

import com.google.protobuf.ByteString;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Statement;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.wire.proto.Moment;
import io.waterwheel.wire.proto.StreamPositions;
import io.waterwheel.wire.proto.Ticket;
import io.waterwheel.wire.proto.Value;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/** Statements as messages, checked as {@link WireQueries} checks queries. Stateless, thread-safe. */
public final class WireStatements {
    private static final int MAX_STREAMS = 1000;

    private WireStatements() {}

    /** The ticket that asks for the statement's answer. */
    public static byte[] ticket(Statement statement) {
        return Ticket.newBuilder().setStatement(message(statement)).build().toByteArray();
    }

    /** The statement as a message. */
    public static io.waterwheel.wire.proto.Statement message(Statement statement) {
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
        statement.parameters().forEach(parameter -> message.addParameters(value(parameter)));
        return message.build();
    }

    private static Value value(Expression.Literal literal) {
        Value.Builder value = Value.newBuilder();
        if (literal instanceof Expression.Whole whole) {
            value.setWhole(whole.value());
        } else if (literal instanceof Expression.Decimal decimal) {
            value.setDecimal(decimal.value());
        } else if (literal instanceof Expression.Exact exact) {
            value.setExact(exact.value().toPlainString());
        } else if (literal instanceof Expression.Text text) {
            value.setText(text.value());
        } else if (literal instanceof Expression.Truth truth) {
            value.setTruth(truth.value());
        } else if (literal instanceof Expression.Hex hex) {
            value.setBytes(ByteString.copyFrom(HexFormat.of().parseHex(hex.digits())));
        } else if (literal instanceof Expression.Moment moment) {
            Instant instant = moment.value();
            value.setMoment(
                    Moment.newBuilder().setSeconds(instant.getEpochSecond()).setNanos(instant.getNano()));
        } else if (!(literal instanceof Expression.Null)) {
            throw new IllegalArgumentException(
                    "a parameter is a number, a text, a boolean, bytes, a moment or null, got " + literal);
        }
        return value.build();
    }

    private static Expression.Literal literal(Value value) {
        WireQueries.refuseUnknown("statement: parameters", value);
        return switch (value.getKindCase()) {
            case WHOLE -> new Expression.Whole(value.getWhole());
            case DECIMAL -> new Expression.Decimal(value.getDecimal());
            case EXACT -> Expression.Exact.of(value.getExact());
            case TEXT -> new Expression.Text(value.getText());
            case TRUTH -> new Expression.Truth(value.getTruth());
            case BYTES ->
                new Expression.Hex(HexFormat.of().formatHex(value.getBytes().toByteArray()));
            case MOMENT -> {
                WireQueries.refuseUnknown("statement: parameters", value.getMoment());
                yield new Expression.Moment(moment(value.getMoment()));
            }
            case KIND_NOT_SET -> new Expression.Null();
        };
    }

    private static Instant moment(Moment moment) {
        try {
            return Instant.ofEpochSecond(moment.getSeconds(), moment.getNanos());
        } catch (DateTimeException | ArithmeticException e) {
            throw new IllegalArgumentException("statement: parameters: a moment is out of range: " + e.getMessage(), e);
        }
    }

    /** Reads a statement. */
    public static Statement fromMessage(io.waterwheel.wire.proto.Statement message) {
        WireQueries.refuseUnknown("statement", message);
        WireQueries.atMost("at_least", message.getAtLeastCount(), MAX_STREAMS);
        WireQueries.atMost("parameters", message.getParametersCount(), Statement.MAX_PARAMETERS);
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
                    atLeast,
                    message.getParametersList().stream()
                            .map(WireStatements::literal)
                            .toList());
        } catch (IllegalArgumentException e) {
            throw new WaterwheelException(ErrorCode.BAD_QUERY, String.valueOf(e.getMessage()), e);
        }
    }
}
