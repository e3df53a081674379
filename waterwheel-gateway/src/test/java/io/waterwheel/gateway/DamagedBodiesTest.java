package io.waterwheel.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.DamagedBytes;
import io.waterwheel.Packed;
import io.waterwheel.Rounds;
import io.waterwheel.client.FakeServer;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.client.known.ArrowRows;
import io.waterwheel.decode.BlockCodec;
import io.waterwheel.gateway.arrow.ArrowDecoder;
import io.waterwheel.gateway.http.HttpFailure;
import io.waterwheel.gateway.http.PushBudget;
import io.waterwheel.gateway.influx.LineProtocol;
import io.waterwheel.gateway.rows.Expansion;
import io.waterwheel.gateway.rows.PushedRows;
import io.waterwheel.gateway.rows.RowDecoder;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.SchemaFile;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.tuple.TupleBlock;
import io.waterwheel.wire.proto.StreamDescription;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Bodies that were good and are damaged: the answer says what is wrong with them, and is never a defect.
 * {@code -Dseed=N} repeats a run. DamagedByHttp in deploy/embedded sends such bodies to a whole server.
 */
@Timeout(600)
final class DamagedBodiesTest {
    private static final int BODIES = Rounds.of("bodies", 6_000, 500_000);
    private static final int QUESTIONS = Rounds.of("questions", 600, 20_000);
    private static final long BUDGET = 64 << 20;

    private final long seed = Long.getLong("seed", System.nanoTime());
    private final Random random = new Random(seed);

    private static final String FIELDS = """
            fields:
              - {name: id, type: long}
              - {name: at, type: timestamp}
              - {name: note, type: string, nullable: true}
              - {name: price, type: "decimal(18, 6)", nullable: true}
              - {name: real, type: double, nullable: true}
              - {name: truth, type: boolean, nullable: true}
              - {name: raw, type: bytes, nullable: true}
              - {name: uid, type: uuid, nullable: true}
              - {name: host, type: ipv4, nullable: true}
              - {name: peer, type: ipv6, nullable: true}
            key: {field: id}
            time: at
            """;

    private static StreamDefinition stream(String format) {
        return SchemaFile.read("s.yaml", "name: s\npartitions: 1\n" + format + "\n" + FIELDS);
    }

    private static final List<StreamDefinition> STREAMS = List.of(
            stream("format: block"),
            stream("format: csv\nrecords: {blocks: true}"),
            stream("format: csv\nrecords: {delimiter: ';', decimal: ',', nulls: [NA], encoding: windows-1252}"),
            stream("format: json"),
            stream("format: json\nrecords: {blocks: true, unknown: reject}"));

    private enum Form {
        CSV(RecordFormat.CSV),
        JSON(RecordFormat.JSON),
        BLOCK(RecordFormat.BLOCK),
        ARROW(null);

        final RecordFormat format;

        Form(RecordFormat format) {
            this.format = format;
        }

        boolean fits(StreamDefinition stream) {
            return stream.takesBlocks()
                    || stream.format() == format
                    || (this == ARROW && stream.format().isText());
        }
    }

    private static String csv(StreamDefinition stream, int id) {
        String row = id + ",1633608001" + id % 1000 + ",\"a, \"\"note\"\" " + id + "\",12.50,-1e3,true,AQID,"
                + "01234567-89ab-cdef-0123-456789abcdef,10.0.0.1,2001:db8::1\n";
        return stream.schema().text().csv().delimiter() == ';'
                ? row.replace("12.50", "12,50").replace(',', ';')
                : row;
    }

    private static String json(int id) {
        return "{\"id\": " + id + ", \"at\": 1633608001" + id % 1000 + ", \"note\": \"a \\\"n\\u00f6te\\\" " + id
                + "\", \"price\": 12.50, \"real\": -1e3, \"truth\": false, \"raw\": \"AQID\","
                + " \"uid\": \"01234567-89ab-cdef-0123-456789abcdef\", \"host\": \"10.0.0.1\","
                + " \"peer\": \"2001:db8::1\"}\n";
    }

    private byte[] good(StreamDefinition stream, Form form) throws IOException {
        int rows = 1 + random.nextInt(20);
        StringBuilder text = new StringBuilder();
        if (form == Form.CSV && random.nextInt(4) == 0) {
            text.append("id,at,note,price,real,truth,raw,uid,host,peer\n");
        }
        for (int r = 0; r < rows; r++) {
            text.append(form == Form.CSV ? csv(stream, random.nextInt(1_000)) : json(random.nextInt(1_000)));
        }
        return switch (form) {
            case CSV, JSON -> text.toString().getBytes(UTF_8);
            case BLOCK -> {
                PushedRows decoded =
                        decoded(STREAMS.get(0), Form.JSON, text.toString().getBytes(UTF_8), false);
                yield BlockCodec.encode(decoded.tuples(), random.nextBoolean());
            }
            case ARROW -> ArrowRows.stream(rows);
        };
    }

