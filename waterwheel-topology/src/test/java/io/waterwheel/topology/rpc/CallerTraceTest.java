package io.waterwheel.topology.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.wire.WireQueries;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.FlightCallHeaders;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.HeaderCallOption;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The {@code traceparent} of a call comes to its handler, and nothing else in its place. */
@Timeout(300)
final class CallerTraceTest {
    private static final String TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    @Test
    void aTraceComesToTheHandler() throws Exception {
        List<String> traces = new CopyOnWriteArrayList<>();
        QueryHandler handler = (query, sink) -> {
            traces.add(sink.trace());
            sink.start(List.of(new Field("n", FieldType.LONG, false)));
            sink.finish(new Verdict(true, List.of(), Map.of(), 1, 0, 1, 0));
        };
        try (RpcServer server = RpcServer.forClients(RpcSettings.DEFAULT, handler, Handlers.NO_ADMIN);
                BufferAllocator allocator = new RootAllocator();
                FlightClient client = FlightClient.builder(
                                allocator, new Location(URI.create("grpc+tcp://127.0.0.1:" + server.port())))
                        .build()) {
            ask(client, null);
            ask(client, TRACE);
            ask(client, TRACE + "\tforged line");
        }
        assertThat(traces).containsExactly("", TRACE, "");
    }

    private static void ask(FlightClient client, String header) throws Exception {
        List<CallOption> options = new ArrayList<>();
        if (header != null) {
            FlightCallHeaders headers = new FlightCallHeaders();
            headers.insert("traceparent", header);
            options.add(new HeaderCallOption(headers));
        }
        try (FlightStream answer =
                client.getStream(new Ticket(WireQueries.ticket(Query.of("s"))), options.toArray(CallOption[]::new))) {
            while (answer.next()) {
                assertThat(answer.getRoot().getRowCount()).isZero();
            }
        }
    }
}
