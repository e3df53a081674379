package io.waterwheel.decode.registry;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A small schema registry, written for the tests: it answers {@code GET /schemas/ids/ID} as the open protocol of schema
 * registries says, and can be made to fail.
 */
public final class TestRegistry implements AutoCloseable {
    static {
        // Or each answer waits 40 ms for the acknowledgement of its head.
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Map<Integer, String> schemas = new ConcurrentHashMap<>();
    private final Map<String, String> subjects = new ConcurrentHashMap<>();
    private final AtomicInteger questions = new AtomicInteger();
    private volatile int status = 200;
    private volatile String body = "";
    private volatile String wanted = "";

    public TestRegistry() {
        this(null);
    }

    /** @param tls of one that is asked by https; null: by http */
    TestRegistry(@Nullable SSLContext tls) {
        InetSocketAddress free = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try {
            if (tls == null) {
                server = HttpServer.create(free, 0);
            } else {
                HttpsServer guarded = HttpsServer.create(free, 0);
                guarded.setHttpsConfigurator(new HttpsConfigurator(tls));
                server = guarded;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/schemas/ids/", this::answer);
        server.createContext("/subjects/", this::answerSubject);
        server.setExecutor(threads);
        server.start();
    }

    /** Where it listens. */
    public String address() {
        return (server instanceof HttpsServer ? "https" : "http") + "://127.0.0.1:"
                + server.getAddress().getPort();
    }

    /** Gives a schema a number. */
    public void register(int id, String type, String schema) {
        register(id, type, schema, List.of());
    }

    /** Gives a schema a place in a subject. */
    public void subject(String subject, int version, String type, String schema, List<Map<String, Object>> refers) {
        subjects.put(subject + "/versions/" + version, text(type, schema, refers));
    }

    /** What a schema says of another that it refers to. */
    public static Map<String, Object> reference(String name, String subject, int version) {
        return Map.of("name", name, "subject", subject, "version", version);
    }

    /** Gives a schema that refers to others a number. */
    public void register(int id, String type, String schema, List<Map<String, Object>> refers) {
        schemas.put(id, text(type, schema, refers));
    }

    private static String text(String type, String schema, List<Map<String, Object>> refers) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("schema", schema);
        if (!type.equals("AVRO")) {
            answer.put("schemaType", type);
        }
        if (!refers.isEmpty()) {
            answer.put("references", refers);
        }
        try {
            return new ObjectMapper().writeValueAsString(answer);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Answers so from now on, whatever is asked; 200: as it should. */
    public void answer(int with, String text) {
        body = text;
        status = with;
    }

    /** Answers from now on only who sends this in the header Authorization; empty: everybody. */
    public void guard(String authorization) {
        wanted = authorization;
    }

    private boolean refused(HttpExchange exchange) throws IOException {
        String sent = exchange.getRequestHeaders().getFirst("Authorization");
        if (wanted.isEmpty() || wanted.equals(sent)) {
            return false;
        }
        send(exchange, 401, "{\"error_code\":401,\"message\":\"Unauthorized\"}");
        return true;
    }

    /** How often it was asked. */
    public int questions() {
        return questions.get();
    }

    private void answer(HttpExchange exchange) throws IOException {
        questions.incrementAndGet();
        if (refused(exchange)) {
            return;
        }
        String path = exchange.getRequestURI().getPath();
        if (path.endsWith("/subjects")) {
            send(exchange, 200, "[\"of-" + path.split("/", -1)[3] + "\"]");
            return;
        }
        String schema = schemas.get(Integer.parseUnsignedInt(path.substring(path.lastIndexOf('/') + 1)));
        if (status != 200) {
            send(exchange, status, body);
        } else if (!body.isEmpty()) {
            send(exchange, 200, body);
        } else if (schema == null) {
            send(exchange, 404, "{\"error_code\":40403,\"message\":\"Schema not found\"}");
        } else {
            send(exchange, 200, schema);
        }
    }

    private void answerSubject(HttpExchange exchange) throws IOException {
        questions.incrementAndGet();
        if (refused(exchange)) {
            return;
        }
        String schema = subjects.get(exchange.getRequestURI().getPath().substring("/subjects/".length()));
        if (status != 200) {
            send(exchange, status, body);
        } else if (schema == null) {
            send(exchange, 404, "{\"error_code\":40401,\"message\":\"Subject not found\"}");
        } else {
            send(exchange, 200, schema);
        }
    }

    private static void send(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
