package io.waterwheel.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import io.waterwheel.Waiting;
import io.waterwheel.client.Appender;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.wire.WireQueries;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.arrow.flight.AsyncPutListener;
import org.apache.arrow.flight.CancelFlightInfoRequest;
import org.apache.arrow.flight.CancelStatus;
import org.apache.arrow.flight.CloseSessionRequest;
import org.apache.arrow.flight.FlightCallHeaders;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.GetSessionOptionsRequest;
import org.apache.arrow.flight.HeaderCallOption;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.SessionOptionValueFactory;
import org.apache.arrow.flight.SetSessionOptionsRequest;
import org.apache.arrow.flight.client.ClientCookieMiddleware;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandPreparedStatementQuery;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementUpdate;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;

/** A whole server, asked by Arrow's own client of Flight SQL: the calls that drivers make seldom. */
final class AskedByFlightSql implements AutoCloseable {
    private static final int ROWS = 300_000;
    private static final Schema SCHEMA = new Schema(
            List.of(
                    new Field("id", FieldType.LONG, false),
                    new Field("at", FieldType.TIMESTAMP, false),
                    new Field("note", FieldType.STRING, false)),
            new KeySpec.Ordered("id"),
            "at");

    private final WaterwheelClient client;
    private final BufferAllocator allocator = new RootAllocator();
    private final FlightClient flight;
    private final FlightSqlClient sql;
    private final Map<Integer, Long> written;

    AskedByFlightSql(WaterwheelClient client, String url) {
        this.client = client;
        client.createStream(new StreamDefinition("by_flight", "by_flight", RecordFormat.BLOCK, 1, SCHEMA));
        try (Appender appender = client.appender("by_flight")) {
            for (long id = 0; id < ROWS; id++) {
                appender.append(id, Instant.EPOCH.plusMillis(id), "a note that makes the answer longer " + id);
            }
            written = appender.flush();
        }
        client.query("by_flight").atLeast(written).count();
        URI address = URI.create(url);
        flight = FlightClient.builder(allocator, Location.forGrpcInsecure(address.getHost(), address.getPort()))
                .intercept(new ClientCookieMiddleware.Factory())
                .build();
        sql = new FlightSqlClient(flight);
    }

    @Override
    public void close() throws Exception {
        sql.close();
        allocator.close();
        client.drop("by_flight");
    }

    private FlightStream answer(FlightInfo info) throws FlightRuntimeException {
        return sql.getStream(info.getEndpoints().get(0).getTicket());
    }

    private long rows(FlightInfo info) throws Exception {
        long rows = 0;
        try (FlightStream stream = answer(info)) {
            while (stream.next()) {
                rows += stream.getRoot().getRowCount();
            }
        }
        return rows;
    }

    void schemasComeBeforeAnswers() throws Exception {
        String text = "SELECT id, note || '!' AS loud FROM by_flight WHERE id < 5";
        FlightInfo info = sql.execute(text);
        assertThat(sql.getExecuteSchema(text).getSchema())
                .isEqualTo(info.getSchemaOptional().orElseThrow());
        try (FlightStream stream = answer(info)) {
            assertThat(stream.getSchema()).isEqualTo(info.getSchemaOptional().orElseThrow());
        }
        assertThat(rows(info)).isEqualTo(5);
        try (FlightSqlClient.PreparedStatement prepared = sql.prepare("SELECT id FROM by_flight WHERE id < ?")) {
            assertThat(prepared.getParameterSchema().getFields()).hasSize(1);
            assertThat(prepared.fetchSchema().getSchema()).isEqualTo(prepared.getResultSetSchema());
        }
        assertThat(rows(sql.getXdbcTypeInfo())).isEqualTo(9);
        assertThat(rows(sql.getXdbcTypeInfo(java.sql.Types.BIGINT))).isEqualTo(1);
        assertThat(rows(sql.getSqlInfo())).isGreaterThan(80);
    }

    void anAnswerIsCancelled() throws Exception {
        FlightInfo info = sql.execute("SELECT * FROM by_flight");
        try (FlightStream stream = answer(info)) {
            assertThat(stream.next()).isTrue();
            assertThat(sql.cancelFlightInfo(new CancelFlightInfoRequest(info)).getStatus())
                    .isEqualTo(CancelStatus.CANCELLED);
            assertThatThrownBy(() -> {
                        while (stream.next()) {
                            assertThat(stream.getRoot().getRowCount()).isPositive();
                        }
                    })
                    .hasMessageContaining("CANCELLED: the answer was cancelled");
        }
        Waiting.until("no query is open", () -> client.queries().isEmpty());
        assertThat(sql.cancelFlightInfo(new CancelFlightInfoRequest(info)).getStatus())
                .isEqualTo(CancelStatus.NOT_CANCELLABLE);
    }

    void optionsLastAsLongAsTheSession() throws Exception {
        var wrong = sql.setSessionOptions(new SetSessionOptionsRequest(Map.of(
                "partial", SessionOptionValueFactory.makeSessionOptionValue("perhaps"),
                "partia", SessionOptionValueFactory.makeSessionOptionValue("allow"))));
        assertThat(wrong.getErrors()).containsOnlyKeys("partial", "partia");
        var right = sql.setSessionOptions(new SetSessionOptionsRequest(Map.of(
                "at_least", SessionOptionValueFactory.makeSessionOptionValue("by_flight:0:999999999,other:0:5"),
                "timeout", SessionOptionValueFactory.makeSessionOptionValue(2.5))));
        assertThat(right.hasErrors()).isFalse();
        assertThat(sql.getSessionOptions(new GetSessionOptionsRequest()).getSessionOptions())
                .containsOnlyKeys("at_least", "timeout");
        assertThatThrownBy(() -> rows(sql.execute("SELECT COUNT(*) FROM by_flight")))
                .hasMessageContaining("INCOMPLETE");
        sql.closeSession(new CloseSessionRequest());
        assertThat(sql.getSessionOptions(new GetSessionOptionsRequest()).getSessionOptions())
                .isEmpty();
        assertThat(rows(sql.execute("SELECT COUNT(*) FROM by_flight"))).isEqualTo(1);
    }

