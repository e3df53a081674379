package io.waterwheel.topology.flightsql;

import io.waterwheel.topology.rpc.FlightExtension;
import io.waterwheel.topology.sql.Statements;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.arrow.flight.ActionType;
import org.apache.arrow.flight.FlightConstants;
import org.apache.arrow.flight.FlightProducer;
import org.apache.arrow.flight.sql.FlightSqlUtils;

/** Flight SQL beside our own tickets and actions. Thread-safe. */
public final class FlightSqlExtension implements FlightExtension {
    /** How an {@code Any} of Flight SQL begins, behind its tag and length. No message of our own does. */
    private static final byte[] COMMAND =
            "type.googleapis.com/arrow.flight.protocol.sql.".getBytes(StandardCharsets.US_ASCII);

    private static final int TAG_AND_LENGTH = 2;

    /** Of sessions and cancelling, which are Flight's own, and of statements. */
    private static final Set<String> ACTIONS = Stream.concat(
                    Stream.of(
                            FlightConstants.CANCEL_FLIGHT_INFO,
                            FlightConstants.RENEW_FLIGHT_ENDPOINT,
                            FlightConstants.SET_SESSION_OPTIONS,
                            FlightConstants.GET_SESSION_OPTIONS,
                            FlightConstants.CLOSE_SESSION),
                    FlightSqlUtils.FLIGHT_SQL_ACTIONS.stream())
            .map(ActionType::getType)
            .collect(Collectors.toUnmodifiableSet());

    private final Statements statements;

    public FlightSqlExtension(Statements statements) {
        this.statements = statements;
    }

    @Override
    public boolean takesTicket(byte[] ticket) {
        int end = TAG_AND_LENGTH + COMMAND.length;
        return ticket.length > end && Arrays.equals(ticket, TAG_AND_LENGTH, end, COMMAND, 0, COMMAND.length);
    }

    @Override
    public boolean takesAction(String type) {
        return ACTIONS.contains(type);
    }

    @Override
    public void connected(String client) {
        statements.connected(client);
    }

    @Override
    public FlightProducer over(Services services) {
        return new FlightSqlService(services, statements);
    }
}
