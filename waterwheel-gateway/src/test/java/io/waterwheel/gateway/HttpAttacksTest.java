package io.waterwheel.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.waterwheel.Rounds;
import io.waterwheel.Waiting;
import io.waterwheel.client.FakeServer;
import io.waterwheel.client.WaterwheelClient;
import io.waterwheel.gateway.keyed.KeyedSlot;
import io.waterwheel.query.Verdict;
import io.waterwheel.schema.Field;
import io.waterwheel.schema.FieldType;
import io.waterwheel.schema.KeySpec;
import io.waterwheel.schema.RecordFormat;
import io.waterwheel.schema.Schema;
import io.waterwheel.schema.SchemaJson;
import io.waterwheel.schema.StreamDefinition;
import io.waterwheel.wire.proto.ListStreamsReply;
import io.waterwheel.wire.proto.StatusReply;
import io.waterwheel.wire.proto.StreamDescription;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What strangers may do to the port: after and beside each attack a request is answered, and the memory that requests
 * hold is given back. Long: {@code -Dconnections=10000}, twice as many open files, {@code -Drequests=100000}.
 */
@Timeout(600)
final class HttpAttacksTest {
    private static final int CONNECTIONS = Rounds.of("connections", 200, 10_000);
    private static final int REQUESTS = Rounds.of("requests", 1_000, 50_000);
    private static final int MOST_CONNECTIONS = CONNECTIONS / 2;
    private static final Gateway.Patience PATIENCE =
            new Gateway.Patience(TimeUnit.MILLISECONDS.toNanos(1_000), KeyedSlot.PATIENCE);
    private static final Duration IDLE = Duration.ofMillis(1_200);

    private final long seed = Long.getLong("seed", System.nanoTime());
    private final List<Socket> sockets = new ArrayList<>();
    private FakeServer server;
    private WaterwheelClient client;
    private Gateway gateway;

    @BeforeEach
    void start() throws IOException {
        byte[] stream = StreamDescription.newBuilder()
                .setId(5)
                .setBootstrapServers("127.0.0.1:1")
                .setDefinitionJson(SchemaJson.writeStream(new StreamDefinition(
                        "s",
                        "s",
                        RecordFormat.BLOCK,
                        1,
                        new Schema(
                                List.of(
                                        new Field("id", FieldType.LONG, false),
                                        new Field("at", FieldType.TIMESTAMP, false)),
                                new KeySpec.Ordered("id"),
                                "at"))))
                .build()
                .toByteArray();
        server = FakeServer.start(
                (query, answer) -> answer.whole(
                        List.of(new Field("id", FieldType.LONG, false)),
                        List.<Object[]>of(new Object[] {1L}),
                        new Verdict(true, List.of(), Map.of(), 1, 0, 1, 0)),
                (action, body) -> switch (action) {
                    case "describe-stream" -> stream;
                    case "list-streams" -> ListStreamsReply.getDefaultInstance().toByteArray();
                    case "status" ->
                        StatusReply.newBuilder()
                                .setJson("{\"streams\":[]}")
                                .build()
                                .toByteArray();
                    default -> new byte[0];
                });
        client = WaterwheelClient.connect(server.url());
        gateway = Gateway.start(
                new GatewaySettings(
                        "127.0.0.1", 0, MOST_CONNECTIONS, 4, 16L << 20, 1L << 20, List.of(), Map.of(), IDLE),
                PATIENCE);
        gateway.serve(client);
    }

