package io.waterwheel.topology.flightsql;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.waterwheel.error.ErrorCode;
import io.waterwheel.error.WaterwheelException;
import io.waterwheel.query.Statement;
import io.waterwheel.query.expression.Expression;
import io.waterwheel.topology.rpc.FlightExtension;
import io.waterwheel.wire.WireStatements;
import java.util.List;
import java.util.UUID;

/**
 * What stands for a statement between calls: the statement. A prepared statement's handle is its message; a ticket has
 * before it how the answer is written and a number by which it can be cancelled. The ticket of a change, which is made
 * before there is a ticket, has the row of its answer in place of the statement's values: to ask for it again changes
 * nothing, and servers keep nothing. A client can make either by itself, and may: they say no more than it may ask.
 */
final class StatementHandles {
    private static final String NO_HANDLE = "the handle of the statement is none that this server gave";
    private static final int ZONED = 1;
    private static final int NANOS = 2;
    private static final int DONE = 4;
    /** In place of the text of a change that is made. */
    private static final String DONE_TEXT = "DONE";

    private static final int ID_BYTES = 16;
    private static final int HEAD_BYTES = 1 + ID_BYTES;

    private StatementHandles() {}

    /**
     * What a ticket asks for.
     *
     * @param statement of a change that is made, one whose parameters are the row of its answer
     * @param id of one answer
     * @param done whether it is of such a change
     */
    record Asked(Statement statement, FlightExtension.Form form, ByteString id, boolean done) {}

    static ByteString handle(Statement statement) {
        return WireStatements.message(statement).toByteString();
    }

    static Statement statement(ByteString handle) {
        try {
            return WireStatements.fromMessage(io.waterwheel.wire.proto.Statement.parseFrom(handle));
        } catch (InvalidProtocolBufferException e) {
            throw bad(e);
        }
    }

    static ByteString ticket(Statement statement, FlightExtension.Form form) {
        return ticket(0, statement, form);
    }

    /** Of a change that is made, with the row of its answer. */
    static ByteString doneTicket(List<Expression.Literal> row, FlightExtension.Form form) {
        return ticket(DONE, Statement.of(DONE_TEXT).withParameters(row), form);
    }

    private static ByteString ticket(int done, Statement statement, FlightExtension.Form form) {
        UUID id = UUID.randomUUID();
        byte[] head = new byte[HEAD_BYTES];
        head[0] = (byte) (done | (form.zoned() ? ZONED : 0) | (form.nanos() ? NANOS : 0));
        for (int i = 0; i < 8; i++) {
            head[1 + i] = (byte) (id.getMostSignificantBits() >>> (8 * i));
            head[9 + i] = (byte) (id.getLeastSignificantBits() >>> (8 * i));
        }
        return ByteString.copyFrom(head).concat(handle(statement));
    }

    static Asked asked(ByteString ticket) {
        if (ticket.size() <= HEAD_BYTES || ticket.byteAt(0) < 0 || ticket.byteAt(0) > (ZONED | NANOS | DONE)) {
            throw new WaterwheelException(ErrorCode.BAD_REQUEST, NO_HANDLE);
        }
        FlightExtension.Form form = form((ticket.byteAt(0) & ZONED) != 0, (ticket.byteAt(0) & NANOS) != 0);
        return new Asked(statement(ticket.substring(HEAD_BYTES)), form, id(ticket), (ticket.byteAt(0) & DONE) != 0);
    }

    static ByteString id(ByteString ticket) {
        return ticket.size() <= HEAD_BYTES ? ByteString.EMPTY : ticket.substring(1, HEAD_BYTES);
    }

    /** As clients of Flight SQL take answers: ADBC compares what may be null with what was announced. */
    static FlightExtension.Form form(boolean zoned, boolean nanos) {
        return new FlightExtension.Form(true, zoned, nanos);
    }

    private static WaterwheelException bad(Exception cause) {
        return new WaterwheelException(ErrorCode.BAD_REQUEST, NO_HANDLE, cause);
    }
}