    private static PushedRows decoded(StreamDefinition stream, Form form, byte[] bytes, boolean keepBad) {
        PushBudget.Lease lease = new PushBudget(BUDGET, "rows").lease();
        return form == Form.ARROW
                ? new ArrowDecoder(stream, keepBad, lease).decode(bytes)
                : new RowDecoder(stream, form.format, keepBad, lease).decode(bytes, RowDecoder.Header.SEEN);
    }

    /**
     * Of every form, whole or packed: what is taken is tuples that can be written, all else a failure of the client.
     */
    @Test
    void rowsAreTakenOrRefused() throws IOException {
        int taken = 0;
        int refused = 0;
        Set<Integer> statuses = new HashSet<>();
        for (int body = 0; body < BODIES; body++) {
            StreamDefinition stream = STREAMS.get(random.nextInt(STREAMS.size()));
            Form form = Form.values()[random.nextInt(Form.values().length)];
            if (!form.fits(stream)) {
                continue;
            }
            String encoding = Packed.ENCODINGS.get(random.nextInt(Packed.ENCODINGS.size()));
            byte[] good = good(stream, form);
            byte[] others = good(stream, form);
            byte[] sent = Packed.damaged(encoding, good, others, random);
            String as = "seed " + seed + ", body " + body + ", " + form + " " + encoding + " for " + stream.format();
            PushBudget budget = new PushBudget(BUDGET, "rows");
            PushBudget.Lease lease = budget.lease();
            try {
                byte[] bytes = Expansion.expand(sent, encoding, PushEndpoint.MOST_EXPANDED_BYTES, lease);
                boolean keepBad = random.nextBoolean();
                PushedRows rows = decoded(stream, form, bytes, keepBad);
                check(as, stream, rows, keepBad);
                taken += rows.rows() > 0 ? 1 : 0;
                refused += rows.rejected() > 0 ? 1 : 0;
            } catch (RuntimeException e) {
                HttpFailure failure = HttpFailure.of(e);
                if (failure.status() < 400 || failure.status() >= 500) {
                    throw new AssertionError(as, e);
                }
                statuses.add(failure.status());
            } catch (Error e) {
                throw new AssertionError(as, e);
            }
            lease.close();
            assertThat(budget.taken()).as(as).isZero();
        }
        assertThat(statuses).as("seed %s", seed).contains(400);
        assertThat(taken).as("bodies with good rows, seed %s", seed).isGreaterThan(BODIES / 20);
        assertThat(refused).as("bodies with bad rows, seed %s", seed).isGreaterThan(BODIES / 20);
    }

    /** What is to be stored can be written and read again, and has as many rows as the client is told. */
    private static void check(String as, StreamDefinition stream, PushedRows rows, boolean keepBad) {
        assertThat(rows.reasons()).as(as).hasSize(Math.min(rows.rejected(), PushedRows.MOST_REASONS));
        rows.reasons().forEach(reason -> assertThat(reason.reason()).as(as).isNotBlank());
        if (stream.takesBlocks()) {
            TupleBlock block = rows.tuples();
            assertThat(block.size()).as(as).isEqualTo(rows.rows());
            assertThat(rows.records()).as(as).hasSize(keepBad ? rows.rejected() : 0);
            if (block.size() > 0) {
                TupleBlock again = new TupleBlock(block.layout(), 1);
                BlockCodec.decode(ByteBuffer.wrap(BlockCodec.encode(block, true)), again);
                assertThat(again.size()).as(as).isEqualTo(block.size());
            }
        } else {
            assertThat(rows.records().size()).as(as).isLessThanOrEqualTo(rows.rows() + (keepBad ? rows.rejected() : 0));
        }
    }

    /** Lines of InfluxDB's writers: each is a point or a bad line, and the next begins behind it. */
    @Test
    void pointsAreTakenOrRefused() {
        byte[] good = """
                s,host=a,dc=x\\ y id=1i,at=5,note="a, \\"note\\"",real=-1.5e3,truth=t 1633608001000000000
                # a comment
                s id=2u,price=12.50,raw="AQID"

                s id=.5,real=+7. -1
                """.getBytes(UTF_8);
        int points = 0;
        for (int body = 0; body < BODIES; body++) {
            byte[] bytes = DamagedBytes.of(good, good, random);
            String as = "seed " + seed + ", body " + body;
            for (int at = 0; at < bytes.length; ) {
                int end = LineProtocol.end(bytes, at);
                assertThat(end).as(as).isBetween(at, bytes.length);
                try {
                    LineProtocol.read(bytes, at, end);
                    points++;
                } catch (LineProtocol.BadLine e) {
                    assertThat(e.getMessage()).as(as).isNotBlank();
                } catch (RuntimeException | Error e) {
                    throw new AssertionError(as, e);
                }
                at = end + 1;
            }
        }
        assertThat(points).as("seed %s", seed).isGreaterThan(BODIES / 2);
    }