    @AfterEach
    void stop() throws Exception {
        for (Socket socket : sockets) {
            socket.close();
        }
        gateway.close();
        client.close();
        server.close();
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.port());
        socket.setSoTimeout(30_000);
        sockets.add(socket);
        return socket;
    }

    private static boolean send(Socket socket, String text) {
        try {
            OutputStream out = socket.getOutputStream();
            out.write(text.getBytes(ISO_8859_1));
            out.flush();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether the gateway has ended the connection, whatever it said before. */
    private static boolean ends(Socket socket) {
        try {
            socket.getInputStream().readAllBytes();
            return true;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private void isWell() {
        IOException[] last = new IOException[1];
        boolean well = Waiting.holds(Duration.ofMinutes(2), () -> {
            try {
                RawHttp.Answer answer = RawHttp.get(gateway, "/metrics");
                return answer.status() == 200
                        && answer.body().contains("waterwheel_gateway_memory_bytes{part=\"rows\"} 0.0");
            } catch (IOException e) {
                // On a busy machine this request too may be slower than the gateway waits.
                last[0] = e;
                return false;
            }
        });
        assertThat(well)
                .as("it answers, and holds nothing; the last request that failed: %s", last[0])
                .isTrue();
    }

    /** Those above the bound wait to be accepted; once the idle ones are ended, all is as before. */
    @Test
    void moreConnectionsThanMayBeOpen() throws IOException {
        for (int i = 0; i < CONNECTIONS; i++) {
            connect();
        }
        isWell();
        assertThat(RawHttp.get(gateway, "/healthz").status()).isEqualTo(200);
    }

    /** A head that does not end, and one that is a thousand small fields; each beside a client that asks. */
    @Test
    void floodsOfHeads() throws IOException {
        List<Socket> slow = new ArrayList<>();
        for (int i = 0; i < MOST_CONNECTIONS / 4; i++) {
            Socket socket = connect();
            send(socket, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
            slow.add(socket);
        }
        assertThat(RawHttp.get(gateway, "/healthz").status()).isEqualTo(200);
        StringBuilder fields = new StringBuilder();
        for (int i = 0; i < 1_000; i++) {
            fields.append("X-").append(i).append(": ").append(i).append("\r\n");
        }
        assertThat(RawHttp.get(
                                gateway,
                                "/healthz",
                                fields.substring(0, 8_000).lines().toArray(String[]::new))
                        .status())
                .isEqualTo(200);
        Socket many = connect();
        send(many, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + fields + fields + "\r\n");
        assertThat(ends(many)).isTrue();
        Socket endless = connect();
        boolean taken = true;
        for (int i = 0; i < 10_000 && taken; i++) {
            taken = send(endless, "X-" + i + ": " + "x".repeat(1_000) + "\r\n");
        }
        assertThat(ends(endless)).isTrue();
        for (Socket socket : slow) {
            assertThat(ends(socket)).isTrue();
        }
        isWell();
    }

    /** Bodies that come a byte at a time, or not at all, hold no thread and go by their time. */
    @Test
    void slowBodies() throws IOException {
        List<Socket> slow = new ArrayList<>();
        for (int i = 0; i < MOST_CONNECTIONS / 2; i++) {
            Socket socket = connect();
            send(
                    socket,
                    "POST /v1/streams/s/rows HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n"
                            + (i % 2 == 0
                                    ? "Content-Length: 1000000\r\n\r\n1,1"
                                    : "Transfer-Encoding: chunked\r\n\r\n10\r\n1,1"));
            slow.add(socket);
        }
        for (int i = 0; i < 20; i++) {
            assertThat(RawHttp.get(gateway, "/v1/streams").status()).isEqualTo(200);
            for (Socket socket : slow) {
                send(socket, "0");
            }
        }
        for (Socket socket : slow) {
            assertThat(ends(socket)).isTrue();
        }
        isWell();
    }

    /** A hundred megabytes of zeros in a hundred kilobytes, many at a time: refused, and never held. */
    @Test
    void bombs() throws Exception {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            byte[] zeros = new byte[1 << 20];
            for (int i = 0; i < 128; i++) {
                out.write(zeros);
            }
        }
        byte[] gzip = packed.toByteArray();
        byte[] zstd = com.github.luben.zstd.Zstd.compress(new byte[128 << 20]);
        List<Thread> senders = new ArrayList<>();
        List<Integer> statuses = java.util.Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 8; i++) {
            boolean first = i % 2 == 0;
            Thread sender = new Thread(() -> {
                try {
                    statuses.add(RawHttp.post(
                                    gateway,
                                    "/v1/streams/s/rows",
                                    "text/csv",
                                    first ? gzip : zstd,
                                    "Content-Encoding: " + (first ? "gzip" : "zstd"))
                            .status());
                } catch (IOException e) {
                    statuses.add(0);
                }
            });
            sender.start();
            senders.add(sender);
        }
        for (Thread sender : senders) {
            sender.join();
        }
        assertThat(statuses).hasSize(8).allMatch(status -> status == 413 || status == 429);
        isWell();
    }

    /** Requests without end by one connection whose answers are not read: they wait in the network, not here. */
    @Test
    void requestsWhoseAnswersAreNotRead() throws IOException {
        Socket socket = connect();
        Thread sender = new Thread(() -> {
            String some = "GET /v1/openapi.yaml HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(100);
            int sent = 0;
            while (sent < REQUESTS && send(socket, some)) {
                sent += 100;
            }
        });
        sender.setDaemon(true);
        sender.start();
        for (int i = 0; i < 20; i++) {
            assertThat(RawHttp.get(gateway, "/v1/streams").status()).isEqualTo(200);
        }
        Waiting.until("the connection is ended, as nothing is taken", () -> !sender.isAlive());
        isWell();
    }

    /** What is no request, or two requests in one to a proxy before it: refused, and never a defect. */
    @Test
    void damagedRequests() throws IOException {
        String good = "POST /v1/query?format=csv HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: 14\r\n\r\n{\"stream\":\"s\"}";
        for (String smuggled : List.of(
                good.replace("Content-Length: 14", "Content-Length: 14\r\nTransfer-Encoding: chunked"),
                good.replace("Content-Length: 14", "Content-Length: 14\r\nContent-Length: 15"),
                good.replace("Content-Length: 14", "Content-Length: -1"),
                good.replace("Content-Length: 14", "Transfer-Encoding: chunked") + "FFFFFFFFFFFFFFFFF\r\n",
                good.replace("Host: localhost", "Host: a\r\nHost: b"),
                good.replace("POST", "\0POST"))) {
            assertThat(status(smuggled)).as(smuggled).isBetween(400, 499);
        }
        Random random = new Random(seed);
        for (int i = 0; i < REQUESTS / 5; i++) {
            StringBuilder text = new StringBuilder(good);
            for (int change = random.nextInt(4); change >= 0; change--) {
                int at = random.nextInt(Math.max(1, text.indexOf("{")));
                switch (random.nextInt(3)) {
                    case 0 -> text.setCharAt(at, (char) random.nextInt(256));
                    case 1 -> text.deleteCharAt(at);
                    default -> text.insert(at, (char) random.nextInt(256));
                }
            }
            assertThat(status(text.toString())).as("seed %s: %s", seed, text).isNotEqualTo(500);
        }
        isWell();
    }

    /** Of the first answer; 0 where the connection ends without one. */
    private int status(String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.port())) {
            socket.setSoTimeout(20_000);
            if (!send(socket, request)) {
                return 0;
            }
            // A request that waits for more is given up.
            socket.shutdownOutput();
            String answer = new String(socket.getInputStream().readNBytes(12), ISO_8859_1);
            return answer.length() < 12 ? 0 : Integer.parseInt(answer.substring(9));
        } catch (java.net.SocketException e) {
            return 0;
        }
    }
}
