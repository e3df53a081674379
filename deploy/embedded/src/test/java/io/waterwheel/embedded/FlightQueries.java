package io.waterwheel.embedded;

import io.waterwheel.query.Query;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.wire.WireQueries;
import io.waterwheel.wire.proto.CreateStreamRequest;
import io.waterwheel.wire.proto.FlushStreamRequest;
import io.waterwheel.wire.proto.StatusReply;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.arrow.flight.Action;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.TimeStampMilliTZVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/** Asks a coordinator in plain Arrow Flight, as a program that knows nothing of our client would. */
final class FlightQueries implements AutoCloseable {
    /** An answer: rows as lists of values, and how it ended. */
    record Answer(List<List<Object>> rows, Verdict verdict) {}

    private final BufferAllocator allocator = new RootAllocator();
    private final FlightClient client;

    FlightQueries(String url) {
        String address = url.substring("grpc://".length());
        int colon = address.lastIndexOf(':');
        client = FlightClient.builder(
                        allocator,
                        Location.forGrpcInsecure(
                                address.substring(0, colon), Integer.parseInt(address.substring(colon + 1))))
                .build();
    }

    Answer ask(Query query) throws Exception {
        List<List<Object>> rows = new ArrayList<>();
        Verdict verdict = ask(query, root -> {
            for (int row = 0; row < root.getRowCount(); row++) {
                List<Object> values = new ArrayList<>();
                for (FieldVector vector : root.getFieldVectors()) {
                    values.add(value(vector, row));
                }
                rows.add(values);
            }
        });
        return new Answer(rows, verdict);
    }

    /** Asks, and hands over each batch of the answer. */
    Verdict ask(Query query, Consumer<VectorSchemaRoot> batches) throws Exception {
        Verdict verdict = null;
        try (FlightStream stream = client.getStream(new Ticket(WireQueries.ticket(query)))) {
            while (stream.next()) {
                batches.accept(stream.getRoot());
                ArrowBuf metadata = stream.getLatestMetadata();
                if (metadata != null && metadata.readableBytes() > 0) {
                    verdict = WireQueries.parseVerdict(metadata.nioBuffer());
                    break;
                }
            }
        }
        if (verdict == null) {
            throw new IllegalStateException("the answer has no verdict");
        }
        return verdict;
    }

    private static @Nullable Object value(FieldVector vector, int row) {
        if (vector.isNull(row)) {
            return null;
        }
        if (vector instanceof TimeStampMilliTZVector time) {
            return time.get(row);
        }
        Object value = vector.getObject(row);
        return value instanceof org.apache.arrow.vector.util.Text text ? text.toString() : value;
    }

    void create(StreamDefinition stream) {
        call(
                "create-stream",
                CreateStreamRequest.newBuilder()
                        .setDefinitionJson(SchemaJson.writeStream(stream))
                        .build()
                        .toByteArray());
    }

    void flush(String stream) {
        call(
                "flush-stream",
                FlushStreamRequest.newBuilder().setName(stream).build().toByteArray());
    }

    String statusJson() throws Exception {
        return StatusReply.parseFrom(call("status", new byte[0])).getJson();
    }

    private byte[] call(String action, byte[] body) {
        return client.doAction(new Action(action, body)).next().getBody();
    }

    @Override
    public void close() throws Exception {
        client.close();
        allocator.close();
    }
}