    void positionsComeWithTheAnswer() throws Exception {
        try (FlightStream stream = answer(sql.execute("SELECT id FROM by_flight WHERE id < 7"))) {
            byte[] last = {};
            while (stream.next()) {
                ArrowBuf metadata = stream.getLatestMetadata();
                if (metadata != null) {
                    last = new byte[(int) metadata.readableBytes()];
                    metadata.getBytes(metadata.readerIndex(), last);
                }
            }
            Verdict verdict = WireQueries.parseVerdict(java.nio.ByteBuffer.wrap(last));
            assertThat(verdict.complete()).isTrue();
            assertThat(verdict.tuples()).isEqualTo(7);
            assertThat(verdict.positions().get(0)).isGreaterThanOrEqualTo(Objects.requireNonNull(written.get(0)));
        }
    }

    private List<String> row(FlightInfo info) throws Exception {
        List<String> values = new ArrayList<>();
        try (FlightStream stream = answer(info)) {
            assertThat(stream.getSchema()).isEqualTo(info.getSchemaOptional().orElseThrow());
            while (stream.next()) {
                for (int row = 0; row < stream.getRoot().getRowCount(); row++) {
                    for (FieldVector vector : stream.getRoot().getFieldVectors()) {
                        values.add(String.valueOf(vector.getObject(row)));
                    }
                }
            }
        }
        return values;
    }

    void changesAreMadeOnceWithoutTheirAnswer() throws Exception {
        String insert = "INSERT INTO made_by_flight VALUES (%d, NOW())";
        FlightInfo created = sql.execute(
                "CREATE STREAM made_by_flight (id BIGINT, at TIMESTAMP) KEY (id) TIME (at)" + " WITH (partitions = 1)");
        // Who asks for the schema alone changes nothing.
        assertThat(sql.getExecuteSchema(insert.formatted(9)).getSchema().getFields())
                .hasSize(2);
        FlightInfo one = sql.execute(insert.formatted(1));
        List<String> told = row(one);
        assertThat(told).first().isEqualTo("1");
        assertThat(row(one)).isEqualTo(told);
        try (FlightSqlClient.PreparedStatement prepared = sql.prepare(insert.formatted(2))) {
            assertThat(prepared.fetchSchema().getSchema().getFields()).hasSize(2);
            FlightInfo two = prepared.execute();
            assertThat(row(two)).first().isEqualTo("1");
            assertThat(row(two)).first().isEqualTo("1");
        }
        assertThat(row(created)).containsExactly("stream made_by_flight created");

        assertThatThrownBy(() -> sql.execute("INSERT INTO made_by_flight VALUES (NULL, NOW())"))
                .hasMessageContaining("id");
        assertThatThrownBy(() -> sql.execute("DROP STREAM made_by_fligh")).hasMessageContaining("NO_SUCH_STREAM");
        FlightCallHeaders again = new FlightCallHeaders();
        again.insert("grpc-previous-rpc-attempts", "1");
        assertThatThrownBy(() -> sql.execute(insert.formatted(8), new HeaderCallOption(again)))
                .hasMessageContaining("OUTCOME_UNKNOWN");

        String positions = row(sql.execute(insert.formatted(3))).get(1);
        assertThat(row(sql.execute("SELECT /*+ at_least('" + positions + "') */ id FROM made_by_flight ORDER BY id")))
                .containsExactly("1", "2", "3");
        FlightInfo dropped = sql.execute("DROP STREAM made_by_flight");
        assertThatThrownBy(() -> sql.execute(insert.formatted(4))).hasMessageContaining("NO_SUCH_STREAM");
        assertThat(row(dropped)).containsExactly("stream made_by_flight dropped");
    }

    void whatIsNoMessageIsRefused() throws Exception {
        assertThatThrownBy(() -> flight.getInfo(FlightDescriptor.command(new byte[] {1, 2, 3})))
                .isInstanceOf(FlightRuntimeException.class);
        assertThatThrownBy(() ->
                        flight.getInfo(FlightDescriptor.command(Any.pack(CommandPreparedStatementQuery.newBuilder()
                                        .setPreparedStatementHandle(ByteString.copyFromUtf8("junk"))
                                        .build())
                                .toByteArray())))
                .hasMessageContaining("the handle of the statement is none that this server gave");
        // What is no update that there is is refused in words.
        FlightDescriptor update = FlightDescriptor.command(Any.pack(CommandStatementUpdate.newBuilder()
                        .setQuery("DELETE FROM by_flight")
                        .build())
                .toByteArray());
        try (VectorSchemaRoot nothing =
                VectorSchemaRoot.create(new org.apache.arrow.vector.types.pojo.Schema(List.of()), allocator)) {
            AsyncPutListener told = new AsyncPutListener();
            var put = flight.startPut(update, nothing, told);
            put.completed();
            assertThatThrownBy(told::getResult).hasMessageContaining("not supported: DELETE, for rows are not changed");
        }
        assertThat(rows(sql.execute("SELECT COUNT(*) FROM by_flight"))).isEqualTo(1);
    }
}