    /** Questions in JSON, as a form and in SQL, and points: by HTTP, where a defect would be told with 500. */
    @Test
    void questionsAreAnsweredOrRefused() throws Exception {
        byte[] described = StreamDescription.newBuilder()
                .setId(5)
                .setBootstrapServers("nowhere")
                .setDefinitionJson(SchemaJson.writeStream(STREAMS.get(0)))
                .build()
                .toByteArray();
        List<String> types = List.of("application/json", "application/json", QueryReader.FORM, "application/sql");
        List<String> good = List.of(
                """
                {"stream": "s", "where": "id > 5 AND note LIKE 'a%'", "key_ranges": [{"low": "1", "high": "9"}],
                 "orderBy": [{"field": "id", "descending": true}], "limit": 10, "allow_partial": true,
                 "timeoutMillis": 5000, "atLeast": {"0": 7}, "times": {"from": 1, "to": 2}}
                """,
                """
                {"sql": "SELECT id FROM s WHERE note = ? AND at < ?", "timeoutMillis": 5000, "allowPartial": true,
                 "atLeast": {"s": {"0": 4711}},
                 "parameters": ["x", {"time": "2021-10-07T12:30:00Z"}, {"decimal": "12.50"}, {"bytes": "AQID"}, null]}
                """,
                "stream=s&where=id+%3E+5&key=1..9&order-by=id:desc&limit=10&partial=allow&timeout=5&at-least=0:7"
                        + "&box=1,2,3,4&agg=sum(id)+AS+x&group-by=note&time=2021-10-07T12:30:00Z/2021-10-07T12:31:00Z",
                "SELECT note, COUNT(*) FROM s WHERE at BETWEEN TIMESTAMP '2021-10-07 00:00:00' AND CURRENT_TIMESTAMP"
                        + " GROUP BY note ORDER BY 2 DESC LIMIT 5 -- a comment");
        try (FakeServer server = FakeServer.start(
                        (query, answer) -> answer.whole(
                                List.of(new Field("plan", FieldType.STRING, false)),
                                List.<Object[]>of(new Object[] {"leaf0: s"}),
                                new Verdict(true, List.of(), Map.of(), 1, 1, 1, 0)),
                        (action, body) -> described);
                WaterwheelClient client = WaterwheelClient.connect(server.url());
                Gateway gateway = Gateway.start(GatewaySettings.DEFAULT.withPort(0))) {
            gateway.serve(client);
            List<Integer> answered = new ArrayList<>(List.of(0, 0, 0, 0));
            for (int question = 0; question < QUESTIONS; question++) {
                int kind = question % good.size();
                byte[] bytes = good.get(kind).getBytes(UTF_8);
                // JSON that is damaged is JSON rarely: each kind is sent whole once.
                boolean whole = question < good.size();
                byte[] sent = whole ? bytes : DamagedBytes.of(bytes, bytes, random);
                String target = !whole && random.nextInt(4) == 0 ? "/v1/explain" : "/v1/query";
                RawHttp.Answer answer = RawHttp.post(gateway, target, types.get(kind), sent);
                String as = "seed " + seed + ", question " + question + ", " + target + " " + types.get(kind) + " "
                        + new String(sent, UTF_8) + ": " + answer.body();
                // The server of this test explains no query, which is its defect.
                boolean explained =
                        target.equals("/v1/explain") && answer.body().contains("BAD_ANSWER");
                assertThat(explained || answer.status() < 500).as(as).isTrue();
                if (answer.status() >= 400) {
                    assertThat(answer.body()).as(as).startsWith("{\"code\":\"");
                } else {
                    answered.set(kind, answered.get(kind) + 1);
                }
                if (question % 50 == 0) {
                    assertThat(RawHttp.post(gateway, "/v1/query", types.get(0), good.get(0))
                                    .status())
                            .as(as)
                            .isEqualTo(200);
                }
                byte[] line = "s,host=a id=1i,at=5,note=\"n\" 16336080010000000\n".getBytes(UTF_8);
                if (question % 10 == 0) {
                    byte[] points = DamagedBytes.of(line, line, random);
                    RawHttp.Answer written = RawHttp.post(gateway, "/write?db=d", "text/plain", points);
                    // Its brokers are nowhere: good points cannot be stored.
                    assertThat(written.status())
                            .as("seed %s, %s: %s", seed, new String(points, UTF_8), written.body())
                            .isIn(204, 400, 503);
                }
            }
            assertThat(answered).as("answered by kind, seed %s", seed).allMatch(some -> some > 0);
        }
    }
}
